#ifndef APP_MANIFEST_CACHE_INTERNAL_H
#define APP_MANIFEST_CACHE_INTERNAL_H

#include "app/app_internal.h"
#include "domain/manifest.h"

/* Manifests as read, kept because a contest asks for the same few thousands of times. They never
 * change, so nothing is ever out of date. */

struct cached_manifest {
    struct digest id;
    struct manifest manifest;
    /* the cache's own */
    struct manifest_cache *cache;
    struct arena *arena;
    struct digest *blobs; /* ascending */
    size_t blob_count;
    int users;
    uint64_t used_at;
};

/* Errors: ERR_MISSING "no_blob", ERR_INVALID "bad_manifest", ERR_SYSTEM. */
checked bool manifest_get(struct app *app, const uint8_t id[32],
                          struct cached_manifest **ret_manifest, struct err *err);
void cached_manifest_release(struct cached_manifest *manifest); /* accepts NULL */
OWN_DEFINE(cached_manifest, cached_manifest_release)

/* Whether the manifest names the file: what a node may fetch. */
bool cached_manifest_lists(const struct cached_manifest *manifest, const uint8_t sha256[32]);

#endif
