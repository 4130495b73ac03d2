/* Rejudgings and their items as JSON. */
#include "base/check.h"
#include "server/selection_json.h"
#include "server/view_jobs.h"

static void view_counts(struct jw *json, const struct rejudging_view *view) {
    const struct rejudging_counts *counts = &view->counts;
    jw_key(json, "counts");
    jw_object_begin(json);
    jw_put_i64(json, "items", view->items);
    jw_put_i64(json, "judging", counts->by_state[ITEM_JUDGING]);
    jw_put_i64(json, "judged", counts->by_state[ITEM_JUDGED]);
    jw_put_i64(json, "applied", counts->by_state[ITEM_APPLIED]);
    jw_put_i64(json, "undone", counts->by_state[ITEM_UNDONE]);
    jw_put_i64(json, "skipped", counts->by_state[ITEM_SKIPPED]);
    jw_put_i64(json, "failed", counts->by_state[ITEM_FAILED]);
    jw_put_i64(json, "cancelled", counts->by_state[ITEM_CANCELLED]);
    jw_put_i64(json, "direct", counts->by_state[ITEM_DIRECT]);
    jw_put_i64(json, "gains", counts->gains);
    jw_put_i64(json, "losses", counts->losses);
    jw_put_i64(json, "others", counts->others);
    jw_put_i64(json, "same", counts->same);
    jw_object_end(json);
}

void view_rejudging(struct jw *json, const struct rejudging_view *view) {
    const struct rejudging_row *row = &view->row;
    jw_object_begin(json);
    jw_put_i64(json, "id", row->id.value);
    jw_put_cstr(json, "state", rejudging_state_name(row->state));
    jw_put_str(json, "reason", row->reason);
    if (row->username.len > 0) {
        jw_put_str(json, "createdBy", row->username);
    } else {
        jw_put_null(json, "createdBy");
    }
    jw_key(json, "selection");
    view_selection(json, &row->selection);
    jw_put_bool(json, "oldManifest", (row->options & REJUDGING_OLD_MANIFEST) != 0);
    jw_put_bool(json, "supersede", (row->options & REJUDGING_SUPERSEDE) != 0);
    jw_put_bool(json, "autoApply", (row->options & REJUDGING_AUTO_APPLY) != 0);
    view_counts(json, view);
    jw_put_time(json, "createdAt", row->created_ms);
    jw_put_time(json, "finishedAt", row->finished_ms);
    jw_object_end(json);
}

static void view_outcome(struct jw *json, const char *name, const struct item_outcome *outcome) {
    if (outcome->verdict == VERDICT_NONE) {
        jw_put_null(json, name);
        return;
    }
    jw_key(json, name);
    jw_object_begin(json);
    jw_put_cstr(json, "verdict", verdict_code(outcome->verdict));
    jw_put_decimal(json, "score", outcome->score_micro, 6);
    jw_put_i64(json, "casesPassed", outcome->cases_passed);
    jw_put_i64(json, "casesTotal", outcome->cases_total);
    jw_object_end(json);
}

void view_item(struct jw *json, const struct item_named *named) {
    const struct item_row *item = &named->item;
    struct item_worth before = {item->before.verdict, item->before.score_micro};
    struct item_worth after = {item->after.verdict, item->after.score_micro};
    jw_object_begin(json);
    jw_put_i64(json, "submissionId", item->submission.value);
    jw_put_i64(json, "problemId", named->problem.value);
    jw_put_str(json, "problemCode", named->problem_code);
    jw_put_str(json, "username", named->username);
    jw_put_str(json, "language", named->language);
    jw_put_cstr(json, "state", item_state_name(item->state));
    jw_put_cstr(json, "reason", item_reason_code(item->reason));
    view_outcome(json, "before", &item->before);
    view_outcome(json, "after", &item->after);
    jw_put_cstr(json, "change", item_change_name(item_change_of(before, after)));
    jw_object_end(json);
}
