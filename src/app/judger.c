/* Nodes as administrators see and change them. */
#include "app/judger.h"
#include "app/app_internal.h"
#include "app/credential_internal.h"
#include "app/news_internal.h"
#include "app/node_leases_internal.h"
#include "app/node_text.h"
#include "app/queues_internal.h"
#include "app/refusal_internal.h"
#include "app/runners_internal.h"
#include "app/summary_internal.h"
#include "base/limits.h"
#include "domain/base_url.h"
#include "store/audit_store.h"
#include "store/host_group_store.h"
#include "store/node_store.h"
#include "store/queue_store.h"

#include <stdio.h>
#include <string.h>

#define ARENA_BYTES_MAX (4 * MIB)

/* ---- reading ---- */

static struct node_view view_of(struct app *app, const struct node_row *row, int64_t now_ms,
                                struct arena *arena) {
    int64_t offline_ms = app->settings.offline_ms;
    const char *reason = node_no_work_reason(&row->node, now_ms, offline_ms);
    struct node_view view = {
        .id = row->node.id,
        .name = row->name,
        .pool = row->pool,
        .runtime_spec = row->runtime_spec,
        .slots = row->node.slots,
        .busy_slots = row->busy,
        .config = row->node.config,
        .observed = node_observe(&row->node, row->busy, now_ms, offline_ms),
        .heartbeat_ms = row->node.beat_ms,
        .session_epoch = row->node.session_epoch,
        .version = row->version,
        .message = str_from(reason),
        .revision = row->revision,
        .host_group = row->host_group,
        .base_url = row->base_url,
        .speed_permille = row->speed_permille,
        .check = row->node.check,
        .self_test_passed = row->node.self_test_passed,
        .has_credential = row->has_credential,
    };
    if (row->out_reason.len > 0 && !row->node.self_test_passed) {
        view.message = str_from(arena_printf(arena, "it took itself out of service: " STR_FMT,
                                             STR_ARG(row->out_reason)));
        view.language_count = node_languages_read(row->languages, arena, &view.languages);
        return view;
    }
    if (reason != NULL && row->node.session_epoch > 0 && !row->node.self_test_passed &&
        row->node.check == 0 && row->self_test_detail.len > 0) {
        view.message =
            str_from(arena_printf(arena, "%s: " STR_FMT, reason, STR_ARG(row->self_test_detail)));
    }
    view.language_count = node_languages_read(row->languages, arena, &view.languages);
    return view;
}

static bool read_view(struct app *app, struct db *db, struct node_id id, struct arena *arena,
                      struct node_view *ret_view, struct err *err) {
    struct node_row row = {0};
    bool found = false;
    int64_t now_ms = 0;
    if (!node_store_row(db, id, arena, &row, &found, err) || !db_now(db, &now_ms, err)) {
        return false;
    }
    if (!found) {
        return err_set(err, ERR_MISSING, "no_judger", "there is no node %lld", (long long)id.value);
    }
    *ret_view = view_of(app, &row, now_ms, arena);
    return true;
}

bool judger_get(struct app *app, const struct actor *actor, struct node_id id, struct arena *arena,
                struct node_view *ret_node, struct err *err) {
    own(db_reader) reader = NULL;
    return actor_need_role(actor, ROLE_ADMIN, err) && db_pool_take(app->readers, &reader, err) &&
           read_view(app, reader->db, id, arena, ret_node, err);
}

bool judger_list(struct app *app, const struct actor *actor, struct arena *arena,
                 struct node_view **ret_nodes, int *ret_count, struct err *err) {
    own(db_reader) reader = NULL;
    struct node_row *rows = NULL;
    int count = 0;
    int64_t now_ms = 0;
    if (!actor_need_role(actor, ROLE_ADMIN, err) || !db_pool_take(app->readers, &reader, err) ||
        !node_store_list(reader->db, arena, &rows, &count, err) ||
        !db_now(reader->db, &now_ms, err)) {
        return false;
    }
    *ret_nodes = arena_array(arena, (size_t)count + 1, sizeof **ret_nodes);
    for (int i = 0; i < count; i++) {
        (*ret_nodes)[i] = view_of(app, &rows[i], now_ms, arena);
    }
    *ret_count = count;
    return true;
}

/* ---- writing ---- */

struct change {
    const struct actor *actor;
    const char *action;
    struct node_id node;
    int64_t now_ms;
    const char *detail;
};

static bool audit(struct app *app, struct db *db, const struct change *change, struct err *err) {
    struct audit_row row = {
        .id = runner_take_id(app, ID_AUDIT),
        .at_ms = change->now_ms,
        .actor = change->actor,
        .action = change->action,
        .object_kind = "node",
        .object_id = change->node.value,
        .detail = str_from(change->detail),
    };
    return audit_store_add(db, &row, err);
}

static void nodes_changed(struct app *app, struct write_item **items, int count) {
    struct err ignored = {0}; /* the maintenance reads the queues again */
    (void)!queues_reload(app, runner_db(app), &ignored);
    credentials_forget(app);
    summary_forget(app);
    news_tell(app, items, count);
    events_start(app);
}

struct registration {
    struct write_item item;
    const struct actor *actor;
    const struct node_register_request *request;
    struct digest code;
    /* out */
    struct node_id node;
    int64_t until_ms;
};

static bool find_group(struct db *db, struct str name, struct host_group_id *ret_id,
                       struct err *err) {
    bool found = false;
    *ret_id = (struct host_group_id){0};
    if (name.len == 0) {
        return true;
    }
    if (!host_group_store_find(db, name, ret_id, &found, err)) {
        return false;
    }
    return found ||
           err_set(err, ERR_INVALID, "bad_field", "there is no host group " STR_FMT, STR_ARG(name));
}

/* The nodes of one machine share its slots, whichever pool asks first. */
static bool ensure_group(struct app *app, struct db *db,
                         const struct node_register_request *request, struct err *err) {
    struct host_group_id id = {0};
    bool found = false;
    if (request->host_group_slots == 0) {
        return true;
    }
    if (!host_group_store_find(db, request->host_group, &id, &found, err)) {
        return false;
    }
    if (!found) {
        id.value = runner_take_id(app, ID_HOST_GROUP);
        return host_group_store_insert(db, id, request->host_group, request->host_group_slots, err);
    }
    return db_lock(db, LOCK_HOST_GROUP, LOCK_EXCLUSIVE, id.value, err) &&
           host_group_store_set_slots(db, id, request->host_group_slots, err);
}

static bool insert_node(struct app *app, struct db *db, struct registration *reg, int64_t now_ms,
                        struct err *err) {
    const struct node_register_request *request = reg->request;
    struct str spec =
        request->runtime_spec.len > 0 ? request->runtime_spec : STR(RUNTIME_SPEC_DEFAULT);
    struct node node = {
        .id = {runner_take_id(app, ID_NODE)}, .slots = request->slots, .config = NODE_PENDING};
    struct node_insert insert = {.node = &node,
                                 .name = request->name,
                                 .enable_when_ready = request->enable,
                                 .base_url = request->base_url,
                                 .now_ms = now_ms};
    reg->node = node.id;
    return find_group(db, request->host_group, &node.host_group, err) &&
           queues_ensure(app, db, request->pool, spec, &node.queue, err) &&
           node_store_insert(db, &insert, err);
}

/* Registered again: only by the system, which enrols its own nodes at each start. */
static bool check_again(const struct registration *reg, struct err *err) {
    return reg->actor->kind == ACTOR_SYSTEM ||
           err_set(err, ERR_CONFLICT, "conflict_judger_name", "the node name " STR_FMT " is taken",
                   STR_ARG(reg->request->name));
}

static bool run_register(struct app *app, struct db *db, struct write_item **items, int count,
                         struct err *err) {
    (void)count; /* one: batch_max */
    struct registration *reg = (struct registration *)items[0];
    bool again = false;
    int64_t now_ms = 0;
    news_reset(app);
    if (!ensure_group(app, db, reg->request, err) ||
        !node_store_find_name(db, reg->request->name, &reg->node, &again, err) ||
        (again && !check_again(reg, err))) {
        return false;
    }
    /* A new node's row is nobody else's yet, so its lock may follow its insertion. */
    if (again && !db_lock(db, LOCK_NODE, LOCK_EXCLUSIVE, reg->node.value, err)) {
        return false;
    }
    if (!again && (!insert_node(app, db, reg, clock_utc_ms(app->clock), err) ||
                   !db_lock(db, LOCK_NODE, LOCK_EXCLUSIVE, reg->node.value, err))) {
        return false;
    }
    if (!db_now(db, &now_ms, err)) {
        return false;
    }
    reg->until_ms = now_ms + app->settings.join_code_ms;
    struct node_join join = {.node = reg->node,
                             .digest = reg->code.bytes,
                             .until_ms = reg->until_ms,
                             .slots = reg->request->slots,
                             .enable_when_ready = reg->request->enable};
    struct change change = {.actor = reg->actor,
                            .action = "judger.register",
                            .node = reg->node,
                            .now_ms = now_ms,
                            .detail = ""};
    reg->item.ok = true;
    return node_store_set_join(db, &join, err) && audit(app, db, &change, err);
}

/* The code's digest is nobody else's, so its row is the proof. */
static bool register_read_back(struct app *app, struct db *db, struct write_item *item,
                               struct err *err) {
    struct registration *reg = (struct registration *)item;
    bool found = false;
    (void)app;
    return node_store_find_join(db, reg->code.bytes, &reg->node, &reg->until_ms, &found, err) &&
           found;
}

static const struct write_kind register_kind = {.name = "judger.register",
                                                .batch_max = 1,
                                                .run = run_register,
                                                .read_back = register_read_back,
                                                .committed = nodes_changed};

static bool check_base_url(struct str text, struct err *err) {
    struct base_url ignored = {0};
    return text.len == 0 || base_url_parse(text, &ignored, err);
}

static bool check_registration(struct app *app, const struct node_register_request *request,
                               struct err *err) {
    if (!node_is_name(request->name, NODE_NAME_BYTES_MAX)) {
        return err_set(err, ERR_INVALID, "bad_field", "field `name` must have 1 to %d bytes",
                       NODE_NAME_BYTES_MAX);
    }
    if (queues_of_pool(app, request->pool) == NULL) {
        return err_set(err, ERR_INVALID, "bad_field", "field `pool`: there is no pool " STR_FMT,
                       STR_ARG(str_utf8_prefix(request->pool, POOL_BYTES_MAX)));
    }
    if (request->runtime_spec.len > 0 &&
        !node_is_name(request->runtime_spec, RUNTIME_SPEC_BYTES_MAX)) {
        return err_set(err, ERR_INVALID, "bad_field", "field `runtimeSpec` must have 1 to %d bytes",
                       RUNTIME_SPEC_BYTES_MAX);
    }
    if (request->slots < 1 || request->slots > NODE_SLOTS_MAX) {
        return err_set(err, ERR_INVALID, "bad_field", "field `slots` must be 1 to %d",
                       NODE_SLOTS_MAX);
    }
    return check_base_url(request->base_url, err);
}

bool judger_register(struct app *app, const struct actor *actor,
                     const struct node_register_request *request, struct arena *arena,
                     struct node_registered *ret_registered, struct err *err) {
    struct node_register_request checked_request = *request;
    checked_request.enable = request->enable && actor->kind == ACTOR_SYSTEM;
    checked_request.host_group_slots =
        actor->kind == ACTOR_SYSTEM && request->host_group.len > 0 ? request->host_group_slots : 0;
    if (!actor_need_role(actor, ROLE_ADMIN, err) ||
        !check_registration(app, &checked_request, err)) {
        return false;
    }
    join_code_make(app, ret_registered->join_code);
    struct registration reg = {
        .item = {.kind = &register_kind},
        .actor = actor,
        .request = &checked_request,
        .code = digest_of(str_from(ret_registered->join_code)),
    };
    if (!app_write_wait(app, &reg.item, err)) {
        return false;
    }
    own(db_reader) reader = NULL;
    ret_registered->expires_ms = reg.until_ms;
    return db_pool_take(app->readers, &reader, err) &&
           read_view(app, reader->db, reg.node, arena, &ret_registered->node, err);
}

struct update {
    struct write_item item;
    const struct actor *actor;
    const struct judger_update_request *request;
    /* out */
    struct queue_id queue;
};

static bool check_update(struct app *app, struct db *db,
                         const struct judger_update_request *request,
                         const struct node_leases *leases, struct err *err) {
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct node_row row = {0};
    bool found = false;
    if (!node_store_row(db, request->id, arena, &row, &found, err)) {
        return false;
    }
    if (row.revision != request->revision) {
        return err_set(err, ERR_STALE, "stale_revision", "node %lld is at revision %lld, not %lld",
                       (long long)request->id.value, (long long)row.revision,
                       (long long)request->revision);
    }
    return request->config == NULL ||
           node_may_configure(&leases->node, *request->config, leases->now_ms,
                              app->settings.offline_ms, err);
}

static bool run_update(struct app *app, struct db *db, struct write_item **items, int count,
                       struct err *err) {
    (void)count; /* one: batch_max */
    struct update *update = (struct update *)items[0];
    const struct judger_update_request *request = update->request;
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct node_leases leases = {0};
    char detail[64];
    news_reset(app);
    if (!node_leases_hold(db, request->id, arena, &leases, err) ||
        !check_update(app, db, request, &leases, err)) {
        return false;
    }
    enum node_config config = request->config != NULL ? *request->config : leases.node.config;
    int32_t slots = request->slots != NULL ? *request->slots : leases.node.slots;
    (void)snprintf(detail, sizeof detail, "config %d, slots %d", (int)config, (int)slots);
    struct change change = {.actor = update->actor,
                            .action = "judger.update",
                            .node = request->id,
                            .now_ms = leases.now_ms,
                            .detail = detail};
    update->item.ok = true;
    update->queue = leases.node.queue;
    return (config != NODE_DISABLED || node_leases_end(app, db, &leases, END_DISABLED, err)) &&
           node_store_configure(db, request->id, config, slots, err) &&
           (request->base_url == NULL ||
            node_store_set_base_url(db, request->id, *request->base_url, err)) &&
           audit(app, db, &change, err);
}

/* Ours, or somebody's who wanted the same of the same revision. */
static bool update_read_back(struct app *app, struct db *db, struct write_item *item,
                             struct err *err) {
    const struct judger_update_request *request = ((struct update *)item)->request;
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct node_row row = {0};
    bool found = false;
    (void)app;
    return node_store_row(db, request->id, arena, &row, &found, err) && found &&
           row.revision > request->revision &&
           (request->config == NULL || row.node.config == *request->config) &&
           (request->slots == NULL || row.node.slots == *request->slots) &&
           (request->base_url == NULL || str_eq(row.base_url, *request->base_url));
}

static const struct write_kind update_kind = {.name = "judger.update",
                                              .batch_max = 1,
                                              .run = run_update,
                                              .read_back = update_read_back,
                                              .committed = nodes_changed};

bool judger_update(struct app *app, const struct actor *actor,
                   const struct judger_update_request *request, struct arena *arena,
                   struct node_view *ret_node, struct err *err) {
    struct update update = {.item = {.kind = &update_kind}, .actor = actor, .request = request};
    if (!actor_need_role(actor, ROLE_ADMIN, err)) {
        return false;
    }
    if (request->slots != NULL && (*request->slots < 1 || *request->slots > NODE_SLOTS_MAX)) {
        return err_set(err, ERR_INVALID, "bad_field", "field `slots` must be 1 to %d",
                       NODE_SLOTS_MAX);
    }
    if (request->base_url != NULL && !check_base_url(*request->base_url, err)) {
        return false;
    }
    if (!app_write_wait(app, &update.item, err)) {
        return false;
    }
    own(db_reader) reader = NULL;
    if (!db_pool_take(app->readers, &reader, err) ||
        !read_view(app, reader->db, request->id, arena, ret_node, err)) {
        return false;
    }
    /* A node that may claim again should not have to wait for the next job. */
    wake_tell(app->wake, WAKE_ROOM, update.queue.value, 1);
    return true;
}
