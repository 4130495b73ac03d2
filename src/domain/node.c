#include "domain/node.h"
#include "base/check.h"

#include <stddef.h>

bool node_is_name(struct str text, size_t bytes_max) {
    if (text.len == 0 || text.len > bytes_max || !str_is_utf8(text)) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] < ' ') {
            return false;
        }
    }
    return true;
}

bool node_may_act(const struct node *node, int64_t session_epoch, struct err *err) {
    if (node->config == NODE_DISABLED) {
        return err_set(err, ERR_DENIED, "not_allowed", "node %lld is disabled",
                       (long long)node->id.value);
    }
    if (session_epoch != node->session_epoch || session_epoch == 0) {
        return err_set(err, ERR_CONFLICT, "session_superseded",
                       "session %lld of node %lld is over, %lld is the newest",
                       (long long)session_epoch, (long long)node->id.value,
                       (long long)node->session_epoch);
    }
    return true;
}

static bool is_fresh(const struct node *node, int64_t now_ms, int64_t offline_ms) {
    return node->beat_ms > 0 && now_ms - node->beat_ms <= offline_ms;
}

/* Whatever the time is. */
static const char *out_of_service_reason(const struct node *node) {
    switch (node->config) {
    case NODE_PENDING: return "it has not been enabled yet";
    case NODE_DRAINING: return "it is draining";
    case NODE_DISABLED: return "it is disabled";
    case NODE_ENABLED: break;
    case NODE_CONFIG_END: CHECK(false);
    }
    if (node->session_epoch == 0) {
        return "it has never connected";
    }
    if (!node->self_test_passed) {
        return node->check != 0 ? "its self-test is not done yet" : "its self-test failed";
    }
    return node->queue_held ? "its queue is out of service" : NULL;
}

bool node_is_in_service(const struct node *node) {
    return out_of_service_reason(node) == NULL;
}

const char *node_no_work_reason(const struct node *node, int64_t now_ms, int64_t offline_ms) {
    const char *reason = out_of_service_reason(node);
    return reason != NULL || is_fresh(node, now_ms, offline_ms) ? reason
                                                                : "its heartbeats have stopped";
}

static int32_t smaller(int32_t a, int32_t b) {
    return a < b ? a : b;
}

int32_t node_free_slots(const struct node *node, const struct slots_facts *facts, int64_t now_ms,
                        int64_t offline_ms) {
    if (node_no_work_reason(node, now_ms, offline_ms) != NULL) { /* S6 */
        return 0;
    }
    int32_t own = smaller(facts->wanted, node->slots - facts->busy);
    int32_t free = smaller(own, facts->group_free); /* S5 */
    return free > 0 ? free : 0;
}

enum node_observed node_observe(const struct node *node, int32_t busy, int64_t now_ms,
                                int64_t offline_ms) {
    if (node->beat_ms == 0) {
        return NODE_NEVER_SEEN;
    }
    if (!is_fresh(node, now_ms, offline_ms)) {
        return NODE_OFFLINE;
    }
    return busy >= node->slots ? NODE_BUSY : NODE_ONLINE;
}

bool node_may_configure(const struct node *node, enum node_config config, int64_t now_ms,
                        int64_t offline_ms, struct err *err) {
    CHECK(config > 0 && config < NODE_CONFIG_END);
    struct node enabled = *node;
    enabled.config = NODE_ENABLED;
    enabled.queue_held = false; /* that is nothing of the node */
    const char *reason = node_no_work_reason(&enabled, now_ms, offline_ms);
    if (config == NODE_ENABLED && reason != NULL) {
        return err_set(err, ERR_CONFLICT, "judger_not_ready", "node %lld cannot be enabled: %s%s",
                       (long long)node->id.value, reason,
                       node->config == NODE_DISABLED
                           ? "; set it to DRAINING first, so that it may connect"
                           : "");
    }
    if (config == NODE_PENDING && node->config != NODE_PENDING) {
        return err_set(err, ERR_CONFLICT, "judger_not_ready",
                       "node %lld has been enabled before: drain or disable it",
                       (long long)node->id.value);
    }
    return true;
}
