#ifndef DATA_DIGEST_H
#define DATA_DIGEST_H

#include "base/buf.h"

/* SHA-256 names every blob, manifest and result. */
struct digest {
    uint8_t bytes[32];
};

#define DIGEST_HEX_BYTES 65 /* with NUL */

struct digest digest_of(struct str content);

/* Piece by piece. The space holds the library's state without showing its header. */
struct digest_stream {
    uint64_t space[16];
};
void digest_begin(struct digest_stream *stream);
void digest_add(struct digest_stream *stream, struct str piece);
/* Its length before it, so that two fields never read as two others. */
void digest_add_field(struct digest_stream *stream, struct str field);
struct digest digest_end(struct digest_stream *stream);

/* Of a whole plain file, from its first byte; the descriptor's offset stays where it is.
 * Errors: ERR_TOO_LARGE when it is longer than bytes_max, ERR_SYSTEM. */
checked bool digest_of_fd(int fd, int64_t bytes_max, struct digest *ret_digest, int64_t *ret_bytes,
                          struct err *err);

void digest_hex(const struct digest *digest, char out[DIGEST_HEX_BYTES]); /* lower case */
bool digest_parse(struct str hex, struct digest *ret_digest);             /* either case */

/* In constant time, as is bytes_equal: neither tells an attacker how far he got. */
bool digest_equal(const struct digest *a, const struct digest *b);
bool bytes_equal(const void *a, const void *b, size_t count);

struct digest hmac_sha256(struct str key, struct str message);

/* RFC 4648 section 5 without padding. Decoding is strict: one text for each sequence of bytes, so
 * no white space, no padding and no stray bits. False leaves `out` as it was. */
bool base64url_encode(struct str bytes, struct buf *out); /* false when `out` is full */
bool base64url_decode(struct str text, struct buf *out);

#endif
