#include "store/node_store.h"
#include "base/check.h"

#include <string.h>

#define CORE                                                                                       \
    "n.id, n.queue_id, n.host_group_id, n.slots, n.config, n.session_epoch, n.self_test_passed, "  \
    "COALESCE(b.received_ms, 0), n.check_id, "                                                     \
    "COALESCE((SELECT sq.held + sp.held FROM queue sq JOIN pool sp ON sp.name = sq.pool "          \
    "WHERE sq.id = n.queue_id), 0)"
#define ROW                                                                                        \
    CORE ", n.name, q.pool, q.runtime_spec, n.version, n.languages, n.self_test_detail, "          \
         "n.enable_when_ready, n.revision, (SELECT count(*) FROM job_lease l WHERE l.node_id = "   \
         "n.id), COALESCE((SELECT g.name FROM host_group g WHERE g.id = n.host_group_id), ''), "   \
         "n.base_url, n.passed_digest, n.speed_permille, n.out_reason, "                           \
         "n.credential_digest IS NOT NULL, n.config_digest"
#define FROM_BEAT "FROM node n LEFT JOIN node_beat b ON b.node_id = n.id "
#define FROM_ALL FROM_BEAT "JOIN queue q ON q.id = n.queue_id "

const struct rows_select node_select = {
    .sql = "SELECT " CORE " " FROM_BEAT, .keys = {"n.id"}, .key_count = 1};

const struct rows_select node_of_queue_select = {
    .sql = "SELECT " CORE " " FROM_BEAT, .keys = {"n.queue_id"}, .key_count = 1};

struct node node_from_row(struct db_stmt *stmt) {
    return (struct node){
        .id = {db_i64(stmt, 0)},
        .queue = {db_i64(stmt, 1)},
        .host_group = {db_i64(stmt, 2)},
        .slots = (int32_t)db_i64(stmt, 3),
        .config = (enum node_config)db_i64(stmt, 4),
        .session_epoch = db_i64(stmt, 5),
        .self_test_passed = db_i64(stmt, 6) != 0,
        .beat_ms = db_i64(stmt, 7),
        .check = db_i64(stmt, 8),
        .queue_held = db_i64(stmt, 9) != 0,
    };
}

static struct node_row read_row(struct db_stmt *stmt, struct arena *arena) {
    return (struct node_row){
        .node = node_from_row(stmt),
        .name = arena_str(arena, db_text(stmt, 10)),
        .pool = arena_str(arena, db_text(stmt, 11)),
        .runtime_spec = arena_str(arena, db_text(stmt, 12)),
        .version = arena_str(arena, db_text(stmt, 13)),
        .languages = arena_str(arena, db_text(stmt, 14)),
        .self_test_detail = arena_str(arena, db_text(stmt, 15)),
        .enable_when_ready = db_i64(stmt, 16) != 0,
        .revision = db_i64(stmt, 17),
        .busy = (int32_t)db_i64(stmt, 18),
        .host_group = arena_str(arena, db_text(stmt, 19)),
        .base_url = arena_str(arena, db_text(stmt, 20)),
        .passed_digest = arena_str(arena, db_text(stmt, 21)),
        .speed_permille = db_i64(stmt, 22),
        .out_reason = arena_str(arena, db_text(stmt, 23)),
        .has_credential = db_i64(stmt, 24) != 0,
        .config_digest = arena_str(arena, db_text(stmt, 25)),
    };
}

bool node_store_get(struct db *db, struct node_id id, struct node *ret_node, bool *ret_found,
                    struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT " CORE " " FROM_BEAT "WHERE n.id = ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    if (*ret_found) {
        *ret_node = node_from_row(stmt);
    }
    return true;
}

bool node_store_row(struct db *db, struct node_id id, struct arena *arena, struct node_row *ret_row,
                    bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT " ROW " " FROM_ALL "WHERE n.id = ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    if (*ret_found) {
        *ret_row = read_row(stmt, arena);
    }
    return true;
}

static bool count_nodes(struct db *db, int *ret_count, struct err *err) {
    own(db_stmt) stmt = NULL;
    bool found = false;
    if (!db_prepare(db, "SELECT count(*) FROM node", &stmt, err) || !db_find(stmt, &found, err)) {
        return false;
    }
    int64_t count = db_i64(stmt, 0);
    *ret_count = count < NODES_MAX ? (int)count : NODES_MAX;
    return true;
}

bool node_store_list(struct db *db, struct arena *arena, struct node_row **ret_rows, int *ret_count,
                     struct err *err) {
    own(db_stmt) stmt = NULL;
    int most = 0;
    if (!count_nodes(db, &most, err) ||
        !db_prepare(db, "SELECT " ROW " " FROM_ALL "ORDER BY n.name LIMIT ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, most);
    struct node_row *rows = arena_array(arena, (size_t)most, sizeof rows[0]);
    int count = 0;
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        CHECK(count < most);
        rows[count++] = read_row(stmt, arena);
    }
    *ret_rows = rows;
    *ret_count = count;
    return step == DB_DONE;
}

static bool found_id(struct db_stmt *stmt, struct node_id *ret_id, bool *ret_found,
                     struct err *err) {
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    ret_id->value = *ret_found ? db_i64(stmt, 0) : 0;
    return true;
}

bool node_store_find_name(struct db *db, struct str name, struct node_id *ret_id, bool *ret_found,
                          struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT id FROM node WHERE name = ?", &stmt, err)) {
        return false;
    }
    db_bind_text(stmt, 1, name);
    return found_id(stmt, ret_id, ret_found, err);
}

bool node_store_find_credential(struct db *db, const uint8_t digest[32], struct node_id *ret_id,
                                bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT id FROM node WHERE credential_digest = ?", &stmt, err)) {
        return false;
    }
    db_bind_sha256(stmt, 1, digest);
    return found_id(stmt, ret_id, ret_found, err);
}

bool node_store_find_join(struct db *db, const uint8_t digest[32], struct node_id *ret_id,
                          int64_t *ret_until_ms, bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT id, join_until_ms FROM node WHERE join_digest = ?", &stmt, err)) {
        return false;
    }
    db_bind_sha256(stmt, 1, digest);
    if (!found_id(stmt, ret_id, ret_found, err)) {
        return false;
    }
    *ret_until_ms = *ret_found ? db_i64(stmt, 1) : 0;
    return true;
}

bool node_store_credential(struct db *db, struct node_id id, uint8_t ret_digest[32],
                           struct err *err) {
    own(db_stmt) stmt = NULL;
    bool found = false;
    if (!db_prepare(db,
                    "SELECT credential_digest FROM node WHERE id = ? "
                    "AND credential_digest IS NOT NULL",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    if (!db_find(stmt, &found, err)) {
        return false;
    }
    if (!found || db_blob(stmt, 0).len != 32) {
        return err_set(err, ERR_CONFLICT, "judger_not_ready", "node %lld has no credential",
                       (long long)id.value);
    }
    memcpy(ret_digest, db_blob(stmt, 0).ptr, 32);
    return true;
}

bool node_store_insert(struct db *db, const struct node_insert *insert, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "INSERT INTO node (id, name, queue_id, host_group_id, slots, config, "
                    "enable_when_ready, session_epoch, join_until_ms, version, languages, "
                    "self_test_passed, self_test_detail, config_digest, revision, created_ms, "
                    "base_url) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, '', '', 0, '', '', 1, ?, ?)",
                    &stmt, err)) {
        return false;
    }
    const struct node *node = insert->node;
    db_bind_i64(stmt, 1, node->id.value);
    db_bind_text(stmt, 2, insert->name);
    db_bind_i64(stmt, 3, node->queue.value);
    db_bind_i64(stmt, 4, node->host_group.value);
    db_bind_i64(stmt, 5, node->slots);
    db_bind_i64(stmt, 6, node->config);
    db_bind_i64(stmt, 7, insert->enable_when_ready);
    db_bind_i64(stmt, 8, insert->now_ms);
    db_bind_text(stmt, 9, insert->base_url);
    return db_run_one(stmt, err);
}

bool node_store_set_join(struct db *db, const struct node_join *join, struct err *err) {
    CHECK(db_has_lock(db, LOCK_NODE, LOCK_EXCLUSIVE, join->node.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "UPDATE node SET join_digest = ?, join_until_ms = ?, slots = ?, "
                    "enable_when_ready = ?, revision = revision + 1 WHERE id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_sha256(stmt, 1, join->digest);
    db_bind_i64(stmt, 2, join->until_ms);
    db_bind_i64(stmt, 3, join->slots);
    db_bind_i64(stmt, 4, join->enable_when_ready);
    db_bind_i64(stmt, 5, join->node.value);
    return db_run_one(stmt, err);
}

bool node_store_set_credential(struct db *db, struct node_id id, const uint8_t digest[32],
                               struct err *err) {
    CHECK(db_has_lock(db, LOCK_NODE, LOCK_EXCLUSIVE, id.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "UPDATE node SET credential_digest = ?, join_digest = NULL, join_until_ms = 0 "
                    "WHERE id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_sha256(stmt, 1, digest);
    db_bind_i64(stmt, 2, id.value);
    return db_run_one(stmt, err);
}

bool node_store_open_session(struct db *db, const struct node_session *session, struct err *err) {
    CHECK(db_has_lock(db, LOCK_NODE, LOCK_EXCLUSIVE, session->node.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "UPDATE node SET session_epoch = ?, config = ?, "
                    "self_test_passed = ?, self_test_detail = ?, version = ?, languages = ?, "
                    "config_digest = ?, check_id = ?, revision = revision + 1 WHERE id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, session->session_epoch);
    db_bind_i64(stmt, 2, session->config);
    db_bind_i64(stmt, 3, session->self_test_passed);
    db_bind_text(stmt, 4, session->self_test_detail);
    db_bind_text(stmt, 5, session->version);
    db_bind_text(stmt, 6, session->languages);
    db_bind_text(stmt, 7, session->config_digest);
    db_bind_i64(stmt, 8, session->check);
    db_bind_i64(stmt, 9, session->node.value);
    return db_run_one(stmt, err);
}

bool node_store_configure(struct db *db, struct node_id id, enum node_config config, int32_t slots,
                          struct err *err) {
    CHECK(db_has_lock(db, LOCK_NODE, LOCK_EXCLUSIVE, id.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "UPDATE node SET config = ?, slots = ?, revision = revision + 1 WHERE id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, config);
    db_bind_i64(stmt, 2, slots);
    db_bind_i64(stmt, 3, id.value);
    return db_run_one(stmt, err);
}

bool node_store_set_base_url(struct db *db, struct node_id id, struct str base_url,
                             struct err *err) {
    CHECK(db_has_lock(db, LOCK_NODE, LOCK_EXCLUSIVE, id.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "UPDATE node SET base_url = ?, revision = revision + 1 WHERE id = ?", &stmt,
                    err)) {
        return false;
    }
    db_bind_text(stmt, 1, base_url);
    db_bind_i64(stmt, 2, id.value);
    return db_run_one(stmt, err);
}

bool node_store_drop_credential(struct db *db, struct node_id id, struct err *err) {
    CHECK(db_has_lock(db, LOCK_NODE, LOCK_EXCLUSIVE, id.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "UPDATE node SET credential_digest = NULL, join_digest = NULL, "
                    "join_until_ms = 0 WHERE id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    return db_run_one(stmt, err);
}

bool node_store_set_check(struct db *db, struct node_id id, int64_t check, struct err *err) {
    CHECK(db_has_lock(db, LOCK_NODE, LOCK_EXCLUSIVE, id.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "UPDATE node SET check_id = ? WHERE id = ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, check);
    db_bind_i64(stmt, 2, id.value);
    return db_run_one(stmt, err);
}

bool node_store_proved(struct db *db, const struct node_proof *proof, struct err *err) {
    CHECK(db_has_lock(db, LOCK_NODE, LOCK_EXCLUSIVE, proof->node.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "UPDATE node SET check_id = 0, self_test_passed = ?, self_test_detail = ?, "
                    "passed_digest = ?, speed_permille = ?, out_reason = ?, config = ?, "
                    "revision = revision + 1 WHERE id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, proof->passed);
    db_bind_text(stmt, 2, proof->detail);
    db_bind_text(stmt, 3, proof->passed_digest);
    db_bind_i64(stmt, 4, proof->speed_permille);
    db_bind_text(stmt, 5, proof->out_reason);
    db_bind_i64(stmt, 6, proof->config);
    db_bind_i64(stmt, 7, proof->node.value);
    return db_run_one(stmt, err);
}

static bool update_beat(struct db *db, const struct node_beat *beat, int64_t *ret_changes,
                        struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "UPDATE node_beat SET received_ms = ?, session_epoch = ?, busy_slots = ?, "
                    "load_permille = ? WHERE node_id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, beat->received_ms);
    db_bind_i64(stmt, 2, beat->session_epoch);
    db_bind_i64(stmt, 3, beat->busy_slots);
    db_bind_i64(stmt, 4, beat->load_permille);
    db_bind_i64(stmt, 5, beat->node.value);
    return db_run(stmt, ret_changes, err);
}

bool node_store_beat(struct db *db, const struct node_beat *beat, struct err *err) {
    int64_t changes = 0;
    if (!update_beat(db, beat, &changes, err)) {
        return false;
    }
    if (changes > 0) {
        return true;
    }
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "INSERT INTO node_beat (received_ms, session_epoch, busy_slots, "
                    "load_permille, node_id) VALUES (?, ?, ?, ?, ?)",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, beat->received_ms);
    db_bind_i64(stmt, 2, beat->session_epoch);
    db_bind_i64(stmt, 3, beat->busy_slots);
    db_bind_i64(stmt, 4, beat->load_permille);
    db_bind_i64(stmt, 5, beat->node.value);
    return db_run_one(stmt, err);
}

static const struct rows_write beat_update = {
    .kind = ROWS_UPDATE,
    .table = "node_beat",
    .columns = "node_id, received_ms, session_epoch, busy_slots, load_permille",
    .column_count = 5,
    .key_count = 1,
    .may_miss = true};

bool node_store_put_beat(struct db *db, const struct node_beat *beat, struct err *err) {
    const struct rows_value values[] = {rows_i64(beat->node.value), rows_i64(beat->received_ms),
                                        rows_i64(beat->session_epoch), rows_i64(beat->busy_slots),
                                        rows_i64(beat->load_permille)};
    return db_put(db, &beat_update, values, err);
}
