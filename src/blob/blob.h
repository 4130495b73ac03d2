#ifndef BLOB_BLOB_H
#define BLOB_BLOB_H

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "data/digest.h"

/* Files that never change, stored under their SHA-256: test data, manifests, statements, sources.
 * Which of them are in use is the database's knowledge; a store only keeps bytes. All functions may
 * be called from any thread.
 *
 * Invariants: (1) what is stored under a digest has that digest; (2) after blob_put has said yes
 * the content survives a power cut; (3) the same content twice is stored once, whoever puts it. */

struct blob_store;

struct blob_info {
    struct digest digest;
    int64_t bytes;
};

/* What to store: `bytes`, or what can be read from `fd` to its end, from its offset on. */
struct blob_source {
    struct str bytes;
    int fd; /* -1: bytes */
    int64_t bytes_max;
    const struct digest *expected; /* NULL: whatever it is */
};

/* Every function may fail with ERR_BUSY when a store on another machine cannot be reached now
 * ("blob_unavailable", or as the database says): try again later, nothing is lost. */

/* Errors: ERR_TOO_LARGE over bytes_max, ERR_INVALID "digest_mismatch" when it is not `expected`,
 *         ERR_DENIED "blob_read_only", ERR_SYSTEM "blob_failed". Nothing is left behind then. */
checked bool blob_put(struct blob_store *store, const struct blob_source *source,
                      struct blob_info *ret_info, struct err *err);

/* Opens for reading. The descriptor is the caller's to close; *ret_bytes may be NULL.
 * Errors: ERR_MISSING "no_blob", ERR_SYSTEM "blob_failed", "blob_damaged" when what came over the
 *         network has not its digest. */
checked bool blob_open(struct blob_store *store, const struct digest *digest, int *ret_fd,
                       int64_t *ret_bytes, struct err *err);

/* Whether it is stored. If so its age begins anew: whoever is about to refer to it has the whole
 * grace period of the collection for that. */
checked bool blob_keep(struct blob_store *store, const struct digest *digest, bool *ret_stored,
                       struct err *err);

/* Calls `visit` for every blob, in no order, until it returns false; that is no error. Blobs that
 * come or go meanwhile may or may not be visited. */
struct blob_visit {
    struct blob_info info;
    int64_t stored_ms; /* UTC, when it was last put or kept */
};
typedef bool blob_visit_fn(void *context, const struct blob_visit *blob);
checked bool blob_each(struct blob_store *store, blob_visit_fn *visit, void *context,
                       struct err *err);

/* Removes it unless it was put or kept since `before_ms`, UTC. *ret_removed false: it is young, or
 * was not there. Whoever keeps it at the same time either makes it stay or is told that it is not
 * stored; only an S3 store leaves an instant between the two. */
checked bool blob_remove(struct blob_store *store, const struct digest *digest, int64_t before_ms,
                         bool *ret_removed, struct err *err);

/* Random, made with the store: servers of one database compare it, so that a folder that is not
 * shared is noticed before a file is missed. */
#define BLOB_STORE_ID_CHARS 32
const char *blob_store_id(const struct blob_store *store);

void blob_close(struct blob_store *store); /* accepts NULL */
OWN_DEFINE(blob_store, blob_close)

/* A kind of store: the table that the functions above call. */
struct blob_kind {
    bool (*put)(struct blob_store *store, const struct blob_source *source,
                struct blob_info *ret_info, struct err *err);
    bool (*open)(struct blob_store *store, const struct digest *digest, int *ret_fd,
                 int64_t *ret_bytes, struct err *err);
    bool (*keep)(struct blob_store *store, const struct digest *digest, bool *ret_stored,
                 struct err *err);
    bool (*each)(struct blob_store *store, blob_visit_fn *visit, void *context, struct err *err);
    bool (*remove)(struct blob_store *store, const struct digest *digest, int64_t before_ms,
                   bool *ret_removed, struct err *err);
    void (*close)(struct blob_store *store);
};
struct blob_store { /* first member of each kind's own struct */
    const struct blob_kind *kind;
    char id[BLOB_STORE_ID_CHARS + 1];
};

#endif
