#ifndef APP_SUBMISSION_H
#define APP_SUBMISSION_H

#include "app/app.h"
#include "app/titles.h"
#include "app/writer.h"
#include "domain/actor.h"
#include "domain/job.h"
#include "domain/judgement.h"

/* Accepting submissions and looking at them. */

struct submit_work;
struct submit_request {
    struct write_item item; /* kind set by submission_submit */
    /* in: borrowed until done */
    struct actor actor;
    struct problem_id problem;
    struct str language;
    struct str source;
    struct str request_id;         /* Idempotency-Key; empty: none */
    enum submission_origin origin; /* 0: practice */
    /* out */
    struct submission_id submission;
    bool repeated;            /* the same key and body again: `submission` is the first one */
    struct submit_work *work; /* app's */
};

/* Checks what needs no lock at once (ERR_INVALID "empty_source", "unknown_language", ERR_TOO_LARGE
 * "source_too_large", ERR_MISSING "no_problem"), then queues. item.done is always called. In one
 * transaction: submission, source, job, body, ready row, current_job_id. After the commit waiting
 * nodes are woken. Errors: ERR_INVALID "idempotency_mismatch" (HTTP 422) for the same key with
 * another body. */
void submission_submit(struct app *app, struct submit_request *request);

enum submission_state {
    SUBMISSION_PENDING = 1,
    SUBMISSION_COMPILING,
    SUBMISSION_JUDGING,
    SUBMISSION_DONE,
};

/* Why it is pending: a stable code and plain words (English; the UI translates by code). */
struct waiting_reason {
    const char *code;    /* domain/waiting.h: "queued", "starting", "no_node", "no_runtime",
                            "draining", "offline", "backoff", "held", "problem" */
    int64_t place;       /* 1: next; 0: unknown; above 10000: more than that */
    int64_t estimate_ms; /* until it is judged, roughly; 0: unknown */
    int64_t until_ms;    /* backoff: when; else 0 */
    struct str text;
    struct str detail; /* an operator's own words; may be empty */
};

struct submission_view {
    struct submission_id id;
    struct problem_id problem;
    struct str problem_code;
    struct text_by_language *problem_titles;
    int problem_title_count;
    struct user_id user;
    struct str username;
    struct str language;
    bool is_sql; /* its kind: else a program */
    enum submission_state state;
    struct waiting_reason reason; /* code NULL unless pending */
    enum verdict verdict;         /* NONE until done */
    int64_t score_micro;
    int32_t cases_passed;
    int32_t cases_total;
    int32_t case_index; /* running case, -1 unless judging */
    int64_t cpu_ms;     /* largest of the cases */
    int64_t memory_kib;
    int32_t generation;
    int64_t created_ms;
    int64_t judged_ms; /* 0 until done */
    struct str trace_id;
    /* submission_get only */
    struct str source;
    struct judgement judgement; /* cases so far, or all; compile */
};

/* ERR_MISSING "no_submission", also for one the actor may not see: its existence is no one's
 * business. */
checked bool submission_get(struct app *app, const struct actor *actor, struct submission_id id,
                            struct arena *arena, struct submission_view *ret_view, struct err *err);

struct submission_filter {
    struct problem_id problem; /* 0: any */
    bool all_users;            /* teachers and administrators */
    int64_t cursor;
    int limit;
};
struct submission_page {
    struct submission_view *items;
    int count;
    int64_t next;
};
checked bool submission_list(struct app *app, const struct actor *actor,
                             const struct submission_filter *filter, struct arena *arena,
                             struct submission_page *ret_page, struct err *err);

/* Calls `notify` (any thread, short, never blocking) whenever the submission's state or progress
 * may have changed, until closed. Subscribe, then read, then wait: no change is missed. */
struct submission_watch;
typedef void submission_notify_fn(void *context);
checked bool submission_watch_open(struct app *app, struct submission_id id,
                                   submission_notify_fn *notify, void *context,
                                   struct submission_watch **ret_watch, struct err *err);
void submission_watch_close(struct submission_watch *watch); /* no notify runs after it returns */

#endif
