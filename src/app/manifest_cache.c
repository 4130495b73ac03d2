#include "app/manifest_cache_internal.h"
#include "app/parts_internal.h"
#include "base/check.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/thread.h"

#include <stdlib.h>
#include <string.h>

#define CACHED_MAX 64
#define ARENA_BYTES_MAX (64 * MIB)

struct manifest_cache {
    struct mutex mutex;
    struct cached_manifest *entries[CACHED_MAX]; /* each counts as one user */
    int count;
    uint64_t uses;
};

static void free_manifest(struct cached_manifest *manifest) {
    if (manifest != NULL) {
        arena_free(manifest->arena); /* the struct itself lives in it */
    }
}

static void drop(struct cached_manifest *manifest) { /* with the mutex held */
    CHECK(manifest->users > 0);
    if (--manifest->users == 0) {
        free_manifest(manifest);
    }
}

void cached_manifest_release(struct cached_manifest *manifest) {
    if (manifest == NULL) {
        return;
    }
    struct mutex *mutex = &manifest->cache->mutex;
    mutex_lock(mutex);
    drop(manifest);
    mutex_unlock(mutex);
}

static struct cached_manifest *find(struct manifest_cache *cache, const uint8_t id[32]) {
    for (int i = 0; i < cache->count; i++) {
        if (memcmp(cache->entries[i]->id.bytes, id, 32) == 0) {
            cache->entries[i]->used_at = ++cache->uses;
            cache->entries[i]->users++;
            return cache->entries[i];
        }
    }
    return NULL;
}

static int longest_unused(const struct manifest_cache *cache) {
    int found = 0;
    for (int i = 1; i < cache->count; i++) {
        found = cache->entries[i]->used_at < cache->entries[found]->used_at ? i : found;
    }
    return found;
}

static void keep(struct manifest_cache *cache, struct cached_manifest *manifest) {
    int place = cache->count < CACHED_MAX ? cache->count++ : longest_unused(cache);
    if (cache->entries[place] != NULL) {
        drop(cache->entries[place]);
    }
    cache->entries[place] = manifest;
    manifest->used_at = ++cache->uses;
    manifest->users++;
}

/* ---- reading ---- */

static void add_blob(void *context, const struct blob_ref *blob) {
    struct cached_manifest *manifest = context;
    if (manifest->blobs != NULL) {
        memcpy(manifest->blobs[manifest->blob_count].bytes, blob->sha256, 32);
    }
    manifest->blob_count++;
}

static int compare(const void *a, const void *b) {
    return memcmp(a, b, sizeof(struct digest));
}

static void list_blobs(struct cached_manifest *manifest) {
    manifest_each_blob(&manifest->manifest, add_blob, manifest); /* counts them */
    manifest->blobs =
        arena_array(manifest->arena, manifest->blob_count + 1, sizeof manifest->blobs[0]);
    manifest->blob_count = 0;
    manifest_each_blob(&manifest->manifest, add_blob, manifest);
    qsort(manifest->blobs, manifest->blob_count, sizeof manifest->blobs[0], compare);
}

static bool load_text(struct app *app, const uint8_t id[32], struct buf *text, struct err *err) {
    struct digest digest;
    memcpy(digest.bytes, id, sizeof digest.bytes);
    own_fd fd = -1;
    if (app->blobs == NULL) {
        return err_set(err, ERR_MISSING, "no_blob", "this server has no files");
    }
    return blob_open(app->blobs, &digest, &fd, NULL, err) &&
           file_read_all(fd, MANIFEST_BYTES_MAX, text, err);
}

static bool read_manifest(struct app *app, const uint8_t id[32],
                          struct cached_manifest **ret_manifest, struct err *err) {
    own_buf text = {0};
    buf_init(&text, MANIFEST_BYTES_MAX + 1);
    if (!load_text(app, id, &text, err)) {
        return false;
    }
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct cached_manifest *manifest = arena_new(arena, struct cached_manifest);
    memcpy(manifest->id.bytes, id, 32);
    manifest->cache = app->manifests;
    struct str kept = arena_str(arena, buf_str(&text));
    if (!manifest_read(kept, arena, &manifest->manifest, err)) {
        return false;
    }
    manifest->arena = take(arena);
    list_blobs(manifest);
    manifest->users = 1;
    *ret_manifest = manifest;
    return true;
}

bool manifest_get(struct app *app, const uint8_t id[32], struct cached_manifest **ret_manifest,
                  struct err *err) {
    struct manifest_cache *cache = app->manifests;
    mutex_lock(&cache->mutex);
    struct cached_manifest *found = find(cache, id);
    mutex_unlock(&cache->mutex);
    if (found == NULL) {
        if (!read_manifest(app, id, &found, err)) {
            return err_wrap(err, "manifest");
        }
        mutex_lock(&cache->mutex);
        keep(cache, found); /* two threads may have read it: the older copy goes some day */
        mutex_unlock(&cache->mutex);
    }
    *ret_manifest = found;
    return true;
}

bool cached_manifest_lists(const struct cached_manifest *manifest, const uint8_t sha256[32]) {
    return bsearch(sha256, manifest->blobs, manifest->blob_count, sizeof manifest->blobs[0],
                   compare) != NULL;
}

/* ---- the part ---- */

bool manifests_part_open(struct app *app, struct err *err) {
    (void)err;
    app->manifests = calloc(1, sizeof *app->manifests);
    CHECK(app->manifests != NULL);
    mutex_init(&app->manifests->mutex);
    return true;
}

void manifests_part_close(struct app *app) {
    if (app->manifests == NULL) {
        return;
    }
    for (int i = 0; i < app->manifests->count; i++) {
        CHECK(app->manifests->entries[i]->users == 1); /* else somebody still reads it */
        drop(app->manifests->entries[i]);
    }
    mutex_done(&app->manifests->mutex);
    free(app->manifests);
}
