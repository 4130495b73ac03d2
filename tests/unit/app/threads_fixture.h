#ifndef THREADS_FIXTURE_H
#define THREADS_FIXTURE_H

/* Apps with their threads and the real clock, asked by many threads at once. */
#include "app/app_fixture.h"
#include "base/thread.h"

/* A call's answer, waited for by the thread that made it. */
struct answer {
    struct mutex mutex;
    struct cond cond;
    bool done;
};

static inline void answer_init(struct answer *answer, struct write_item *item) {
    answer->done = false;
    mutex_init(&answer->mutex);
    cond_init(&answer->cond);
    item->context = answer;
}

static inline void on_done(struct write_item *item) {
    struct answer *answer = item->context;
    mutex_lock(&answer->mutex);
    answer->done = true;
    cond_signal(&answer->cond);
    mutex_unlock(&answer->mutex);
}

static inline void answer_wait(struct answer *answer) {
    mutex_lock(&answer->mutex);
    while (!answer->done) {
        cond_wait(&answer->cond, &answer->mutex);
    }
    mutex_unlock(&answer->mutex);
    cond_done(&answer->cond);
    mutex_done(&answer->mutex);
}

/* One more app on the fixture's database; as the fixture's own when that is closed. */
static inline struct app *open_beside(struct fixture *f, bool threads) {
    struct app *app = NULL;
    char blobs[96];
    (void)snprintf(blobs, sizeof blobs, "%s/blobs", f->folder);
    struct app_options options = {
        .database_path = f->path,
        .mysql = test_db(),
        .blob_folder = blobs,
        .languages = f->languages,
        .clock = &clock_real,
        .random = &random_real,
        .holder = "test",
        .settings = f->settings,
        .claims = test_db_claims(),
        .threads = threads,
    };
    must(f, app_open(&options, &app, &f->err));
    return app;
}

static inline void reopen(struct fixture *f, bool threads) {
    app_close(take(f->app));
    f->app = open_beside(f, threads);
}

/* Sessions are opened by the clock of the threads' app. */
static inline void open_real_session(struct fixture *f, struct test_node *node) {
    struct session_request request = {
        .item = {.done = on_done}, .actor = node->actor, .self_test_passed = true};
    struct answer answer;
    answer_init(&answer, &request.item);
    dispatch_session(f->app, &request);
    answer_wait(&answer);
    f->err = request.item.err;
    must(f, request.item.ok);
    node->epoch = request.session_epoch;
}

#endif
