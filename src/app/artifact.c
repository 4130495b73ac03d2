/* Files for nodes: only those that a live lease of theirs needs. */
#include "app/app_internal.h"
#include "app/dispatch.h"
#include "app/manifest_cache_internal.h"
#include "base/file.h"
#include "base/limits.h"
#include "store/job_store.h"
#include "store/lease_store.h"
#include "store/node_store.h"
#include "store/source_store.h"

#include <string.h>

#define ARENA_BYTES_MAX (2 * MIB)

struct asked {
    struct job job;
    struct job_body body;
};

static bool check_lease(struct db *db, const struct artifact_request *request, struct job *ret_job,
                        struct err *err) {
    const struct lease_ref *shown = &request->lease;
    struct node node = {0};
    struct lease lease = {0};
    bool node_found = false;
    bool job_found = false;
    bool lease_found = false;
    int64_t now_ms = 0;
    if (!node_store_get(db, request->actor.node, &node, &node_found, err) ||
        !job_store_get(db, shown->job, ret_job, &job_found, err) ||
        !lease_store_get(db, shown->job, &lease, &lease_found, err) || !db_now(db, &now_ms, err)) {
        return false;
    }
    if (!node_found) {
        return err_set(err, ERR_UNAUTHENTICATED, "bad_credential", "there is no such node");
    }
    if (!node_may_act(&node, request->session_epoch, err)) {
        return false;
    }
    if (!job_found) {
        return err_set(err, ERR_MISSING, "no_job", "there is no job %lld",
                       (long long)shown->job.value);
    }
    return lease_check(lease_found ? &lease : NULL, &node, shown, now_ms, err);
}

static bool open_source(struct app *app, struct submission_id submission, struct arena *arena,
                        int *ret_fd, int64_t *ret_bytes, struct err *err) {
    own(db_reader) reader = NULL;
    struct str source = {0};
    uint8_t sha256[32];
    if (!db_pool_take(app->readers, &reader, err) ||
        !source_store_get(reader->db, submission, arena, &source, sha256, err) ||
        !file_memory("source", source, true, ret_fd, err)) {
        return false;
    }
    *ret_bytes = (int64_t)source.len;
    return true;
}

static bool open_blob(struct app *app, const uint8_t manifest_id[32], const uint8_t sha256[32],
                      int *ret_fd, int64_t *ret_bytes, struct err *err) {
    own(cached_manifest) manifest = NULL;
    if (!manifest_get(app, manifest_id, &manifest, err)) {
        return false;
    }
    if (memcmp(sha256, manifest_id, 32) != 0 && !cached_manifest_lists(manifest, sha256)) {
        return err_set(err, ERR_MISSING, "no_artifact", "the job does not use that file");
    }
    struct digest digest;
    memcpy(digest.bytes, sha256, sizeof digest.bytes);
    if (!blob_open(app->blobs, &digest, ret_fd, ret_bytes, err)) {
        if (err->kind == ERR_MISSING) {
            err->code = "no_artifact";
        }
        return false;
    }
    return true;
}

static bool look_up(struct app *app, const struct artifact_request *request, struct arena *arena,
                    struct asked *asked, struct err *err) {
    own(db_reader) reader = NULL;
    return db_pool_take(app->readers, &reader, err) &&
           check_lease(reader->db, request, &asked->job, err) &&
           job_body_get(reader->db, request->lease.job, arena, &asked->body, err);
}

bool dispatch_artifact_open(struct app *app, const struct artifact_request *request, int *ret_fd,
                            int64_t *ret_bytes, struct err *err) {
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct asked asked = {0};
    if (!look_up(app, request, arena, &asked, err)) {
        return false;
    }
    if (memcmp(request->sha256, asked.body.source_sha256, 32) == 0) {
        return open_source(app, asked.job.submission, arena, ret_fd, ret_bytes, err);
    }
    return open_blob(app, asked.body.manifest_id, request->sha256, ret_fd, ret_bytes, err);
}
