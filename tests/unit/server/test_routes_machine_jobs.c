/* Jobs over HTTP: claimed, fetched, reported, settled, failed, handed back. */
#include "node_fixture.h"

struct scene {
    struct person admin;
    struct person ann;
    struct fake_node node;
    int64_t problem;
};

static struct scene scene_of(struct fixture *f) {
    struct scene scene = {.admin = new_person(f, "eve", ROLE_ADMIN),
                          .ann = new_person(f, "ann", ROLE_STUDENT),
                          .problem = new_problem(f, "sum")};
    scene.node = new_node(f, &scene.admin, "n1");
    return scene;
}

static struct reply submission_of(struct fixture *f, const struct scene *scene,
                                  const struct fake_lease *lease) {
    return get(f, &scene->ann,
               arena_printf(f->arena, "/api/v1/submissions/%lld", (long long)lease->submission));
}

static struct reply artifact(struct fixture *f, const struct fake_node *node,
                             const struct fake_lease *lease, const char *digest) {
    const char *headers =
        arena_printf(f->arena,
                     "%sX-Assize-Session: %lld\r\nX-Assize-Lease-Epoch: %lld\r\n"
                     "X-Assize-Lease-Token: %s\r\n",
                     node->headers, (long long)node->epoch, (long long)lease->epoch, lease->token);
    return fixture_ask(
        f, &(struct ask){.path = arena_printf(f->arena, INTERNAL "jobs/%lld/artifacts/%s",
                                              (long long)lease->job, digest),
                         .headers = headers});
}

static void a_claim_tells_all_that_judging_needs(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);
    int64_t submission = submitted(f, &scene.ann, scene.problem);

    struct reply reply = node_claim(f, &scene.node, 1, 5000);

    expect(reply, 200);
    assert_int_equal(reply_i64(&reply, "jobs.0.submissionId"), submission);
    assert_true(reply_is(&reply, "jobs.0.submissionType", "ALGO"));
    assert_int_equal(reply_i64(&reply, "jobs.0.generation"), 1);
    assert_true(reply_is(&reply, "jobs.0.pool", "cpp"));
    assert_true(reply_is(&reply, "jobs.0.language", "cpp"));
    assert_true(reply_i64(&reply, "jobs.0.leaseEpoch") >= 1);
    assert_int_equal(reply_str(&reply, "jobs.0.leaseToken").len, 16);
    assert_in_range(reply_i64(&reply, "jobs.0.leaseRemainingMs"), 50000, 60000);
    assert_int_equal(reply_i64(&reply, "jobs.0.sourceBytes"), 12);
    assert_true(reply_i64(&reply, "jobs.0.limits.timeLimitMs") > 0);
    assert_true(reply_i64(&reply, "jobs.0.jobTotalMs") > 0);
    assert_true(reply_str(&reply, "jobs.0.traceId").len > 0);
}

static void the_same_claim_again_gives_the_same_lease(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);
    (void)submitted(f, &scene.ann, scene.problem);
    struct fake_lease first = node_claimed(f, &scene.node, 7);

    struct fake_lease second = node_claimed(f, &scene.node, 7);

    assert_int_equal(first.job, second.job);
    assert_string_equal(first.token, second.token);
}

static void a_claim_without_work_is_empty_after_its_wait(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);
    int64_t before_ms = clock_mono_ms(&clock_real);

    struct reply reply = node_claim(f, &scene.node, 1, 300);

    expect(reply, 200);
    assert_int_equal(jr_count(reply_at(&reply, "jobs")), 0);
    assert_true(clock_mono_ms(&clock_real) - before_ms >= 250);
}

static void a_waiting_claim_is_woken_by_a_submission(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);
    char body[256];
    int fd = ask_connect(f->port);
    (void)snprintf(body, sizeof body,
                   "{\"sessionEpoch\":%lld,\"claimId\":\"%016x\",\"freeSlots\":1,\"waitMs\":15000}",
                   (long long)scene.node.epoch, 5U);
    struct ask ask = {.method = "POST",
                      .path = INTERNAL "jobs/claim",
                      .headers = scene.node.headers,
                      .type = "application/json",
                      .body = str_from(body)};
    ask_begin(fd, &ask, f->arena);
    clock_sleep_ms(&clock_real, 50); /* usually parked by now; right either way */
    int64_t before_ms = clock_mono_ms(&clock_real);

    int64_t submission = submitted(f, &scene.ann, scene.problem);

    struct reply reply = fixture_finish(f, fd, &ask);
    assert_true(clock_mono_ms(&clock_real) - before_ms < 5000);
    expect(reply, 200);
    assert_int_equal(reply_i64(&reply, "jobs.0.submissionId"), submission);
}

static void a_node_that_is_gone_gets_no_job(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);
    struct fake_node alive = new_node(f, &scene.admin, "n2");
    int fd = ask_connect(f->port);
    struct ask ask = {.method = "POST",
                      .path = INTERNAL "jobs/claim",
                      .headers = scene.node.headers,
                      .type = "application/json",
                      .body = str_from(arena_printf(f->arena,
                                                    "{\"sessionEpoch\":%lld,\"claimId\":\"%016x\","
                                                    "\"freeSlots\":1,\"waitMs\":15000}",
                                                    (long long)scene.node.epoch, 9U))};
    ask_begin(fd, &ask, f->arena);
    clock_sleep_ms(&clock_real, 50);
    close(fd); /* killed while it waited */
    clock_sleep_ms(&clock_real, 1200);

    (void)submitted(f, &scene.ann, scene.problem);

    struct reply reply = node_claim(f, &alive, 1, 2000);
    expect(reply, 200);
    assert_int_equal(jr_count(reply_at(&reply, "jobs")), 1);
}

static void manifest_source_and_test_data_are_given_for_a_live_lease(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);
    (void)submitted(f, &scene.ann, scene.problem);
    struct fake_lease lease = node_claimed(f, &scene.node, 1);
    struct digest input = digest_of(STR("20 22\n"));
    char hex[DIGEST_HEX_BYTES];
    digest_hex(&input, hex);

    struct reply source = artifact(f, &scene.node, &lease, lease.source);
    struct reply manifest = artifact(f, &scene.node, &lease, lease.manifest);
    struct reply data = artifact(f, &scene.node, &lease, hex);

    expect(source, 200);
    assert_true(str_eq(source.body, STR("int main(){}")));
    assert_string_equal(header_of(f, &source, "Content-Length"), "12");
    assert_string_equal(header_of(f, &source, "ETag"),
                        arena_printf(f->arena, "\"%s\"", lease.source));
    assert_string_equal(header_of(f, &source, "Content-Type"), "application/octet-stream");
    expect(manifest, 200);
    struct digest digest = digest_of(manifest.body);
    char found[DIGEST_HEX_BYTES];
    digest_hex(&digest, found);
    assert_string_equal(found, lease.manifest);
    expect(data, 200);
    assert_true(str_eq(data.body, STR("20 22\n")));
}

static void artifacts_are_refused_without_the_lease(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);
    struct fake_node other = new_node(f, &scene.admin, "n2");
    (void)submitted(f, &scene.ann, scene.problem);
    struct fake_lease lease = node_claimed(f, &scene.node, 1);
    struct fake_lease wrong = lease;
    wrong.token[0] = wrong.token[0] == '0' ? '1' : '0';
    char unused[DIGEST_HEX_BYTES];
    struct digest digest = digest_of(STR("not a file of this job"));
    digest_hex(&digest, unused);

    struct reply token = artifact(f, &scene.node, &wrong, lease.source);
    struct reply node = artifact(f, &other, &lease, lease.source);
    struct reply file = artifact(f, &scene.node, &lease, unused);
    struct reply name = artifact(f, &scene.node, &lease, "..%2f..%2fetc%2fpasswd");
    struct reply headers = fixture_ask(
        f, &(struct ask){.path = arena_printf(f->arena, INTERNAL "jobs/%lld/artifacts/%s",
                                              (long long)lease.job, lease.source),
                         .headers = scene.node.headers});

    expect_error(token, 409, "lease_superseded");
    expect_error(node, 409, "lease_superseded");
    expect_error(file, 404, "no_artifact");
    assert_int_equal(name.status, 404);
    expect_error(headers, 400, "bad_parameter");
    node_settled(f, &scene.node, &lease, VERDICT_ACCEPTED);
    struct reply after = artifact(f, &scene.node, &lease, lease.source);
    assert_int_equal(after.status, 409);
}

static void a_result_settles_once_and_its_repetition_is_fine(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);
    (void)submitted(f, &scene.ann, scene.problem);
    struct fake_lease lease = node_claimed(f, &scene.node, 1);
    struct str result = result_text(f, VERDICT_ACCEPTED, 2);

    struct reply first = node_result(f, &scene.node, &lease, result, NULL);
    struct reply second = node_result(f, &scene.node, &lease, result, NULL);
    struct reply other =
        node_result(f, &scene.node, &lease, result_text(f, VERDICT_WRONG_ANSWER, 2), NULL);

    expect(first, 200);
    assert_true(reply_is(&first, "answer", "SETTLED"));
    expect(second, 200);
    assert_true(reply_is(&second, "answer", "ALREADY_SETTLED"));
    expect_error(other, 409, "digest_conflict");
    struct reply shown = submission_of(f, &scene, &lease);
    assert_true(reply_is(&shown, "verdict", "ACCEPTED"));
    assert_int_equal(reply_i64(&shown, "casesPassed"), 2);
    assert_int_equal(reply_i64(&shown, "cpuMs"), 6);
}

static void a_result_whose_digest_is_another_is_refused(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);
    (void)submitted(f, &scene.ann, scene.problem);
    struct fake_lease lease = node_claimed(f, &scene.node, 1);
    char zeros[DIGEST_HEX_BYTES] = {0};
    memset(zeros, '0', 64);

    struct reply reply =
        node_result(f, &scene.node, &lease, result_text(f, VERDICT_ACCEPTED, 2), zeros);

    expect_error(reply, 409, "digest_conflict");
    node_settled(f, &scene.node, &lease, VERDICT_ACCEPTED); /* nothing was stored */
}

static void a_result_that_contradicts_itself_is_refused(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);
    (void)submitted(f, &scene.ann, scene.problem);
    struct fake_lease lease = node_claimed(f, &scene.node, 1);

    struct reply missing_case =
        node_result(f, &scene.node, &lease, result_text(f, VERDICT_ACCEPTED, 1), NULL);
    struct reply no_job = node_post(f, &scene.node, "jobs/999999/result", "{}");
    struct reply bad_id = node_post(f, &scene.node, "jobs/x/result", "{}");

    expect_error(missing_case, 400, "bad_field");
    expect_error(no_job, 400, "bad_field"); /* it has no lease to look for */
    expect_error(bad_id, 404, "no_job");
    node_settled(f, &scene.node, &lease, VERDICT_ACCEPTED);
}

static void a_lease_that_ran_out_cannot_settle(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);
    (void)submitted(f, &scene.ann, scene.problem);
    struct fake_lease lease = node_claimed(f, &scene.node, 1);
    fixture_later(f, 61000);

    struct reply reply =
        node_result(f, &scene.node, &lease, result_text(f, VERDICT_ACCEPTED, 2), NULL);

    expect(reply, 409);
    assert_true(reply_is(&reply, "code", "lease_expired") ||
                reply_is(&reply, "code", "lease_superseded")); /* reaped already */
}

static void each_lease_is_renewed_by_itself(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);
    (void)submitted(f, &scene.ann, scene.problem);
    struct fake_lease lease = node_claimed(f, &scene.node, 1);
    struct fake_lease gone = lease;
    gone.job = 12345;
    fixture_later(f, 20000);

    struct reply reply =
        node_post(f, &scene.node, "jobs/renew", "{\"sessionEpoch\":%lld,\"leases\":[%s},%s}]}",
                  (long long)scene.node.epoch, lease_object(f, &lease), lease_object(f, &gone));

    expect(reply, 200);
    assert_int_equal(jr_count(reply_at(&reply, "leases")), 2);
    for (int i = 0; i < 2; i++) {
        const char *at = i == 0 ? "leases.0" : "leases.1";
        bool is_gone = reply_i64(&reply, arena_printf(f->arena, "%s.jobId", at)) == gone.job;
        assert_true(
            reply_is(&reply, arena_printf(f->arena, "%s.answer", at), is_gone ? "CONFLICT" : "GO"));
        if (!is_gone) {
            assert_in_range(reply_i64(&reply, arena_printf(f->arena, "%s.leaseRemainingMs", at)),
                            50000, 60000);
        }
    }
}

static void progress_is_shown_to_who_looks(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);
    (void)submitted(f, &scene.ann, scene.problem);
    struct fake_lease lease = node_claimed(f, &scene.node, 1);

    struct reply compiling =
        node_progress(f, &scene.node, &lease, 1,
                      "\"state\":\"COMPILING\",\"caseIndex\":null,\"casesTotal\":0,\"cases\":[]");
    struct reply shown = submission_of(f, &scene, &lease);
    struct reply judging = node_progress(
        f, &scene.node, &lease, 2,
        "\"state\":\"JUDGING\",\"caseIndex\":2,\"casesTotal\":2,\"cases\":[{\"index\":1,"
        "\"name\":\"sample/1\",\"sample\":true,\"verdict\":\"ACCEPTED\",\"cpuMs\":3,\"wallMs\":4,"
        "\"memoryKb\":100,\"message\":null}]");
    struct reply further = submission_of(f, &scene, &lease);

    expect(compiling, 204);
    assert_true(reply_is(&shown, "state", "COMPILING"));
    expect(judging, 204);
    assert_true(reply_is(&further, "state", "JUDGING"));
    assert_int_equal(reply_i64(&further, "caseIndex"), 2);
    assert_int_equal(jr_count(reply_at(&further, "cases")), 1);
}

static void a_failure_puts_the_job_back_and_blames_nobody(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);
    (void)submitted(f, &scene.ann, scene.problem);
    struct fake_lease lease = node_claimed(f, &scene.node, 1);

    struct reply reply =
        node_post(f, &scene.node, arena_printf(f->arena, "jobs/%lld/failure", (long long)lease.job),
                  "{%s,\"fault\":\"NODE\",\"code\":\"box_failed\",\"detail\":\"no cgroup\"}",
                  lease_members(f, &scene.node, &lease));

    expect(reply, 200);
    assert_true(reply_is(&reply, "answer", "REQUEUED"));
    struct reply shown = submission_of(f, &scene, &lease);
    assert_true(reply_is(&shown, "state", "PENDING"));
    assert_true(reply_is_null(&shown, "verdict"));
    struct reply again =
        node_post(f, &scene.node, arena_printf(f->arena, "jobs/%lld/failure", (long long)lease.job),
                  "{%s,\"fault\":\"NODE\",\"code\":\"box_failed\",\"detail\":\"no cgroup\"}",
                  lease_members(f, &scene.node, &lease));
    assert_int_equal(again.status, 409);
}

static void what_is_handed_back_is_claimed_again_at_once(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);
    (void)submitted(f, &scene.ann, scene.problem);
    struct fake_lease lease = node_claimed(f, &scene.node, 1);

    struct reply reply = node_post(f, &scene.node, "jobs/release",
                                   "{\"sessionEpoch\":%lld,\"leases\":[%s}],\"reason\":\"stops\"}",
                                   (long long)scene.node.epoch, lease_object(f, &lease));

    expect(reply, 200);
    assert_int_equal(reply_i64(&reply, "released"), 1);
    struct fake_lease next = node_claimed(f, &scene.node, 2);
    assert_int_equal(next.job, lease.job);
    assert_true(next.epoch > lease.epoch);
}

static void messages_about_jobs_are_read_strictly(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);
    static const char *const paths[] = {"jobs/claim",   "jobs/renew",    "jobs/progress",
                                        "jobs/release", "jobs/1/result", "jobs/1/failure"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct reply broken = node_post(f, &scene.node, paths[i], "{\"sessionEpoch\"");
        expect_error(broken, 400, "bad_json");
        struct reply empty = node_post(f, &scene.node, paths[i], "{}");
        expect_error(empty, 400, "bad_field");
        struct reply type =
            fixture_ask(f, &(struct ask){.method = "POST",
                                         .path = arena_printf(f->arena, INTERNAL "%s", paths[i]),
                                         .headers = scene.node.headers,
                                         .type = "text/plain",
                                         .body = STR("{}")});
        expect_error(type, 415, "wrong_content_type");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVER_TEST(a_claim_tells_all_that_judging_needs),
        SERVER_TEST(the_same_claim_again_gives_the_same_lease),
        SERVER_TEST(a_claim_without_work_is_empty_after_its_wait),
        SERVER_TEST(a_waiting_claim_is_woken_by_a_submission),
        SERVER_TEST(a_node_that_is_gone_gets_no_job),
        SERVER_TEST(manifest_source_and_test_data_are_given_for_a_live_lease),
        SERVER_TEST(artifacts_are_refused_without_the_lease),
        SERVER_TEST(a_result_settles_once_and_its_repetition_is_fine),
        SERVER_TEST(a_result_whose_digest_is_another_is_refused),
        SERVER_TEST(a_result_that_contradicts_itself_is_refused),
        SERVER_TEST(a_lease_that_ran_out_cannot_settle),
        SERVER_TEST(each_lease_is_renewed_by_itself),
        SERVER_TEST(progress_is_shown_to_who_looks),
        SERVER_TEST(a_failure_puts_the_job_back_and_blames_nobody),
        SERVER_TEST(what_is_handed_back_is_claimed_again_at_once),
        SERVER_TEST(messages_about_jobs_are_read_strictly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
