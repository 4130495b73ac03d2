/* The app with its threads: users submit, nodes claim with long polls, renew and settle, somebody
 * watches, all at once. Run under the thread sanitizer too. */
#include "app/threads_fixture.h"

#define USERS 4
#define NODES 3
#define EACH 40

struct world {
    struct fixture *f;
    struct test_node nodes[NODES];
    atomic_int accepted;
    atomic_int judged;
    atomic_int problems; /* what went wrong */
    atomic_int news;
    atomic_bool over;
};

struct part {
    struct world *world;
    int number;
};

static void *submit_many(void *argument) {
    const struct part *part = argument;
    struct world *w = part->world;
    for (int i = 0; i < EACH; i++) {
        char key[32];
        struct answer answer;
        (void)snprintf(key, sizeof key, "k%d", i / 2); /* every second one is a repetition */
        struct submit_request request = {.item = {.done = on_done},
                                         .actor = user_actor(1 + part->number % 2),
                                         .problem = {1 + part->number / 2},
                                         .language = STR("cpp"),
                                         .source = STR("int main() {}"),
                                         .request_id = str_from(key)};
        if (part->number / 2 == 1) {
            request.request_id = (struct str){0};
        }
        answer_init(&answer, &request.item);
        submission_submit(w->f->app, &request);
        answer_wait(&answer);
        atomic_fetch_add(&w->accepted, request.item.ok && !request.repeated ? 1 : 0);
        atomic_fetch_add(&w->problems, request.item.ok ? 0 : 1);
    }
    return NULL;
}

static void judge_job(struct world *w, const struct test_node *node,
                      const struct claimed_job *job) {
    struct case_result cases[CASES] = {{0}};
    for (int i = 0; i < CASES; i++) {
        cases[i] = (struct case_result){
            .index = i, .name = str_from(case_names[i]), .verdict = VERDICT_ACCEPTED};
    }
    struct judgement judgement = {.verdict = VERDICT_ACCEPTED,
                                  .score_micro = SCORE_FULL_MICRO,
                                  .cases_passed = CASES,
                                  .cases_total = CASES,
                                  .compile = {.ran = true, .ok = true},
                                  .cases = cases,
                                  .case_count = CASES};
    struct progress_item progress = {
        .lease = job->lease, .sequence = 1, .stage = JUDGE_STAGE_JUDGING, .cases_total = CASES};
    struct err err = {0};
    (void)!dispatch_progress(w->f->app, &node->actor, node->epoch, &progress, 1, &err);
    struct settle_request request = {.item = {.done = on_done},
                                     .actor = node->actor,
                                     .session_epoch = node->epoch,
                                     .lease = job->lease,
                                     .result = STR("accepted"),
                                     .judgement = &judgement};
    struct digest digest = digest_of(request.result);
    memcpy(request.digest, digest.bytes, 32);
    struct answer answer;
    answer_init(&answer, &request.item);
    dispatch_settle(w->f->app, &request);
    answer_wait(&answer);
    atomic_fetch_add(&w->judged, request.item.ok && !request.already ? 1 : 0);
    atomic_fetch_add(&w->problems, request.item.ok ? 0 : 1);
}

static void *judge_many(void *argument) {
    const struct part *part = argument;
    struct world *w = part->world;
    const struct test_node *node = &w->nodes[part->number];
    for (uint64_t claim_id = 1; !atomic_load(&w->over); claim_id++) {
        own(arena) arena = arena_create(MIB);
        struct answer answer;
        struct claim_request request = {.item = {.done = on_done},
                                        .actor = node->actor,
                                        .session_epoch = node->epoch,
                                        .claim_id = claim_id,
                                        .free_slots = 3,
                                        .wait_ms = 200,
                                        .arena = arena};
        answer_init(&answer, &request.item);
        dispatch_claim(w->f->app, &request);
        answer_wait(&answer);
        atomic_fetch_add(&w->problems, request.item.ok ? 0 : 1);
        for (int i = 0; i < request.job_count; i++) {
            judge_job(w, node, &request.jobs[i]);
        }
    }
    return NULL;
}

static void count_news(void *context) {
    atomic_fetch_add((atomic_int *)context, 1);
}

static void *look_on(void *argument) {
    struct world *w = ((struct part *)argument)->world;
    for (int64_t id = 1; !atomic_load(&w->over); id = 1 + id % 50) {
        own(arena) arena = arena_create((size_t)8 * MIB);
        struct submission_watch *watch = NULL;
        struct submission_view shown = {0};
        struct submission_page page = {0};
        struct submission_filter filter = {.all_users = true, .limit = 20};
        struct err err = {0};
        (void)!submission_watch_open(w->f->app, (struct submission_id){id}, count_news, &w->news,
                                     &watch, &err);
        (void)!submission_get(w->f->app, &administrator, (struct submission_id){id}, arena, &shown,
                              &err);
        if (!submission_list(w->f->app, &administrator, &filter, arena, &page, &err)) {
            atomic_fetch_add(&w->problems, 1);
        }
        (void)judger_language_available(w->f->app, STR("cpp"));
        submission_watch_close(watch);
    }
    return NULL;
}

static void everybody_at_once_loses_and_doubles_nothing(void **state) {
    struct fixture *f = *state;
    struct world w = {.f = f};
    struct part parts[USERS + NODES + 1];
    pthread_t threads[USERS + NODES + 1];
    for (int n = 0; n < NODES; n++) {
        char name[8];
        (void)snprintf(name, sizeof name, "n%d", n);
        w.nodes[n] = make_node(f, name, 3, NULL);
    }
    reopen(f, true);
    for (int n = 0; n < NODES; n++) {
        open_real_session(f, &w.nodes[n]);
    }

    for (int i = 0; i < USERS + NODES + 1; i++) {
        parts[i] = (struct part){.world = &w, .number = i < USERS ? i : i - USERS};
        threads[i] = thread_start("client",
                                  i < USERS           ? submit_many
                                  : i < USERS + NODES ? judge_many
                                                      : look_on,
                                  &parts[i]);
    }
    for (int i = 0; i < USERS; i++) {
        thread_join(threads[i]);
    }
    for (int i = 0; i < 600 && atomic_load(&w.judged) < atomic_load(&w.accepted); i++) {
        clock_sleep_ms(&clock_real, 50);
    }
    atomic_store(&w.over, true);
    for (int i = USERS; i < USERS + NODES + 1; i++) {
        thread_join(threads[i]);
    }

    assert_int_equal(atomic_load(&w.problems), 0);
    assert_int_equal(atomic_load(&w.accepted), 2 * EACH / 2 + 2 * EACH);
    assert_int_equal(atomic_load(&w.judged), atomic_load(&w.accepted));
    assert_true(atomic_load(&w.news) >= 0);
    reopen(f, false);
    drain(f);
    assert_int_equal(query(f, "SELECT count(*) FROM submission WHERE verdict = 1"),
                     atomic_load(&w.accepted));
}

struct parked {
    struct claim_request request;
    struct answer answer;
};

static void closing_answers_whoever_waits(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(MIB);
    struct test_node node = make_node(f, "n1", 3, NULL);
    struct parked parked[5];
    reopen(f, true);
    open_real_session(f, &node);
    for (int i = 0; i < 5; i++) {
        parked[i].request = (struct claim_request){.item = {.done = on_done},
                                                   .actor = node.actor,
                                                   .session_epoch = node.epoch,
                                                   .claim_id = (uint64_t)i + 1,
                                                   .free_slots = 1,
                                                   .wait_ms = 20000,
                                                   .arena = arena};
        answer_init(&parked[i].answer, &parked[i].request.item);
        dispatch_claim(f->app, &parked[i].request);
    }

    app_stop(f->app);

    for (int i = 0; i < 5; i++) {
        answer_wait(&parked[i].answer);
        assert_int_equal(parked[i].request.job_count, 0);
    }
    struct parked late = {.request = parked[0].request};
    late.request.item.done = on_done;
    answer_init(&late.answer, &late.request.item);
    dispatch_claim(f->app, &late.request);
    answer_wait(&late.answer);
    assert_int_equal(late.request.item.err.kind, ERR_BUSY);
    reopen(f, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST_ON_DISK(everybody_at_once_loses_and_doubles_nothing),
        APP_TEST_ON_DISK(closing_answers_whoever_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
