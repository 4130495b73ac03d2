/* SHA-256, HMAC and the encodings that go with them, over libsodium. */
#include "data/digest.h"

#include "base/check.h"
#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_STEP_BYTES ((size_t)64 * 1024)

static_assert(sizeof(crypto_hash_sha256_state) <= sizeof(struct digest_stream),
              "the library's state must fit");
static_assert(_Alignof(crypto_hash_sha256_state) <= _Alignof(struct digest_stream),
              "the library's state must be aligned");
static_assert(sizeof(struct digest) == crypto_hash_sha256_BYTES, "a digest is one SHA-256");

static const unsigned char *bytes_of(struct str text) {
    return (const unsigned char *)text.ptr;
}

struct digest digest_of(struct str content) {
    struct digest digest;
    crypto_hash_sha256(digest.bytes, bytes_of(content), content.len);
    return digest;
}

static crypto_hash_sha256_state *state_of(struct digest_stream *stream) {
    return (crypto_hash_sha256_state *)stream->space;
}

void digest_begin(struct digest_stream *stream) {
    crypto_hash_sha256_init(state_of(stream));
}

void digest_add(struct digest_stream *stream, struct str piece) {
    crypto_hash_sha256_update(state_of(stream), bytes_of(piece), piece.len);
}

void digest_add_field(struct digest_stream *stream, struct str field) {
    uint64_t bytes = field.len;
    digest_add(stream, str_of(&bytes, sizeof bytes));
    digest_add(stream, field);
}

struct digest digest_end(struct digest_stream *stream) {
    struct digest digest;
    crypto_hash_sha256_final(state_of(stream), digest.bytes);
    return digest;
}

/* Digests what can be read from `fd`; -1 in *ret_bytes when it is more than bytes_max. */
static bool digest_pieces(int fd, int64_t bytes_max, struct digest_stream *stream,
                          int64_t *ret_bytes, struct err *err) {
    own_text piece = malloc(READ_STEP_BYTES);
    CHECK(piece != NULL);
    int64_t total = 0;
    while (true) {
        ssize_t got = pread(fd, piece, READ_STEP_BYTES, total);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return err_system(err, "read_failed", "cannot read a file to digest it");
        }
        if (got == 0) {
            *ret_bytes = total;
            return true;
        }
        total += got;
        if (total > bytes_max) {
            return err_set(err, ERR_TOO_LARGE, "too_large", "the file is larger than %lld bytes",
                           (long long)bytes_max);
        }
        digest_add(stream, str_of(piece, (size_t)got));
    }
}

bool digest_of_fd(int fd, int64_t bytes_max, struct digest *ret_digest, int64_t *ret_bytes,
                  struct err *err) {
    struct digest_stream stream;
    digest_begin(&stream);
    if (!digest_pieces(fd, bytes_max, &stream, ret_bytes, err)) {
        return false;
    }
    *ret_digest = digest_end(&stream);
    return true;
}

void digest_hex(const struct digest *digest, char out[DIGEST_HEX_BYTES]) {
    hex_encode(digest->bytes, sizeof(digest->bytes), out);
    out[DIGEST_HEX_BYTES - 1] = '\0';
}

bool digest_parse(struct str hex, struct digest *ret_digest) {
    return hex_decode(hex, ret_digest->bytes, sizeof(ret_digest->bytes));
}

bool digest_equal(const struct digest *a, const struct digest *b) {
    return bytes_equal(a->bytes, b->bytes, sizeof(a->bytes));
}

bool bytes_equal(const void *a, const void *b, size_t count) {
    return sodium_memcmp(a, b, count) == 0;
}

struct digest hmac_sha256(struct str key, struct str message) {
    crypto_auth_hmacsha256_state state;
    struct digest code;
    crypto_auth_hmacsha256_init(&state, bytes_of(key), key.len);
    crypto_auth_hmacsha256_update(&state, bytes_of(message), message.len);
    crypto_auth_hmacsha256_final(&state, code.bytes);
    sodium_memzero(&state, sizeof(state));
    return code;
}

bool base64url_encode(struct str bytes, struct buf *out) {
    const int variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;
    size_t room = sodium_base64_encoded_len(bytes.len, variant); /* counts a NUL */
    char *place = buf_reserve(out, room - 1);                    /* which buf keeps room for */
    if (place == NULL) {
        return false;
    }
    if (bytes.len > 0) {
        sodium_bin2base64(place, room, bytes_of(bytes), bytes.len, variant);
        buf_grew(out, room - 1);
    }
    return true;
}

/* libsodium 1.0.18 reads every byte from 0x80 on as '_': a second spelling of each token. */
static bool is_ascii(struct str text) {
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] >= 0x80) {
            return false;
        }
    }
    return true;
}

bool base64url_decode(struct str text, struct buf *out) {
    if (text.len == 0) {
        return true;
    }
    if (!is_ascii(text)) {
        return false;
    }
    size_t room = text.len / 4 * 3 + 2;
    char *place = buf_reserve(out, room);
    if (place == NULL) {
        return false;
    }
    size_t len = 0;
    if (sodium_base642bin((unsigned char *)place, room, text.ptr, text.len, NULL, &len, NULL,
                          sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0) {
        return false;
    }
    buf_grew(out, len);
    return true;
}
