/* Lists of texts in one block. */
#include "base/texts.h"

#include <string.h>

bool texts_pack(const char *const *list, uint32_t count_max, char *ret_block, size_t bytes,
                uint32_t *ret_count, struct err *err) {
    size_t used = 0;
    uint32_t count = 0;
    for (; list != NULL && list[count] != NULL; count++) {
        size_t size = strlen(list[count]) + 1;
        if (count == count_max || size > bytes - used) {
            return err_set(err, ERR_TOO_LARGE, "list_too_long",
                           "the list is longer than %u texts or %zu bytes", count_max, bytes);
        }
        memcpy(ret_block + used, list[count], size);
        used += size;
    }
    *ret_count = count;
    return true;
}

bool texts_are_whole(const char *block, size_t bytes, uint32_t count) {
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        const char *end = memchr(block + at, '\0', bytes - at);
        if (end == NULL) {
            return false;
        }
        at = (size_t)(end - block) + 1;
    }
    return true;
}

void texts_unpack(const char *block, uint32_t count, const char **ret_list) {
    for (uint32_t i = 0; i < count; i++) {
        ret_list[i] = block;
        block += strlen(block) + 1;
    }
    ret_list[count] = NULL;
}
