/* What a batch costs is statements: as many for forty requests as for four. A count, not a time. */
#include "app/app_fixture.h"
#include "store/rows.h"

#define FEW 4
#define MANY 40

struct counted {
    struct submit_request submits[MANY];
    struct claim_request claims[MANY];
    struct settle_request settles[MANY];
    struct test_node nodes[MANY];
};

static void ignore_done(struct write_item *item) {
    (void)item;
}

/* The statements of one batch: everything that was queued is of one kind. */
static int64_t step_counted(struct fixture *f) {
    int64_t before = db_counts(f->app->db).statements;
    assert_true(writer_step(f->app->writer));
    return db_counts(f->app->db).statements - before;
}

static int64_t count_submits(struct fixture *f, struct counted *c, int count) {
    static int keys;
    for (int i = 0; i < count; i++) {
        c->submits[i] = (struct submit_request){
            .item = {.done = ignore_done},
            .actor = user_actor(1 + i % 2),
            .problem = {1},
            .language = STR("cpp"),
            .source = STR("int main() {}"),
            .request_id = str_from(arena_printf(f->arena, "key-%d", ++keys))};
        submission_submit(f->app, &c->submits[i]);
    }
    return step_counted(f);
}

static int64_t count_claims(struct fixture *f, struct counted *c, int count) {
    for (int i = 0; i < count; i++) {
        c->claims[i] = (struct claim_request){.item = {.done = ignore_done},
                                              .actor = c->nodes[i].actor,
                                              .session_epoch = c->nodes[i].epoch,
                                              .claim_id = ++f->claims,
                                              .free_slots = 1,
                                              .arena = f->arena};
        dispatch_claim(f->app, &c->claims[i]);
    }
    return step_counted(f);
}

static int64_t count_settles(struct fixture *f, struct counted *c, int count) {
    struct judgement *judgement = arena_new(f->arena, struct judgement);
    *judgement = judge(f, VERDICT_ACCEPTED);
    struct digest digest = digest_of(STR("bytes"));
    for (int i = 0; i < count; i++) {
        assert_int_equal(c->claims[i].job_count, 1);
        c->settles[i] = (struct settle_request){.item = {.done = ignore_done},
                                                .actor = c->nodes[i].actor,
                                                .session_epoch = c->nodes[i].epoch,
                                                .lease = c->claims[i].jobs[0].lease,
                                                .result = STR("bytes"),
                                                .judgement = judgement};
        memcpy(c->settles[i].digest, digest.bytes, 32);
        dispatch_settle(f->app, &c->settles[i]);
    }
    int64_t statements = step_counted(f);
    for (int i = 0; i < count; i++) {
        assert_true(c->settles[i].item.ok);
    }
    return statements;
}

static void a_batch_of_many_takes_as_many_statements_as_one_of_few(void **state) {
    struct fixture *f = *state;
    struct counted *c = arena_new(f->arena, struct counted);
    make_group(f, 1, MANY);
    for (int i = 0; i < MANY; i++) {
        c->nodes[i] = make_node(f, arena_printf(f->arena, "n%d", i), 1, i % 2 == 0 ? "g1" : NULL);
    }
    (void)count_submits(f, c, FEW); /* from now on every user has had a turn */
    drain(f);

    int64_t submits = count_submits(f, c, FEW);
    int64_t claims = count_claims(f, c, FEW);
    int64_t settles = count_settles(f, c, FEW);
    drain(f); /* from now on both users have solved it */
    (void)count_submits(f, c, FEW);
    (void)count_claims(f, c, FEW);
    (void)count_settles(f, c, FEW);
    int64_t events = step_counted(f);
    drain(f);

    assert_int_equal(count_submits(f, c, MANY), submits);
    assert_int_equal(count_claims(f, c, MANY), claims);
    assert_int_equal(count_settles(f, c, MANY), settles);
    assert_int_equal(step_counted(f), events);
    assert_in_range(submits, 1, 10); /* one of them is what each request read for itself before */
    assert_in_range(claims, 1, 12);
    assert_in_range(settles, 1, 10);
    assert_in_range(events, 1, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_batch_of_many_takes_as_many_statements_as_one_of_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
