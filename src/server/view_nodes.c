#include "server/view_nodes.h"

static void put_or_null(struct jw *json, const char *name, struct str text) {
    if (text.len > 0) {
        jw_put_str(json, name, text);
    } else {
        jw_put_null(json, name);
    }
}

void view_check(struct jw *json, const struct node_check *check) {
    jw_object_begin(json);
    jw_put_i64(json, "id", check->id);
    jw_put_cstr(json, "kind", check_kind_name(check->kind));
    jw_put_cstr(json, "state", check_state_name(check->state));
    jw_put_i64(json, "speedPermille", check->speed_permille);
    put_or_null(json, "message", check->message);
    jw_put_time(json, "createdAt", check->created_ms);
    jw_put_time(json, "doneAt", check->done_ms);
    jw_key(json, "steps");
    jw_raw(json, check->detail.len > 0 ? check->detail : STR("[]"));
    jw_object_end(json);
}

static void put_queue(struct jw *json, const struct queue_view *queue) {
    jw_object_begin(json);
    jw_put_i64(json, "id", queue->id.value);
    jw_put_str(json, "runtimeSpec", queue->runtime_spec);
    jw_put_bool(json, "current", queue->current);
    jw_put_bool(json, "held", queue->held);
    jw_put_i64(json, "revision", queue->revision);
    jw_put_i64(json, "waiting", queue->waiting);
    jw_put_i64(json, "nodes", queue->nodes);
    jw_put_i64(json, "slots", queue->slots);
    jw_put_i64(json, "busySlots", queue->busy_slots);
    jw_object_end(json);
}

void view_pool(struct jw *json, const struct pool_view *pool) {
    jw_object_begin(json);
    jw_put_str(json, "pool", pool->name);
    jw_put_str(json, "runtimeSpec", pool->runtime_spec);
    jw_put_bool(json, "held", pool->held);
    jw_put_i64(json, "revision", pool->revision);
    jw_key(json, "queues");
    jw_array_begin(json);
    for (int i = 0; i < pool->queue_count; i++) {
        put_queue(json, &pool->queues[i]);
    }
    jw_array_end(json);
    jw_object_end(json);
}

void view_pool_warning(struct jw *json, const struct pool_warning *warning) {
    jw_object_begin(json);
    jw_put_cstr(json, "code", pool_warning_code(warning->kind));
    jw_put_str(json, "pool", warning->pool);
    jw_put_str(json, "subject", warning->subject);
    jw_put_str(json, "detail", warning->detail);
    put_or_null(json, "install", warning->install);
    jw_key(json, "nodes");
    jw_array_begin(json);
    for (int i = 0; i < warning->node_count; i++) {
        jw_object_begin(json);
        jw_put_str(json, "name", warning->nodes[i].name);
        jw_put_str(json, "value", warning->nodes[i].value);
        jw_object_end(json);
    }
    jw_array_end(json);
    jw_object_end(json);
}

void view_host_group(struct jw *json, const struct host_group_row *group) {
    jw_object_begin(json);
    jw_put_i64(json, "id", group->id.value);
    jw_put_str(json, "name", group->name);
    jw_put_i64(json, "slots", group->slots);
    jw_put_i64(json, "busySlots", group->busy);
    jw_put_i64(json, "nodes", group->nodes);
    jw_put_i64(json, "revision", group->revision);
    jw_object_end(json);
}
