#include "store/compress.h"
#include "base/check.h"

#include <zstd.h>

#define PLAIN_BYTES 512 /* below, zstd's own frame eats the gain */
#define LEVEL 1

struct packed pack(struct str bytes, struct arena *arena) {
    struct packed plain = {.bytes = (int64_t)bytes.len, .content = bytes};
    if (bytes.len < PLAIN_BYTES) {
        return plain;
    }
    size_t bound = ZSTD_compressBound(bytes.len);
    char *out = arena_alloc(arena, bound);
    size_t len = ZSTD_compress(out, bound, bytes.ptr, bytes.len, LEVEL);
    CHECK(!ZSTD_isError(len));
    return len >= bytes.len ? plain
                            : (struct packed){.encoding = ENCODING_ZSTD,
                                              .bytes = (int64_t)bytes.len,
                                              .content = str_of(out, len)};
}

bool unpack(const struct packed *packed, int64_t bytes_max, struct arena *arena,
            struct str *ret_bytes, struct err *err) {
    if (packed->bytes < 0 || packed->bytes > bytes_max) {
        return err_set(err, ERR_TOO_LARGE, "too_large", "a stored value of %lld bytes",
                       (long long)packed->bytes);
    }
    if (packed->encoding == ENCODING_PLAIN) {
        *ret_bytes = arena_str(arena, packed->content);
        return (int64_t)packed->content.len == packed->bytes ||
               err_set(err, ERR_SYSTEM, "bad_row", "a stored value is cut");
    }
    char *out = arena_alloc(arena, (size_t)packed->bytes + 1);
    size_t len =
        ZSTD_decompress(out, (size_t)packed->bytes, packed->content.ptr, packed->content.len);
    if (ZSTD_isError(len) || (int64_t)len != packed->bytes) {
        return err_set(err, ERR_SYSTEM, "bad_row", "a stored value cannot be unpacked");
    }
    *ret_bytes = str_of(out, len);
    return true;
}
