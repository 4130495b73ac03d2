/* Who may renew and settle, decided from facts alone. */
#include "domain/lease.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define NOW INT64_C(1000000)

struct scene {
    struct node node;
    struct job job;
    struct lease lease;
    struct lease_ref shown;
    uint8_t digest[JOB_DIGEST_BYTES];
};

static struct scene leased(void) {
    struct scene s = {
        .node = {.id = {3}, .session_epoch = 2, .config = NODE_ENABLED},
        .job = {.id = {7},
                .state = JOB_RUNNING,
                .attempts = 1,
                .lease_epoch = 5,
                .lease_token = 0xabc,
                .node = {3}},
        .lease = {.job = {7},
                  .node = {3},
                  .session_epoch = 2,
                  .epoch = 5,
                  .token = 0xabc,
                  .until_ms = NOW + 60000,
                  .stop_at_ms = NOW + 600000},
        .shown = {.job = {7}, .epoch = 5, .token = 0xabc},
    };
    memset(s.digest, 0x11, sizeof s.digest);
    return s;
}

static enum settle_answer settle(const struct scene *s, bool has_lease, int64_t now_ms,
                                 struct err *err) {
    struct settle_facts facts = {
        .node = &s->node,
        .job = &s->job,
        .lease = has_lease ? &s->lease : NULL,
        .current_job = {7},
        .shown = &s->shown,
        .digest = s->digest,
    };
    return settle_check(&facts, now_ms, err);
}

static void a_live_lease_settles(void **state) {
    (void)state;
    struct scene s = leased();
    struct err err = {0};

    assert_int_equal(settle(&s, true, NOW, &err), SETTLE_ACCEPT);
    assert_int_equal(settle(&s, true, NOW + 59999, &err), SETTLE_ACCEPT);
}

static void a_grant_ends_with_the_lease_or_the_whole_job(void **state) {
    (void)state;
    struct scene s = leased();
    struct lease_terms terms = {.lease_ms = 60000, .job_total_ms = 600000};

    struct lease lease = lease_grant(&s.job, &s.node, 9, &terms, NOW);
    assert_int_equal(lease.until_ms, NOW + 60000);
    assert_int_equal(lease.stop_at_ms, NOW + 600000);
    assert_int_equal(lease.epoch, 6);
    assert_int_equal(lease.session_epoch, 2);

    terms.job_total_ms = 10000;
    lease = lease_grant(&s.job, &s.node, 9, &terms, NOW);
    assert_int_equal(lease.until_ms, NOW + 10000);
}

static void whoever_shows_anything_else_is_refused(void **state) {
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct scene s = leased();
        struct err err = {0};
        s.shown.epoch += i == 0 ? 1 : 0;
        s.shown.epoch -= i == 1 ? 1 : 0;
        s.shown.token ^= i == 2 ? 1 : 0;
        s.node.id.value += i == 3 ? 1 : 0;
        s.node.session_epoch += i == 4 ? 1 : 0;
        s.lease.revoked = i == 5;

        assert_int_equal(settle(&s, true, NOW, &err), SETTLE_REFUSE);

        assert_int_equal(err.kind, ERR_CONFLICT);
        assert_string_equal(err.code, "lease_superseded");
    }
}

static void an_expired_lease_never_settles_reaped_or_not(void **state) {
    (void)state;
    struct scene s = leased();
    struct err err = {0};

    assert_int_equal(settle(&s, true, NOW + 60000, &err), SETTLE_REFUSE);
    assert_string_equal(err.code, "lease_expired");

    s.job.state = JOB_QUEUED;
    err = (struct err){0};
    assert_int_equal(settle(&s, false, NOW, &err), SETTLE_REFUSE);
    assert_string_equal(err.code, "lease_expired");
}

static void the_same_result_again_is_already_settled(void **state) {
    (void)state;
    struct scene s = leased();
    struct err err = {0};
    s.job.state = JOB_COMPLETED;
    s.job.has_digest = true;
    memcpy(s.job.digest, s.digest, JOB_DIGEST_BYTES);

    assert_int_equal(settle(&s, false, NOW + 999999, &err), SETTLE_ALREADY);

    s.digest[31] ^= 1;
    assert_int_equal(settle(&s, false, NOW, &err), SETTLE_REFUSE);
    assert_string_equal(err.code, "digest_conflict");
    s.digest[31] ^= 1;
    s.shown.token++;
    assert_int_equal(settle(&s, false, NOW, &err), SETTLE_REFUSE);
    assert_string_equal(err.code, "lease_superseded");
}

static void a_superseded_or_closed_job_never_settles(void **state) {
    (void)state;
    struct scene s = leased();
    struct err err = {0};
    struct settle_facts facts = {.node = &s.node,
                                 .job = &s.job,
                                 .lease = &s.lease,
                                 .current_job = {8},
                                 .shown = &s.shown,
                                 .digest = s.digest};

    assert_int_equal(settle_check(&facts, NOW, &err), SETTLE_REFUSE);
    assert_string_equal(err.code, "job_superseded");

    facts.current_job = s.job.id;
    s.job.state = JOB_CANCELLED;
    assert_int_equal(settle_check(&facts, NOW, &err), SETTLE_REFUSE);
    assert_string_equal(err.code, "job_superseded");
    s.job.state = JOB_FAILED;
    assert_int_equal(settle_check(&facts, NOW, &err), SETTLE_REFUSE);
}

static void a_renewal_is_answered_by_its_lease(void **state) {
    (void)state;
    struct scene s = leased();

    assert_int_equal(renew_check(&s.lease, &s.node, &s.shown, NOW), RENEW_GO);
    assert_int_equal(renew_check(&s.lease, &s.node, &s.shown, NOW + 60000), RENEW_CONFLICT);
    assert_int_equal(renew_check(&s.lease, &s.node, &s.shown, NOW + 600000), RENEW_STOP);
    assert_int_equal(renew_check(NULL, &s.node, &s.shown, NOW), RENEW_CONFLICT);
    s.lease.revoked = true;
    assert_int_equal(renew_check(&s.lease, &s.node, &s.shown, NOW), RENEW_STOP);
    s.shown.epoch--;
    assert_int_equal(renew_check(&s.lease, &s.node, &s.shown, NOW), RENEW_CONFLICT);
}

static void a_renewed_lease_never_outlives_its_job(void **state) {
    (void)state;
    struct scene s = leased();
    s.lease.stop_at_ms = NOW + 70000;

    assert_int_equal(lease_renewed_until(&s.lease, 60000, NOW + 5000), NOW + 65000);
    assert_int_equal(lease_renewed_until(&s.lease, 60000, NOW + 50000), NOW + 70000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_live_lease_settles),
        cmocka_unit_test(a_grant_ends_with_the_lease_or_the_whole_job),
        cmocka_unit_test(whoever_shows_anything_else_is_refused),
        cmocka_unit_test(an_expired_lease_never_settles_reaped_or_not),
        cmocka_unit_test(the_same_result_again_is_already_settled),
        cmocka_unit_test(a_superseded_or_closed_job_never_settles),
        cmocka_unit_test(a_renewal_is_answered_by_its_lease),
        cmocka_unit_test(a_renewed_lease_never_outlives_its_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
