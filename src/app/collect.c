#include "app/collect_internal.h"
#include "app/maintainer_internal.h"
#include "app/manifest_cache_internal.h"
#include "base/check.h"
#include "base/log.h"
#include "store/blob_row_store.h"

#include <stdlib.h>
#include <string.h>

#define SWEEP_MAX 500 /* files of one pass */

struct digests {
    struct digest *rows;
    size_t count;
    size_t room;
};

struct collection {
    struct app *app;
    struct digests roots;  /* manifests */
    struct digests marked; /* ascending once all are there */
    struct digests swept;
    int64_t before_ms;
};

/* ---- sets ---- */

static void add(struct digests *digests, const uint8_t sha256[32]) {
    if (digests->count == digests->room) {
        digests->room = digests->room == 0 ? 1024 : 2 * digests->room;
        digests->rows = realloc(digests->rows, digests->room * sizeof digests->rows[0]);
        CHECK(digests->rows != NULL);
    }
    memcpy(digests->rows[digests->count++].bytes, sha256, 32);
}

static int compare(const void *a, const void *b) {
    return memcmp(a, b, sizeof(struct digest));
}

static bool has(const struct digests *digests, const struct digest *digest) {
    return digests->count > 0 &&
           bsearch(digest, digests->rows, digests->count, sizeof digests->rows[0], compare) != NULL;
}

static void collection_done(struct collection *collection) {
    free(collection->roots.rows);
    free(collection->marked.rows);
    free(collection->swept.rows);
}

/* ---- mark ---- */

static void mark_root(void *context, const uint8_t sha256[32]) {
    struct collection *collection = context;
    add(&collection->roots, sha256);
    add(&collection->marked, sha256);
}

static void mark_file(void *context, const uint8_t sha256[32]) {
    add(&((struct collection *)context)->marked, sha256);
}

static void mark_blob(void *context, const struct blob_ref *blob) {
    mark_file(context, blob->sha256);
}

static bool read_roots(struct collection *collection, struct err *err) {
    own(db_reader) reader = NULL;
    return db_pool_take(collection->app->readers, &reader, err) && db_begin(reader->db, err) &&
           blob_row_store_each_manifest(reader->db, mark_root, collection, err) &&
           blob_row_store_each_file(reader->db, mark_file, collection, err);
}

static bool mark(struct collection *collection, struct err *err) {
    if (!read_roots(collection, err)) {
        return false;
    }
    for (size_t i = 0; i < collection->roots.count; i++) {
        own(cached_manifest) manifest = NULL;
        if (!manifest_get(collection->app, collection->roots.rows[i].bytes, &manifest, err)) {
            return err_wrap(err, "read a manifest");
        }
        manifest_each_blob(&manifest->manifest, mark_blob, collection);
    }
    if (collection->marked.count > 0) {
        qsort(collection->marked.rows, collection->marked.count, sizeof(struct digest), compare);
    }
    return true;
}

/* ---- sweep ---- */

static bool find_unused(void *context, const struct blob_visit *blob) {
    struct collection *collection = context;
    if (blob->stored_ms < collection->before_ms && !has(&collection->marked, &blob->info.digest)) {
        add(&collection->swept, blob->info.digest.bytes);
    }
    return collection->swept.count < SWEEP_MAX;
}

struct forgetting {
    struct write_item item;
    const struct digests *digests;
    bool held;
};

static bool run_forget(struct app *app, struct db *db, struct write_item **items, int count,
                       struct err *err) {
    (void)count; /* one: batch_max */
    struct forgetting *forgetting = (struct forgetting *)items[0];
    if (!maintainer_take(app, db, STR("files"), &forgetting->held, err)) {
        return false;
    }
    for (size_t i = 0; forgetting->held && i < forgetting->digests->count; i++) {
        if (!blob_row_store_forget(db, forgetting->digests->rows[i].bytes, err)) {
            return false;
        }
    }
    items[0]->ok = true;
    return true;
}

static const struct write_kind forget_kind = {
    .name = "files.forget", .batch_max = 1, .run = run_forget};

/* The rows go first: a file that is put again meanwhile gets its row again from whoever puts it,
 * and its file is young by then. */
static bool sweep(struct collection *collection, int *ret_removed, struct err *err) {
    struct forgetting forgetting = {.item.kind = &forget_kind, .digests = &collection->swept};
    if (!app_write_wait(collection->app, &forgetting.item, err)) {
        return false;
    }
    for (size_t i = 0; forgetting.held && i < collection->swept.count; i++) {
        bool removed = false;
        if (!blob_remove(collection->app->blobs, &collection->swept.rows[i], collection->before_ms,
                         &removed, err)) {
            return false;
        }
        *ret_removed += removed ? 1 : 0;
    }
    return true;
}

bool collect_pass(struct app *app) {
    struct collection collection = {
        .app = app, .before_ms = clock_utc_ms(app->clock) - app->settings.keep_files_ms};
    struct err err = {0};
    int removed = 0;
    bool done = app->blobs == NULL ||
                (mark(&collection, &err) && blob_each(app->blobs, find_unused, &collection, &err) &&
                 (collection.swept.count == 0 || sweep(&collection, &removed, &err)));
    if (!done && !atomic_load(&app->stopping)) {
        log_warn("files.not_collected", LOG_ERR(&err));
    }
    if (removed > 0) {
        log_info("files.collected", LOG_I64("files", removed));
    }
    collection_done(&collection);
    return removed > 0;
}
