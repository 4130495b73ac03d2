/* Host groups as administrators make and change them. */
#include "app/host_group.h"
#include "app/app_internal.h"
#include "app/news_internal.h"
#include "app/runners_internal.h"
#include "app/writer.h"
#include "base/limits.h"
#include "domain/node.h"
#include "store/audit_store.h"

#include <stdio.h>

struct write_group {
    struct write_item item;
    const struct actor *actor;
    const struct host_group_change *change;
    struct arena *arena;
    /* out */
    struct host_group_id id;
    int64_t audit;
};

bool host_group_list(struct app *app, const struct actor *actor, struct arena *arena,
                     struct host_group_row **ret_groups, int *ret_count, struct err *err) {
    own(db_reader) reader = NULL;
    return actor_need_role(actor, ROLE_ADMIN, err) && db_pool_take(app->readers, &reader, err) &&
           host_group_store_list(reader->db, arena, ret_groups, ret_count, err);
}

static bool create(struct app *app, struct db *db, struct write_group *write, struct err *err) {
    const struct host_group_change *change = write->change;
    bool found = false;
    if (!host_group_store_find(db, change->name, &write->id, &found, err)) {
        return false;
    }
    if (found) {
        return err_set(err, ERR_CONFLICT, "conflict_host_group_name",
                       "there is a host group " STR_FMT " already", STR_ARG(change->name));
    }
    write->id.value = runner_take_id(app, ID_HOST_GROUP);
    return host_group_store_insert(db, write->id, change->name, change->slots, err);
}

static bool update(struct app *app, struct db *db, struct write_group *write, struct err *err) {
    const struct host_group_change *change = write->change;
    struct host_group_row row = {0};
    bool found = false;
    write->id = change->id;
    if (!db_lock(db, LOCK_HOST_GROUP, LOCK_EXCLUSIVE, change->id.value, err) ||
        !host_group_store_row(db, change->id, write->arena, &row, &found, err)) {
        return false;
    }
    if (!found) {
        return err_set(err, ERR_MISSING, "no_host_group", "there is no host group %lld",
                       (long long)change->id.value);
    }
    if (row.revision != change->revision) {
        return err_set(err, ERR_STALE, "stale_revision",
                       "host group %lld is at revision %lld, not %lld", (long long)change->id.value,
                       (long long)row.revision, (long long)change->revision);
    }
    news_slot(app);
    return host_group_store_set_slots(db, change->id, change->slots, err);
}

static bool run(struct app *app, struct db *db, struct write_item **items, int count,
                struct err *err) {
    (void)count; /* one: batch_max */
    struct write_group *write = (struct write_group *)items[0];
    const struct host_group_change *change = write->change;
    char detail[64];
    int64_t now_ms = 0;
    news_reset(app);
    if (!(change->id.value == 0 ? create(app, db, write, err) : update(app, db, write, err)) ||
        !db_now(db, &now_ms, err)) {
        return false;
    }
    (void)snprintf(detail, sizeof detail, "slots %d", (int)change->slots);
    write->audit = runner_take_id(app, ID_AUDIT);
    struct audit_row row = {.id = write->audit,
                            .at_ms = now_ms,
                            .actor = write->actor,
                            .action =
                                change->id.value == 0 ? "host_group.create" : "host_group.update",
                            .object_kind = "host_group",
                            .object_id = write->id.value,
                            .detail = str_from(detail)};
    write->item.ok = true;
    return audit_store_add(db, &row, err);
}

/* Its row in the audit log is the proof. */
static bool read_back(struct app *app, struct db *db, struct write_item *item, struct err *err) {
    bool found = false;
    (void)app;
    return audit_store_has(db, ((struct write_group *)item)->audit, &found, err) && found;
}

static const struct write_kind write_kind = {.name = "host_group.write",
                                             .batch_max = 1,
                                             .run = run,
                                             .read_back = read_back,
                                             .committed = news_tell};

static bool check(const struct host_group_change *change, struct err *err) {
    if (change->id.value == 0 && !node_is_name(change->name, NODE_NAME_BYTES_MAX)) {
        return err_set(err, ERR_INVALID, "bad_field", "field `name` must have 1 to %d bytes",
                       NODE_NAME_BYTES_MAX);
    }
    return (change->slots >= 1 && change->slots <= HOST_SLOTS_MAX) ||
           err_set(err, ERR_INVALID, "bad_field", "field `slots` must be 1 to %d", HOST_SLOTS_MAX);
}

bool host_group_write(struct app *app, const struct actor *actor,
                      const struct host_group_change *change, struct arena *arena,
                      struct host_group_row *ret_group, struct err *err) {
    struct write_group write = {
        .item = {.kind = &write_kind}, .actor = actor, .change = change, .arena = arena};
    own(db_reader) reader = NULL;
    bool found = false;
    return actor_need_role(actor, ROLE_ADMIN, err) && check(change, err) &&
           app_write_wait(app, &write.item, err) && db_pool_take(app->readers, &reader, err) &&
           host_group_store_row(reader->db, write.id, arena, ret_group, &found, err) &&
           (found || err_set(err, ERR_MISSING, "no_host_group", "the host group is gone"));
}
