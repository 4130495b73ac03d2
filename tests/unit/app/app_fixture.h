#ifndef APP_FIXTURE_H
#define APP_FIXTURE_H

/* What users and nodes ask of the app of app_world.h: each call steps until it is answered. */
#include "app/app_world.h"

/* ---- requests ---- */

/* `sql` has static storage, as for db_prepare. */
static inline int64_t query_of(struct fixture *f, const char *sql, int64_t id) {
    own(db_stmt) stmt = NULL;
    must(f, db_prepare(f->app->db, sql, &stmt, &f->err));
    db_bind_i64(stmt, 1, id);
    if (db_step(stmt, &f->err) != DB_ROW) {
        fail_msg("no row: %s", sql);
    }
    return db_i64(stmt, 0);
}

static inline void note_done(struct write_item *item) {
    *(bool *)item->context = true;
}

/* Steps until the item is done. */
#define AWAIT(f, request, call)                                                                    \
    do {                                                                                           \
        bool done_ = false;                                                                        \
        (request)->item.done = note_done;                                                          \
        (request)->item.context = &done_;                                                          \
        call;                                                                                      \
        while (!done_ && app_step((f)->app)) {                                                     \
        }                                                                                          \
        assert_true(done_);                                                                        \
    } while (0)

static inline struct submit_request submit_keyed(struct fixture *f, int user, const char *source,
                                                 const char *key) {
    struct submit_request request = {.actor = user_actor(user),
                                     .problem = {1},
                                     .language = STR("cpp"),
                                     .source = str_from(source),
                                     .request_id = str_from(key)};
    AWAIT(f, &request, submission_submit(f->app, &request));
    return request;
}

static inline struct submission_id submit(struct fixture *f, int user) {
    struct submit_request request = submit_keyed(f, user, "int main() {}", NULL);
    f->err = request.item.err;
    must(f, request.item.ok);
    return request.submission;
}

static inline struct submission_id submit_from(struct fixture *f, int user,
                                               enum submission_origin origin) {
    struct submit_request request = {.actor = user_actor(user),
                                     .problem = {1},
                                     .language = STR("cpp"),
                                     .source = STR("int main() {}"),
                                     .origin = origin};
    AWAIT(f, &request, submission_submit(f->app, &request));
    f->err = request.item.err;
    must(f, request.item.ok);
    return request.submission;
}

static inline struct node_registered register_node(struct fixture *f, const char *name,
                                                   int32_t slots, const char *group) {
    struct node_register_request request = {.name = str_from(name),
                                            .pool = STR("cpp"),
                                            .slots = slots,
                                            .host_group = str_from(group),
                                            .enable = true};
    struct node_registered registered = {0};
    must(f, judger_register(f->app, &the_system, &request, f->arena, &registered, &f->err));
    return registered;
}

static inline struct session_request open_session(struct fixture *f, const struct actor *actor,
                                                  bool passed) {
    static const struct node_language languages[] = {{STR("cpp"), STR("g++ 12")}};
    struct session_request request = {.actor = *actor,
                                      .version = STR("0.1"),
                                      .slots = 4,
                                      .languages = languages,
                                      .language_count = 1,
                                      .self_test_passed = passed,
                                      .self_test_detail = STR("as expected"),
                                      .config_digest = STR("aa")};
    AWAIT(f, &request, dispatch_session(f->app, &request));
    return request;
}

static inline struct test_node join_node(struct fixture *f, const char *join_code) {
    struct test_node node = {0};
    struct join_request join = {
        .join_code = str_from(join_code), .protocol_version = 1, .name = STR("n")};
    AWAIT(f, &join, dispatch_join(f->app, &join));
    f->err = join.item.err;
    must(f, join.item.ok);
    memcpy(node.credential, join.credential, sizeof node.credential);
    must(f, dispatch_authenticate(f->app, str_from(join.credential), &node.actor, &f->err));
    return node;
}

/* Registered, joined, with a session, and enabled. */
static inline struct test_node make_node(struct fixture *f, const char *name, int32_t slots,
                                         const char *group) {
    struct node_registered registered = register_node(f, name, slots, group);
    struct test_node node = join_node(f, registered.join_code);
    struct session_request session = open_session(f, &node.actor, true);
    f->err = session.item.err;
    must(f, session.item.ok);
    node.epoch = session.session_epoch;
    return node;
}

static inline void make_group(struct fixture *f, int id, int slots) {
    char sql[200];
    (void)snprintf(sql, sizeof sql, "INSERT INTO host_group VALUES (%d, 'g%d', %d, 1)", id, id,
                   slots);
    exec(f, sql);
}

static inline struct claim_request claim_with(struct fixture *f, const struct test_node *node,
                                              int32_t free_slots, uint64_t claim_id) {
    struct claim_request request = {.actor = node->actor,
                                    .session_epoch = node->epoch,
                                    .claim_id = claim_id,
                                    .free_slots = free_slots,
                                    .arena = f->arena};
    AWAIT(f, &request, dispatch_claim(f->app, &request));
    return request;
}

static inline struct claim_request claim(struct fixture *f, const struct test_node *node,
                                         int32_t free_slots) {
    return claim_with(f, node, free_slots, ++f->claims);
}

/* The one job that there must be. */
static inline struct claimed_job claim_one(struct fixture *f, const struct test_node *node) {
    struct claim_request request = claim(f, node, 1);
    f->err = request.item.err;
    must(f, request.item.ok);
    assert_int_equal(request.job_count, 1);
    return request.jobs[0];
}

static inline struct judgement judge(struct fixture *f, enum verdict verdict) {
    struct judgement judgement = {.cases_total = CASES,
                                  .compile = {.ran = true, .ok = true, .log = STR("")},
                                  .language = STR("cpp"),
                                  .language_version = STR("12.2")};
    bool accepted = verdict == VERDICT_ACCEPTED;
    judgement.verdict = verdict;
    judgement.case_count = accepted ? CASES : 2;
    judgement.cases_passed = accepted ? CASES : 1;
    judgement.score_micro = accepted ? SCORE_FULL_MICRO : 0;
    judgement.cases = arena_array(f->arena, CASES, sizeof judgement.cases[0]);
    for (int i = 0; i < judgement.case_count; i++) {
        judgement.cases[i] = (struct case_result){
            .index = i,
            .name = str_from(case_names[i]),
            .sample = i == 0,
            .verdict = accepted || i == 0 ? VERDICT_ACCEPTED : verdict,
            .cpu_ms = 10 * (i + 1),
            .wall_ms = 20,
            .memory_kib = 1000,
            .message = STR("said so"),
            .staff = STR("expected 5"),
        };
    }
    return judgement;
}

static inline struct settle_request settle_as(struct fixture *f, const struct test_node *node,
                                              const struct lease_ref *lease, enum verdict verdict,
                                              const char *bytes) {
    struct judgement *judgement = arena_new(f->arena, struct judgement);
    *judgement = judge(f, verdict);
    struct settle_request request = {.actor = node->actor,
                                     .session_epoch = node->epoch,
                                     .lease = *lease,
                                     .result = str_from(bytes),
                                     .judgement = judgement};
    struct digest digest = digest_of(request.result);
    memcpy(request.digest, digest.bytes, 32);
    AWAIT(f, &request, dispatch_settle(f->app, &request));
    return request;
}

static inline struct settle_request settle(struct fixture *f, const struct test_node *node,
                                           const struct lease_ref *lease, enum verdict verdict) {
    return settle_as(f, node, lease, verdict, verdict_code(verdict));
}

static inline struct renew_item renew(struct fixture *f, const struct test_node *node,
                                      const struct lease_ref *lease) {
    struct renew_item item = {.lease = *lease};
    struct renew_request request = {
        .actor = node->actor, .session_epoch = node->epoch, .items = &item, .count = 1};
    AWAIT(f, &request, dispatch_renew(f->app, &request));
    f->err = request.item.err;
    must(f, request.item.ok);
    return item;
}

static inline struct heartbeat_request beat(struct fixture *f, const struct test_node *node) {
    struct heartbeat_request request = {.actor = node->actor, .session_epoch = node->epoch};
    AWAIT(f, &request, dispatch_heartbeat(f->app, &request));
    return request;
}

static inline struct failure_request report_failure(struct fixture *f, const struct test_node *node,
                                                    const struct lease_ref *lease,
                                                    enum fault fault) {
    struct failure_request request = {.actor = node->actor,
                                      .session_epoch = node->epoch,
                                      .lease = *lease,
                                      .fault = fault,
                                      .code = STR("sandbox_failed"),
                                      .detail = STR("no cgroup")};
    AWAIT(f, &request, dispatch_failure(f->app, &request));
    return request;
}

static inline int release(struct fixture *f, const struct test_node *node,
                          const struct lease_ref *lease) {
    struct release_request request = {
        .actor = node->actor, .session_epoch = node->epoch, .leases = lease, .count = 1};
    AWAIT(f, &request, dispatch_release(f->app, &request));
    f->err = request.item.err;
    must(f, request.item.ok);
    return request.released;
}

static inline struct submission_view view(struct fixture *f, struct submission_id id) {
    struct submission_view shown = {0};
    must(f, submission_get(f->app, &administrator, id, f->arena, &shown, &f->err));
    return shown;
}

#define APP_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define APP_TEST_ON_DISK(name) cmocka_unit_test_setup_teardown(name, setup_on_disk, teardown)

#endif
