#ifndef JUDGE_TEXT_H
#define JUDGE_TEXT_H

#include "base/arena.h"

/* Text that programs wrote, made fit to be stored and shown. Private to the judge module. */

/* At most bytes_max bytes of valid UTF-8: what is not, and control characters but line feed and
 * tab, becomes U+FFFD (a carriage return before a line feed is dropped). White space at the end is
 * cut off; " ..." marks that something was left out. Lives in `arena`. */
struct str text_clean(struct arena *arena, struct str bytes, size_t bytes_max);

/* The cleaned beginning of a plain file, from its first byte; fd -1 is an empty file.
 * Errors: ERR_SYSTEM with FAULT_NODE. */
checked bool text_from_file(struct arena *arena, int fd, size_t bytes_max, struct str *ret_text,
                            struct err *err);

#endif
