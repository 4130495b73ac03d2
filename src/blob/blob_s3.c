#include "blob/blob_s3.h"

#include "base/check.h"
#include "base/file.h"
#include "base/limits.h"
#include "blob/blob_copy.h"
#include "blob/s3_list.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARKER "store.id"
#define KEY_BYTES 66 /* "ab/cdef..." with NUL */
#define ERROR_BYTES_MAX ((int64_t)64 * KIB)
#define LIST_BYTES_MAX ((int64_t)4 * MIB)
#define LIST_KEYS "500"
#define KEPT ".kept"
#define DROP ".drop"
#define DROP_PAUSE_MS 50
#define DROP_MS_MAX (INT64_C(5) * 60 * 1000) /* all tries of the calls of a removal together */
#define ARENA_BYTES ((size_t)16 * MIB)

struct blob_s3 {
    struct blob_store store;
    struct s3_client *client;
    char *spool_folder;
    const struct clock *clock;
};

static struct blob_s3 *s3_of(struct blob_store *store) {
    return (struct blob_s3 *)(void *)store;
}

static void key_of(const struct digest *digest, char out[KEY_BYTES]) {
    char hex[DIGEST_HEX_BYTES];
    digest_hex(digest, hex);
    (void)snprintf(out, KEY_BYTES, "%.2s/%s", hex, hex + 2);
}

/* ---- looking ---- */

/* What stands at and behind a blob's key, in the order of names. */
struct looked {
    bool blob;
    bool drop;
    int64_t bytes;
    int64_t stored_ms; /* the younger of blob and .kept */
    int64_t drop_ms;
};

struct listing {
    size_t prefix_len;
    bool (*see)(struct listing *listing, const char *name, const struct s3_object *object);
    char last[1025];
    int count;
    bool stopped;

    struct looked looked; /* of the blob `key` */
    char key[KEY_BYTES];
    blob_visit_fn *visit;
    void *context;
};

static void begin_listing(const struct blob_s3 *s3, struct listing *listing) {
    listing->prefix_len = strlen(s3_client_prefix(s3->client));
}

static bool see_object(void *context, const struct s3_object *object) {
    struct listing *listing = context;
    listing->count++;
    memcpy(listing->last, object->key, sizeof listing->last);
    if (strlen(object->key) > listing->prefix_len) {
        listing->stopped = !listing->see(listing, object->key + listing->prefix_len, object);
    }
    return !listing->stopped;
}

static void append_encoded(struct buf *query, struct str text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '/') { /* the only one that a signature wants encoded */
            buf_append_c(query, "%2F");
        } else {
            buf_append_char(query, text.ptr[i]);
        }
    }
}

/* One page of keys that begin with the prefix and `more`, behind listing->last. */
static bool list_page(const struct blob_s3 *s3, const char *more, struct listing *listing,
                      struct err *err) {
    own(arena) arena = arena_create(ARENA_BYTES);
    struct http_answer answer = {0};
    own_buf query = {0};
    buf_init(&query, 8 * KIB);
    buf_append_c(&query, "?list-type=2&max-keys=" LIST_KEYS "&prefix=");
    append_encoded(&query, str_from(s3_client_prefix(s3->client)));
    append_encoded(&query, str_from(more));
    if (listing->last[0] != '\0') {
        buf_append_c(&query, "&start-after=");
        append_encoded(&query, str_from(listing->last));
    }
    const struct s3_call call = {
        .method = HTTP_GET, .query = buf_c(&query), .answer_bytes_max = LIST_BYTES_MAX};
    listing->count = 0;
    if (!s3_client_call(s3->client, &call, arena, &answer, err)) {
        return err_wrap(err, "list files");
    }
    if (answer.status == 404) {
        return err_set(err, ERR_SYSTEM, "blob_failed", "the S3 store has no such bucket any more");
    }
    return s3_list_read(answer.body, see_object, listing, err);
}

static void note(struct looked *looked, const char *behind, const struct s3_object *object) {
    if (strcmp(behind, DROP) == 0) {
        looked->drop = true;
        looked->drop_ms = object->modified_ms;
    } else if (behind[0] == '\0') {
        looked->blob = true;
        looked->bytes = object->bytes;
    }
    bool young =
        (behind[0] == '\0' || strcmp(behind, KEPT) == 0) && object->modified_ms > looked->stored_ms;
    looked->stored_ms = young ? object->modified_ms : looked->stored_ms;
}

static bool see_one(struct listing *listing, const char *name, const struct s3_object *object) {
    note(&listing->looked, name + KEY_BYTES - 1, object);
    return true;
}

static bool look(const struct blob_s3 *s3, const char *key, struct looked *ret_looked,
                 struct err *err) {
    struct listing listing = {.see = see_one};
    begin_listing(s3, &listing);
    if (!list_page(s3, key, &listing, err)) {
        return false;
    }
    *ret_looked = listing.looked;
    return true;
}

/* ---- put, keep ---- */

/* PUT or DELETE of KEY and what stands behind it. */
static bool write_object(const struct blob_s3 *s3, const struct s3_call *wanted, const char *key,
                         const char *behind, struct err *err) {
    own(arena) arena = arena_create(ARENA_BYTES);
    struct http_answer answer = {0};
    struct s3_call call = *wanted;
    call.key = arena_printf(arena, "%s%s", key, behind);
    call.answer_bytes_max = ERROR_BYTES_MAX;
    if (!s3_client_call(s3->client, &call, arena, &answer, err)) {
        return err_wrap(err, "store file");
    }
    return answer.status != 404 || call.method == HTTP_DELETE ||
           err_set(err, ERR_MISSING, "blob_refused", "the S3 store has no such bucket: make it");
}

static bool put_mark(const struct blob_s3 *s3, const char *key, const char *mark, struct err *err) {
    const struct s3_call call = {.method = HTTP_PUT};
    return write_object(s3, &call, key, mark, err);
}

static bool delete_object(const struct blob_s3 *s3, const char *key, const char *behind,
                          struct err *err) {
    const struct s3_call call = {.method = HTTP_DELETE};
    return write_object(s3, &call, key, behind, err);
}

/* (1): first the mark, then a look. */
static bool keep_key(const struct blob_s3 *s3, const char *key, struct looked *looked,
                     bool *ret_stored, struct err *err) {
    *ret_stored = false;
    if (!look(s3, key, looked, err)) {
        return false;
    }
    if (!looked->blob || looked->drop) {
        return true;
    }
    if (!put_mark(s3, key, KEPT, err) || !look(s3, key, looked, err)) {
        return false;
    }
    *ret_stored = looked->blob && !looked->drop;
    return true;
}

static bool s3_keep(struct blob_store *store, const struct digest *digest, bool *ret_stored,
                    struct err *err) {
    char key[KEY_BYTES];
    struct looked looked = {0};
    key_of(digest, key);
    return keep_key(s3_of(store), key, &looked, ret_stored, err);
}

/* A removal that is under way ends by itself; one whose server died is ended here. */
static bool wait_for_drop(const struct blob_s3 *s3, const char *key, const struct looked *looked,
                          struct err *err) {
    if (clock_utc_ms(s3->clock) - looked->drop_ms > DROP_MS_MAX) {
        return delete_object(s3, key, DROP, err);
    }
    clock_sleep_ms(s3->clock, DROP_PAUSE_MS);
    return true;
}

static bool put_object(const struct blob_s3 *s3, int fd, const struct blob_info *info,
                       const char *key, struct err *err) {
    const struct s3_call call = {
        .method = HTTP_PUT, .body_fd = fd, .body_fd_bytes = info->bytes, .digest = &info->digest};
    return write_object(s3, &call, key, "", err);
}

static bool s3_put(struct blob_store *store, const struct blob_source *source,
                   struct blob_info *ret_info, struct err *err) {
    const struct blob_s3 *s3 = s3_of(store);
    own_fd fd = -1;
    char key[KEY_BYTES];
    struct blob_info info;
    struct looked looked = {0};
    bool stored = false;
    if (!blob_spool(s3->spool_folder, &fd, err) || !blob_copy(fd, source, &info, err)) {
        return false;
    }
    key_of(&info.digest, key);
    if (!keep_key(s3, key, &looked, &stored, err)) {
        return false;
    }
    while (!stored && looked.drop) {
        if (!wait_for_drop(s3, key, &looked, err) || !keep_key(s3, key, &looked, &stored, err)) {
            return false;
        }
    }
    if (!stored && !put_object(s3, fd, &info, key, err)) {
        return false;
    }
    *ret_info = info;
    return true;
}

/* ---- open ---- */

static bool check_content(int fd, const struct digest *digest, int64_t *ret_bytes,
                          struct err *err) {
    struct digest found;
    if (!digest_of_fd(fd, PACKAGE_FILE_BYTES_MAX, &found, ret_bytes, err)) {
        return false;
    }
    if (!digest_equal(&found, digest)) {
        char hex[DIGEST_HEX_BYTES];
        digest_hex(digest, hex);
        return err_set(err, ERR_SYSTEM, "blob_damaged",
                       "the S3 object of the file with SHA-256 %s has another content", hex);
    }
    if (lseek(fd, 0, SEEK_SET) != 0) {
        return err_system(err, "blob_failed", "cannot rewind the spooled file");
    }
    return true;
}

static bool s3_open(struct blob_store *store, const struct digest *digest, int *ret_fd,
                    int64_t *ret_bytes, struct err *err) {
    const struct blob_s3 *s3 = s3_of(store);
    own(arena) arena = arena_create(ARENA_BYTES);
    own_fd fd = -1;
    char key[KEY_BYTES];
    struct http_answer answer = {0};
    if (!blob_spool(s3->spool_folder, &fd, err)) {
        return false;
    }
    key_of(digest, key);
    const struct s3_call call = {.method = HTTP_GET,
                                 .key = key,
                                 .answer_bytes_max = PACKAGE_FILE_BYTES_MAX,
                                 .answer_fd = fd,
                                 .answer_to_fd = true};
    if (!s3_client_call(s3->client, &call, arena, &answer, err)) {
        return err_wrap(err, "read file");
    }
    if (answer.status == 404) {
        return err_set(err, ERR_MISSING, "no_blob", "no file with SHA-256 %.2s%s is stored", key,
                       key + 3);
    }
    if (!check_content(fd, digest, ret_bytes, err)) {
        return false;
    }
    *ret_fd = take_fd(&fd);
    return true;
}

/* ---- each, remove ---- */

/* The blob whose key was seen last is complete when another begins: its marks come behind it. */
static bool tell_last(struct listing *listing) {
    struct blob_visit blob = {.info.bytes = listing->looked.bytes,
                              .stored_ms = listing->looked.stored_ms};
    char hex[DIGEST_HEX_BYTES];
    bool whole = listing->looked.blob;
    (void)snprintf(hex, sizeof hex, "%.2s%s", listing->key, listing->key + 3);
    listing->looked = (struct looked){0};
    return !whole || !digest_parse(str_from(hex), &blob.info.digest) ||
           listing->visit(listing->context, &blob);
}

/* Objects that are no blob's are not ours to judge. */
static bool see_any(struct listing *listing, const char *name, const struct s3_object *object) {
    if (strlen(name) < KEY_BYTES - 1 || name[2] != '/') {
        return true;
    }
    if (strncmp(listing->key, name, KEY_BYTES - 1) != 0) {
        bool more = tell_last(listing);
        memcpy(listing->key, name, KEY_BYTES - 1);
        if (!more) {
            return false;
        }
    }
    note(&listing->looked, name + KEY_BYTES - 1, object);
    return true;
}

static bool s3_each(struct blob_store *store, blob_visit_fn *visit, void *context,
                    struct err *err) {
    const struct blob_s3 *s3 = s3_of(store);
    struct listing listing = {.see = see_any, .visit = visit, .context = context};
    begin_listing(s3, &listing);
    do {
        if (!list_page(s3, "", &listing, err)) {
            return false;
        }
    } while (listing.count > 0 && !listing.stopped);
    if (!listing.stopped) {
        (void)tell_last(&listing);
    }
    return true;
}

/* (2): first the mark, then a look, and only then the blob. */
static bool s3_remove(struct blob_store *store, const struct digest *digest, int64_t before_ms,
                      bool *ret_removed, struct err *err) {
    const struct blob_s3 *s3 = s3_of(store);
    char key[KEY_BYTES];
    struct looked looked = {0};
    key_of(digest, key);
    *ret_removed = false;
    if (!look(s3, key, &looked, err)) {
        return false;
    }
    if (!looked.blob || looked.drop || looked.stored_ms >= before_ms) {
        return true;
    }
    if (!put_mark(s3, key, DROP, err) || !look(s3, key, &looked, err)) {
        return false;
    }
    bool old = looked.stored_ms < before_ms;
    if (old && (!delete_object(s3, key, "", err) || !delete_object(s3, key, KEPT, err))) {
        return false;
    }
    *ret_removed = old;
    return delete_object(s3, key, DROP, err);
}

/* ---- opening ---- */

static void s3_close(struct blob_store *store) {
    struct blob_s3 *s3 = s3_of(store);
    s3_client_close(s3->client);
    free(s3->spool_folder);
    free(s3);
}

static const struct blob_kind s3_kind = {
    .put = s3_put,
    .open = s3_open,
    .keep = s3_keep,
    .each = s3_each,
    .remove = s3_remove,
    .close = s3_close,
};

static bool write_marker(const struct blob_s3 *s3, struct str id, struct err *err) {
    struct digest digest = digest_of(id);
    const struct s3_call call = {.method = HTTP_PUT, .body = id, .digest = &digest};
    return write_object(s3, &call, MARKER, "", err) || err_wrap(err, "make the file store");
}

static bool check_marker(const struct blob_s3 *s3, const struct blob_s3_options *options,
                         struct err *err) {
    own(arena) arena = arena_create(ARENA_BYTES);
    struct http_answer answer = {0};
    struct str id = str_from(options->id);
    const struct s3_call call = {
        .method = HTTP_GET, .key = MARKER, .answer_bytes_max = ERROR_BYTES_MAX};
    if (!s3_client_call(s3->client, &call, arena, &answer, err)) {
        return err_wrap(err, "open the file store");
    }
    if (answer.status == 404 && options->may_make) {
        return write_marker(s3, id, err);
    }
    if (answer.status == 404) {
        return err_set(err, ERR_CONFLICT, "other_blob_store",
                       "the S3 store holds no files of this database, which knows some: check "
                       "endpoint, bucket and prefix");
    }
    return str_eq(answer.body, id) ||
           err_set(err, ERR_CONFLICT, "other_blob_store",
                   "the files in this bucket and prefix belong to another database: give each "
                   "database a prefix of its own");
}

bool blob_s3_open(const struct blob_s3_options *options, struct blob_store **ret_store,
                  struct err *err) {
    CHECK(strlen(options->id) == BLOB_STORE_ID_CHARS);
    own_fd fd = -1;
    struct blob_s3 s3 = {.store.kind = &s3_kind, .clock = options->s3.clock};
    memcpy(s3.store.id, options->id, sizeof s3.store.id);
    if (!file_make_dirs(options->spool_folder, 0700, err) ||
        !blob_spool(options->spool_folder, &fd, err) ||
        !s3_client_open(&options->s3, &s3.client, err)) {
        return err_wrap(err, "file store");
    }
    if (!check_marker(&s3, options, err)) {
        s3_client_close(s3.client);
        return false;
    }
    s3.spool_folder = strdup(options->spool_folder);
    CHECK(s3.spool_folder != NULL);
    struct blob_s3 *kept = malloc(sizeof *kept);
    CHECK(kept != NULL);
    *kept = s3;
    *ret_store = &kept->store;
    return true;
}
