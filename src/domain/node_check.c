#include "domain/node_check.h"
#include "base/check.h"

/* clang-format off */
static const char *const kind_names[CHECK_KIND_END] = {
    [CHECK_CONNECTION] = "CONNECTION",
    [CHECK_SELF_TEST]  = "SELF_TEST",
};
static const char *const state_names[CHECK_STATE_END] = {
    [CHECK_WAITING] = "WAITING",
    [CHECK_PASSED]  = "PASSED",
    [CHECK_FAILED]  = "FAILED",
    [CHECK_ENDED]   = "ENDED",
};
/* clang-format on */

const char *check_kind_name(enum check_kind kind) {
    CHECK(kind > 0 && kind < CHECK_KIND_END);
    return kind_names[kind];
}

const char *check_state_name(enum check_state state) {
    CHECK(state > 0 && state < CHECK_STATE_END);
    return state_names[state];
}

bool check_may_settle(const struct node_check *check, struct node_id node, int64_t session_epoch,
                      struct err *err) {
    bool same = check->kind == CHECK_SELF_TEST && check->node.value == node.value &&
                check->session_epoch == session_epoch && check->state == CHECK_WAITING;
    return same || err_set(err, ERR_CONFLICT, "check_over",
                           "check %lld is over, or not of this session", (long long)check->id);
}
