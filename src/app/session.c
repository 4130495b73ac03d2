/* How a node comes to act: it trades a join code for a credential, then opens a session, which ends
 * the one before it and its leases. */
#include "app/app_internal.h"
#include "app/credential_internal.h"
#include "app/dispatch.h"
#include "app/news_internal.h"
#include "app/node_check_internal.h"
#include "app/node_leases_internal.h"
#include "app/node_text.h"
#include "app/refusal_internal.h"
#include "app/runners_internal.h"
#include "app/summary_internal.h"
#include "base/limits.h"
#include "store/node_event_store.h"
#include "store/node_store.h"

#include <string.h>

#define ARENA_BYTES_MAX (4 * MIB)
#define LANGUAGES_BYTES_MAX (16 * KIB)

static bool record(struct app *app, struct db *db, struct node_event_row *row, struct err *err) {
    row->id = runner_take_id(app, ID_NODE_EVENT);
    return node_event_insert(db, row, err);
}

/* ---- join ---- */

static bool refuse_code(struct join_request *request) {
    (void)err_set(&request->item.err, ERR_UNAUTHENTICATED, "bad_join_code",
                  "the join code is unknown, used or too old: ask for a new one");
    return true; /* the batch goes on; the item has its error */
}

static bool use_code(struct app *app, struct db *db, struct join_request *request,
                     struct node_id node, struct err *err) {
    int64_t now_ms = 0;
    int64_t until_ms = 0;
    bool found = false;
    struct digest code = digest_of(request->join_code);
    struct node_id again = {0};
    if (!db_lock(db, LOCK_NODE, LOCK_EXCLUSIVE, node.value, err) ||
        !node_store_find_join(db, code.bytes, &again, &until_ms, &found, err) ||
        !db_now(db, &now_ms, err)) {
        return false;
    }
    if (!found || again.value != node.value || now_ms >= until_ms) {
        return refuse_code(request);
    }
    credential_make(app, request->credential);
    struct digest credential = digest_of(str_from(request->credential));
    struct node_event_row event = {
        .node = node, .at_ms = now_ms, .event = "node.joined", .detail = request->name};
    request->node = node;
    request->item.ok = true;
    return node_store_set_credential(db, node, credential.bytes, err) &&
           record(app, db, &event, err);
}

static bool run_join(struct app *app, struct db *db, struct write_item **items, int count,
                     struct err *err) {
    (void)count; /* one: batch_max */
    struct join_request *request = (struct join_request *)items[0];
    struct digest code = digest_of(request->join_code);
    struct node_id node = {0};
    int64_t until_ms = 0;
    bool found = false;
    if (!node_store_find_join(db, code.bytes, &node, &until_ms, &found, err)) {
        return false;
    }
    return found ? use_code(app, db, request, node, err) : refuse_code(request);
}

static void join_committed(struct app *app, struct write_item **items, int count) {
    (void)items;
    (void)count;
    credentials_forget(app);
}

/* The code may be used up, so trying again would refuse what was granted. */
static bool join_read_back(struct app *app, struct db *db, struct write_item *item,
                           struct err *err) {
    struct join_request *request = (struct join_request *)item;
    struct digest credential = digest_of(str_from(request->credential));
    bool found = false;
    (void)app;
    return node_store_find_credential(db, credential.bytes, &request->node, &found, err) && found;
}

static const struct write_kind join_kind = {.name = "join",
                                            .batch_max = 1,
                                            .run = run_join,
                                            .read_back = join_read_back,
                                            .committed = join_committed};

void dispatch_join(struct app *app, struct join_request *request) {
    struct err err = {0};
    if (request->join_code.len == 0 || request->join_code.len >= JOIN_CODE_BYTES) {
        (void)refuse_code(request);
        err = request->item.err;
        app_fail(&request->item, &err);
        return;
    }
    request->item.kind = &join_kind;
    app_write(app, &request->item);
}

/* ---- session ---- */

static enum node_config config_after(const struct node *node, bool enable, bool passed) {
    return node->config == NODE_PENDING && enable && passed ? NODE_ENABLED : node->config;
}

#define PROTOCOL_OF_CHECKS 2

/* What was proved before and has not changed since needs no proof. An older node has tested itself
 * just before. */
static bool is_proved(const struct session_request *request, const struct node_row *row,
                      struct str languages) {
    char digest[PASSED_DIGEST_BYTES];
    if (request->protocol < PROTOCOL_OF_CHECKS) {
        return request->self_test_passed;
    }
    node_proof_digest(request->config_digest, languages, digest);
    return request->self_test_passed && str_eq_c(row->passed_digest, digest);
}

/* The check of the session before is over; a new one is begun where there is something to prove. */
static bool begin_check(struct app *app, struct db *db, struct session_request *request,
                        const struct node_leases *leases, bool proved, struct err *err) {
    const struct node *node = &leases->node;
    struct check_begin begin = {.node = node->id,
                                .session_epoch = request->session_epoch,
                                .config_digest = str_utf8_prefix(request->config_digest, 64),
                                .now_ms = leases->now_ms};
    request->check = 0;
    if (!node_check_end(db, node->id, node->check, "the node opened a new session", leases->now_ms,
                        err)) {
        return false;
    }
    return proved || request->protocol < PROTOCOL_OF_CHECKS ||
           node_check_begin(app, db, &begin, &request->check, err);
}

static bool write_session(struct app *app, struct db *db, struct session_request *request,
                          const struct node_leases *leases, const struct node_row *row,
                          struct err *err) {
    const struct node *node = &leases->node;
    own_buf languages = {0};
    buf_init(&languages, LANGUAGES_BYTES_MAX);
    if (!node_languages_write(request->languages, request->language_count, &languages, err)) {
        return false;
    }
    request->session_epoch = node->session_epoch + 1;
    bool proved = is_proved(request, row, buf_str(&languages));
    if (!begin_check(app, db, request, leases, proved, err)) {
        return false;
    }
    struct node_session session = {
        .node = node->id,
        .session_epoch = request->session_epoch,
        .config = config_after(node, row->enable_when_ready, proved),
        .self_test_passed = proved,
        .self_test_detail = str_utf8_prefix(request->self_test_detail, 4096),
        .version = str_utf8_prefix(request->version, 64),
        .languages = buf_str(&languages),
        .config_digest = str_utf8_prefix(request->config_digest, 64),
        .check = request->check,
    };
    struct node_beat beat = {
        .node = node->id, .received_ms = leases->now_ms, .session_epoch = request->session_epoch};
    struct node_event_row event = {.node = node->id,
                                   .at_ms = leases->now_ms,
                                   .event = "session.opened",
                                   .detail = session.self_test_detail};
    return node_store_open_session(db, &session, err) && node_store_beat(db, &beat, err) &&
           record(app, db, &event, err);
}

static bool run_session(struct app *app, struct db *db, struct write_item **items, int count,
                        struct err *err) {
    (void)count; /* one: batch_max */
    struct session_request *request = (struct session_request *)items[0];
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct node_leases leases = {0};
    struct node_row row = {0};
    bool found = false;
    news_reset(app);
    if (!node_leases_hold(db, request->actor.node, arena, &leases, err) ||
        !node_store_row(db, request->actor.node, arena, &row, &found, err)) {
        return false;
    }
    if (leases.node.config == NODE_DISABLED) {
        (void)err_set(&request->item.err, ERR_DENIED, "not_allowed", "node %lld is disabled",
                      (long long)leases.node.id.value);
        return true;
    }
    request->item.ok = true;
    return node_leases_end(app, db, &leases, END_SESSION, err) &&
           write_session(app, db, request, &leases, &row, err);
}

static void session_committed(struct app *app, struct write_item **items, int count) {
    summary_forget(app);
    news_tell(app, items, count);
    events_start(app);
}

static const struct write_kind session_kind = {
    .name = "session", .batch_max = 1, .run = run_session, .committed = session_committed};

void dispatch_session(struct app *app, struct session_request *request) {
    request->item.kind = &session_kind;
    app_write(app, &request->item);
}
