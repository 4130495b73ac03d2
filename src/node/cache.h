#ifndef NODE_CACHE_H
#define NODE_CACHE_H

#include "base/own.h"
#include "data/digest.h"
#include "wire/machine_api.h"

/* Artifacts by digest in the node's workspace, shared by its slots and by other processes: a file
 * appears under its digest only when it is whole and checked, is fetched by one of them while the
 * others wait, and is read once by each process before that believes it. The least recently used
 * ones go when the cache grows over its size; an open descriptor keeps its content. */

struct cache;

/* `folder` is made when missing; half-written files of a process that is no more are
 * removed.
 * bytes_max is the aim: what jobs need now is kept whatever its size. */
checked bool cache_open(const char *folder, int64_t bytes_max, struct cache **ret_cache,
                        struct err *err);
void cache_close(struct cache *cache); /* accepts NULL */
OWN_DEFINE(cache, cache_close)

struct cache_fetch {
    const struct machine_api *api;
    const struct clock *clock; /* for waiting while others fetch */
    int64_t session_epoch;
    struct machine_lease lease;
};

/* A read-only descriptor of the content, fetched when it is not here. `bytes` negative: any size.
 * Errors: ERR_BUSY "artifact_busy" when another slot or process is still fetching it: ask again;
 * FAULT_PROBLEM "no_artifact" when the server has no such file; else FAULT_NODE: the
 * connection, the disk, or "artifact_damaged" when length or digest is not what was promised. */
checked bool cache_get(struct cache *cache, const struct cache_fetch *fetch,
                       const struct digest *digest, int64_t bytes, int *ret_fd, struct err *err);

#endif
