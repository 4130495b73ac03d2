/* A node's self-test: begun for a session or by an administrator, answered by that session. */
#include "app/credential_internal.h"
#include "app/judger_check.h"
#include "app/news_internal.h"
#include "app/node_check_internal.h"
#include "app/node_leases_internal.h"
#include "app/runners_internal.h"
#include "app/summary_internal.h"
#include "base/check.h"
#include "base/limits.h"
#include "store/audit_store.h"
#include "store/node_check_store.h"
#include "store/node_event_store.h"

#include <string.h>

#define ARENA_BYTES_MAX (4 * MIB)
#define CHECKS_KEPT 50 /* of a node */

void node_proof_digest(struct str config_digest, struct str languages,
                       char out[PASSED_DIGEST_BYTES]) {
    struct digest_stream stream;
    digest_begin(&stream);
    digest_add_field(&stream, config_digest);
    digest_add_field(&stream, languages);
    struct digest digest = digest_end(&stream);
    static_assert(PASSED_DIGEST_BYTES == DIGEST_HEX_BYTES, "a digest");
    digest_hex(&digest, out);
}

bool node_check_end(struct db *db, struct node_id node, int64_t check, const char *why,
                    int64_t now_ms, struct err *err) {
    struct node_check over = {.id = check,
                              .node = node,
                              .state = CHECK_ENDED,
                              .message = str_from(why),
                              .done_ms = now_ms,
                              .detail = STR("[]")};
    return check == 0 || node_check_store_finish(db, &over, err);
}

bool node_check_begin(struct app *app, struct db *db, const struct check_begin *begin,
                      int64_t *ret_check, struct err *err) {
    struct node_check check = {.id = runner_take_id(app, ID_NODE_CHECK),
                               .node = begin->node,
                               .kind = CHECK_SELF_TEST,
                               .state = CHECK_WAITING,
                               .session_epoch = begin->session_epoch,
                               .config_digest = begin->config_digest,
                               .actor = begin->actor,
                               .created_ms = begin->now_ms,
                               .detail = STR("[]")};
    *ret_check = check.id;
    return node_check_store_insert(db, &check, err) &&
           node_check_store_prune(db, begin->node, CHECKS_KEPT, err);
}

static void nodes_changed(struct app *app, struct write_item **items, int count) {
    summary_forget(app);
    news_tell(app, items, count);
}

static bool audit(struct app *app, struct db *db, const struct actor *actor, struct audit_row *row,
                  struct err *err) {
    row->id = runner_take_id(app, ID_AUDIT);
    row->actor = actor;
    row->object_kind = "node";
    return audit_store_add(db, row, err);
}

/* ---- an administrator asks ---- */

struct ask {
    struct write_item item;
    const struct actor *actor;
    struct node_id node;
    struct arena *arena;
    /* out */
    int64_t check;
};

static bool need_session(const struct node_row *row, struct err *err) {
    return row->node.session_epoch > 0 ||
           err_set(err, ERR_CONFLICT, "judger_not_ready",
                   "node %lld has never connected: start it with its join code first",
                   (long long)row->node.id.value);
}

static bool read_row(struct db *db, struct node_id node, struct arena *arena,
                     struct node_row *ret_row, struct err *err) {
    bool found = false;
    if (!node_store_row(db, node, arena, ret_row, &found, err)) {
        return false;
    }
    return found ||
           err_set(err, ERR_MISSING, "no_judger", "there is no node %lld", (long long)node.value);
}

static bool run_ask(struct app *app, struct db *db, struct write_item **items, int count,
                    struct err *err) {
    (void)count; /* one: batch_max */
    struct ask *ask = (struct ask *)items[0];
    struct node_row row = {0};
    int64_t now_ms = 0;
    news_reset(app);
    if (!read_row(db, ask->node, ask->arena, &row, err) ||
        !db_lock(db, LOCK_NODE, LOCK_EXCLUSIVE, ask->node.value, err) ||
        !read_row(db, ask->node, ask->arena, &row, err) || !need_session(&row, err) ||
        !db_now(db, &now_ms, err)) {
        return false;
    }
    struct check_begin begin = {.node = ask->node,
                                .session_epoch = row.node.session_epoch,
                                .config_digest = row.config_digest,
                                .actor = ask->actor->user,
                                .now_ms = now_ms};
    struct audit_row note = {
        .at_ms = now_ms, .action = "judger.self_test", .object_id = ask->node.value};
    ask->item.ok = true;
    return node_check_end(db, ask->node, row.node.check, "another was asked for", now_ms, err) &&
           node_check_begin(app, db, &begin, &ask->check, err) &&
           node_store_set_check(db, ask->node, ask->check, err) &&
           audit(app, db, ask->actor, &note, err);
}

static const struct write_kind ask_kind = {
    .name = "judger.self_test", .batch_max = 1, .run = run_ask, .committed = nodes_changed};

static bool read_check(struct app *app, int64_t id, struct arena *arena,
                       struct node_check *ret_check, struct err *err) {
    own(db_reader) reader = NULL;
    bool found = false;
    return db_pool_take(app->readers, &reader, err) &&
           node_check_store_get(reader->db, id, arena, ret_check, &found, err) &&
           (found || err_set(err, ERR_MISSING, "no_judger", "the check is gone"));
}

bool judger_self_test(struct app *app, const struct actor *actor, struct node_id node,
                      struct arena *arena, struct node_check *ret_check, struct err *err) {
    struct ask ask = {.item = {.kind = &ask_kind}, .actor = actor, .node = node, .arena = arena};
    return actor_need_role(actor, ROLE_ADMIN, err) && app_write_wait(app, &ask.item, err) &&
           read_check(app, ask.check, arena, ret_check, err);
}

bool judger_checks(struct app *app, const struct actor *actor, struct node_id node,
                   struct arena *arena, struct node_check_list *ret_checks, struct err *err) {
    own(db_reader) reader = NULL;
    struct node_row row = {0};
    return actor_need_role(actor, ROLE_ADMIN, err) && db_pool_take(app->readers, &reader, err) &&
           read_row(reader->db, node, arena, &row, err) &&
           node_check_store_list(reader->db, node, arena, &ret_checks->items, &ret_checks->count,
                                 err);
}

/* ---- the server looks at the node's health address ---- */

bool judger_probe_target(struct app *app, const struct actor *actor, struct node_id node,
                         struct arena *arena, struct probe_target *ret_target, struct err *err) {
    own(db_reader) reader = NULL;
    struct node_row row = {0};
    if (!actor_need_role(actor, ROLE_ADMIN, err) || !db_pool_take(app->readers, &reader, err) ||
        !read_row(reader->db, node, arena, &row, err)) {
        return false;
    }
    *ret_target = (struct probe_target){.node = node,
                                        .name = row.name,
                                        .base_url = row.base_url,
                                        .has_key = row.has_credential,
                                        .config_digest = row.config_digest,
                                        .session_epoch = row.node.session_epoch};
    return !row.has_credential ||
           node_store_credential(reader->db, node, ret_target->key.bytes, err);
}

struct keep {
    struct write_item item;
    const struct actor *actor;
    const struct connection_outcome *outcome;
    /* out */
    int64_t check;
};

static bool run_keep(struct app *app, struct db *db, struct write_item **items, int count,
                     struct err *err) {
    (void)count; /* one: batch_max */
    struct keep *keep = (struct keep *)items[0];
    const struct connection_outcome *outcome = keep->outcome;
    int64_t now_ms = 0;
    if (!db_lock(db, LOCK_NODE, LOCK_EXCLUSIVE, outcome->node.value, err) ||
        !db_now(db, &now_ms, err)) {
        return false;
    }
    struct node_check check = {.id = runner_take_id(app, ID_NODE_CHECK),
                               .node = outcome->node,
                               .kind = CHECK_CONNECTION,
                               .state = outcome->passed ? CHECK_PASSED : CHECK_FAILED,
                               .actor = keep->actor->user,
                               .message = str_utf8_prefix(outcome->message, 500),
                               .created_ms = now_ms,
                               .done_ms = now_ms,
                               .detail = outcome->detail};
    struct audit_row note = {.at_ms = now_ms,
                             .action = "judger.probe",
                             .object_id = outcome->node.value,
                             .detail = check.message};
    keep->check = check.id;
    keep->item.ok = true;
    return node_check_store_insert(db, &check, err) &&
           node_check_store_prune(db, outcome->node, CHECKS_KEPT, err) &&
           audit(app, db, keep->actor, &note, err);
}

static const struct write_kind keep_kind = {
    .name = "judger.probe", .batch_max = 1, .run = run_keep};

bool judger_connection_checked(struct app *app, const struct actor *actor,
                               const struct connection_outcome *outcome, struct arena *arena,
                               struct node_check *ret_check, struct err *err) {
    struct keep keep = {.item = {.kind = &keep_kind}, .actor = actor, .outcome = outcome};
    return actor_need_role(actor, ROLE_ADMIN, err) && app_write_wait(app, &keep.item, err) &&
           read_check(app, keep.check, arena, ret_check, err);
}

/* ---- the node answers ---- */

static bool record(struct app *app, struct db *db, struct node_event_row *row, struct err *err) {
    row->id = runner_take_id(app, ID_NODE_EVENT);
    return node_event_insert(db, row, err);
}

/* Locks and reads the node of a machine call. False without an error in *err: the item has it. */
static bool admit(struct db *db, const struct actor *actor, int64_t session_epoch,
                  struct arena *arena, struct node_row *ret_row, struct err *err) {
    return db_lock(db, LOCK_NODE, LOCK_EXCLUSIVE, actor->node.value, err) &&
           read_row(db, actor->node, arena, ret_row, err) &&
           node_may_act(&ret_row->node, session_epoch, err);
}

static bool write_result(struct app *app, struct db *db, const struct check_result_request *request,
                         const struct node_row *row, struct err *err) {
    char digest[PASSED_DIGEST_BYTES];
    int64_t now_ms = 0;
    if (!db_now(db, &now_ms, err)) {
        return false;
    }
    struct node_check check = {.id = request->check,
                               .node = row->node.id,
                               .state = request->passed ? CHECK_PASSED : CHECK_FAILED,
                               .speed_permille = request->speed_permille,
                               .message = str_utf8_prefix(request->message, 500),
                               .done_ms = now_ms,
                               .detail = request->detail};
    bool enables = request->passed && row->node.config == NODE_PENDING && row->enable_when_ready;
    node_proof_digest(row->config_digest, row->languages, digest);
    struct node_proof proof = {.node = row->node.id,
                               .passed = request->passed,
                               .detail = request->passed ? STR("passed") : check.message,
                               .passed_digest = request->passed ? str_from(digest) : STR(""),
                               .speed_permille = request->speed_permille,
                               .out_reason = request->passed ? STR("") : row->out_reason,
                               .config = enables ? NODE_ENABLED : row->node.config};
    struct node_event_row event = {.node = row->node.id,
                                   .at_ms = now_ms,
                                   .event = request->passed ? "check.passed" : "check.failed",
                                   .detail = check.message};
    return node_check_store_finish(db, &check, err) && node_store_proved(db, &proof, err) &&
           record(app, db, &event, err);
}

static bool run_result(struct app *app, struct db *db, struct write_item **items, int count,
                       struct err *err) {
    (void)count; /* one: batch_max */
    struct check_result_request *request = (struct check_result_request *)items[0];
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct node_row row = {0};
    struct node_check check = {0};
    bool found = false;
    news_reset(app);
    if (!admit(db, &request->actor, request->session_epoch, arena, &row, err) ||
        !node_check_store_get(db, request->check, arena, &check, &found, err)) {
        return false;
    }
    if (!found) {
        return err_set(err, ERR_CONFLICT, "check_over", "there is no check %lld",
                       (long long)request->check);
    }
    bool again = check.node.value == row.node.id.value &&
                 check.session_epoch == request->session_epoch &&
                 check.state == (request->passed ? CHECK_PASSED : CHECK_FAILED);
    if (!again && !check_may_settle(&check, row.node.id, request->session_epoch, err)) {
        return false;
    }
    request->item.ok = true;
    news_room(app, row.node.queue); /* it may claim now */
    return again || write_result(app, db, request, &row, err);
}

static const struct write_kind result_kind = {
    .name = "check.result", .batch_max = 1, .run = run_result, .committed = nodes_changed};

void dispatch_check_result(struct app *app, struct check_result_request *request) {
    struct err err = {0};
    if (request->detail.len > CHECK_DETAIL_BYTES_MAX) {
        (void)err_set(&err, ERR_TOO_LARGE, "too_large", "a check's detail has at most %d bytes",
                      CHECK_DETAIL_BYTES_MAX);
        app_fail(&request->item, &err);
        return;
    }
    request->item.kind = &result_kind;
    app_write(app, &request->item);
}

static bool run_out(struct app *app, struct db *db, struct write_item **items, int count,
                    struct err *err) {
    (void)count; /* one: batch_max */
    struct out_request *request = (struct out_request *)items[0];
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct node_row row = {0};
    int64_t now_ms = 0;
    news_reset(app);
    if (!admit(db, &request->actor, request->session_epoch, arena, &row, err) ||
        !db_now(db, &now_ms, err)) {
        return false;
    }
    struct str reason = str_utf8_prefix(request->reason, 500);
    struct node_proof proof = {.node = row.node.id,
                               .detail = reason,
                               .speed_permille = row.speed_permille,
                               .out_reason = reason,
                               .config = row.node.config};
    struct node_event_row event = {
        .node = row.node.id, .at_ms = now_ms, .event = "node.out", .detail = reason};
    request->item.ok = true;
    return node_check_end(db, row.node.id, row.node.check, "the node took itself out", now_ms,
                          err) &&
           node_store_proved(db, &proof, err) && record(app, db, &event, err);
}

static const struct write_kind out_kind = {
    .name = "node.out", .batch_max = 1, .run = run_out, .committed = nodes_changed};

void dispatch_out_of_service(struct app *app, struct out_request *request) {
    request->item.kind = &out_kind;
    app_write(app, &request->item);
}
