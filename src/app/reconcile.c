/* Looking through the whole database and the files, and mending what needs no decision. */
#include "app/reconcile.h"
#include "app/app_internal.h"
#include "app/reconcile_internal.h"
#include "base/check.h"
#include "base/file.h"
#include "base/limits.h"
#include "store/invariant_store.h"
#include "store/reconcile_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_MS 120000 /* twice the longest usual lease */
#define FILES_AT_ONCE 500
#define FILE_GRACE_MS (INT64_C(3) * 24 * 3600 * 1000)

struct look {
    struct app *app;
    struct arena *arena;
    const struct reconcile_request *request;
    struct reconcile_report *report;
    struct broken_rule *broken; /* INVARIANTS_MAX */
    int broken_count;
};

static struct reconcile_finding *add(struct look *look, const char *rule, const char *object,
                                     int64_t count) {
    struct reconcile_report *report = look->report;
    CHECK(report->finding_count < RECONCILE_FINDINGS_MAX);
    struct reconcile_finding *finding = &report->findings[report->finding_count++];
    *finding = (struct reconcile_finding){
        .rule = str_from(rule), .object = str_from(object), .count = count};
    return finding;
}

static void add_if(struct look *look, const char *rule, const char *object, int64_t count,
                   const char *text) {
    if (count > 0) {
        add(look, rule, object, count)->text = str_from(text);
    }
}

/* ---- the database ---- */

static void add_broken(struct look *look, const struct broken_rule *broken) {
    struct reconcile_finding *finding = add(look, broken->code, "row", broken->count);
    finding->text = str_from(broken->name);
    finding->object = str_from(reconcile_object(broken->code));
    finding->repairable = reconcile_can_repair(broken->code);
    for (int i = 0; i < broken->id_count && i < RECONCILE_IDS_MAX; i++) {
        finding->ids[finding->id_count++] = broken->ids[i];
    }
}

static void add_counts(struct look *look, const struct reconcile_counts *counts) {
    struct reconcile_report *report = look->report;
    report->submissions = counts->submissions;
    report->judged = counts->judged;
    report->system_errors = counts->system_errors;
    report->waiting = counts->waiting;
    report->held = counts->held;
    report->events = counts->events;
    add_if(look, "X1", "lease", counts->leases_over, "no lease is long over and not reaped");
    add_if(look, "X2", "event", counts->events_old, "no event waits for minutes");
    if (look->request->settled) {
        add_if(look, "X5", "job", counts->waiting, "nothing waits or is being judged");
        add_if(look, "X6", "event", counts->events, "no event waits");
    }
}

static bool look_at_rows(struct look *look, struct err *err) {
    own(db_reader) reader = NULL;
    struct reconcile_counts counts = {0};
    if (!db_pool_take(look->app->readers, &reader, err) || !db_begin(reader->db, err) ||
        !db_now(reader->db, &look->report->as_of_ms, err) ||
        !invariants_find(reader->db, look->broken, &look->broken_count, err) ||
        !reconcile_store_counts(reader->db, look->report->as_of_ms - PATIENCE_MS, &counts, err)) {
        return false;
    }
    for (int i = 0; i < look->broken_count; i++) {
        add_broken(look, &look->broken[i]);
    }
    add_counts(look, &counts);
    return true;
}

/* ---- the files ---- */

static bool is_stored(struct look *look, const uint8_t sha256[32], bool *ret_stored,
                      struct err *err) {
    own_fd fd = -1;
    struct digest digest;
    memcpy(digest.bytes, sha256, sizeof digest.bytes);
    *ret_stored = blob_open(look->app->blobs, &digest, &fd, NULL, err);
    return *ret_stored || err->kind == ERR_MISSING;
}

static bool read_files(struct look *look, const uint8_t *after, struct sha256_page *page,
                       struct err *err) {
    own(db_reader) reader = NULL;
    return db_pool_take(look->app->readers, &reader, err) &&
           reconcile_store_files(reader->db, after, page, err);
}

static bool look_for_missing(struct look *look, struct err *err) {
    uint8_t rows[FILES_AT_ONCE][32];
    uint8_t last[32];
    struct sha256_page page = {.rows = rows, .max = FILES_AT_ONCE, .count = FILES_AT_ONCE};
    int64_t missing = 0;
    const uint8_t *after = NULL;
    while (page.count == FILES_AT_ONCE) {
        if (!read_files(look, after, &page, err)) {
            return false;
        }
        for (int i = 0; i < page.count; i++) {
            bool stored = false;
            if (!is_stored(look, rows[i], &stored, err)) {
                return false;
            }
            missing += stored ? 0 : 1;
        }
        if (page.count > 0) {
            memcpy(last, rows[page.count - 1], sizeof last);
            after = last;
        }
    }
    *err = (struct err){0};
    add_if(look, "X3", "file", missing, "each file that the database knows is stored");
    return true;
}

struct strays {
    struct db *db;
    int64_t before_ms;
    int64_t count;
    bool ok;
    struct err err;
};

static bool visit(void *context, const struct blob_visit *blob) {
    struct strays *strays = context;
    bool known = false;
    if (blob->stored_ms >= strays->before_ms) {
        return true; /* somebody may be about to name it */
    }
    strays->ok = reconcile_store_knows(strays->db, blob->info.digest.bytes, &known, &strays->err);
    strays->count += strays->ok && !known ? 1 : 0;
    return strays->ok;
}

static bool look_for_strays(struct look *look, struct err *err) {
    own(db_reader) reader = NULL;
    if (!db_pool_take(look->app->readers, &reader, err)) {
        return false;
    }
    struct strays strays = {
        .db = reader->db, .before_ms = look->report->as_of_ms - FILE_GRACE_MS, .ok = true};
    if (!blob_each(look->app->blobs, visit, &strays, err)) {
        return false;
    }
    if (!strays.ok) {
        *err = strays.err;
        return false;
    }
    add_if(look, "X4", "file", strays.count, "no file is stored that nobody knows");
    return true;
}

static bool look_once(struct look *look, struct err *err) {
    look->report->finding_count = 0;
    return look_at_rows(look, err) && look_for_missing(look, err) && look_for_strays(look, err);
}

bool reconcile(struct app *app, const struct actor *actor, const struct reconcile_request *request,
               struct arena *arena, struct reconcile_report *ret_report, struct err *err) {
    if (!actor_need_role(actor, ROLE_ADMIN, err)) {
        return false;
    }
    *ret_report = (struct reconcile_report){0};
    struct look look = {
        .app = app,
        .arena = arena,
        .request = request,
        .report = ret_report,
        .broken = arena_array(arena, INVARIANTS_MAX, sizeof look.broken[0]),
    };
    if (!look_once(&look, err)) {
        return false;
    }
    for (int i = 0; request->repair && i < look.broken_count; i++) {
        if (!reconcile_repair(app, actor, &look.broken[i], &ret_report->repaired, err)) {
            return false;
        }
    }
    return ret_report->repaired == 0 || look_once(&look, err);
}
