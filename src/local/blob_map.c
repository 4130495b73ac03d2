/* Files of a package by digest: a hash table over one anonymous file. */
#include "local/blob_map.h"

#include "base/check.h"
#include "base/file.h"
#include "base/limits.h"
#include "data/digest.h"
#include "package/scratch.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUCKETS 4096
#define STEP_BYTES ((size_t)64 * KIB)

struct blob_row {
    struct blob_ref blob;
    int64_t offset;
    struct blob_row *next;
};

struct blob_map {
    int fd;
    int64_t bytes;
    struct blob_row *buckets[BUCKETS];
};

bool blob_map_create(struct blob_map **ret_map, struct err *err) {
    own(blob_map) map = calloc(1, sizeof(*map));
    CHECK(map != NULL);
    map->fd = -1;
    if (!scratch_create(&map->fd, err)) {
        return false;
    }
    *ret_map = take(map);
    return true;
}

void blob_map_free(struct blob_map *map) {
    if (map == NULL) {
        return;
    }
    for (size_t i = 0; i < BUCKETS; i++) {
        struct blob_row *row = map->buckets[i];
        while (row != NULL) {
            struct blob_row *next = row->next;
            free(row);
            row = next;
        }
    }
    fd_cleanup(&map->fd);
    free(map);
}

static size_t bucket_of(const uint8_t sha256[32]) {
    return ((size_t)sha256[0] | (size_t)sha256[1] << 8) % BUCKETS;
}

static struct blob_row *find(struct blob_map *map, const uint8_t sha256[32]) {
    struct blob_row *row = map->buckets[bucket_of(sha256)];
    while (row != NULL && memcmp(row->blob.sha256, sha256, sizeof(row->blob.sha256)) != 0) {
        row = row->next;
    }
    return row;
}

static bool append(struct blob_map *map, int fd, int64_t bytes, struct err *err) {
    own_text step = malloc(STEP_BYTES);
    CHECK(step != NULL);
    int64_t done = 0;
    while (done < bytes) {
        int64_t left = bytes - done;
        size_t want = left < (int64_t)STEP_BYTES ? (size_t)left : STEP_BYTES;
        ssize_t got = pread(fd, step, want, done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return err_system(err, "read_failed", "cannot read a file of the package");
        }
        if (!file_write_all(map->fd, str_of(step, (size_t)got), err)) {
            return err_wrap(err, "keep a file of the package");
        }
        done += got;
    }
    return true;
}

bool blob_map_put(void *context, int fd, struct blob_ref *ret_blob, struct err *err) {
    struct blob_map *map = context;
    struct blob_ref blob = {.bytes = -1};
    struct digest digest = {{0}};
    if (!digest_of_fd(fd, PACKAGE_FILE_BYTES_MAX, &digest, &blob.bytes, err)) {
        return false;
    }
    memcpy(blob.sha256, digest.bytes, sizeof(blob.sha256));
    if (find(map, blob.sha256) == NULL) {
        if (lseek(map->fd, map->bytes, SEEK_SET) < 0 || !append(map, fd, blob.bytes, err)) {
            return err->kind != ERR_NONE ? false
                                         : err_system(err, "seek_failed", "cannot keep a file");
        }
        struct blob_row *row = calloc(1, sizeof(*row));
        CHECK(row != NULL);
        size_t bucket = bucket_of(blob.sha256);
        *row = (struct blob_row){.blob = blob, .offset = map->bytes, .next = map->buckets[bucket]};
        map->buckets[bucket] = row;
        map->bytes += blob.bytes;
    }
    *ret_blob = blob;
    return true;
}

bool blob_map_open(void *context, const struct blob_ref *blob, int *ret_fd, struct err *err) {
    struct blob_map *map = context;
    const struct blob_row *row = find(map, blob->sha256);
    if (row == NULL) {
        return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "no_blob",
                         "a file of the problem is missing");
    }
    if (!scratch_copy(map->fd, row->offset, row->blob.bytes, ret_fd, err)) {
        err->fault = FAULT_NODE;
        return false;
    }
    return true;
}
