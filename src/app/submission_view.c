/* Looking at submissions. What is shown before the verdict is derived from job, lease and progress,
 * never stored. */
#include "app/app_internal.h"
#include "app/judgement_text.h"
#include "app/progress_internal.h"
#include "app/queues_internal.h"
#include "app/submission.h"
#include "app/waiting_internal.h"
#include "app/watch_internal.h"
#include "base/limits.h"
#include "store/job_store.h"
#include "store/result_store.h"
#include "store/source_store.h"
#include "store/submission_store.h"

struct viewer {
    struct app *app;
    struct db *db;
    struct arena *arena;
    bool whole; /* submission_get: cases, source, place */
    int64_t now_ms;
};

static struct submission_view view_of_row(const struct submission_row *row, struct arena *arena) {
    struct submission_view view = {
        .id = row->id,
        .problem = row->problem,
        .problem_code = row->problem_code,
        .user = row->user,
        .username = row->username,
        .language = row->language,
        .verdict = row->verdict,
        .score_micro = row->score_micro,
        .cases_passed = row->cases_passed,
        .cases_total = row->cases_total,
        .case_index = -1,
        .cpu_ms = row->cpu_ms,
        .memory_kib = row->memory_kib,
        .generation = row->generation,
        .created_ms = row->created_ms,
        .judged_ms = row->judged_ms,
        .trace_id = row->trace_id,
    };
    view.problem_title_count = titles_read(row->problem_titles, arena, &view.problem_titles);
    return view;
}

/* ---- before the verdict ---- */

static int32_t count_accepted(const struct progress_view *progress) {
    int32_t passed = 0;
    for (int32_t i = 0; i < progress->case_count; i++) {
        passed += progress->cases[i].verdict == VERDICT_ACCEPTED ? 1 : 0;
    }
    return passed;
}

static void show_progress(const struct progress_view *progress, struct submission_view *view) {
    view->state =
        progress->stage == JUDGE_STAGE_COMPILING ? SUBMISSION_COMPILING : SUBMISSION_JUDGING;
    view->case_index = progress->stage == JUDGE_STAGE_JUDGING ? progress->case_index : -1;
    view->cases_passed = count_accepted(progress);
    view->judgement.cases = progress->cases;
    view->judgement.case_count = progress->case_count;
    view->judgement.cases_total = view->cases_total;
    view->judgement.cases_passed = view->cases_passed;
}

static bool show_open(const struct viewer *viewer, const struct submission_row *row,
                      struct submission_view *view, struct err *err) {
    struct job job = {0};
    bool found = false;
    struct progress_view progress = {0};
    if (!job_store_get(viewer->db, row->current_job, &job, &found, err)) {
        return false;
    }
    view->state = SUBMISSION_PENDING;
    if (found && job.state == JOB_RUNNING &&
        progress_get(viewer->app, job.id, job.lease_epoch, viewer->arena, &progress) &&
        progress.stage != JUDGE_STAGE_NONE) {
        show_progress(&progress, view);
        return true;
    }
    const struct queue_info *queue = queues_find(viewer->app, job.queue);
    struct waiting_query query = {
        .job = &job,
        .pool = queue != NULL ? queue->pool : (struct str){0},
        .with_place = viewer->whole,
        .now_ms = viewer->now_ms,
    };
    if (!waiting_reason_of(viewer->app, viewer->db, &query, viewer->arena, &view->reason, err)) {
        return false;
    }
    if (viewer->whole) {
        watches_note_place(viewer->app, row->id, &job, view->reason.place);
    }
    return true;
}

/* ---- after it ---- */

static bool show_withdrawn(const struct submission_row *row, struct submission_view *view) {
    view->judgement = (struct judgement){
        .verdict = row->verdict,
        .cases_total = row->cases_total,
        .message = STR("It was withdrawn before it was judged."),
    };
    return true;
}

/* Ours, not the user's; said where the compiler's words would stand. */
static bool show_failure(const struct viewer *viewer, const struct submission_row *row,
                         struct submission_view *view, struct err *err) {
    struct job_fault fault = {0};
    if (!job_store_fault(viewer->db, row->effective_job, viewer->arena, &fault, err)) {
        return false;
    }
    view->judgement = (struct judgement){
        .verdict = row->verdict,
        .cases_total = row->cases_total,
        .message = str_from(arena_printf(viewer->arena,
                                         "Judging failed, and not because of your program: " STR_FMT
                                         ". An administrator can have it judged again; "
                                         "there is no need to hand it in again.",
                                         STR_ARG(fault_text(fault.fault, fault.code)))),
    };
    return true;
}

static bool show_result(const struct viewer *viewer, const struct submission_row *row,
                        struct submission_view *view, struct err *err) {
    struct str stored = {0};
    bool found = false;
    if (row->verdict == VERDICT_CANCELLED) {
        return show_withdrawn(row, view);
    }
    if (!result_store_get(viewer->db, row->effective_job, viewer->arena, &stored, &found, err)) {
        return false;
    }
    return found ? judgement_read(stored, viewer->arena, &view->judgement, err)
                 : show_failure(viewer, row, view, err);
}

/* A system error that somebody has put back is no verdict to stand: what comes counts at once. */
static bool is_judged_again(const struct viewer *viewer, const struct submission_row *row,
                            bool *ret_again, struct err *err) {
    struct job job = {0};
    bool found = false;
    if (row->verdict != VERDICT_SYSTEM_ERROR ||
        row->current_job.value == row->effective_job.value) {
        return true;
    }
    if (!job_store_get(viewer->db, row->current_job, &job, &found, err)) {
        return false;
    }
    *ret_again = found && job_is_open(&job);
    return true;
}

static bool fill(const struct viewer *viewer, const struct submission_row *row,
                 struct submission_view *ret_view, struct err *err) {
    bool again = false;
    const struct language *language = viewer->app->languages == NULL
                                          ? NULL
                                          : language_find(viewer->app->languages, row->language);
    *ret_view = view_of_row(row, viewer->arena);
    ret_view->is_sql = language != NULL && language->sql != NULL;
    if (row->verdict == VERDICT_NONE) {
        return show_open(viewer, row, ret_view, err);
    }
    if (!is_judged_again(viewer, row, &again, err)) {
        return false;
    }
    if (again) {
        ret_view->verdict = VERDICT_NONE;
        ret_view->judged_ms = 0;
        return show_open(viewer, row, ret_view, err);
    }
    ret_view->state = SUBMISSION_DONE;
    return !viewer->whole || show_result(viewer, row, ret_view, err);
}

/* ---- the use cases ---- */

static bool no_submission(struct submission_id id, struct err *err) {
    return err_set(err, ERR_MISSING, "no_submission", "there is no submission %lld",
                   (long long)id.value);
}

static void hide_staff_words(struct judgement *judgement) {
    for (int32_t i = 0; i < judgement->case_count; i++) {
        judgement->cases[i].staff = (struct str){0};
    }
}

bool submission_get(struct app *app, const struct actor *actor, struct submission_id id,
                    struct arena *arena, struct submission_view *ret_view, struct err *err) {
    own(db_reader) reader = NULL;
    struct submission_row row = {0};
    bool found = false;
    uint8_t sha256[32];
    if (!db_pool_take(app->readers, &reader, err) || !db_begin(reader->db, err) ||
        !submission_store_row(reader->db, id, arena, &row, &found, err)) {
        return false;
    }
    if (!found || !actor_may_read(actor, row.user)) {
        return no_submission(id, err);
    }
    struct viewer viewer = {.app = app, .db = reader->db, .arena = arena, .whole = true};
    if (!db_now(reader->db, &viewer.now_ms, err) || !fill(&viewer, &row, ret_view, err)) {
        return false;
    }
    if (!actor_reads_staff_words(actor)) {
        hide_staff_words(&ret_view->judgement);
    }
    return source_store_get(reader->db, id, arena, &ret_view->source, sha256, err);
}

static bool fill_page(const struct viewer *viewer, const struct submission_row *rows, int count,
                      struct submission_page *page, struct err *err) {
    page->items = arena_array(viewer->arena, (size_t)count + 1, sizeof page->items[0]);
    for (int i = 0; i < count; i++) {
        if (!fill(viewer, &rows[i], &page->items[i], err)) {
            return false;
        }
    }
    page->count = count;
    return true;
}

bool submission_list(struct app *app, const struct actor *actor,
                     const struct submission_filter *filter, struct arena *arena,
                     struct submission_page *ret_page, struct err *err) {
    int limit =
        filter->limit > 0 && filter->limit < LIST_LIMIT_MAX ? filter->limit : LIST_LIMIT_MAX;
    struct submission_query query = {.user = actor->user,
                                     .problem = filter->problem,
                                     .before = filter->cursor,
                                     .limit = limit + 1};
    own(db_reader) reader = NULL;
    struct submission_row *rows = NULL;
    int count = 0;
    if (!(filter->all_users ? actor_need_role(actor, ROLE_TEACHER, err)
                            : actor_need_user(actor, err)) ||
        !db_pool_take(app->readers, &reader, err) || !db_begin(reader->db, err)) {
        return false;
    }
    if (filter->all_users) {
        query.user = (struct user_id){0};
    }
    struct viewer viewer = {.app = app, .db = reader->db, .arena = arena};
    if (!submission_store_list(reader->db, &query, arena, &rows, &count, err) ||
        !db_now(reader->db, &viewer.now_ms, err)) {
        return false;
    }
    bool more = count > limit;
    count = more ? limit : count;
    ret_page->next = more ? rows[count - 1].id.value : 0;
    return fill_page(&viewer, rows, count, ret_page, err);
}
