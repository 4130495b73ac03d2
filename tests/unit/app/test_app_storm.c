/* Everybody at once, on one database and as two servers where it can have two: 64 clients hand in,
 * claim, settle, judge anew, change test data, cancel, hold, delete and look on. What databases say
 * to those who come too close to each other (1213, 1205, 1020, SQLITE_BUSY) must reach nobody, and
 * at the end everything must be in one piece.
 *
 * ASSIZE_STORM_S says for how many seconds (3; with ASSIZE_LONG=1 60; by hand 1200):
 *
 *     ASSIZE_STORM_S=1200 tools/test_mariadb.py env ASSIZE_TEST_DB=mysql
 * build/tests/unit/app_test_app_storm
 */
#include "app/held_internal.h"
#include "app/job.h"
#include "app/problem.h"
#include "app/reconcile.h"
#include "app/rejudge.h"
#include "app/threads_fixture.h"

#define CLIENTS 64
#define NODES 20
#define PROBLEMS 2
#define KEPT 512 /* submissions that are changed and judged anew: the newest */
#define STORM_S 3
#define STORM_LONG_S 60
#define CALM_S_MAX 120 /* without less being left meanwhile */
#define CLIENT_ARENA_BYTES ((size_t)16 * MIB)

enum part { SUBMIT, NODE, REJUDGE_ONE, REJUDGE_MANY, EDIT, CHANGE, LOOK, ADMIN, PART_COUNT };

/* clang-format off */
static const struct {
    const char *name;
    int clients;
} roles[PART_COUNT] = {
    [SUBMIT]       = {"submit", 14},
    [NODE]         = {"claim and settle", NODES},
    [REJUDGE_ONE]  = {"rejudge one", 6},
    [REJUDGE_MANY] = {"rejudge many", 4},
    [EDIT]         = {"edit test data", 4},
    [CHANGE]       = {"cancel, delete, requeue, hold, release", 12},
    [LOOK]         = {"look", 2},
    [ADMIN]        = {"drain, enable, slots", 2},
};
/* clang-format on */

struct storm {
    struct fixture *f;
    struct app *apps[2];
    int app_count;
    struct test_node nodes[NODES];
    atomic_llong kept[KEPT];
    atomic_llong accepted;
    atomic_llong done[PART_COUNT];    /* what went well */
    atomic_llong refused[PART_COUNT]; /* with a reason that users may see */
    atomic_bool over;
    struct mutex mutex;
    char wrong[400]; /* the first answer that nobody should see */
};

struct client {
    struct storm *storm;
    struct app *app;
    enum part role;
    int number; /* of its role */
    struct random_seeded dice;
    struct arena *arena; /* of this round */
    uint64_t claims;
};

static int64_t roll(struct client *client, int64_t limit) {
    return random_below(&client->dice.random, limit);
}

/* ---- what may be answered ---- */

static bool is_the_databases(const struct err *err) {
    return err->kind == ERR_SYSTEM || err->kind == ERR_INVALID /* this test's */ ||
           strncmp(err->code, "database_", 9) == 0 || strcmp(err->code, "commit_unknown") == 0;
}

static bool note(struct client *client, bool ok, const struct err *err) {
    struct storm *storm = client->storm;
    atomic_fetch_add(ok ? &storm->done[client->role] : &storm->refused[client->role], 1);
    if (!ok && is_the_databases(err)) {
        mutex_lock(&storm->mutex);
        if (storm->wrong[0] == '\0') {
            (void)snprintf(storm->wrong, sizeof storm->wrong, "%s: %s: %s",
                           roles[client->role].name, err->code, err->text);
        }
        mutex_unlock(&storm->mutex);
        atomic_store(&storm->over, true);
    }
    return ok;
}

/* Queues, waits, notes. */
#define ASK(client, request, call)                                                                 \
    do {                                                                                           \
        struct answer answer_;                                                                     \
        (request)->item.done = on_done;                                                            \
        answer_init(&answer_, &(request)->item);                                                   \
        call;                                                                                      \
        answer_wait(&answer_);                                                                     \
        (void)note(client, (request)->item.ok, &(request)->item.err);                              \
    } while (0)

static struct submission_id some_submission(struct client *client) {
    int64_t count = atomic_load(&client->storm->accepted);
    int64_t newest = count < KEPT ? count : KEPT;
    return (struct submission_id){
        newest > 0 ? atomic_load(&client->storm->kept[roll(client, newest)]) : 1};
}

/* ---- the roles: one round each ---- */

static void submit_round(struct client *client) {
    struct storm *storm = client->storm;
    char key[40] = "";
    int64_t number = roll(client, 1000); /* the same key asks for the same problem */
    if (roll(client, 2) == 0) {
        (void)snprintf(key, sizeof key, "k%d-%lld", client->number, (long long)number);
    }
    struct submit_request request = {.actor = user_actor(1 + client->number % 2),
                                     .problem = {1 + number % PROBLEMS},
                                     .language = STR("cpp"),
                                     .source = STR("int main() {}"),
                                     .request_id = str_from(key)};
    ASK(client, &request, submission_submit(client->app, &request));
    clock_sleep_ms(&clock_real, 20); /* what is handed in is to be judged, too */
    if (request.item.ok && !request.repeated) {
        int64_t place = atomic_fetch_add(&storm->accepted, 1);
        atomic_store(&storm->kept[place % KEPT], request.submission.value);
    }
}

static void release_one(struct client *client, const struct test_node *node,
                        const struct claimed_job *job) {
    struct release_request request = {
        .actor = node->actor, .session_epoch = node->epoch, .leases = &job->lease, .count = 1};
    ASK(client, &request, dispatch_release(client->app, &request));
}

/* A compile error names no cases, so it fits any version of the test data with as many. */
static void settle_one(struct client *client, const struct test_node *node,
                       const struct claimed_job *job) {
    struct judgement judgement = {.verdict = VERDICT_COMPILE_ERROR,
                                  .compile = {.ran = true, .log = STR("no")},
                                  .language = STR("cpp"),
                                  .language_version = STR("12"),
                                  .cases_total = CASES};
    struct settle_request request = {.actor = node->actor,
                                     .session_epoch = node->epoch,
                                     .lease = job->lease,
                                     .result = STR("no"),
                                     .judgement = &judgement};
    struct digest digest = digest_of(request.result);
    memcpy(request.digest, digest.bytes, 32);
    ASK(client, &request, dispatch_settle(client->app, &request));
    if (!request.item.ok) { /* withdrawn meanwhile: the slot is handed back */
        release_one(client, node, job);
    }
}

static void fail_one(struct client *client, const struct test_node *node,
                     const struct claimed_job *job) {
    struct failure_request request = {.actor = node->actor,
                                      .session_epoch = node->epoch,
                                      .lease = job->lease,
                                      .fault = FAULT_NODE,
                                      .code = STR("disk"),
                                      .detail = STR("full")};
    ASK(client, &request, dispatch_failure(client->app, &request));
}

static void renew_one(struct client *client, const struct test_node *node,
                      const struct claimed_job *job) {
    struct renew_item item = {.lease = job->lease};
    struct renew_request request = {
        .actor = node->actor, .session_epoch = node->epoch, .items = &item, .count = 1};
    ASK(client, &request, dispatch_renew(client->app, &request));
}

static void judge_one(struct client *client, const struct test_node *node,
                      const struct claimed_job *job) {
    int64_t what = roll(client, 24);
    if (what < 8) {
        renew_one(client, node, job);
    }
    if (what == 22) {
        fail_one(client, node, job);
    } else if (what == 23) {
        release_one(client, node, job);
    } else {
        settle_one(client, node, job);
    }
}

static void node_round(struct client *client) {
    const struct test_node *node = &client->storm->nodes[client->number];
    struct heartbeat_request beat = {.actor = node->actor, .session_epoch = node->epoch};
    ASK(client, &beat, dispatch_heartbeat(client->app, &beat));
    struct claim_request request = {.actor = node->actor,
                                    .session_epoch = node->epoch,
                                    .claim_id = ++client->claims,
                                    .free_slots = 4,
                                    .wait_ms = 100,
                                    .arena = client->arena};
    ASK(client, &request, dispatch_claim(client->app, &request));
    for (int i = 0; i < request.job_count; i++) {
        judge_one(client, node, &request.jobs[i]);
    }
}

static void rejudge_one_round(struct client *client) {
    struct rejudging_id id = {0};
    struct err err = {0};
    bool ok = submission_rejudge(client->app, &administrator, some_submission(client), STR("storm"),
                                 &id, &err);
    (void)note(client, ok, &err);
    clock_sleep_ms(&clock_real, 150); /* each is worked off in steps of its own */
}

static void change_rejudging(struct client *client, struct rejudging_id id,
                             enum rejudging_event event) {
    struct err err = {0};
    bool ok = rejudging_change(client->app, &administrator, id, event, &err);
    (void)note(client, ok, &err);
}

static void rejudge_many_round(struct client *client) {
    int64_t ids[20];
    int count = 1 + (int)roll(client, 20);
    for (int i = 0; i < count; i++) {
        ids[i] = some_submission(client).value;
    }
    ids_sort(ids, &count);
    const struct selection selection = {.ids = ids, .id_count = count};
    const struct rejudging_create_request request = {
        .selection = &selection,
        .reason = STR("storm"),
        .options = roll(client, 2) == 0 ? REJUDGING_SUPERSEDE : 0};
    struct rejudging_id id = {0};
    struct err err = {0};
    if (!note(client, rejudging_create(client->app, &administrator, &request, &id, &err), &err)) {
        return;
    }
    for (int i = 0; i < 20; i++) { /* as soon as its state allows it, or not at all */
        change_rejudging(client, id, roll(client, 3) == 0 ? REJUDGING_CANCEL : REJUDGING_APPLY);
        clock_sleep_ms(&clock_real, 20);
    }
    change_rejudging(client, id, REJUDGING_UNDO);
}

static void put_file(struct client *client, const char *folder, const char *name, struct str text) {
    struct err err = {0};
    const char *path = arena_printf(client->arena, "%s/%s", folder, name);
    (void)note(client, file_save_atomic(path, text, 0644, &err), &err);
}

/* Other tests for a problem that is being judged: a version of its own each time. */
static void edit_round(struct client *client) {
    const char *folder =
        arena_printf(client->arena, "%s/package-%d", client->storm->f->folder, client->number);
    struct err err = {0};
    bool made = file_make_dirs(arena_printf(client->arena, "%s/data/secret", folder), 0755, &err);
    (void)note(client, made, &err);
    put_file(client, folder, "problem.yaml", STR("name: Two\n"));
    put_file(client, folder, ".timelimit", STR("1"));
    for (int i = 0; i < CASES; i++) { /* as many as before: see settle_one */
        put_file(client, folder, arena_printf(client->arena, "data/secret/%d.in", i), STR("1\n"));
        put_file(client, folder, arena_printf(client->arena, "data/secret/%d.ans", i),
                 str_from(arena_printf(client->arena, "%lld\n", (long long)roll(client, 1000000))));
    }
    struct problem_import_list list = {0};
    const struct problem_import_request request = {
        .fd = -1,
        .folder = folder,
        .code = str_from(arena_printf(client->arena, "p%lld", 1 + (long long)roll(client, 2)))};
    bool ok = problem_import(client->app, &administrator, &request, client->arena, &list, &err);
    (void)note(client, ok, &err);
}

static void change_round(struct client *client) {
    static const enum job_action actions[] = {ACTION_CANCEL, ACTION_DELETE, ACTION_REQUEUE,
                                              ACTION_HOLD, ACTION_RELEASE};
    struct submission_id ids[10];
    int count = 1 + (int)roll(client, 10);
    for (int i = 0; i < count; i++) {
        ids[i] = some_submission(client);
    }
    struct job_change_request *request = arena_new(client->arena, struct job_change_request);
    *request = (struct job_change_request){
        .actor = administrator,
        .action = actions[roll(client, sizeof actions / sizeof actions[0])],
        .reason = STR("storm"),
        .submissions = ids,
        .count = count,
    };
    ASK(client, request, job_change(client->app, request));
}

static void look_round(struct client *client) {
    struct submission_page page = {0};
    struct submission_filter filter = {.all_users = true, .limit = 50};
    struct err err = {0};
    bool ok = submission_list(client->app, &administrator, &filter, client->arena, &page, &err);
    (void)note(client, ok, &err);
    struct rejudging_page rejudgings = {.limit = 20};
    ok = rejudging_list(client->app, &administrator, client->arena, &rejudgings, &err);
    (void)note(client, ok, &err);
}

static void configure(struct client *client, int number, const enum node_config *config,
                      const int32_t *slots) {
    const struct test_node *node = &client->storm->nodes[number];
    struct node_view view = {0};
    struct err err = {0};
    if (!judger_get(client->app, &administrator, node->actor.node, client->arena, &view, &err)) {
        (void)note(client, false, &err);
        return;
    }
    struct judger_update_request request = {
        .id = node->actor.node, .revision = view.revision, .config = config, .slots = slots};
    bool ok = judger_update(client->app, &administrator, &request, client->arena, &view, &err);
    (void)note(client, ok, &err);
}

static void admin_round(struct client *client) {
    static const enum node_config configs[] = {NODE_ENABLED, NODE_DRAINING};
    int number = (int)roll(client, NODES);
    int32_t slots = 1 + (int32_t)roll(client, 4);
    configure(client, number, &configs[roll(client, 2)], &slots);
    clock_sleep_ms(&clock_real, 10);
}

static void (*const rounds[PART_COUNT])(struct client *client) = {
    [SUBMIT] = submit_round,
    [NODE] = node_round,
    [REJUDGE_ONE] = rejudge_one_round,
    [REJUDGE_MANY] = rejudge_many_round,
    [EDIT] = edit_round,
    [CHANGE] = change_round,
    [LOOK] = look_round,
    [ADMIN] = admin_round,
};

/* One round at least, however slow the machine is. */
static void *client_main(void *argument) {
    struct client *client = argument;
    do {
        client->arena = arena_create(CLIENT_ARENA_BYTES);
        rounds[client->role](client);
        arena_free(client->arena);
        clock_sleep_ms(&clock_real, 2); /* reads alone would keep the processors from the others */
    } while (!atomic_load(&client->storm->over));
    return NULL;
}

/* ---- the whole ---- */

static int64_t seconds(void) {
    const char *said = getenv("ASSIZE_STORM_S");
    const char *long_form = getenv("ASSIZE_LONG");
    int64_t value = 0;
    struct err err = {0};
    if (said != NULL && str_to_i64(str_from(said), 1, 86400, &value, &err)) {
        return value;
    }
    return long_form != NULL && strcmp(long_form, "1") == 0 ? STORM_LONG_S : STORM_S;
}

static void start_clients(struct storm *storm, struct client *clients, pthread_t *threads) {
    int made = 0;
    for (int role = 0; role < PART_COUNT; role++) {
        for (int number = 0; number < roles[role].clients; number++, made++) {
            clients[made] = (struct client){.storm = storm,
                                            .app = storm->apps[made % storm->app_count],
                                            .role = (enum part)role,
                                            .number = number};
            random_seeded_init(&clients[made].dice, (uint64_t)made + 1);
            threads[made] = thread_start("client", client_main, &clients[made]);
        }
    }
    assert_int_equal(made, CLIENTS);
}

static void blow(struct storm *storm) {
    struct client clients[CLIENTS];
    pthread_t threads[CLIENTS];
    int64_t until_ms = clock_mono_ms(&clock_real) + 1000 * seconds();
    start_clients(storm, clients, threads);
    while (clock_mono_ms(&clock_real) < until_ms && !atomic_load(&storm->over)) {
        clock_sleep_ms(&clock_real, 50);
    }
    atomic_store(&storm->over, true);
    for (int i = 0; i < CLIENTS; i++) {
        thread_join(threads[i]);
    }
}

/* Everything that is held goes on, every node works. */
static void let_go(struct client *calm) {
    static const enum node_config enabled = NODE_ENABLED;
    static const int32_t slots = 4;
    const struct selection held = {.held = true};
    const struct job_selection_change release = {.action = ACTION_RELEASE, .selection = &held};
    struct job_selection_result result = {0};
    struct err err = {0};
    for (int i = 0; i < NODES; i++) {
        configure(calm, i, &enabled, &slots);
    }
    bool ok = job_change_selection(calm->app, &administrator, &release, calm->arena, &result, &err);
    (void)note(calm, ok, &err);
}

/* By a connection of its own: the app's is its writer's. */
static int64_t open_jobs(struct storm *storm) {
    struct fixture *f = storm->f;
    own(db_reader) reader = NULL;
    own(db_stmt) stmt = NULL;
    must(f, db_pool_take(storm->apps[0]->readers, &reader, &f->err));
    must(f, db_prepare(reader->db,
                       "SELECT (SELECT count(*) FROM job WHERE state IN (1, 2)) + (SELECT count(*) "
                       "FROM job_lease) + (SELECT count(*) FROM settlement_event) + (SELECT "
                       "count(*) FROM rejudging WHERE state IN (1, 2, 4, 6, 8))",
                       &stmt, &f->err));
    assert_int_equal(db_step(stmt, &f->err), DB_ROW);
    return db_i64(stmt, 0);
}

/* Only nodes work now, until nothing is left. */
static void judge_what_is_left(struct storm *storm) {
    struct client calm = {.storm = storm, .app = storm->apps[0], .role = ADMIN};
    struct client nodes[NODES];
    pthread_t threads[NODES];
    int64_t fewest = INT64_MAX;
    int64_t since_ms = clock_mono_ms(&clock_real);
    atomic_store(&storm->over, false);
    for (int i = 0; i < NODES; i++) {
        nodes[i] = (struct client){
            .storm = storm, .app = calm.app, .role = NODE, .number = i, .claims = 1u << 30};
        random_seeded_init(&nodes[i].dice, (uint64_t)i + 100);
        threads[i] = thread_start("client", client_main, &nodes[i]);
    }
    for (int64_t left = open_jobs(storm); left > 0; left = open_jobs(storm)) {
        int64_t now_ms = clock_mono_ms(&clock_real);
        since_ms = left >= fewest ? since_ms : now_ms;
        fewest = left < fewest ? left : fewest;
        if (now_ms - since_ms > 1000 * (int64_t)CALM_S_MAX || atomic_load(&storm->over)) {
            break;
        }
        calm.arena = arena_create(CLIENT_ARENA_BYTES);
        let_go(&calm);
        arena_free(calm.arena);
        clock_sleep_ms(&clock_real, 100);
    }
    atomic_store(&storm->over, true);
    for (int i = 0; i < NODES; i++) {
        thread_join(threads[i]);
    }
}

static void check_reconciled(struct storm *storm) {
    own(arena) arena = arena_create(CLIENT_ARENA_BYTES);
    struct reconcile_report report = {0};
    struct reconcile_request request = {.settled = true};
    must(storm->f,
         reconcile(storm->apps[0], &administrator, &request, arena, &report, &storm->f->err));
    for (int i = 0; i < report.finding_count; i++) {
        print_error(STR_FMT ": " STR_FMT " (%lld)\n", STR_ARG(report.findings[i].rule),
                    STR_ARG(report.findings[i].text), (long long)report.findings[i].count);
    }
    assert_int_equal(report.finding_count, 0);
}

static void print_counts(struct storm *storm) {
    for (int role = 0; role < PART_COUNT; role++) {
        print_message("%-40s %lld done, %lld refused\n", roles[role].name,
                      (long long)atomic_load(&storm->done[role]),
                      (long long)atomic_load(&storm->refused[role]));
    }
}

static void a_storm_of_64_clients_tells_nobody_of_locks_and_breaks_nothing(void **state) {
    struct fixture *f = *state;
    struct storm storm = {.f = f, .app_count = test_db_is_mysql() ? 2 : 1};
    mutex_init(&storm.mutex);
    exec(f, "INSERT INTO `user` VALUES (900, 'op', 'op', 'Op', 3, '', 0, 1, 0, 0)");
    make_group(f, 1, 12);
    for (int i = 0; i < NODES; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "n%d", i);
        storm.nodes[i] = make_node(f, name, 4, i % 2 == 0 ? "g1" : NULL);
    }
    reopen(f, true);
    storm.apps[0] = f->app;
    storm.apps[1] = storm.app_count > 1 ? open_beside(f, true) : NULL;
    for (int i = 0; i < NODES; i++) {
        open_real_session(f, &storm.nodes[i]);
    }

    blow(&storm);

    print_counts(&storm);
    if (storm.wrong[0] != '\0') {
        fail_msg("%s", storm.wrong);
    }
    app_close(storm.apps[1]);
    reopen(f, true);
    storm.apps[0] = f->app;
    judge_what_is_left(&storm);
    assert_string_equal(storm.wrong, "");
    check_reconciled(&storm);
    for (int role = 0; role < PART_COUNT; role++) {
        assert_true(atomic_load(&storm.done[role]) > 0);
    }
    reopen(f, false);
    mutex_done(&storm.mutex);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST_ON_DISK(a_storm_of_64_clients_tells_nobody_of_locks_and_breaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
