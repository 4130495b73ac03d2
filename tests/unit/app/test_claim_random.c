/* Some hundred random steps from a seed: submissions, claims, results, silence, crashes, takeovers,
 * database faults. After each step the invariants hold for the whole database; at the end every
 * accepted submission has one verdict, and no slot was ever overdrawn. */
#include "app/app_fixture.h"
#include "app/manifest_hold_internal.h"
#include "store/db_fault.h"

#define NODES 3
#define HELD_MAX 64
#define SUBMISSIONS_MAX 400

/* What a node believes, and what only the test knows: until when the lease runs. */
struct held_lease {
    struct claimed_job job;
    struct test_node node; /* as it was at the claim: the session may be over */
    int64_t until_ms;
};

struct world {
    struct fixture *f;
    struct random_seeded dice;
    struct test_node nodes[NODES];
    int32_t slots[NODES];
    struct held_lease held[HELD_MAX];
    int held_count;
    struct submission_id accepted[SUBMISSIONS_MAX];
    int accepted_count;
    int settled[SUBMISSIONS_MAX]; /* accepted settlements, by place in `accepted` */
    enum verdict verdicts[SUBMISSIONS_MAX];
    bool faults;
};

static int64_t roll(struct world *w, int64_t limit) {
    return random_below(&w->dice.random, limit);
}

static int place_of(const struct world *w, struct submission_id id) {
    for (int i = 0; i < w->accepted_count; i++) {
        if (w->accepted[i].value == id.value) {
            return i;
        }
    }
    fail_msg("submission %lld was judged, but never accepted", (long long)id.value);
    return -1;
}

/* ---- faults ---- */

static bool maybe_fail(void *context, enum db_point point, const char *sql, struct err *err) {
    struct world *w = context;
    (void)sql;
    if (!w->faults || roll(w, 400) != 0) {
        return true;
    }
    if (point == DB_POINT_COMMITTED || (point == DB_POINT_COMMIT && roll(w, 2) == 0)) {
        return err_set(err, ERR_SYSTEM, "commit_unknown", "planted");
    }
    return roll(w, 2) == 0 ? err_set(err, ERR_BUSY, "database_busy", "planted")
                           : err_set(err, ERR_SYSTEM, "database_failed", "planted");
}

/* ---- steps ---- */

static void step_submit(struct world *w) {
    if (w->accepted_count == SUBMISSIONS_MAX) {
        return;
    }
    char key[32];
    (void)snprintf(key, sizeof key, "k%lld", (long long)roll(w, 300));
    int user = 1 + (int)roll(w, 2);
    struct submit_request request =
        submit_keyed(w->f, user, "int main() {}", roll(w, 2) == 0 ? key : NULL);
    if (request.item.ok && !request.repeated) {
        w->accepted[w->accepted_count++] = request.submission;
    }
}

static void keep_claimed(struct world *w, const struct claim_request *request,
                         const struct test_node *node) {
    for (int i = 0; request->item.ok && i < request->job_count && w->held_count < HELD_MAX; i++) {
        w->held[w->held_count++] = (struct held_lease){
            .job = request->jobs[i],
            .node = *node,
            .until_ms = w->f->clock.utc_now_ms + request->jobs[i].lease_remaining_ms};
    }
}

static bool has_lease(const struct claim_request *request, const struct lease_ref *lease) {
    for (int i = 0; i < request->job_count; i++) {
        if (request->jobs[i].job.value == lease->job.value &&
            request->jobs[i].lease.token == lease->token) {
            return true;
        }
    }
    return false;
}

static void step_claim(struct world *w) {
    int n = (int)roll(w, NODES);
    struct claim_request request = claim(w->f, &w->nodes[n], 1 + (int32_t)roll(w, 4));
    if (roll(w, 8) != 0) {
        keep_claimed(w, &request, &w->nodes[n]);
        return;
    }
    if (roll(w, 2) == 0) { /* the answer was lost: asked again by the same id, the same leases */
        struct claim_request again = claim_with(w->f, &w->nodes[n], 4, request.claim_id);
        for (int i = 0; request.item.ok && again.item.ok && i < request.job_count; i++) {
            assert_true(has_lease(&again, &request.jobs[i].lease));
        }
        keep_claimed(w, &again, &w->nodes[n]);
    }
}

static struct held_lease *pick(struct world *w) {
    return w->held_count > 0 ? &w->held[roll(w, w->held_count)] : NULL;
}

static void drop(struct world *w, struct held_lease *held) {
    *held = w->held[--w->held_count];
}

static void step_settle(struct world *w) {
    static const enum verdict verdicts[] = {VERDICT_ACCEPTED, VERDICT_WRONG_ANSWER,
                                            VERDICT_RUNTIME_ERROR};
    struct held_lease *held = pick(w);
    if (held == NULL) {
        return;
    }
    enum verdict verdict = verdicts[roll(w, 3)];
    struct settle_request request = settle(w->f, &held->node, &held->job.lease, verdict);
    int place = place_of(w, held->job.submission);
    if (request.item.ok && request.already) { /* these very bytes were accepted before */
        assert_true(w->settled[place] == 0 || w->verdicts[place] == verdict);
    }
    if (request.item.ok && !request.already) {
        assert_true(w->f->clock.utc_now_ms < held->until_ms);
        w->settled[place]++;
        w->verdicts[place] = verdict;
    }
    if (roll(w, 4) != 0) { /* else the result is sent again some day, or another one */
        drop(w, held);
    }
}

static void step_renew(struct world *w) {
    struct held_lease *held = pick(w);
    if (held != NULL) {
        struct renew_item item = {.lease = held->job.lease};
        struct renew_request request = {.actor = held->node.actor,
                                        .session_epoch = held->node.epoch,
                                        .items = &item,
                                        .count = 1};
        AWAIT(w->f, &request, dispatch_renew(w->f->app, &request));
        if (request.item.ok && item.answer == RENEW_GO) {
            assert_true(w->f->clock.utc_now_ms < held->until_ms);
            held->until_ms = w->f->clock.utc_now_ms + item.remaining_ms;
        }
    }
}

/* Somebody who has seen part of a lease, or has an old one of the same epoch. */
static void step_forge(struct world *w) {
    struct held_lease *held = pick(w);
    if (held == NULL) {
        return;
    }
    struct lease_ref forged = held->job.lease;
    struct test_node node = held->node;
    int64_t what = roll(w, 3);
    forged.token ^= what == 0 ? 1 : 0;
    forged.epoch += what == 1 ? 1 : 0;
    if (what == 2) {
        node = w->nodes[roll(w, NODES)];
        forged.token ^= node.actor.node.value == held->node.actor.node.value ? 1 : 0;
    }
    assert_false(settle(w->f, &node, &forged, VERDICT_ACCEPTED).item.ok);
    struct renew_item item = {.lease = forged};
    struct renew_request request = {
        .actor = node.actor, .session_epoch = node.epoch, .items = &item, .count = 1};
    AWAIT(w->f, &request, dispatch_renew(w->f->app, &request));
    assert_true(!request.item.ok || item.answer != RENEW_GO);
}

static void step_failure(struct world *w) {
    struct held_lease *held = pick(w);
    if (held != NULL) {
        (void)report_failure(w->f, &held->node, &held->job.lease,
                             (enum fault)(FAULT_NODE + roll(w, 3)));
        drop(w, held);
    }
}

static void step_release(struct world *w) {
    struct held_lease *held = pick(w);
    if (held != NULL) {
        struct release_request request = {.actor = held->node.actor,
                                          .session_epoch = held->node.epoch,
                                          .leases = &held->job.lease,
                                          .count = 1};
        AWAIT(w->f, &request, dispatch_release(w->f->app, &request));
        drop(w, held);
    }
}

static void step_session(struct world *w) {
    int n = (int)roll(w, NODES);
    struct session_request request = open_session(w->f, &w->nodes[n].actor, true);
    if (request.item.ok) {
        w->nodes[n].epoch = request.session_epoch;
    } else { /* made or not: the next heartbeat tells the node that it must open another */
        w->faults = false;
        w->nodes[n].epoch = open_session(w->f, &w->nodes[n].actor, true).session_epoch;
        w->faults = true;
    }
}

static void step_time(struct world *w) {
    static const int64_t jumps_ms[] = {100, 2000, 7000, 20000, 61000};
    clock_manual_advance(&w->f->clock, jumps_ms[roll(w, 5)]);
    if (roll(w, 3) == 0) {
        return; /* nobody has reaped yet, nobody has sent a heartbeat */
    }
    drain(w->f);
    for (int n = 0; n < NODES; n++) {
        if (roll(w, 5) != 0) {
            (void)beat(w->f, &w->nodes[n]);
        }
    }
}

static void step_configure(struct world *w) {
    int n = (int)roll(w, NODES);
    struct node_view view = {0};
    struct err err = {0};
    enum node_config config = roll(w, 3) == 0 ? NODE_DRAINING : NODE_ENABLED;
    if (judger_get(w->f->app, &administrator, w->nodes[n].actor.node, w->f->arena, &view, &err)) {
        struct judger_update_request request = {
            .id = view.id, .revision = view.revision, .config = &config};
        (void)!judger_update(w->f->app, &administrator, &request, w->f->arena, &view, &err);
    }
}

typedef void step_fn(struct world *w);
static step_fn *const steps[] = {
    step_submit,  step_submit,  step_submit,  step_claim,     step_claim, step_claim,
    step_settle,  step_settle,  step_settle,  step_renew,     step_time,  step_time,
    step_failure, step_release, step_session, step_configure, step_forge,
};

/* ---- what must hold ---- */

static void check_slots(struct world *w) {
    for (int n = 0; n < NODES; n++) {
        char sql[120];
        (void)snprintf(sql, sizeof sql, "SELECT count(*) FROM job_lease WHERE node_id = %lld",
                       (long long)w->nodes[n].actor.node.value);
        assert_in_range(query(w->f, sql), 0, w->slots[n]);
    }
    assert_in_range(query(w->f, "SELECT count(*) FROM job_lease WHERE host_group_id = 1"), 0, 3);
}

static void check_world(struct world *w) {
    bool faults = w->faults;
    w->faults = false;
    check_invariants(w->f);
    check_slots(w);
    for (int i = 0; i < w->accepted_count; i++) {
        assert_in_range(w->settled[i], 0, 1);
    }
    w->faults = faults;
}

/* Three submissions that broke their problem have its jobs held until somebody has mended it. */
static void mend_problems(struct world *w) {
    for (int64_t id = 1; id <= 2; id++) {
        must(w->f, db_begin(w->f->app->db, &w->f->err));
        must(w->f,
             manifest_hold_mended(w->f->app->db, (struct problem_id){id}, w->f->arena, &w->f->err));
        must(w->f, db_commit(w->f->app->db, &w->f->err));
    }
}

/* Everything works again: each accepted submission gets its verdict. */
static void run_to_the_end(struct world *w) {
    w->faults = false;
    mend_problems(w);
    enum node_config enabled = NODE_ENABLED;
    for (int round = 0; round < 400; round++) {
        clock_manual_advance(&w->f->clock, 20000);
        drain(w->f);
        for (int n = 0; n < NODES; n++) {
            struct node_view view = {0};
            (void)beat(w->f, &w->nodes[n]);
            must(w->f, judger_get(w->f->app, &administrator, w->nodes[n].actor.node, w->f->arena,
                                  &view, &w->f->err));
            struct judger_update_request update = {
                .id = view.id, .revision = view.revision, .config = &enabled};
            must(w->f,
                 judger_update(w->f->app, &administrator, &update, w->f->arena, &view, &w->f->err));
            struct claim_request request = claim(w->f, &w->nodes[n], 4);
            for (int i = 0; i < request.job_count; i++) {
                struct settle_request settled =
                    settle(w->f, &w->nodes[n], &request.jobs[i].lease, VERDICT_ACCEPTED);
                assert_true(settled.item.ok);
                int place = place_of(w, request.jobs[i].submission);
                w->settled[place]++;
                w->verdicts[place] = VERDICT_ACCEPTED;
            }
        }
        if (query(w->f, "SELECT count(*) FROM job WHERE state IN (1, 2)") == 0) {
            return;
        }
    }
    fail_msg("some jobs never end");
}

static void check_verdicts(struct world *w) {
    drain(w->f);
    check_world(w);
    assert_int_equal(query(w->f, "SELECT count(*) FROM settlement_event"), 0);
    for (int i = 0; i < w->accepted_count; i++) {
        enum verdict shown = view(w->f, w->accepted[i]).verdict;
        if (w->settled[i] == 1) {
            assert_int_equal(shown, w->verdicts[i]);
        } else { /* attempts ran out, or an acknowledgement was lost: a verdict all the same */
            assert_int_not_equal(shown, VERDICT_NONE);
        }
    }
}

static void run_seed(uint64_t seed, bool faults) {
    struct fixture *f = make_fixture(true, seed);
    struct world *w = calloc(1, sizeof *w);
    make_group(f, 1, 3);
    *w = (struct world){.f = f, .slots = {2, 2, 3}};
    random_seeded_init(&w->dice, seed * 7919 + 1);
    w->nodes[0] = make_node(f, "a", 2, "g1");
    w->nodes[1] = make_node(f, "b", 2, "g1");
    w->nodes[2] = make_node(f, "c", 3, NULL);
    db_set_fault(f->app->db, maybe_fail, w);
    w->faults = faults;
    for (int i = 0; i < 150; i++) {
        steps[roll(w, sizeof steps / sizeof steps[0])](w);
        check_world(w);
    }
    run_to_the_end(w);
    check_verdicts(w);
    db_set_fault(f->app->db, NULL, NULL);
    free_fixture(f);
    free(w);
}

/* ASSIZE_SEEDS="FROM COUNT" runs others. The last "seed" line of a failing run says how to replay
 * it. */
static void run_seeds(bool faults) {
    const char *wanted = getenv("ASSIZE_SEEDS");
    int64_t from = 1;
    int64_t count = test_db_is_mysql() ? 3 : 25; /* each asks 150 times for every invariant */
    struct err err = {0};
    struct str head = {0};
    struct str tail = {0};
    if (wanted != NULL && str_cut(str_from(wanted), ' ', &head, &tail)) {
        assert_true(str_to_i64(head, 1, INT64_MAX / 2, &from, &err));
        assert_true(str_to_i64(tail, 1, 1000000, &count, &err));
    }
    for (int64_t seed = from; seed < from + count; seed++) {
        (void)printf("seed: ASSIZE_SEEDS=\"%lld 1\"\n", (long long)seed);
        (void)fflush(stdout);
        run_seed((uint64_t)seed, faults);
    }
}

static void random_lives_keep_every_promise(void **state) {
    (void)state;
    run_seeds(false);
}

static void random_lives_with_a_failing_database_keep_them_too(void **state) {
    (void)state;
    run_seeds(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_lives_keep_every_promise),
        cmocka_unit_test(random_lives_with_a_failing_database_keep_them_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
