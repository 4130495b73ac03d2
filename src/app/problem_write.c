/* The transaction that makes a problem or gives it a new version. Which files exist is recorded
 * before, in batches of its own: a row about a file that nothing refers to harms nobody, and a
 * package of ten thousand cases must not keep the writer for long. */
#include "app/problem_internal.h"

#include "app/manifest_hold_internal.h"
#include "app/runners_internal.h"

#include "base/check.h"
#include "base/limits.h"
#include "store/audit_store.h"
#include "store/blob_row_store.h"
#include "store/manifest_store.h"
#include "store/user_store.h"

#define BLOBS_AT_ONCE 500

/* ---- files ---- */

struct blobs_note {
    struct write_item item;
    const struct blob_ref *blobs;
    int count;
};

static bool blobs_note_run(struct app *app, struct db *db, struct write_item **items, int count,
                           struct err *err) {
    (void)app;
    CHECK(count == 1);
    const struct blobs_note *note = (const struct blobs_note *)items[0];
    int64_t now_ms = 0;
    if (!db_now(db, &now_ms, err)) {
        return false;
    }
    for (int i = 0; i < note->count; i++) {
        if (!blob_row_store_add(db, &note->blobs[i], now_ms, err)) {
            return false;
        }
    }
    items[0]->ok = true;
    return true;
}

static const struct write_kind blobs_note_kind = {
    .name = "blobs.note", .batch_max = 1, .run = blobs_note_run};

static bool note_blobs(struct app *app, const struct problem_write *write, struct err *err) {
    for (int from = 0; from < write->blob_count; from += BLOBS_AT_ONCE) {
        int left = write->blob_count - from;
        struct blobs_note note = {.item.kind = &blobs_note_kind,
                                  .blobs = &write->blobs[from],
                                  .count = left < BLOBS_AT_ONCE ? left : BLOBS_AT_ONCE};
        if (!app_write_wait(app, &note.item, err)) {
            return false;
        }
    }
    return true;
}

/* ---- the problem ---- */

struct problem_item {
    struct write_item item;
    struct problem_write *write;
};

/* A token may be some minutes older than the loss of a right. */
static bool check_actor_now(struct db *db, const struct problem_write *write, struct err *err) {
    struct user_row row;
    if (write->actor->kind == ACTOR_SYSTEM) {
        return true;
    }
    if (!user_store_find(db, write->actor->user, write->arena, &row, err)) {
        return false;
    }
    return (!row.disabled && row.role >= ROLE_TEACHER) ||
           err_set(err, ERR_DENIED, "not_allowed", "only teachers and administrators may do this");
}

/* The row as it is stored; *ret_found false: there is none of that code. */
static bool find_old(struct db *db, const struct problem_write *write, struct problem_row *ret_row,
                     bool *ret_found, struct err *err) {
    *ret_found = problem_store_find_code(db, write->row.code, write->arena, ret_row, err);
    return *ret_found || err->kind == ERR_MISSING;
}

static bool lock_problem(struct app *app, struct db *db, struct problem_write *write,
                         struct err *err) {
    struct problem_row old;
    bool found = false;
    if (!find_old(db, write, &old, &found, err)) {
        return false;
    }
    write->created = !found;
    write->row.id = found ? old.id : (struct problem_id){runner_take_id(app, ID_PROBLEM)};
    return db_lock(db, LOCK_CONTEXT, LOCK_EXCLUSIVE, write->row.id.value, err);
}

static bool write_row(struct db *db, struct problem_write *write, int64_t now_ms,
                      bool *ret_new_manifest, struct err *err) {
    struct problem_row old;
    write->row.updated_ms = now_ms;
    if (write->created) {
        write->row.created_ms = now_ms;
        write->row.revision = 1;
        *ret_new_manifest = true;
        return problem_store_insert(db, &write->row, err);
    }
    if (!problem_store_find(db, write->row.id, write->arena, &old, err)) {
        return false;
    }
    write->row.created_ms = old.created_ms;
    *ret_new_manifest = !digest_equal(&old.manifest, &write->row.manifest);
    return problem_store_update(db, &write->row, err);
}

static bool audit(struct app *app, struct db *db, const struct problem_write *write,
                  int64_t version, int64_t now_ms, struct err *err) {
    const char *detail = arena_printf(write->arena, STR_FMT ", version %lld",
                                      STR_ARG(write->row.code), (long long)version);
    struct audit_row row = {.id = runner_take_id(app, ID_AUDIT),
                            .at_ms = now_ms,
                            .actor = write->actor,
                            .action = "problem.import",
                            .object_kind = "problem",
                            .object_id = write->row.id.value,
                            .detail = str_from(detail)};
    return audit_store_add(db, &row, err);
}

static bool write_all(struct app *app, struct db *db, struct problem_write *write, int64_t now_ms,
                      struct err *err) {
    bool new_manifest = false;
    int64_t version = 0; /* stays 0 in the log when the test data is the same as before */
    if (!manifest_store_add(db, &write->row.manifest, write->manifest_bytes, now_ms, err) ||
        !write_row(db, write, now_ms, &new_manifest, err) ||
        !problem_part_store_replace(db, write->row.id, &write->parts, err)) {
        return false;
    }
    if (new_manifest && !manifest_store_add_version(db, write->row.id, &write->row.manifest, now_ms,
                                                    &version, err)) {
        return false;
    }
    if (new_manifest && !write->created &&
        !manifest_hold_mended(db, write->row.id, write->arena, err)) {
        return false;
    }
    return audit(app, db, write, version, now_ms, err);
}

static bool problem_run(struct app *app, struct db *db, struct write_item **items, int count,
                        struct err *err) {
    CHECK(count == 1);
    struct problem_write *write = ((struct problem_item *)items[0])->write;
    int64_t now_ms = 0;
    if (!check_actor_now(db, write, err) || !lock_problem(app, db, write, err) ||
        !db_now(db, &now_ms, err)) {
        return false;
    }
    if (!write_all(app, db, write, now_ms, err)) {
        return err->kind == ERR_CONFLICT
                   ? err_set(err, ERR_BUSY, "busy",
                             "somebody else is importing a problem of this code: try again")
                   : false;
    }
    items[0]->ok = true;
    return true;
}

/* The outputs are those of the run whose commit is in doubt. */
static bool problem_read_back(struct app *app, struct db *db, struct write_item *item,
                              struct err *err) {
    (void)app;
    const struct problem_write *write = ((struct problem_item *)item)->write;
    struct problem_row row;
    return problem_store_find(db, write->row.id, write->arena, &row, err) &&
           digest_equal(&row.manifest, &write->row.manifest) &&
           row.updated_ms == write->row.updated_ms;
}

static const struct write_kind problem_kind = {
    .name = "problem.import", .batch_max = 1, .run = problem_run, .read_back = problem_read_back};

bool problem_write(struct app *app, struct problem_write *write, struct err *err) {
    struct problem_item item = {.item.kind = &problem_kind, .write = write};
    return note_blobs(app, write, err) && app_write_wait(app, &item.item, err);
}
