#include "app/app_internal.h"
#include "app/memo_internal.h"
#include "app/parts_internal.h"
#include "base/check.h"
#include "base/limits.h"
#include "base/thread.h"

#include <stdlib.h>

#define JOBS_MAX 8192 /* handed out and not settled, at one server */
#define PROBLEMS_MAX 512
#define PROBLEM_BYTES_MAX (16 * KIB) /* of the texts that are kept */

struct kept_problem {
    struct problem_row row; /* its texts in `arena` */
    struct arena *arena;    /* NULL: none */
};

struct memos {
    struct mutex mutex; /* all below */
    struct job_memo jobs[JOBS_MAX];
    struct kept_problem problems[PROBLEMS_MAX];
};

void memo_keep_job(struct app *app, const struct job_memo *memo) {
    struct memos *memos = app->memos;
    mutex_lock(&memos->mutex);
    memos->jobs[(uint64_t)memo->job.value % JOBS_MAX] = *memo;
    mutex_unlock(&memos->mutex);
}

bool memo_find_job(struct app *app, struct job_id job, struct job_memo *ret_memo) {
    struct memos *memos = app->memos;
    mutex_lock(&memos->mutex);
    const struct job_memo *memo = &memos->jobs[(uint64_t)job.value % JOBS_MAX];
    bool found = job.value > 0 && memo->job.value == job.value;
    if (found) {
        *ret_memo = *memo;
    }
    mutex_unlock(&memos->mutex);
    return found;
}

static void copy_texts(struct problem_row *row, struct arena *arena) {
    row->code = arena_str(arena, row->code);
    row->languages = arena_str(arena, row->languages);
    row->titles = (struct str){0};
    row->search_text = (struct str){0};
}

void memo_keep_problem(struct app *app, const struct problem_row *problem) {
    struct memos *memos = app->memos;
    if (problem->code.len + problem->languages.len > PROBLEM_BYTES_MAX / 2) {
        return;
    }
    struct kept_problem kept = {.row = *problem, .arena = arena_create(PROBLEM_BYTES_MAX)};
    copy_texts(&kept.row, kept.arena);
    mutex_lock(&memos->mutex);
    struct kept_problem *place = &memos->problems[(uint64_t)problem->id.value % PROBLEMS_MAX];
    struct arena *displaced = place->arena;
    *place = kept;
    mutex_unlock(&memos->mutex);
    arena_free(displaced);
}

bool memo_find_problem(struct app *app, struct problem_id id, struct arena *arena,
                       struct problem_row *ret_problem) {
    struct memos *memos = app->memos;
    mutex_lock(&memos->mutex);
    const struct kept_problem *kept = &memos->problems[(uint64_t)id.value % PROBLEMS_MAX];
    bool found = kept->arena != NULL && kept->row.id.value == id.value;
    if (found) {
        *ret_problem = kept->row;
        copy_texts(ret_problem, arena);
    }
    mutex_unlock(&memos->mutex);
    return found;
}

bool memos_part_open(struct app *app, struct err *err) {
    (void)err;
    app->memos = calloc(1, sizeof *app->memos);
    CHECK(app->memos != NULL);
    mutex_init(&app->memos->mutex);
    return true;
}

void memos_part_close(struct app *app) {
    if (app->memos == NULL) {
        return;
    }
    for (int i = 0; i < PROBLEMS_MAX; i++) {
        arena_free(app->memos->problems[i].arena);
    }
    mutex_done(&app->memos->mutex);
    free(app->memos);
}
