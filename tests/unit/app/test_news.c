/* What a batch has to tell is told once, after the commit, and not at all after a rollback. */
#include "app/app_internal.h"
#include "app/news_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct heard {
    int64_t queues;
    int64_t jobs;
    int64_t submissions;
};

static void hear(void *context, const struct wake_message *message) {
    struct heard *heard = context;
    heard->queues += message->topic == WAKE_QUEUE ? 1 : 0;
    heard->jobs += message->topic == WAKE_QUEUE ? message->count : 0;
    heard->submissions += message->topic == WAKE_SUBMISSION ? 1 : 0;
}

struct fixture {
    struct app app;
    struct heard heard;
};

static int setup(void **state) {
    static struct fixture fixture;
    memset(&fixture, 0, sizeof fixture);
    fixture.app.wake = wake_create();
    fixture.app.news = news_create();
    wake_listen(fixture.app.wake, WAKE_QUEUE, hear, &fixture.heard);
    wake_listen(fixture.app.wake, WAKE_SUBMISSION, hear, &fixture.heard);
    *state = &fixture;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    news_free(f->app.news);
    wake_free(f->app.wake);
    return 0;
}

static void jobs_of_one_queue_are_told_together(void **state) {
    struct fixture *f = *state;
    news_reset(&f->app);
    for (int i = 0; i < 100; i++) {
        news_ready(&f->app, (struct queue_id){1 + i % 2});
        news_submission(&f->app, (struct submission_id){i + 1});
    }
    assert_int_equal(f->heard.queues, 0);

    news_tell(&f->app, NULL, 0);
    news_tell(&f->app, NULL, 0);

    assert_int_equal(f->heard.queues, 2);
    assert_int_equal(f->heard.jobs, 100);
    assert_int_equal(f->heard.submissions, 100);
}

static void what_was_rolled_back_is_not_told(void **state) {
    struct fixture *f = *state;
    news_ready(&f->app, (struct queue_id){1});
    news_submission(&f->app, (struct submission_id){1});

    news_reset(&f->app); /* the batch is tried again */
    news_tell(&f->app, NULL, 0);

    assert_int_equal(f->heard.queues + f->heard.submissions, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(jobs_of_one_queue_are_told_together, setup, teardown),
        cmocka_unit_test_setup_teardown(what_was_rolled_back_is_not_told, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
