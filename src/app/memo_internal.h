#ifndef APP_MEMO_INTERNAL_H
#define APP_MEMO_INTERNAL_H

#include "app/app.h"
#include "store/problem_store.h"

/* What is remembered from one request to the next, so that it is not read again for each: bounded,
 * the newest displaces. From any thread. */

/* What never changes of a job that was handed out: true for ever, so never checked. */
struct job_memo {
    struct job_id job;
    struct submission_id submission;
    uint8_t manifest_id[32];
};
void memo_keep_job(struct app *app, const struct job_memo *memo);
bool memo_find_job(struct app *app, struct job_id job, struct job_memo *ret_memo);

/* May be old: who uses it compares the revision in its transaction. Without `titles` and
 * `search_text`; the texts live in `arena`. */
void memo_keep_problem(struct app *app, const struct problem_row *problem);
bool memo_find_problem(struct app *app, struct problem_id id, struct arena *arena,
                       struct problem_row *ret_problem);

#endif
