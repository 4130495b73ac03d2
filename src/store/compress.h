#ifndef STORE_COMPRESS_H
#define STORE_COMPRESS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/* Bytes as they are stored in a row: as they are when short or when zstd gains nothing. */

enum encoding { ENCODING_PLAIN, ENCODING_ZSTD };

struct packed {
    enum encoding encoding;
    int64_t bytes; /* unpacked */
    struct str content;
};

/* The content is either `bytes` itself or lives in `arena`. */
struct packed pack(struct str bytes, struct arena *arena);
/* Errors: ERR_SYSTEM "bad_row" when the row does not hold what it says, ERR_TOO_LARGE. */
checked bool unpack(const struct packed *packed, int64_t bytes_max, struct arena *arena,
                    struct str *ret_bytes, struct err *err);

#endif
