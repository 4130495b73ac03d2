/* Who may speak as a node: a new join code in place of its credential, or nobody any more. */
#include "app/app_internal.h"
#include "app/credential_internal.h"
#include "app/judger.h"
#include "app/news_internal.h"
#include "app/node_leases_internal.h"
#include "app/refusal_internal.h"
#include "app/runners_internal.h"
#include "app/summary_internal.h"
#include "base/limits.h"
#include "store/audit_store.h"
#include "store/node_store.h"

#define ARENA_BYTES_MAX (4 * MIB)

struct access {
    struct write_item item;
    const struct actor *actor;
    const struct judger_access_request *request;
    struct digest code;
    int64_t until_ms; /* out */
};

static bool audit(struct app *app, struct db *db, const struct access *access, const char *action,
                  int64_t now_ms, struct err *err) {
    struct audit_row row = {.id = runner_take_id(app, ID_AUDIT),
                            .at_ms = now_ms,
                            .actor = access->actor,
                            .action = action,
                            .object_kind = "node",
                            .object_id = access->request->id.value};
    return audit_store_add(db, &row, err);
}

static bool check_revision(struct db *db, const struct access *access, struct arena *arena,
                           struct node_row *ret_row, struct err *err) {
    bool found = false;
    const struct judger_access_request *request = access->request;
    if (!node_store_row(db, request->id, arena, ret_row, &found, err)) {
        return false;
    }
    return (found && ret_row->revision == request->revision) ||
           err_set(err, ERR_STALE, "stale_revision", "node %lld is at revision %lld, not %lld",
                   (long long)request->id.value, (long long)ret_row->revision,
                   (long long)request->revision);
}

/* What a change of access begins with: the node and its leases under lock, at the revision asked
 * for. */
struct held_node {
    struct node_leases leases;
    struct node_row row;
};

static bool hold(struct app *app, struct db *db, const struct access *access, struct arena *arena,
                 struct held_node *ret_held, struct err *err) {
    news_reset(app);
    return node_leases_hold(db, access->request->id, arena, &ret_held->leases, err) &&
           check_revision(db, access, arena, &ret_held->row, err);
}

static void changed(struct app *app, struct write_item **items, int count) {
    credentials_forget(app);
    summary_forget(app);
    news_tell(app, items, count);
    events_start(app);
}

/* A node that nobody could speak for and that was shut out may come back by it. */
static bool run_rotate(struct app *app, struct db *db, struct write_item **items, int count,
                       struct err *err) {
    (void)count; /* one: batch_max */
    struct access *access = (struct access *)items[0];
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct held_node held = {0};
    if (!hold(app, db, access, arena, &held, err)) {
        return false;
    }
    access->until_ms = held.leases.now_ms + app->settings.join_code_ms;
    struct node_join join = {.node = access->request->id,
                             .digest = access->code.bytes,
                             .until_ms = access->until_ms,
                             .slots = held.row.node.slots,
                             .enable_when_ready = held.row.enable_when_ready};
    bool comes_back = held.row.node.config == NODE_DISABLED && !held.row.has_credential;
    access->item.ok = true;
    return node_store_set_join(db, &join, err) &&
           (!comes_back || node_store_configure(db, access->request->id, NODE_PENDING,
                                                held.row.node.slots, err)) &&
           audit(app, db, access, "judger.rotate", held.leases.now_ms, err);
}

/* The code's digest is nobody else's, so its row is the proof. */
static bool rotate_read_back(struct app *app, struct db *db, struct write_item *item,
                             struct err *err) {
    struct access *access = (struct access *)item;
    struct node_id node = {0};
    bool found = false;
    (void)app;
    return node_store_find_join(db, access->code.bytes, &node, &access->until_ms, &found, err) &&
           found;
}

static const struct write_kind rotate_kind = {.name = "judger.rotate",
                                              .batch_max = 1,
                                              .run = run_rotate,
                                              .read_back = rotate_read_back,
                                              .committed = changed};

static bool run_revoke(struct app *app, struct db *db, struct write_item **items, int count,
                       struct err *err) {
    (void)count; /* one: batch_max */
    struct access *access = (struct access *)items[0];
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct held_node held = {0};
    if (!hold(app, db, access, arena, &held, err)) {
        return false;
    }
    access->item.ok = true;
    return node_leases_end(app, db, &held.leases, END_DISABLED, err) &&
           node_store_drop_credential(db, access->request->id, err) &&
           node_store_configure(db, access->request->id, NODE_DISABLED, held.row.node.slots, err) &&
           audit(app, db, access, "judger.revoke", held.leases.now_ms, err);
}

static bool revoke_read_back(struct app *app, struct db *db, struct write_item *item,
                             struct err *err) {
    const struct access *access = (const struct access *)item;
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct node_row row = {0};
    bool found = false;
    (void)app;
    return node_store_row(db, access->request->id, arena, &row, &found, err) && found &&
           !row.has_credential && row.node.config == NODE_DISABLED;
}

static const struct write_kind revoke_kind = {.name = "judger.revoke",
                                              .batch_max = 1,
                                              .run = run_revoke,
                                              .read_back = revoke_read_back,
                                              .committed = changed};

bool judger_rotate(struct app *app, const struct actor *actor,
                   const struct judger_access_request *request, struct arena *arena,
                   struct node_registered *ret_registered, struct err *err) {
    struct access access = {.item = {.kind = &rotate_kind}, .actor = actor, .request = request};
    if (!actor_need_role(actor, ROLE_ADMIN, err)) {
        return false;
    }
    join_code_make(app, ret_registered->join_code);
    access.code = digest_of(str_from(ret_registered->join_code));
    if (!app_write_wait(app, &access.item, err)) {
        return false;
    }
    ret_registered->expires_ms = access.until_ms;
    return judger_get(app, actor, request->id, arena, &ret_registered->node, err);
}

bool judger_revoke(struct app *app, const struct actor *actor,
                   const struct judger_access_request *request, struct arena *arena,
                   struct node_view *ret_node, struct err *err) {
    struct access access = {.item = {.kind = &revoke_kind}, .actor = actor, .request = request};
    return actor_need_role(actor, ROLE_ADMIN, err) && app_write_wait(app, &access.item, err) &&
           judger_get(app, actor, request->id, arena, ret_node, err);
}
