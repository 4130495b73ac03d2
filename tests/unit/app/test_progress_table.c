/* Two servers on one database, and nobody carries messages between them. */
#include "app/app_fixture.h"
#include "app/progress_table_internal.h"
#include "base/limits.h"

/* Another server, that a viewer looks at. It leaves the maintenance to the first. */
static struct app *open_other(struct fixture *f) {
    struct app *other = NULL;
    char blobs[96];
    (void)snprintf(blobs, sizeof blobs, "%s/blobs", f->folder);
    struct app_options options = {
        .database_path = f->path,
        .mysql = test_db(),
        .blob_folder = blobs,
        .languages = f->languages,
        .clock = &f->clock.clock,
        .random = &f->random.random,
        .settings = f->settings,
    };
    must(f, app_open(&options, &other, &f->err));
    other->shared = true;
    f->app->shared = true;
    return other;
}

static void count_call(void *context) {
    (*(int *)context)++;
}

struct viewer {
    struct submission_watch *watch;
    int calls;
};

static void watch(struct fixture *f, struct app *other, struct submission_id id,
                  struct viewer *viewer) {
    must(f, submission_watch_open(other, id, count_call, &viewer->calls, &viewer->watch, &f->err));
}

static void report(struct fixture *f, const struct test_node *node, const struct lease_ref *lease,
                   int64_t sequence) {
    struct case_result finished = {.index = (int32_t)sequence - 1,
                                   .name = STR("secret/1"),
                                   .verdict = VERDICT_ACCEPTED,
                                   .cpu_ms = sequence};
    struct progress_item item = {.lease = *lease,
                                 .sequence = sequence,
                                 .stage = JUDGE_STAGE_JUDGING,
                                 .case_index = (int32_t)sequence,
                                 .cases_total = CASES,
                                 .finished = &finished,
                                 .finished_count = 1};
    must(f, dispatch_progress(f->app, &node->actor, node->epoch, &item, 1, &f->err));
}

static bool publish(struct fixture *f) {
    return progress_publish(f->app); /* without threads the caller's own write is run at once */
}

static struct submission_view seen_by(struct fixture *f, struct app *other,
                                      struct submission_id id) {
    struct submission_view view = {0};
    struct actor owner = user_actor(1);
    must(f, submission_get(other, &owner, id, f->arena, &view, &f->err));
    return view;
}

static void progress_reaches_the_viewer_of_another_server(void **state) {
    struct fixture *f = *state;
    own(app) other = open_other(f);
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    struct viewer viewer = {0};
    struct claimed_job job = claim_one(f, &node);
    watch(f, other, id, &viewer);
    progress_look(other);
    int before = viewer.calls;
    report(f, &node, &job.lease, 1);
    report(f, &node, &job.lease, 2);

    assert_true(publish(f));
    progress_look(other);

    assert_int_equal(viewer.calls, before + 1);
    struct submission_view view = seen_by(f, other, id);
    assert_int_equal(view.state, SUBMISSION_JUDGING);
    assert_int_equal(view.case_index, 2);
    assert_int_equal(view.judgement.case_count, 2);
    assert_int_equal(view.judgement.cases[1].cpu_ms, 2);
    progress_look(other); /* nothing is new */
    assert_int_equal(viewer.calls, before + 1);
    assert_false(publish(f));
    submission_watch_close(viewer.watch);
}

static void so_does_the_verdict_and_the_report_is_gone(void **state) {
    struct fixture *f = *state;
    own(app) other = open_other(f);
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    struct viewer viewer = {0};
    struct claimed_job job = claim_one(f, &node);
    report(f, &node, &job.lease, 1);
    assert_true(publish(f));
    watch(f, other, id, &viewer);
    progress_look(other);
    int before = viewer.calls;

    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    progress_look(other);

    assert_int_equal(viewer.calls, before + 1);
    assert_int_equal(seen_by(f, other, id).verdict, VERDICT_ACCEPTED);
    assert_true(publish(f));
    assert_int_equal(query(f, "SELECT count(*) FROM job_progress"), 0);
    submission_watch_close(viewer.watch);
}

static void a_report_of_an_ended_lease_is_not_shown(void **state) {
    struct fixture *f = *state;
    own(app) other = open_other(f);
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    struct viewer viewer = {0};
    struct claimed_job job = claim_one(f, &node);
    report(f, &node, &job.lease, 1);
    assert_true(publish(f));
    f->app->shared = false; /* the first server is gone: its row stays */
    assert_int_equal(release(f, &node, &job.lease), 1);
    (void)claim_one(f, &node);
    watch(f, other, id, &viewer);

    progress_look(other);

    assert_int_equal(seen_by(f, other, id).judgement.case_count, 0);
    advance(f, 900000 + 60000);
    f->app->shared = true;
    progress_table_sweep(f->app);
    assert_int_equal(query(f, "SELECT count(*) FROM job_progress"), 0);
    submission_watch_close(viewer.watch);
}

static void one_statement_looks_at_everything_that_is_watched(void **state) {
    struct fixture *f = *state;
    own(app) other = open_other(f);
    struct viewer viewers[20] = {0};
    for (int i = 0; i < 20; i++) {
        watch(f, other, submit(f, 1), &viewers[i]);
    }

    progress_look(other);

    for (int i = 0; i < 20; i++) {
        assert_int_equal(viewers[i].calls, 1);
        submission_watch_close(viewers[i].watch);
    }
}

static void a_server_alone_writes_nothing(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    f->app->shared = false;
    report(f, &node, &job.lease, 1);

    assert_false(publish(f));

    assert_int_equal(query(f, "SELECT count(*) FROM job_progress"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST_ON_DISK(progress_reaches_the_viewer_of_another_server),
        APP_TEST_ON_DISK(so_does_the_verdict_and_the_report_is_gone),
        APP_TEST_ON_DISK(a_report_of_an_ended_lease_is_not_shown),
        APP_TEST_ON_DISK(one_statement_looks_at_everything_that_is_watched),
        APP_TEST(a_server_alone_writes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
