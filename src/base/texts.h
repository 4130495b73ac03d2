#ifndef BASE_TEXTS_H
#define BASE_TEXTS_H

#include "base/err.h"
#include <stddef.h>
#include <stdint.h>

/* Lists of texts in one block: text NUL text NUL ... So a list can cross to another process. */

/* NULL is an empty list. ERR_TOO_LARGE when the texts do not fit into `bytes` or `count_max`. */
checked bool texts_pack(const char *const *list, uint32_t count_max, char *ret_block, size_t bytes,
                        uint32_t *ret_count, struct err *err);
/* Whether a block from outside holds `count` texts, each with its NUL. */
bool texts_are_whole(const char *block, size_t bytes, uint32_t count);
/* Points into a whole block; ret_list has room for count + 1 and ends with NULL. */
void texts_unpack(const char *block, uint32_t count, const char **ret_list);

#endif
