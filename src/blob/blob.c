/* Calls through the table of the store's kind. */
#include "blob/blob.h"

#include "base/check.h"

bool blob_put(struct blob_store *store, const struct blob_source *source,
              struct blob_info *ret_info, struct err *err) {
    CHECK(source->bytes_max >= 0);
    CHECK(source->fd >= 0 || source->bytes.ptr != NULL || source->bytes.len == 0);
    return store->kind->put(store, source, ret_info, err);
}

bool blob_open(struct blob_store *store, const struct digest *digest, int *ret_fd,
               int64_t *ret_bytes, struct err *err) {
    int64_t bytes = 0;
    return store->kind->open(store, digest, ret_fd, ret_bytes != NULL ? ret_bytes : &bytes, err);
}

bool blob_keep(struct blob_store *store, const struct digest *digest, bool *ret_stored,
               struct err *err) {
    return store->kind->keep(store, digest, ret_stored, err);
}

bool blob_each(struct blob_store *store, blob_visit_fn *visit, void *context, struct err *err) {
    return store->kind->each(store, visit, context, err);
}

bool blob_remove(struct blob_store *store, const struct digest *digest, int64_t before_ms,
                 bool *ret_removed, struct err *err) {
    return store->kind->remove(store, digest, before_ms, ret_removed, err);
}

const char *blob_store_id(const struct blob_store *store) {
    return store->id;
}

void blob_close(struct blob_store *store) {
    if (store != NULL) {
        store->kind->close(store);
    }
}
