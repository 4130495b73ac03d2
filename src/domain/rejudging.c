#include "domain/rejudging.h"
#include "base/check.h"

/* clang-format off */
static const enum rejudging_state next_state[REJUDGING_STATE_COUNT][REJUDGING_EVENT_COUNT] = {
    [REJUDGING_CREATING][REJUDGING_CREATED] = REJUDGING_JUDGING,
    [REJUDGING_CREATING][REJUDGING_CANCEL]  = REJUDGING_CANCELLING,
    [REJUDGING_JUDGING][REJUDGING_JUDGED]   = REJUDGING_READY,
    [REJUDGING_JUDGING][REJUDGING_CANCEL]   = REJUDGING_CANCELLING,
    [REJUDGING_READY][REJUDGING_APPLY]      = REJUDGING_APPLYING,
    [REJUDGING_READY][REJUDGING_CANCEL]     = REJUDGING_CANCELLING,
    [REJUDGING_APPLYING][REJUDGING_DONE]    = REJUDGING_APPLIED,
    [REJUDGING_APPLIED][REJUDGING_APPLY]    = REJUDGING_APPLYING,
    [REJUDGING_APPLIED][REJUDGING_UNDO]     = REJUDGING_UNDOING,
    [REJUDGING_UNDOING][REJUDGING_DONE]     = REJUDGING_UNDONE,
    [REJUDGING_UNDONE][REJUDGING_APPLY]     = REJUDGING_APPLYING,
    [REJUDGING_CANCELLING][REJUDGING_DONE]  = REJUDGING_CANCELLED,
};

static const char *const state_names[REJUDGING_STATE_COUNT] = {
    [REJUDGING_CREATING]   = "CREATING",
    [REJUDGING_JUDGING]    = "JUDGING",
    [REJUDGING_READY]      = "READY",
    [REJUDGING_APPLYING]   = "APPLYING",
    [REJUDGING_APPLIED]    = "APPLIED",
    [REJUDGING_UNDOING]    = "UNDOING",
    [REJUDGING_UNDONE]     = "UNDONE",
    [REJUDGING_CANCELLING] = "CANCELLING",
    [REJUDGING_CANCELLED]  = "CANCELLED",
};

static const char *const item_names[ITEM_STATE_COUNT] = {
    [ITEM_JUDGING]   = "JUDGING",
    [ITEM_JUDGED]    = "JUDGED",
    [ITEM_APPLIED]   = "APPLIED",
    [ITEM_UNDONE]    = "UNDONE",
    [ITEM_SKIPPED]   = "SKIPPED",
    [ITEM_FAILED]    = "FAILED",
    [ITEM_CANCELLED] = "CANCELLED",
    [ITEM_DIRECT]    = "DIRECT",
};

static const char *const reason_codes[REASON_COUNT] = {
    [REASON_BEING_JUDGED]    = "being_judged",
    [REASON_OTHER_REJUDGING] = "other_rejudging",
    [REASON_WITHDRAWN]       = "withdrawn",
    [REASON_UNJUDGEABLE]     = "unjudgeable",
    [REASON_CHANGED]         = "changed",
    [REASON_SUPERSEDED]      = "superseded",
    [REASON_CANCELLED]       = "cancelled",
};

static const char *const change_names[CHANGE_COUNT] = {
    [CHANGE_SAME]  = "SAME",
    [CHANGE_GAIN]  = "GAIN",
    [CHANGE_LOSS]  = "LOSS",
    [CHANGE_OTHER] = "OTHER",
};
/* clang-format on */

const char *rejudging_state_name(enum rejudging_state state) {
    CHECK(state > REJUDGING_NONE && state < REJUDGING_STATE_COUNT);
    return state_names[state];
}

bool rejudging_is_over(enum rejudging_state state) {
    return state == REJUDGING_APPLIED || state == REJUDGING_UNDONE || state == REJUDGING_CANCELLED;
}

bool rejudging_apply_event(enum rejudging_state *state, enum rejudging_event event,
                           struct err *err) {
    CHECK(*state > REJUDGING_NONE && *state < REJUDGING_STATE_COUNT);
    CHECK(event > 0 && event < REJUDGING_EVENT_COUNT);
    enum rejudging_state next = next_state[*state][event];
    if (next == REJUDGING_NONE) {
        return err_set(err, ERR_CONFLICT, "rejudging_not_ready",
                       "the rejudging is %s, which does not allow this",
                       rejudging_state_name(*state));
    }
    *state = next;
    return true;
}

const char *item_state_name(enum item_state state) {
    CHECK(state > ITEM_NONE && state < ITEM_STATE_COUNT);
    return item_names[state];
}

const char *item_reason_code(enum item_reason reason) {
    CHECK((int)reason >= 0 && reason < REASON_COUNT);
    return reason_codes[reason];
}

bool verdict_is_none(enum verdict verdict) {
    return verdict == VERDICT_NONE || verdict == VERDICT_SYSTEM_ERROR;
}

enum item_change item_change_of(struct item_worth before, struct item_worth after) {
    if (after.verdict == VERDICT_NONE) {
        return CHANGE_NONE;
    }
    bool was_accepted = before.verdict == VERDICT_ACCEPTED;
    bool is_accepted = after.verdict == VERDICT_ACCEPTED;
    if (was_accepted != is_accepted) {
        return is_accepted ? CHANGE_GAIN : CHANGE_LOSS;
    }
    if (before.score_micro != after.score_micro) {
        return after.score_micro > before.score_micro ? CHANGE_GAIN : CHANGE_LOSS;
    }
    return before.verdict == after.verdict ? CHANGE_SAME : CHANGE_OTHER;
}

const char *item_change_name(enum item_change change) {
    CHECK((int)change >= 0 && change < CHANGE_COUNT);
    return change_names[change];
}

bool item_change_parse(struct str name, enum item_change *ret_change) {
    for (int change = CHANGE_SAME; change < CHANGE_COUNT; change++) {
        if (str_eq_c(name, change_names[change])) {
            *ret_change = (enum item_change)change;
            return true;
        }
    }
    return false;
}
