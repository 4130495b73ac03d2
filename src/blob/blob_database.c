/* Blobs as rows. A put is several short transactions, so that a large file holds no lock and no
 * long undo:
 *
 *     head, not complete -> chunks, some a transaction -> head complete
 *
 * (1) Readers see complete heads only; what was torn in the middle is carried on by the next put of
 *     the same content, or removed after a day.
 * (2) A head that is removed goes with its chunks in one transaction; a put that finds its head
 *     gone at the end begins anew. */
#include "blob/blob_database.h"

#include "base/buf.h"
#include "base/check.h"
#include "base/file.h"
#include "base/limits.h"
#include "blob/blob_copy.h"
#include "store/blob_chunk_store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNKS_A_TRANSACTION 8 /* 4 MiB */
#define TRIES_MAX 5
#define PAGE 256
#define TORN_MS (INT64_C(24) * 3600 * 1000) /* no upload takes a day */

struct blob_database {
    struct blob_store store;
    struct db_pool *readers;
    struct db_pool *writers;
    char *spool_folder;
};

static struct blob_database *database_of(struct blob_store *store) {
    return (struct blob_database *)(void *)store;
}

/* ---- one transaction ---- */

struct step;
typedef bool step_fn(struct db *db, struct step *step, int64_t now_ms, struct err *err);
struct step {
    step_fn *run;
    const struct blob_info *info;
    int fd;       /* of put: the spooled content */
    int32_t from; /* first chunk of this transaction */
    int64_t before_ms;
    bool found; /* out */
};

static bool run_once(struct blob_database *database, struct step *step, struct err *err) {
    own(db_reader) writer = NULL;
    int64_t now_ms = 0;
    if (!db_pool_take(database->writers, &writer, err) || !db_begin(writer->db, err)) {
        return false;
    }
    if (!db_now(writer->db, &now_ms, err) || !step->run(writer->db, step, now_ms, err)) {
        db_rollback(writer->db);
        return false;
    }
    return db_commit(writer->db, err);
}

/* Every step may be run again, also after a commit whose outcome nobody knows. */
static bool run_step(struct blob_database *database, struct step *step, struct err *err) {
    for (int i = 1;; i++) {
        struct err failure = {0};
        if (run_once(database, step, &failure)) {
            return true;
        }
        bool again = db_may_retry(&failure) || strcmp(failure.code, "commit_unknown") == 0;
        if (!again || i == TRIES_MAX) {
            *err = failure;
            return false;
        }
    }
}

/* ---- put ---- */

static bool begin_head(struct db *db, struct step *step, int64_t now_ms, struct err *err) {
    struct blob_head head = {.bytes = step->info->bytes, .stored_ms = now_ms};
    memcpy(head.sha256, step->info->digest.bytes, sizeof head.sha256);
    step->found = true;
    if (blob_head_insert(db, &head, err)) {
        return true;
    }
    return err->kind == ERR_CONFLICT &&
           blob_head_touch(db, head.sha256, false, now_ms, &step->found, err);
}

static int32_t chunk_count(int64_t bytes) {
    return (int32_t)((bytes + BLOB_CHUNK_BYTES - 1) / BLOB_CHUNK_BYTES);
}

static bool read_piece(int fd, int64_t offset, size_t bytes, struct buf *into, struct err *err) {
    char *room = buf_reserve(into, bytes);
    CHECK(room != NULL);
    size_t got = 0;
    while (got < bytes) {
        ssize_t count = pread(fd, room + got, bytes - got, offset + (int64_t)got);
        if (count == 0 || (count < 0 && errno != EINTR)) {
            return err_system(err, "blob_failed", "cannot read the spooled file");
        }
        got += count > 0 ? (size_t)count : 0;
    }
    buf_grew(into, bytes);
    return true;
}

static bool write_chunks(struct db *db, struct step *step, int64_t now_ms, struct err *err) {
    (void)now_ms;
    own_buf chunk = {0};
    buf_init(&chunk, BLOB_CHUNK_BYTES);
    int32_t end = chunk_count(step->info->bytes);
    end = end - step->from > CHUNKS_A_TRANSACTION ? step->from + CHUNKS_A_TRANSACTION : end;
    for (int32_t number = step->from; number < end; number++) {
        int64_t offset = (int64_t)number * BLOB_CHUNK_BYTES;
        int64_t left = step->info->bytes - offset;
        size_t bytes = left < BLOB_CHUNK_BYTES ? (size_t)left : BLOB_CHUNK_BYTES;
        buf_clear(&chunk);
        if (!read_piece(step->fd, offset, bytes, &chunk, err) ||
            !blob_chunk_insert(db, step->info->digest.bytes, number, buf_str(&chunk), err)) {
            return false;
        }
    }
    return true;
}

static bool end_head(struct db *db, struct step *step, int64_t now_ms, struct err *err) {
    return blob_head_complete(db, step->info->digest.bytes, now_ms, &step->found, err);
}

static bool keep_head(struct db *db, struct step *step, int64_t now_ms, struct err *err) {
    return blob_head_touch(db, step->info->digest.bytes, true, now_ms, &step->found, err);
}

/* *ret_stored false: the head was removed meanwhile. */
static bool put_rows(struct blob_database *database, int fd, const struct blob_info *info,
                     bool *ret_stored, struct err *err) {
    struct step begin = {.run = begin_head, .info = info};
    struct step end = {.run = end_head, .info = info};
    *ret_stored = false;
    if (!run_step(database, &begin, err)) {
        return false;
    }
    for (int32_t from = 0; begin.found && from < chunk_count(info->bytes);
         from += CHUNKS_A_TRANSACTION) {
        struct step chunks = {.run = write_chunks, .info = info, .fd = fd, .from = from};
        if (!run_step(database, &chunks, err)) {
            return false;
        }
    }
    if (begin.found && !run_step(database, &end, err)) {
        return false;
    }
    *ret_stored = begin.found && end.found;
    return true;
}

static bool database_put(struct blob_store *store, const struct blob_source *source,
                         struct blob_info *ret_info, struct err *err) {
    struct blob_database *database = database_of(store);
    own_fd fd = -1;
    struct blob_info info;
    if (!blob_spool(database->spool_folder, &fd, err) || !blob_copy(fd, source, &info, err)) {
        return false;
    }
    struct step keep = {.run = keep_head, .info = &info};
    if (!run_step(database, &keep, err)) {
        return false;
    }
    bool stored = keep.found;
    for (int i = 0; i < TRIES_MAX && !stored; i++) {
        if (!put_rows(database, fd, &info, &stored, err)) {
            return false;
        }
    }
    if (!stored) {
        return err_set(err, ERR_BUSY, "blob_unavailable",
                       "a file was removed again and again while it was stored");
    }
    *ret_info = info;
    return true;
}

/* ---- open, keep, remove ---- */

static bool no_blob(const struct digest *digest, struct err *err) {
    char hex[DIGEST_HEX_BYTES];
    digest_hex(digest, hex);
    return err_set(err, ERR_MISSING, "no_blob", "no file with SHA-256 %s is stored", hex);
}

static bool damaged(const struct digest *digest, struct err *err) {
    char hex[DIGEST_HEX_BYTES];
    digest_hex(digest, hex);
    return err_set(err, ERR_SYSTEM, "blob_damaged",
                   "the file stored as SHA-256 %s has another content: restore it from a backup",
                   hex);
}

static bool copy_chunks(struct db *db, const struct blob_info *info, int fd, struct err *err) {
    own_buf chunk = {0};
    struct digest_stream stream;
    int64_t bytes = 0;
    buf_init(&chunk, BLOB_CHUNK_BYTES);
    digest_begin(&stream);
    for (int32_t number = 0; number < chunk_count(info->bytes); number++) {
        bool found = false;
        buf_clear(&chunk);
        if (!blob_chunk_read(db, info->digest.bytes, number, &chunk, &found, err)) {
            return false;
        }
        if (!found) {
            return damaged(&info->digest, err);
        }
        bytes += (int64_t)chunk.len;
        digest_add(&stream, buf_str(&chunk));
        if (!file_write_all(fd, buf_str(&chunk), err)) {
            return false;
        }
    }
    struct digest found = digest_end(&stream);
    return (bytes == info->bytes && digest_equal(&found, &info->digest)) ||
           damaged(&info->digest, err);
}

static bool database_open(struct blob_store *store, const struct digest *digest, int *ret_fd,
                          int64_t *ret_bytes, struct err *err) {
    struct blob_database *database = database_of(store);
    own(db_reader) reader = NULL;
    own_fd fd = -1;
    struct blob_head head = {0};
    bool found = false;
    if (!db_pool_take(database->readers, &reader, err) || !db_begin(reader->db, err) ||
        !blob_head_find(reader->db, digest->bytes, &head, &found, err)) {
        return false;
    }
    if (!found) {
        return no_blob(digest, err);
    }
    struct blob_info info = {*digest, head.bytes};
    if (!blob_spool(database->spool_folder, &fd, err) || !copy_chunks(reader->db, &info, fd, err)) {
        return false;
    }
    if (lseek(fd, 0, SEEK_SET) != 0) {
        return err_system(err, "blob_failed", "cannot rewind the spooled file");
    }
    *ret_fd = take_fd(&fd);
    *ret_bytes = info.bytes;
    return true;
}

static bool database_keep(struct blob_store *store, const struct digest *digest, bool *ret_stored,
                          struct err *err) {
    struct blob_info info = {*digest, 0};
    struct step keep = {.run = keep_head, .info = &info};
    if (!run_step(database_of(store), &keep, err)) {
        return false;
    }
    *ret_stored = keep.found;
    return true;
}

static bool remove_head(struct db *db, struct step *step, int64_t now_ms, struct err *err) {
    (void)now_ms;
    bool removed = false;
    if (!blob_head_remove(db, step->info->digest.bytes, step->before_ms, &removed, err)) {
        return false;
    }
    step->found = step->found || removed; /* run again after an unknown commit it finds nothing */
    return true;
}

static bool database_remove(struct blob_store *store, const struct digest *digest,
                            int64_t before_ms, bool *ret_removed, struct err *err) {
    struct blob_info info = {*digest, 0};
    struct step step = {.run = remove_head, .info = &info, .before_ms = before_ms};
    if (!run_step(database_of(store), &step, err)) {
        return false;
    }
    *ret_removed = step.found;
    return true;
}

/* ---- each ---- */

static bool list_page(struct blob_database *database, const struct blob_head_query *query,
                      struct blob_head *ret_heads, int *ret_count, struct err *err) {
    own(db_reader) reader = NULL;
    return db_pool_take(database->readers, &reader, err) &&
           blob_head_list(reader->db, query, ret_heads, ret_count, err);
}

static bool visit_all(struct blob_database *database, bool complete, blob_visit_fn *visit,
                      void *context, struct err *err) {
    struct blob_head heads[PAGE];
    uint8_t after[32];
    struct blob_head_query query = {.complete = complete, .max = PAGE};
    for (;;) {
        int count = 0;
        if (!list_page(database, &query, heads, &count, err)) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            struct blob_visit blob = {.info.bytes = heads[i].bytes,
                                      .stored_ms = heads[i].stored_ms};
            memcpy(blob.info.digest.bytes, heads[i].sha256, sizeof heads[i].sha256);
            if (!visit(context, &blob)) {
                return true;
            }
        }
        if (count < PAGE) {
            return true;
        }
        memcpy(after, heads[count - 1].sha256, sizeof after);
        query.after = after;
    }
}

/* Outside a transaction and any batch: the age is the database's clock's. */
static bool remove_torn(struct db *db, struct step *step, int64_t now_ms, struct err *err) {
    bool removed = false;
    return blob_head_remove(db, step->info->digest.bytes, now_ms - TORN_MS, &removed, err);
}

static bool visit_torn(void *context, const struct blob_visit *blob) {
    struct step step = {.run = remove_torn, .info = &blob->info};
    struct err ignored = {0}; /* the next pass tries again */
    (void)!run_step(context, &step, &ignored);
    return true;
}

static bool database_each(struct blob_store *store, blob_visit_fn *visit, void *context,
                          struct err *err) {
    struct blob_database *database = database_of(store);
    return visit_all(database, false, visit_torn, database, err) &&
           visit_all(database, true, visit, context, err);
}

/* ---- opening ---- */

static void database_close(struct blob_store *store) {
    free(database_of(store)->spool_folder);
    free(database_of(store));
}

static const struct blob_kind database_kind = {
    .put = database_put,
    .open = database_open,
    .keep = database_keep,
    .each = database_each,
    .remove = database_remove,
    .close = database_close,
};

bool blob_database_open(const struct blob_database_options *options, struct blob_store **ret_store,
                        struct err *err) {
    CHECK(strlen(options->id) == BLOB_STORE_ID_CHARS);
    own_fd fd = -1;
    if (!file_make_dirs(options->spool_folder, 0700, err) ||
        !blob_spool(options->spool_folder, &fd, err)) {
        return err_wrap(err, "file store");
    }
    struct blob_database *database = calloc(1, sizeof *database);
    CHECK(database != NULL);
    *database = (struct blob_database){.store.kind = &database_kind,
                                       .readers = options->readers,
                                       .writers = options->writers,
                                       .spool_folder = strdup(options->spool_folder)};
    CHECK(database->spool_folder != NULL);
    memcpy(database->store.id, options->id, sizeof database->store.id);
    *ret_store = &database->store;
    return true;
}
