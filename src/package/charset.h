#ifndef PACKAGE_CHARSET_H
#define PACKAGE_CHARSET_H

#include "base/arena.h"

/* File names in zips that are not UTF-8: what Windows wrote in China (GBK), else what the zip
 * format says (CP437). */
struct str charset_decode(struct arena *arena, struct str raw, const char **ret_charset);

#endif
