#include "app/rejudge_note_internal.h"

static bool find(struct db *db, const struct held_job *held, struct item_row *item, bool *ret_found,
                 struct err *err) {
    *ret_found = false;
    return held->job.generation == 1 || /* nobody rejudges what was not judged once */
           item_of_job(db, held->id, item, ret_found, err);
}

bool rejudge_note_judged(struct db *db, const struct held_job *held,
                         const struct submission_outcome *outcome, bool *ret_beside,
                         struct err *err) {
    struct item_row item = {0};
    bool found = false;
    *ret_beside = false;
    if (!find(db, held, &item, &found, err)) {
        return false;
    }
    if (!found || item.state != ITEM_JUDGING) {
        return true; /* or left to itself by a rejudging that was cancelled */
    }
    item.after = (struct item_outcome){
        .verdict = outcome->verdict,
        .score_micro = outcome->score_micro,
        .cases_passed = outcome->cases_passed,
        .cases_total = outcome->cases_total,
        .cpu_ms = outcome->cpu_ms,
        .memory_kib = outcome->memory_kib,
        .judged_ms = outcome->now_ms,
    };
    *ret_beside = !verdict_is_none(held->submission.verdict);
    item.state = !*ret_beside                               ? ITEM_DIRECT
                 : outcome->verdict == VERDICT_SYSTEM_ERROR ? ITEM_FAILED
                                                            : ITEM_JUDGED;
    return item_update(db, &item, err);
}

bool rejudge_note_closed(struct db *db, const struct held_job *held, enum item_reason reason,
                         struct err *err) {
    struct item_row item = {0};
    bool found = false;
    if (!find(db, held, &item, &found, err)) {
        return false;
    }
    if (!found || item.state != ITEM_JUDGING) {
        return true;
    }
    item.state = ITEM_CANCELLED;
    item.reason = reason;
    return item_update(db, &item, err);
}

bool rejudge_note_requeued(struct db *db, struct job_id failed, struct job_id again,
                           struct err *err) {
    struct item_row item = {0};
    bool found = false;
    if (!item_of_job(db, failed, &item, &found, err)) {
        return false;
    }
    if (!found || (item.state != ITEM_FAILED && item.state != ITEM_DIRECT)) {
        return true;
    }
    item.state = ITEM_JUDGING;
    item.job = again;
    item.after = (struct item_outcome){0};
    return item_update(db, &item, err);
}

bool rejudge_note_moved(struct db *db, struct job_id old, struct job_id fresh, struct err *err) {
    struct item_row item = {0};
    bool found = false;
    if (!item_of_job(db, old, &item, &found, err)) {
        return false;
    }
    item.job = fresh;
    return !found || item.state != ITEM_JUDGING || item_update(db, &item, err);
}
