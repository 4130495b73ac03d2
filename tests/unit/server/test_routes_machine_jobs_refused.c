/* Every machine call in each way that it can be wrong, over HTTP: status and code are right, the
 * node's events have a row, and nothing else in the whole database has changed. */
#include "node_fixture.h"

#define EVENT_PATIENCE_MS 10000
#define NEVER_MS INT64_C(3600000)

enum machine_call {
    CLAIM,
    HEARTBEAT,
    RENEW,
    PROGRESS,
    RESULT,
    FAILURE,
    RELEASE,
    ARTIFACT,
    CALL_COUNT,
};
static const char *const call_names[] = {"claim",  "heartbeat", "renew",   "progress",
                                         "result", "failure",   "release", "artifact"};

enum wrong {
    WRONG_CREDENTIAL,
    OTHER_NODE,
    OTHER_POOL,
    OLD_SESSION,
    OLD_EPOCH,
    WRONG_TOKEN,
    UNKNOWN_JOB,
    EXPIRED, /* last: time does not go back */
    WRONG_COUNT,
};
static const char *const wrong_names[] = {
    "a wrong credential", "another node's job", "another pool's job", "an old session epoch",
    "an old lease epoch", "a wrong token",      "an unknown job",     "an expired lease"};

struct answer {
    int status; /* 0: the call cannot be wrong in this way; 200: each item is answered by itself */
    const char *code;
};
#define SUPERSEDED                                                                                 \
    { 409, "lease_superseded" }
#define SESSION                                                                                    \
    { 409, "session_superseded" }
#define EXPIRED_LEASE                                                                              \
    { 409, "lease_expired" }
#define UNKNOWN                                                                                    \
    { 401, "bad_credential" }
#define NO_JOB                                                                                     \
    { 404, "no_job" }
#define BY_ITEM                                                                                    \
    { 200, NULL }
#define NONE                                                                                       \
    { 0, NULL }

/* clang-format off */
static const struct answer answers[CALL_COUNT][WRONG_COUNT] = {
    /*            credential other node  other pool  session  epoch       token       job         expired */
    [CLAIM]     = {UNKNOWN,  NONE,       NONE,       SESSION, NONE,       NONE,       NONE,       NONE},
    [HEARTBEAT] = {UNKNOWN,  NONE,       NONE,       SESSION, NONE,       NONE,       NONE,       NONE},
    [RENEW]     = {UNKNOWN,  BY_ITEM,    BY_ITEM,    SESSION, BY_ITEM,    BY_ITEM,    BY_ITEM,    BY_ITEM},
    [PROGRESS]  = {UNKNOWN,  SUPERSEDED, SUPERSEDED, SESSION, SUPERSEDED, SUPERSEDED, SUPERSEDED, EXPIRED_LEASE},
    [RESULT]    = {UNKNOWN,  SUPERSEDED, SUPERSEDED, SESSION, SUPERSEDED, SUPERSEDED, NO_JOB,     EXPIRED_LEASE},
    [FAILURE]   = {UNKNOWN,  SUPERSEDED, SUPERSEDED, SESSION, SUPERSEDED, SUPERSEDED, NO_JOB,     EXPIRED_LEASE},
    [RELEASE]   = {UNKNOWN,  BY_ITEM,    BY_ITEM,    SESSION, BY_ITEM,    BY_ITEM,    BY_ITEM,    BY_ITEM},
    [ARTIFACT]  = {UNKNOWN,  SUPERSEDED, SUPERSEDED, SESSION, SUPERSEDED, SUPERSEDED, NO_JOB,     EXPIRED_LEASE},
};
/* clang-format on */

struct scene {
    struct person admin;
    struct person ann;
    struct fake_node node; /* holds the lease, in its second session */
    struct fake_node peer;
    struct fake_node stranger; /* of another pool */
    struct fake_lease lease;   /* the second of its job */
    struct db *db;             /* to look with */
};

/* ---- the whole database ---- */

/* What passes with time, whatever nodes ask, and what is looked at apart. */
#define LEFT_OUT                                                                                   \
    "'node_event', 'audit_log', 'node_beat', 'clock_guard', 'id_block', 'maintenance_lease', "     \
    "'server_beat', 'user_session', 'queue', 'queue_lane', 'job_progress'"

static const char *text_of(struct fixture *f, struct db *db, const char *sql) {
    struct db_stmt *stmt = NULL;
    struct err err = {0};
    if (!db_prepare(db, sql, &stmt, &err) || db_step(stmt, &err) != DB_ROW) {
        fail_msg("%s: %s", sql, err.text);
    }
    const char *text = arena_cstr(f->arena, db_text(stmt, 0));
    db_stmt_release(stmt);
    return text;
}

/* How each database tells of its tables, and of one table's rows as text. */
struct looking {
    const char *tables;
    const char *columns; /* of the table named behind it: an expression for one line */
    const char *lines;
    const char *behind;
};

static const struct looking looks[] = {
    {"SELECT group_concat(name, char(10)) FROM sqlite_schema WHERE type = 'table' AND name NOT IN "
     "(" LEFT_OUT ")",
     "SELECT group_concat('quote(`' || name || '`)', '|| '','' ||') FROM pragma_table_info(",
     "SELECT coalesce(group_concat(line, char(10)), '') FROM (SELECT %s AS line FROM `%s` ORDER BY "
     "1)",
     ")"},
    {"SELECT group_concat(table_name SEPARATOR '\n') FROM information_schema.tables WHERE "
     "table_schema = database() AND table_name NOT IN (" LEFT_OUT ")",
     "SELECT concat('concat_ws('','', ', group_concat(concat('coalesce(hex(`', column_name, "
     "'`), ''NULL'')')), ')') FROM information_schema.columns WHERE table_schema = database() AND "
     "table_name = ",
     "SELECT coalesce(group_concat(line ORDER BY line SEPARATOR '\n'), '') FROM (SELECT %s AS line "
     "FROM `%s`) x",
     ""},
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static const char *dump_table(struct fixture *f, struct db *db, const char *table) {
    const struct looking *look = &looks[test_db_is_mysql()];
    const char *line =
        text_of(f, db, arena_printf(f->arena, "%s'%s'%s", look->columns, table, look->behind));
    return text_of(f, db, arena_printf(f->arena, look->lines, line, table));
}
#pragma GCC diagnostic pop

static const char *dump(struct fixture *f, struct db *db) {
    struct str tables = str_from(text_of(f, db, looks[test_db_is_mysql()].tables));
    struct str table = {0};
    const char *all = "";
    while (str_next_line(&tables, &table)) {
        all = arena_printf(f->arena, "%s" STR_FMT ":\n%s\n", all, STR_ARG(table),
                           dump_table(f, db, arena_cstr(f->arena, table)));
    }
    return all;
}

static void expect_same(const char *before, const char *after, const char *what) {
    struct str old = str_from(before);
    struct str new = str_from(after);
    struct str old_line = {0};
    struct str new_line = {0};
    while (str_next_line(&old, &old_line) && str_next_line(&new, &new_line)) {
        if (!str_eq(old_line, new_line)) {
            fail_msg("%s changed the database:\n- " STR_FMT "\n+ " STR_FMT, what, STR_ARG(old_line),
                     STR_ARG(new_line));
        }
    }
    assert_string_equal(before, after);
}

static int64_t count_events(const struct scene *scene) {
    struct db_stmt *stmt = NULL;
    struct err err = {0};
    if (!db_prepare(scene->db, "SELECT count(*) FROM node_event WHERE event LIKE '%.refused'",
                    &stmt, &err)) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(db_step(stmt, &err), DB_ROW);
    int64_t count = db_i64(stmt, 0);
    db_stmt_release(stmt);
    return count;
}

/* The row is written by itself, soon. */
static void expect_event(const struct scene *scene, int64_t before, const char *what) {
    int64_t until_ms = clock_mono_ms(&clock_real) + EVENT_PATIENCE_MS;
    while (count_events(scene) == before && clock_mono_ms(&clock_real) < until_ms) {
        clock_sleep_ms(&clock_real, 1);
    }
    if (count_events(scene) != before + 1) {
        fail_msg("%s: %lld new rows in the node's events", what,
                 (long long)(count_events(scene) - before));
    }
}

/* ---- the calls ---- */

static struct reply ask_artifact(struct fixture *f, const struct fake_node *node,
                                 const struct fake_lease *lease) {
    const char *headers =
        arena_printf(f->arena,
                     "%sX-Assize-Session: %lld\r\nX-Assize-Lease-Epoch: %lld\r\n"
                     "X-Assize-Lease-Token: %s\r\n",
                     node->headers, (long long)node->epoch, (long long)lease->epoch, lease->token);
    const char *path = arena_printf(f->arena, INTERNAL "jobs/%lld/artifacts/%s",
                                    (long long)lease->job, lease->source);
    return fixture_ask(f, &(struct ask){.path = path, .headers = headers});
}

static struct reply ask_call(struct fixture *f, enum machine_call call,
                             const struct fake_node *node, const struct fake_lease *lease) {
    const char *members = lease_members(f, node, lease);
    switch (call) {
    case CLAIM: return node_claim(f, node, 99, 0);
    case HEARTBEAT: return node_beat(f, node);
    case RENEW:
        return node_post(f, node, "jobs/renew", "{\"sessionEpoch\":%lld,\"leases\":[%s}]}",
                         (long long)node->epoch, lease_object(f, lease));
    case PROGRESS:
        return node_progress(
            f, node, lease, 5,
            "\"state\":\"COMPILING\",\"caseIndex\":null,\"casesTotal\":0,\"cases\":[]");
    case RESULT: return node_result(f, node, lease, result_text(f, VERDICT_ACCEPTED, 2), NULL);
    case FAILURE:
        return node_post(f, node,
                         arena_printf(f->arena, "jobs/%lld/failure", (long long)lease->job),
                         "{%s,\"fault\":\"NODE\",\"code\":\"x\",\"detail\":\"y\"}", members);
    case RELEASE:
        return node_post(f, node, "jobs/release",
                         "{\"sessionEpoch\":%lld,\"leases\":[%s}],\"reason\":\"stops\"}",
                         (long long)node->epoch, lease_object(f, lease));
    case ARTIFACT: return ask_artifact(f, node, lease);
    case CALL_COUNT: break;
    }
    fail();
    return (struct reply){0};
}

static void make_wrong(const struct scene *scene, enum wrong wrong, struct fake_node *node,
                       struct fake_lease *lease) {
    switch (wrong) {
    case WRONG_CREDENTIAL: node->headers = "Authorization: Bearer not-a-credential\r\n"; break;
    case OTHER_NODE: *node = scene->peer; break;
    case OTHER_POOL: *node = scene->stranger; break;
    case OLD_SESSION: node->epoch--; break;
    case OLD_EPOCH: lease->epoch--; break;
    case WRONG_TOKEN: lease->token[0] = lease->token[0] == '0' ? '1' : '0'; break;
    case UNKNOWN_JOB: lease->job = 999999; break;
    case EXPIRED:
    case WRONG_COUNT: break;
    }
}

static void expect_by_item(enum machine_call call, const struct reply *reply, const char *what) {
    bool refused = call == RENEW ? reply_is(reply, "leases.0.answer", "CONFLICT")
                                 : reply_i64(reply, "released") == 0;
    if (!refused) {
        fail_msg("%s: " STR_FMT, what, STR_ARG(reply->body));
    }
}

static void try_one(struct fixture *f, struct scene *scene, enum machine_call call,
                    enum wrong wrong) {
    const struct answer *expected = &answers[call][wrong];
    struct fake_node node = scene->node;
    struct fake_lease lease = scene->lease;
    const char *what = arena_printf(f->arena, "%s with %s", call_names[call], wrong_names[wrong]);
    if (expected->status == 0) {
        return;
    }
    make_wrong(scene, wrong, &node, &lease);
    const char *before = dump(f, scene->db);
    int64_t events = count_events(scene);

    struct reply reply = ask_call(f, call, &node, &lease);

    if (reply.status != expected->status ||
        (expected->code != NULL && !reply_is(&reply, "code", expected->code))) {
        fail_msg("%s: %d " STR_FMT, what, reply.status, STR_ARG(reply.body));
    }
    if (expected->status == 200) {
        expect_by_item(call, &reply, what);
    }
    if (wrong != WRONG_CREDENTIAL) { /* nobody's events: anybody could fill the table */
        expect_event(scene, events, what);
    }
    expect_same(before, dump(f, scene->db), what);
}

/* ---- the scene ---- */

static struct fake_node python_node(struct fixture *f, const struct person *admin) {
    struct fake_node node = {0};
    struct reply reply = send_json(f, admin, "POST", "/api/v1/admin/judgers",
                                   "{\"name\":\"p1\",\"pool\":\"python\",\"slots\":2}");
    expect(reply, 201);
    node.id = reply_i64(&reply, "judger.id");
    node.join_code = arena_cstr(f->arena, reply_str(&reply, "joinCode"));
    node_joined(f, &node);
    node_opened(f, &node);
    return node;
}

static struct scene scene_of(struct fixture *f) {
    struct scene scene = {.admin = new_person(f, "eve", ROLE_ADMIN),
                          .ann = new_person(f, "ann", ROLE_STUDENT)};
    int64_t problem = new_problem(f, "sum");
    struct db_options look = {.path = arena_printf(f->arena, "%s/assize.db", f->folder),
                              .mysql = test_db(),
                              .clock = &f->clock,
                              .read_only = true};
    scene.node = new_node(f, &scene.admin, "n1");
    scene.peer = new_node(f, &scene.admin, "n2");
    scene.stranger = python_node(f, &scene.admin);
    node_opened(f, &scene.node); /* again: so there is an older session */
    (void)submitted(f, &scene.ann, problem);
    struct fake_lease first = node_claimed(f, &scene.node, 1);
    struct reply back = ask_call(f, RELEASE, &scene.node, &first);
    expect(back, 200);
    scene.lease = node_claimed(f, &scene.node, 2);
    assert_true(scene.lease.job == first.job && scene.lease.epoch == first.epoch + 1);
    assert_true(db_open(&look, &scene.db, &f->err));
    return scene;
}

static int setup(void **state) {
    struct fixture *f = fixture_create();
    f->settings.reap_ms = NEVER_MS; /* what changes shall be the calls' doing */
    fixture_open(f);
    *state = f;
    return 0;
}

/* ---- the tests ---- */

static void what_is_not_a_nodes_changes_nothing_and_is_noted(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);

    for (int wrong = 0; wrong < EXPIRED; wrong++) {
        for (int call = 0; call < CALL_COUNT; call++) {
            try_one(f, &scene, (enum machine_call)call, (enum wrong)wrong);
        }
    }
    fixture_later(f, 61000);
    for (int call = 0; call < CALL_COUNT; call++) {
        try_one(f, &scene, (enum machine_call)call, EXPIRED);
    }
    db_close(scene.db);
}

struct bad_result {
    const char *what;
    struct str text;
    const char *digest; /* NULL: the right one */
    struct answer expected;
};

static void results_that_cannot_be_right_change_nothing_and_are_noted(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);
    struct str good = result_text(f, VERDICT_ACCEPTED, 2);
    char *more = arena_alloc(f->arena, good.len + 1);
    memcpy(more, good.ptr, good.len);
    char *total = strstr(more, "\"casesTotal\":2");
    assert_non_null(total);
    total[strlen("\"casesTotal\":")] = '3';
    char zeros[DIGEST_HEX_BYTES] = {0};
    memset(zeros, '0', 64);
    const struct bad_result results[] = {
        {"a missing case", result_text(f, VERDICT_ACCEPTED, 1), NULL, {400, "bad_field"}},
        {"a case more than there are", str_of(more, good.len), NULL, {400, "bad_field"}},
        {"another digest", good, zeros, {409, "digest_conflict"}},
    };
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
        const char *before = dump(f, scene.db);
        int64_t events = count_events(&scene);

        struct reply reply =
            node_result(f, &scene.node, &scene.lease, results[i].text, results[i].digest);

        if (reply.status != results[i].expected.status ||
            !reply_is(&reply, "code", results[i].expected.code)) {
            fail_msg("%s: %d " STR_FMT, results[i].what, reply.status, STR_ARG(reply.body));
        }
        expect_event(&scene, events, results[i].what);
        expect_same(before, dump(f, scene.db), __func__);
    }
    node_settled(f, &scene.node, &scene.lease, VERDICT_ACCEPTED); /* the right one still counts */
    db_close(scene.db);
}

static void a_result_over_its_limit_is_refused_and_changes_nothing(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);
    size_t bytes = (size_t)MACHINE_RESULT_BYTES_MAX + 1;
    char *body = arena_alloc(f->arena, bytes);
    memset(body, ' ', bytes);
    const char *before = dump(f, scene.db);

    struct reply reply =
        fixture_ask(f, &(struct ask){.method = "POST",
                                     .path = arena_printf(f->arena, INTERNAL "jobs/%lld/result",
                                                          (long long)scene.lease.job),
                                     .headers = scene.node.headers,
                                     .type = "application/json",
                                     .body = str_of(body, bytes)});

    expect(reply, 413);
    expect_same(before, dump(f, scene.db), __func__);
    node_settled(f, &scene.node, &scene.lease, VERDICT_ACCEPTED);
    db_close(scene.db);
}

/* Late reports are what a network does; they are passed over. */
static void progress_never_goes_backwards(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);
    const char *path =
        arena_printf(f->arena, "/api/v1/submissions/%lld", (long long)scene.lease.submission);
    struct reply newer =
        node_progress(f, &scene.node, &scene.lease, 7,
                      "\"state\":\"JUDGING\",\"caseIndex\":2,\"casesTotal\":2,\"cases\":[]");
    expect(newer, 204);
    const char *before = dump(f, scene.db);

    struct reply older =
        node_progress(f, &scene.node, &scene.lease, 6,
                      "\"state\":\"JUDGING\",\"caseIndex\":1,\"casesTotal\":2,\"cases\":[]");

    expect(older, 204);
    struct reply shown = get(f, &scene.ann, path);
    assert_int_equal(reply_i64(&shown, "caseIndex"), 2);
    expect_same(before, dump(f, scene.db), __func__);
    db_close(scene.db);
}

#define REFUSED_TEST(name) cmocka_unit_test_setup_teardown(name, setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        REFUSED_TEST(what_is_not_a_nodes_changes_nothing_and_is_noted),
        REFUSED_TEST(results_that_cannot_be_right_change_nothing_and_are_noted),
        REFUSED_TEST(a_result_over_its_limit_is_refused_and_changes_nothing),
        REFUSED_TEST(progress_never_goes_backwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
