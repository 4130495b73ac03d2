/* Who did what. */
#include "store/audit_store.h"

static const char insert_audit[] =
    "INSERT INTO audit_log (id, at_ms, actor_kind, actor_id, action, object_kind, object_id, "
    "detail, trace_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";

static int64_t actor_id(const struct actor *actor) {
    switch (actor->kind) {
    case ACTOR_USER: return actor->user.value;
    case ACTOR_NODE: return actor->node.value;
    case ACTOR_NOBODY:
    case ACTOR_SYSTEM: break;
    }
    return 0;
}

bool audit_store_add(struct db *db, const struct audit_row *row, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, insert_audit, &stmt, err)) {
        return err_wrap(err, "write audit log");
    }
    db_bind_i64(stmt, 1, row->id);
    db_bind_i64(stmt, 2, row->at_ms);
    db_bind_i64(stmt, 3, row->actor->kind);
    db_bind_i64(stmt, 4, actor_id(row->actor));
    db_bind_text(stmt, 5, str_from(row->action));
    db_bind_text(stmt, 6, str_from(row->object_kind));
    db_bind_i64(stmt, 7, row->object_id);
    db_bind_text(stmt, 8, str_utf8_prefix(row->detail, AUDIT_DETAIL_BYTES_MAX));
    db_bind_text(stmt, 9, str_from(row->actor->trace_id));
    return db_run(stmt, NULL, err) || err_wrap(err, "write audit log");
}

bool audit_store_has(struct db *db, int64_t id, bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT 1 FROM audit_log WHERE id = ?", &stmt, err)) {
        return err_wrap(err, "read audit log");
    }
    db_bind_i64(stmt, 1, id);
    return db_find(stmt, ret_found, err);
}

bool audit_store_find(struct db *db, const struct audit_row *wanted, struct arena *arena,
                      struct audit_found *ret_row, bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT actor_kind, actor_id, detail FROM audit_log WHERE object_kind = ? AND "
                    "object_id = ? AND action = ? AND at_ms = ? ORDER BY id LIMIT 1",
                    &stmt, err)) {
        return err_wrap(err, "read audit log");
    }
    db_bind_text(stmt, 1, str_from(wanted->object_kind));
    db_bind_i64(stmt, 2, wanted->object_id);
    db_bind_text(stmt, 3, str_from(wanted->action));
    db_bind_i64(stmt, 4, wanted->at_ms);
    if (!db_find(stmt, ret_found, err)) {
        return err_wrap(err, "read audit log");
    }
    if (*ret_found) {
        *ret_row = (struct audit_found){.actor_kind = (enum actor_kind)db_i64(stmt, 0),
                                        .actor = db_i64(stmt, 1),
                                        .detail = arena_str(arena, db_text(stmt, 2))};
    }
    return true;
}
