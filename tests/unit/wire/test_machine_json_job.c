#include "wire/machine_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define DIGEST "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define LEASE "\"jobId\":381,\"leaseEpoch\":2,\"leaseToken\":\"00ff1234567890ab\""

static const char claim_text[] =
    "{\"sessionEpoch\":3,\"claimId\":\"0000000000000001\",\"freeSlots\":2,\"waitMs\":15000}";

static const char jobs_text[] =
    "{\"jobs\":[{\"jobId\":381,\"submissionType\":\"ALGO\",\"submissionId\":204,\"generation\":1,"
    "\"pool\":\"java\",\"leaseEpoch\":2,\"leaseToken\":\"00ff1234567890ab\","
    "\"leaseRemainingMs\":59000,\"manifestId\":\"" DIGEST "\",\"runtimeSpec\":\"java17-r1\","
    "\"language\":\"java\",\"sourceDigest\":\"" DIGEST "\",\"sourceBytes\":17,"
    "\"limits\":{\"timeLimitMs\":1000,\"memoryLimitMb\":256,\"outputKb\":8192},"
    "\"jobTotalMs\":60000,\"traceId\":\"trace_204_0a1b2c3d\"}]}";

static const char renew_text[] = "{\"sessionEpoch\":3,\"leases\":[{" LEASE "}]}";

static const char renewed_text[] =
    "{\"leases\":[{\"jobId\":1,\"answer\":\"GO\",\"leaseRemainingMs\":60000},"
    "{\"jobId\":2,\"answer\":\"STOP\",\"leaseRemainingMs\":0},"
    "{\"jobId\":3,\"answer\":\"CONFLICT\",\"leaseRemainingMs\":0}]}";

static const char progress_text[] =
    "{\"sessionEpoch\":3,\"items\":[{" LEASE ",\"sequence\":2,\"state\":\"JUDGING\","
    "\"caseIndex\":2,\"casesTotal\":3,\"cases\":[{\"index\":1,\"name\":\"sample/1\","
    "\"sample\":true,\"verdict\":\"ACCEPTED\",\"cpuMs\":1,\"wallMs\":2,\"memoryKb\":3,"
    "\"message\":null}]},"
    "{" LEASE ",\"sequence\":1,\"state\":\"COMPILING\",\"caseIndex\":null,\"casesTotal\":3,"
    "\"cases\":[]}]}";

static const char release_text[] =
    "{\"sessionEpoch\":3,\"leases\":[{" LEASE "}],\"reason\":\"stopping\"}";

enum message { CLAIM, JOBS, RENEW, RENEWED, PROGRESS, RELEASE, RELEASED };

/* Decodes, and encodes again into `out`. */
static bool both_ways(enum message message, struct str text, struct buf *out, struct err *err) {
    own(arena) arena = arena_create(4 * MIB);
    struct machine_claim claim;
    struct machine_claim_answer jobs;
    struct machine_renew renew;
    struct machine_renew_answer renewed;
    struct machine_progress progress;
    struct machine_release release;
    struct machine_release_answer released;
    switch (message) {
    case CLAIM:
        return machine_claim_decode(text, &claim, err) && machine_claim_encode(&claim, out, err);
    case JOBS:
        return machine_claim_answer_decode(text, arena, &jobs, err) &&
               machine_claim_answer_encode(&jobs, out, err);
    case RENEW:
        return machine_renew_decode(text, arena, &renew, err) &&
               machine_renew_encode(&renew, out, err);
    case RENEWED:
        return machine_renew_answer_decode(text, arena, &renewed, err) &&
               machine_renew_answer_encode(&renewed, out, err);
    case PROGRESS:
        return machine_progress_decode(text, arena, &progress, err) &&
               machine_progress_encode(&progress, out, err);
    case RELEASE:
        return machine_release_decode(text, arena, &release, err) &&
               machine_release_encode(&release, out, err);
    case RELEASED:
        return machine_release_answer_decode(text, &released, err) &&
               machine_release_answer_encode(&released, out, err);
    }
    return false;
}

static void every_message_comes_back_with_the_same_bytes(void **state) {
    (void)state;
    static const struct {
        enum message message;
        const char *text;
    } rows[] = {
        {CLAIM, claim_text},     {JOBS, jobs_text},
        {JOBS, "{\"jobs\":[]}"}, {RENEW, renew_text},
        {RENEWED, renewed_text}, {PROGRESS, progress_text},
        {RELEASE, release_text}, {RELEASED, "{\"released\":2}"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        own_buf out = {0};
        buf_init(&out, MACHINE_PROGRESS_BYTES_MAX);
        struct err err = {0};

        assert_true(both_ways(rows[i].message, str_from(rows[i].text), &out, &err));

        assert_string_equal(buf_c(&out), rows[i].text);
    }
}

static void a_claimed_job_is_read_as_it_was_meant(void **state) {
    (void)state;
    own(arena) arena = arena_create(4 * MIB);
    struct machine_claim_answer answer;
    struct err err = {0};

    assert_true(machine_claim_answer_decode(str_from(jobs_text), arena, &answer, &err));

    assert_int_equal(answer.job_count, 1);
    const struct machine_job *job = &answer.jobs[0];
    assert_int_equal(job->lease.job.value, 381);
    assert_int_equal(job->submission.value, 204);
    assert_int_equal(job->memory_limit_kib, 256 * KIB);
    assert_int_equal(job->subject, MACHINE_ALGO);
    assert_true(str_eq_c(job->runtime_spec, "java17-r1"));
    assert_true(job->lease.token == UINT64_C(0x00ff1234567890ab));
}

static void a_memory_limit_of_no_whole_mib_is_shown_rounded_up(void **state) {
    (void)state;
    own(arena) arena = arena_create(4 * MIB);
    own_buf out = {0};
    buf_init(&out, MACHINE_CLAIM_ANSWER_BYTES_MAX);
    struct machine_claim_answer answer;
    struct err err = {0};
    assert_true(machine_claim_answer_decode(str_from(jobs_text), arena, &answer, &err));
    answer.jobs[0].memory_limit_kib = 256 * KIB + 1;

    assert_true(machine_claim_answer_encode(&answer, &out, &err));

    assert_non_null(strstr(buf_c(&out), "\"memoryLimitMb\":257"));
}

static void progress_counts_cases_from_zero_inside_and_from_one_outside(void **state) {
    (void)state;
    own(arena) arena = arena_create(4 * MIB);
    struct machine_progress progress;
    struct err err = {0};

    assert_true(machine_progress_decode(str_from(progress_text), arena, &progress, &err));

    assert_int_equal(progress.item_count, 2);
    assert_int_equal(progress.items[0].case_index, 1);
    assert_int_equal(progress.items[0].cases[0].index, 0);
    assert_int_equal(progress.items[1].case_index, -1);
    assert_int_equal(progress.items[1].stage, JUDGE_STAGE_COMPILING);
}

static void nonsense_is_refused_by_name(void **state) {
    (void)state;
    static const struct {
        enum message message;
        const char *text;
        const char *from;
        const char *to;
        const char *code;
        const char *says;
    } rows[] = {
        {CLAIM, claim_text, "0000000000000001", "1", "bad_field", "claimId"},
        {CLAIM, claim_text, "\"freeSlots\":2", "\"freeSlots\":0", "bad_field", "freeSlots"},
        {CLAIM, claim_text, "15000", "25001", "bad_field", "waitMs"},
        {CLAIM, claim_text, "waitMs", "waitS", "unknown_field", "waitS"},
        {JOBS, jobs_text, "ALGO", "algo", "bad_field", "jobs[0]"},
        {JOBS, jobs_text, "\"sourceBytes\":17", "\"sourceBytes\":131073", "bad_field",
         "sourceBytes"},
        {JOBS, jobs_text, "\"generation\":1", "\"generation\":0", "bad_field", "generation"},
        {JOBS, jobs_text, "\"timeLimitMs\":1000", "\"timeLimitMs\":1", "bad_field", "timeLimitMs"},
        {JOBS, jobs_text, "\"limits\"", "\"limit\"", "missing_field", "limits"},
        {JOBS, jobs_text, "\"pool\":\"java\"", "\"pool\":\"\"", "bad_field", "pool"},
        {JOBS, jobs_text, DIGEST, "e3", "bad_field", "manifestId"},
        {RENEW, renew_text, "\"leaseEpoch\":2,", "", "missing_field", "leases[0]"},
        {RENEW, renew_text, "00ff1234567890ab", "00FF1234567890ab", "bad_field", "leaseToken"},
        {RENEW, renew_text, "{" LEASE "}", "", "bad_field", "empty"},
        {RENEW, renew_text, "{" LEASE "}", "7", "bad_field", "leases[0]"},
        {RENEWED, renewed_text, "STOP", "WAIT", "bad_field", "leases[1]"},
        {PROGRESS, progress_text, "JUDGING", "PENDING", "bad_field", "items[0]"},
        {PROGRESS, progress_text, "\"caseIndex\":2", "\"caseIndex\":4", "bad_field", "caseIndex"},
        {PROGRESS, progress_text, "\"index\":1", "\"index\":4", "bad_field", "casesTotal"},
        {PROGRESS, progress_text, "\"sequence\":2", "\"sequence\":0", "bad_field", "sequence"},
        {PROGRESS, progress_text, "\"message\":null", "\"scoreMicro\":1", "unknown_field",
         "scoreMicro"},
        {PROGRESS, "{\"sessionEpoch\":3,\"items\":[]}", "[]", "[]", "bad_field", "items"},
        {RELEASE, release_text, "stopping", "", "bad_field", "reason"},
        {RELEASED, "{\"released\":65}", "65", "65", "bad_field", "released"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        own(arena) arena = arena_create(64 * KIB);
        own_buf out = {0};
        buf_init(&out, MACHINE_PROGRESS_BYTES_MAX);
        struct err err = {0};
        const char *at = strstr(rows[i].text, rows[i].from);
        assert_non_null(at);
        const char *text = arena_printf(arena, "%.*s%s%s", (int)(at - rows[i].text), rows[i].text,
                                        rows[i].to, at + strlen(rows[i].from));

        assert_false(both_ways(rows[i].message, str_from(text), &out, &err));

        assert_string_equal(err.code, rows[i].code);
        assert_non_null(strstr(err.text, rows[i].says));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_comes_back_with_the_same_bytes),
        cmocka_unit_test(a_claimed_job_is_read_as_it_was_meant),
        cmocka_unit_test(a_memory_limit_of_no_whole_mib_is_shown_rounded_up),
        cmocka_unit_test(progress_counts_cases_from_zero_inside_and_from_one_outside),
        cmocka_unit_test(nonsense_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
