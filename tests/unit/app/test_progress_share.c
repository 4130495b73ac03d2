/* Progress goes to other servers as a message, and comes from them as it does from a node. */
#include "app/app_fixture.h"
#include "app/progress_internal.h"
#include "app/progress_share_internal.h"
#include "base/limits.h"

struct caught {
    struct wake_message message;
    char body[WAKE_BODY_BYTES_MAX];
    int count;
};

static void catch (void *context, const struct wake_message *message) {
    struct caught *caught = context;
    if (message->topic == WAKE_PROGRESS) {
        caught->message = *message;
        memcpy(caught->body, message->body.ptr, message->body.len);
        caught->message.body = str_of(caught->body, message->body.len);
        caught->count++;
    }
}

static void count_call(void *context) {
    (*(int *)context)++;
}

static struct case_result a_case(int32_t index) {
    return (struct case_result){.index = index,
                                .name = STR("secret/1"),
                                .verdict = VERDICT_WRONG_ANSWER,
                                .cpu_ms = 12,
                                .message = STR("line 1 differs")};
}

static struct progress_item report_of(int64_t epoch, int64_t sequence,
                                      const struct case_result *finished) {
    return (struct progress_item){.lease = {.job = {41}, .epoch = epoch, .token = UINT64_MAX},
                                  .sequence = sequence,
                                  .stage = JUDGE_STAGE_JUDGING,
                                  .case_index = 1,
                                  .cases_total = 3,
                                  .finished = finished,
                                  .finished_count = finished != NULL ? 1 : 0};
}

static bool known(struct fixture *f, int64_t epoch, struct progress_view *view) {
    return progress_get(f->app, (struct job_id){41}, epoch, f->arena, view);
}

static void a_shared_report_is_shown_by_whoever_hears_it(void **state) {
    struct fixture *f = *state;
    struct caught caught = {0};
    const struct wake_carrier carrier = {&caught, catch};
    struct case_result finished = a_case(0);
    struct progress_item item = report_of(2, 7, &finished);
    struct submission_watch *watch = NULL;
    struct progress_view view = {0};
    int calls = 0;
    struct err err = {0};
    wake_set_carrier(f->app->wake, &carrier);
    assert_true(
        submission_watch_open(f->app, (struct submission_id){9}, count_call, &calls, &watch, &err));

    progress_share(f->app, &item, (struct submission_id){9});
    assert_int_equal(caught.count, 1);
    assert_int_equal(calls, 1);
    assert_false(known(f, 2, &view)); /* sharing is not taking */
    wake_tell_here(f->app->wake, &caught.message);

    assert_int_equal(calls, 2);
    assert_true(known(f, 2, &view));
    assert_int_equal(view.stage, JUDGE_STAGE_JUDGING);
    assert_int_equal(view.case_index, 1);
    assert_int_equal(view.cases_total, 3);
    assert_int_equal(view.case_count, 1);
    assert_int_equal(view.cases[0].verdict, VERDICT_WRONG_ANSWER);
    assert_int_equal(view.cases[0].cpu_ms, 12);
    assert_true(str_eq(view.cases[0].message, STR("line 1 differs")));

    wake_tell_here(f->app->wake, &caught.message); /* twice: nothing new */
    assert_int_equal(calls, 2);
    submission_watch_close(watch);
    wake_set_carrier(f->app->wake, NULL);
}

static void a_late_report_of_an_older_lease_changes_nothing(void **state) {
    struct fixture *f = *state;
    struct caught caught = {0};
    const struct wake_carrier carrier = {&caught, catch};
    struct progress_item old = report_of(2, 9, NULL);
    struct progress_item young = report_of(3, 1, NULL);
    struct progress_view view = {0};
    wake_set_carrier(f->app->wake, &carrier);
    progress_share(f->app, &young, (struct submission_id){9});
    wake_tell_here(f->app->wake, &caught.message);
    assert_true(known(f, 3, &view));

    progress_share(f->app, &old, (struct submission_id){9});
    wake_tell_here(f->app->wake, &caught.message);

    assert_true(known(f, 3, &view));
    assert_false(known(f, 2, &view));
    wake_set_carrier(f->app->wake, NULL);
}

static void what_cannot_be_read_is_dropped(void **state) {
    struct fixture *f = *state;
    static const char *const bodies[] = {
        "",
        "{}",
        "[1,2]",
        "{\"job\":41",
        "{\"job\":41,\"epoch\":1,\"token\":1,\"submission\":1,"
        "\"sequence\":1,\"stage\":99,\"case\":0,\"total\":1,\"cases\":[]}",
        "{\"job\":41,\"epoch\":1,\"token\":1,\"submission\":1,\"sequence\":1,\"stage\":1,\"case\":"
        "0,"
        "\"total\":999999999,\"cases\":[]}",
        "{\"job\":41,\"epoch\":1,\"token\":1,\"submission\":1,\"sequence\":1,\"stage\":1,\"case\":"
        "0,"
        "\"total\":1,\"cases\":[[1]]}"};
    struct progress_view view = {0};
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        const struct wake_message message = {
            .topic = WAKE_PROGRESS, .id = 41, .count = 1, .body = str_from(bodies[i])};
        wake_tell_here(f->app->wake, &message);
        assert_false(known(f, 1, &view));
    }
}

static void a_report_too_long_to_be_carried_still_wakes_who_watches_here(void **state) {
    struct fixture *f = *state;
    static char text[CASE_MESSAGE_BYTES_MAX];
    static struct case_result many[200];
    struct caught caught = {0};
    const struct wake_carrier carrier = {&caught, catch};
    struct submission_watch *watch = NULL;
    struct progress_item item = report_of(2, 7, many);
    int calls = 0;
    struct err err = {0};
    memset(text, 'x', sizeof text);
    for (int i = 0; i < 200; i++) {
        many[i] = a_case(i);
        many[i].message = str_of(text, sizeof text);
    }
    item.finished_count = 200;
    wake_set_carrier(f->app->wake, &carrier);
    assert_true(
        submission_watch_open(f->app, (struct submission_id){9}, count_call, &calls, &watch, &err));

    progress_share(f->app, &item, (struct submission_id){9});

    assert_int_equal(calls, 1);
    assert_int_equal(caught.count, 0);
    submission_watch_close(watch);
    wake_set_carrier(f->app->wake, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_shared_report_is_shown_by_whoever_hears_it),
        APP_TEST(a_late_report_of_an_older_lease_changes_nothing),
        APP_TEST(what_cannot_be_read_is_dropped),
        APP_TEST(a_report_too_long_to_be_carried_still_wakes_who_watches_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
