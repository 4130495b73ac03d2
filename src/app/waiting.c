#include "app/backlog_internal.h"
#include "app/summary_internal.h"
#include "app/waiting_internal.h"
#include "store/hold_store.h"
#include "store/job_store.h"
#include "store/place_store.h"

struct str fault_text(enum fault fault, struct str code) {
    for (int end = 1; end < END_COUNT; end++) {
        if (str_eq_c(code, lease_end_code((enum lease_end)end))) {
            return str_from(lease_end_text((enum lease_end)end));
        }
    }
    switch (fault) {
    case FAULT_PROBLEM: return str_from(lease_end_text(END_FAULT_PROBLEM));
    case FAULT_JOB: return str_from(lease_end_text(END_FAULT_JOB));
    case FAULT_NODE:
    case FAULT_NONE: break;
    }
    return str_from(lease_end_text(END_FAULT_NODE));
}

static bool read_place(struct app *app, struct db *db, const struct waiting_query *query,
                       int32_t slots, struct waiting_words *words, struct err *err) {
    if (words->code != WAITING_QUEUED || !query->with_place) {
        return true;
    }
    if (!backlog_place(app, db, query->job, &words->place, err)) {
        return false;
    }
    words->estimate_ms = words->place > PLACES_MAX
                             ? 0
                             : backlog_estimate_ms(app, query->job->queue, words->place, slots);
    return true;
}

static bool read_fault(struct db *db, const struct waiting_query *query, struct arena *arena,
                       struct waiting_words *words, struct err *err) {
    struct job_fault fault = {0};
    if (words->code != WAITING_BACKOFF) {
        return true;
    }
    if (!job_store_fault(db, query->job->id, arena, &fault, err)) {
        return false;
    }
    words->fault = fault_text(fault.fault, fault.code);
    words->wait_ms = query->job->due_ms > query->now_ms ? query->job->due_ms - query->now_ms : 0;
    return true;
}

static bool read_hold(struct db *db, const struct waiting_query *query, struct arena *arena,
                      struct waiting_facts *facts, struct str *ret_reason, struct err *err) {
    struct job_hold hold = {0};
    bool found = false;
    facts->held = query->job->due_ms == DELAYED_HELD_MS;
    if (facts->held && !job_hold_get(db, query->job->id, arena, &hold, &found, err)) {
        return false;
    }
    facts->by_problem = found && hold.kind == HOLD_BY_PROBLEM;
    *ret_reason = hold.reason;
    return true;
}

bool waiting_reason_of(struct app *app, struct db *db, const struct waiting_query *query,
                       struct arena *arena, struct waiting_reason *ret_reason, struct err *err) {
    const struct job *job = query->job;
    struct waiting_facts facts = {
        .running = job->state == JOB_RUNNING,
        .due_ms = job->due_ms,
    };
    struct str reason = {0};
    if (!read_hold(db, query, arena, &facts, &reason, err) ||
        !summary_nodes(app, db, job->queue, &facts.nodes, err)) {
        return false;
    }
    struct waiting_words words = {.code = waiting_code_of(&facts),
                                  .places_max = PLACES_MAX,
                                  .pool = query->pool,
                                  .detail = reason};
    if (!read_place(app, db, query, facts.nodes.slots, &words, err) ||
        !read_fault(db, query, arena, &words, err)) {
        return false;
    }
    char text[WAITING_TEXT_BYTES];
    waiting_text(&words, text);
    *ret_reason = (struct waiting_reason){
        .code = waiting_code_name(words.code),
        .place = words.place,
        .estimate_ms = words.estimate_ms,
        .until_ms = words.code == WAITING_BACKOFF ? job->due_ms : 0,
        .text = arena_str(arena, str_from(text)),
        .detail = reason,
    };
    return true;
}
