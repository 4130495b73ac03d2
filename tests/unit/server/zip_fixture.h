#ifndef TESTS_ZIP_FIXTURE_H
#define TESTS_ZIP_FIXTURE_H

/* A zip of stored (not deflated) files, written by hand so that it may hold what no honest program
 * writes. */
#include "base/buf.h"
#include "base/limits.h"

#include <string.h>

struct zip_file {
    const char *name;
    struct str content;
};

static inline uint32_t zip_crc(struct str bytes) {
    uint32_t crc = 0xffffffffU;
    for (size_t i = 0; i < bytes.len; i++) {
        crc ^= (unsigned char)bytes.ptr[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320U : 0);
        }
    }
    return ~crc;
}

static inline void zip_number(struct buf *out, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; i++) {
        (void)buf_append_char(out, (char)(value >> (8 * i)));
    }
}

/* What local header and central directory have in common. */
static inline void zip_common(struct buf *out, const struct zip_file *file) {
    zip_number(out, 20, 2); /* version needed */
    zip_number(out, 0, 2);  /* flags */
    zip_number(out, 0, 2);  /* stored */
    zip_number(out, 0, 4);  /* time */
    zip_number(out, zip_crc(file->content), 4);
    zip_number(out, (uint32_t)file->content.len, 4);
    zip_number(out, (uint32_t)file->content.len, 4);
    zip_number(out, (uint32_t)strlen(file->name), 2);
    zip_number(out, 0, 2);
}

static inline void zip_write(struct buf *out, const struct zip_file *files, int count) {
    uint32_t offsets[64];
    for (int i = 0; i < count; i++) {
        offsets[i] = (uint32_t)out->len;
        zip_number(out, 0x04034b50, 4);
        zip_common(out, &files[i]);
        (void)buf_append_c(out, files[i].name);
        (void)buf_append(out, files[i].content);
    }
    uint32_t directory = (uint32_t)out->len;
    for (int i = 0; i < count; i++) {
        zip_number(out, 0x02014b50, 4);
        zip_number(out, 20, 2); /* version made by */
        zip_common(out, &files[i]);
        zip_number(out, 0, 2); /* comment */
        zip_number(out, 0, 2); /* disk */
        zip_number(out, 0, 2); /* internal attributes */
        zip_number(out, 0, 4); /* external attributes */
        zip_number(out, offsets[i], 4);
        (void)buf_append_c(out, files[i].name);
    }
    uint32_t bytes = (uint32_t)out->len - directory;
    zip_number(out, 0x06054b50, 4);
    zip_number(out, 0, 4);
    zip_number(out, (uint32_t)count, 2);
    zip_number(out, (uint32_t)count, 2);
    zip_number(out, bytes, 4);
    zip_number(out, directory, 4);
    zip_number(out, 0, 2);
}

#endif
