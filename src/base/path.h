#ifndef BASE_PATH_H
#define BASE_PATH_H

#include "base/str.h"

/* Names that came from outside and will be used below a folder of ours. */

/* True for one name or names joined by single slashes that cannot leave the folder they are used
 * in: valid UTF-8 without control characters or backslashes; no empty part, "." or "..", nothing
 * absolute; at most PACKAGE_PATH_BYTES_MAX bytes, PACKAGE_DEPTH_MAX parts and 255 bytes a part. */
bool path_is_plain(struct str path);
/* As path_is_plain, and a single name. */
bool path_is_name(struct str path);
/* What stands after the last slash. */
struct str path_base(struct str path);
/* The part of the base name from its last dot on, ".cpp"; empty when there is none or only the
 * first byte is a dot. */
struct str path_extension(struct str path);

#endif
