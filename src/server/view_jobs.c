#include "server/view_jobs.h"
#include "server/selection_json.h"

static void put_text(struct jw *json, const char *name, struct str text) {
    if (text.len > 0) {
        jw_put_str(json, name, text);
    } else {
        jw_put_null(json, name);
    }
}

void view_reason(struct jw *json, const struct waiting_reason *reason) {
    if (reason->code == NULL) {
        jw_put_null(json, "reason");
        return;
    }
    jw_key(json, "reason");
    jw_object_begin(json);
    jw_put_cstr(json, "code", reason->code);
    jw_put_str(json, "text", reason->text);
    put_text(json, "detail", reason->detail);
    if (reason->place > 0) {
        jw_put_i64(json, "place", reason->place);
    } else {
        jw_put_null(json, "place");
    }
    jw_object_end(json);
}

static const char *priority_name(enum job_priority priority) {
    static const char *const names[] = {
        [PRIORITY_EXAM] = "EXAM", [PRIORITY_PRACTICE] = "PRACTICE", [PRIORITY_REJUDGE] = "REJUDGE"};
    return priority < PRIORITY_COUNT ? names[priority] : "PRACTICE";
}

static void put_fault(struct jw *json, enum fault fault, struct str code, struct str detail) {
    if (code.len == 0) {
        jw_put_null(json, "fault");
        return;
    }
    jw_key(json, "fault");
    jw_object_begin(json);
    jw_put_cstr(json, "class", fault_word(fault));
    jw_put_str(json, "code", code);
    put_text(json, "detail", detail);
    jw_object_end(json);
}

static void job_members(struct jw *json, const struct job_view *view) {
    const struct job_row *row = &view->row;
    jw_put_i64(json, "submissionId", row->submission.value);
    jw_put_i64(json, "jobId", row->job.id.value);
    jw_put_i64(json, "generation", row->job.generation);
    jw_put_i64(json, "problemId", row->problem.value);
    jw_put_str(json, "problemCode", row->problem_code);
    jw_put_i64(json, "userId", row->user.value);
    jw_put_str(json, "username", row->username);
    jw_put_str(json, "language", row->language);
    put_text(json, "pool", view->pool);
    put_text(json, "runtimeSpec", view->runtime_spec);
    jw_put_cstr(json, "state", job_state_name(row->job.state));
    jw_put_cstr(json, "priority", priority_name(row->job.priority));
    jw_put_cstr(json, "verdict", row->verdict != VERDICT_NONE ? verdict_code(row->verdict) : NULL);
    jw_put_decimal(json, "score", row->score_micro, 6);
    jw_put_i64(json, "attempts", row->job.attempts);
    put_text(json, "node", row->node_name);
    put_fault(json, row->fault, row->fault_code, row->fault_detail);
    put_text(json, "holdReason", row->hold_reason);
    view_reason(json, &view->waiting);
    jw_put_time(json, "submittedAt", row->submitted_ms);
    jw_put_time(json, "createdAt", row->created_ms);
    jw_put_time(json, "closedAt", row->settled_ms);
}

void view_job(struct jw *json, const struct job_view *view) {
    jw_object_begin(json);
    job_members(json, view);
    jw_object_end(json);
}

static void view_generation(struct jw *json, const struct generation_view *view) {
    const struct generation_row *row = &view->row;
    jw_object_begin(json);
    jw_put_i64(json, "jobId", row->job.id.value);
    jw_put_i64(json, "generation", row->job.generation);
    jw_put_cstr(json, "state", job_state_name(row->job.state));
    jw_put_cstr(json, "priority", priority_name(row->job.priority));
    jw_put_cstr(json, "verdict",
                view->verdict != VERDICT_NONE ? verdict_code(view->verdict) : NULL);
    jw_put_decimal(json, "score", view->score_micro, 6);
    jw_put_bool(json, "effective", view->effective);
    jw_put_bool(json, "current", view->current);
    put_text(json, "pool", view->pool);
    put_text(json, "runtimeSpec", view->runtime_spec);
    jw_put_i64(json, "attempts", row->job.attempts);
    put_text(json, "node", row->node_name);
    put_fault(json, row->fault, row->fault_code, row->fault_detail);
    if (view->rejudging != 0) {
        jw_put_i64(json, "rejudgingId", view->rejudging);
    } else {
        jw_put_null(json, "rejudgingId");
    }
    put_text(json, "by", view->by);
    put_text(json, "reason", view->reason);
    jw_put_time(json, "createdAt", row->created_ms);
    jw_put_time(json, "closedAt", row->settled_ms);
    jw_object_end(json);
}

void view_job_detail(struct jw *json, const struct job_detail *detail) {
    jw_object_begin(json);
    jw_key(json, "current");
    view_job(json, &detail->current);
    jw_key(json, "judgings");
    jw_array_begin(json);
    for (int i = 0; i < detail->generation_count; i++) {
        view_generation(json, &detail->generations[i]);
    }
    jw_array_end(json);
    put_text(json, "heldBy", detail->hold_actor);
    jw_put_time(json, "heldAt", detail->held_ms);
    jw_object_end(json);
}

void view_skipped(struct jw *json, const struct job_skip *skipped, int count) {
    jw_key(json, "skipped");
    jw_array_begin(json);
    for (int i = 0; i < count; i++) {
        jw_object_begin(json);
        jw_put_i64(json, "submissionId", skipped[i].submission.value);
        jw_put_cstr(json, "code", skipped[i].code);
        jw_object_end(json);
    }
    jw_array_end(json);
}

static void view_finding(struct jw *json, const struct reconcile_finding *finding) {
    jw_object_begin(json);
    jw_put_str(json, "rule", finding->rule);
    jw_put_str(json, "text", finding->text);
    jw_put_str(json, "object", finding->object);
    jw_put_i64(json, "count", finding->count);
    jw_key(json, "ids");
    jw_array_begin(json);
    for (int i = 0; i < finding->id_count; i++) {
        jw_i64(json, finding->ids[i]);
    }
    jw_array_end(json);
    jw_put_bool(json, "repairable", finding->repairable);
    jw_object_end(json);
}

void view_reconcile(struct jw *json, const struct reconcile_report *report) {
    jw_object_begin(json);
    jw_put_bool(json, "clean", report->finding_count == 0);
    jw_put_time(json, "asOf", report->as_of_ms);
    jw_put_i64(json, "submissions", report->submissions);
    jw_put_i64(json, "judged", report->judged);
    jw_put_i64(json, "waiting", report->waiting);
    jw_put_i64(json, "held", report->held);
    jw_put_i64(json, "systemErrors", report->system_errors);
    jw_put_i64(json, "events", report->events);
    jw_put_i64(json, "repaired", report->repaired);
    jw_key(json, "findings");
    jw_array_begin(json);
    for (int i = 0; i < report->finding_count; i++) {
        view_finding(json, &report->findings[i]);
    }
    jw_array_end(json);
    jw_object_end(json);
}
