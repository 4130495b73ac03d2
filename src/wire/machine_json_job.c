/* JSON of how a node takes jobs and keeps them: claim, renew, progress, release. */
#include "wire/machine_json.h"

#include "base/check.h"
#include "wire/judgement_json.h"
#include "wire/machine_fields_internal.h"

static const char *const subject_names[MACHINE_SUBJECT_COUNT] = {
    [MACHINE_ALGO] = "ALGO", [MACHINE_SQL] = "SQL",   [MACHINE_CHECK] = "CHECK",
    [MACHINE_RUN] = "RUN",   [MACHINE_WARM] = "WARM",
};

static const char *const renewal_names[MACHINE_RENEWAL_COUNT] = {
    [MACHINE_GO] = "GO",
    [MACHINE_STOP] = "STOP",
    [MACHINE_CONFLICT] = "CONFLICT",
};

static const char *const stage_names[] = {
    [JUDGE_STAGE_COMPILING] = "COMPILING",
    [JUDGE_STAGE_JUDGING] = "JUDGING",
};
#define STAGE_COUNT ((int)(sizeof(stage_names) / sizeof(stage_names[0])))

/* claim */

bool machine_claim_encode(const struct machine_claim *message, struct buf *out, struct err *err) {
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_i64(&json, "sessionEpoch", message->session_epoch);
    put_token(&json, "claimId", message->claim_id);
    jw_put_i64(&json, "freeSlots", message->free_slots);
    jw_put_i64(&json, "waitMs", message->wait_ms);
    jw_object_end(&json);
    return jw_finish(&json, "the claim", err);
}

bool machine_claim_decode(struct str text, struct machine_claim *ret, struct err *err) {
    static const char *const known[] = {"sessionEpoch", "claimId", "freeSlots", "waitMs", NULL};
    own(json) object = NULL;
    struct machine_claim claim = {0};
    if (!field_parse(text, known, &object, err) ||
        !field_id(object, "sessionEpoch", &claim.session_epoch, err) ||
        !field_token(object, "claimId", &claim.claim_id, err) ||
        !field_i32(object, "freeSlots", 1, NODE_SLOTS_MAX, &claim.free_slots, err) ||
        !jr_i64(object, "waitMs", 0, CLAIM_WAIT_MS_MAX, &claim.wait_ms, err)) {
        return false;
    }
    *ret = claim;
    return true;
}

static void put_limits(struct jw *json, const struct machine_job *job) {
    jw_key(json, "limits");
    jw_object_begin(json);
    jw_put_i64(json, "timeLimitMs", job->time_limit_ms);
    jw_put_i64(json, "memoryLimitMb", (job->memory_limit_kib + KIB - 1) / KIB);
    jw_put_i64(json, "outputKb", job->output_limit_kib);
    jw_object_end(json);
}

static void put_job(struct jw *json, const struct machine_job *job) {
    CHECK(job->subject > 0);
    CHECK(job->subject < MACHINE_SUBJECT_COUNT);
    jw_object_begin(json);
    jw_put_i64(json, "jobId", job->lease.job.value);
    jw_put_cstr(json, "submissionType", subject_names[job->subject]);
    jw_put_i64(json, "submissionId", job->submission.value);
    jw_put_i64(json, "generation", job->generation);
    jw_put_str(json, "pool", job->pool);
    jw_put_i64(json, "leaseEpoch", job->lease.epoch);
    put_token(json, "leaseToken", job->lease.token);
    jw_put_i64(json, "leaseRemainingMs", job->lease_remaining_ms);
    put_digest(json, "manifestId", &job->manifest);
    jw_put_str(json, "runtimeSpec", job->runtime_spec);
    jw_put_str(json, "language", job->language);
    put_digest(json, "sourceDigest", &job->source);
    jw_put_i64(json, "sourceBytes", job->source_bytes);
    put_limits(json, job);
    jw_put_i64(json, "jobTotalMs", job->job_total_ms);
    jw_put_str(json, "traceId", job->trace_id);
    jw_object_end(json);
}

bool machine_claim_answer_encode(const struct machine_claim_answer *message, struct buf *out,
                                 struct err *err) {
    CHECK(message->job_count >= 0);
    CHECK(message->job_count <= CLAIM_JOBS_MAX);
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_key(&json, "jobs");
    jw_array_begin(&json);
    for (int32_t i = 0; i < message->job_count; i++) {
        put_job(&json, &message->jobs[i]);
    }
    jw_array_end(&json);
    jw_object_end(&json);
    return jw_finish(&json, "the claimed jobs", err);
}

static bool read_limits(const struct json *object, struct machine_job *job, struct err *err) {
    const struct json *limits = NULL;
    int64_t memory_mib = 0;
    if (!jr_object(object, "limits", &limits, err) ||
        !jr_i64(limits, "timeLimitMs", TIME_LIMIT_MS_MIN, TIME_LIMIT_MS_MAX, &job->time_limit_ms,
                err) ||
        !jr_i64(limits, "memoryLimitMb", MEMORY_LIMIT_KIB_MIN / KIB, MEMORY_LIMIT_KIB_MAX / KIB,
                &memory_mib, err) ||
        !jr_i64(limits, "outputKb", 1, OUTPUT_LIMIT_KIB_MAX, &job->output_limit_kib, err)) {
        return false;
    }
    job->memory_limit_kib = memory_mib * KIB;
    return true;
}

static bool read_job_names(const struct json *object, struct arena *arena, struct machine_job *job,
                           struct err *err) {
    int subject = 0;
    if (!field_choice(object, "submissionType", subject_names, MACHINE_SUBJECT_COUNT, &subject,
                      err) ||
        !field_id(object, "submissionId", &job->submission.value, err) ||
        !field_i32(object, "generation", 1, INT32_MAX, &job->generation, err) ||
        !field_word(object, "pool", MACHINE_POOL_BYTES_MAX, arena, &job->pool, err) ||
        !field_word(object, "runtimeSpec", MACHINE_SPEC_BYTES_MAX, arena, &job->runtime_spec,
                    err) ||
        !field_word(object, "language", LANGUAGE_ID_BYTES_MAX, arena, &job->language, err) ||
        !field_text(object, "traceId", MACHINE_TRACE_BYTES_MAX, arena, &job->trace_id, err)) {
        return false;
    }
    job->subject = (enum machine_subject)subject;
    return true;
}

static bool read_job(const struct json *object, struct arena *arena, struct machine_job *job,
                     struct err *err) {
    return field_lease(object, &job->lease, err) && read_job_names(object, arena, job, err) &&
           jr_i64(object, "leaseRemainingMs", 0, MACHINE_DURATION_MS_MAX, &job->lease_remaining_ms,
                  err) &&
           field_digest(object, "manifestId", &job->manifest, err) &&
           field_digest(object, "sourceDigest", &job->source, err) &&
           jr_i64(object, "sourceBytes", 1, SOURCE_BYTES_MAX, &job->source_bytes, err) &&
           read_limits(object, job, err) &&
           jr_i64(object, "jobTotalMs", 1, MACHINE_DURATION_MS_MAX, &job->job_total_ms, err);
}

bool machine_claim_answer_decode(struct str text, struct arena *arena,
                                 struct machine_claim_answer *ret, struct err *err) {
    own(json) object = NULL;
    const struct json *list = NULL;
    if (!field_parse(text, NULL, &object, err) ||
        !jr_array(object, "jobs", CLAIM_JOBS_MAX, &list, err)) {
        return false;
    }
    size_t count = jr_count(list);
    struct machine_job *jobs = arena_array(arena, count, sizeof(*jobs));
    for (size_t i = 0; i < count; i++) {
        const struct json *item = NULL;
        if (!jr_item_object(list, i, &item, err) || !read_job(item, arena, &jobs[i], err)) {
            return err_wrap(err, "jobs[%zu]", i);
        }
    }
    *ret = (struct machine_claim_answer){.jobs = jobs, .job_count = (int32_t)count};
    return true;
}

/* renew */

bool machine_renew_encode(const struct machine_renew *message, struct buf *out, struct err *err) {
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_i64(&json, "sessionEpoch", message->session_epoch);
    put_leases(&json, message->leases, message->lease_count);
    jw_object_end(&json);
    return jw_finish(&json, "the renewal", err);
}

bool machine_renew_decode(struct str text, struct arena *arena, struct machine_renew *ret,
                          struct err *err) {
    static const char *const known[] = {"sessionEpoch", "leases", NULL};
    own(json) object = NULL;
    struct machine_renew renew = {0};
    if (!field_parse(text, known, &object, err) ||
        !field_id(object, "sessionEpoch", &renew.session_epoch, err) ||
        !field_leases(object, arena, &renew.leases, &renew.lease_count, err)) {
        return false;
    }
    *ret = renew;
    return true;
}

bool machine_renew_answer_encode(const struct machine_renew_answer *message, struct buf *out,
                                 struct err *err) {
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_key(&json, "leases");
    jw_array_begin(&json);
    for (int32_t i = 0; i < message->lease_count; i++) {
        const struct machine_renewed *lease = &message->leases[i];
        CHECK(lease->answer > 0);
        CHECK(lease->answer < MACHINE_RENEWAL_COUNT);
        jw_object_begin(&json);
        jw_put_i64(&json, "jobId", lease->job.value);
        jw_put_cstr(&json, "answer", renewal_names[lease->answer]);
        jw_put_i64(&json, "leaseRemainingMs", lease->lease_remaining_ms);
        jw_object_end(&json);
    }
    jw_array_end(&json);
    jw_object_end(&json);
    return jw_finish(&json, "the renewal's answer", err);
}

static bool read_renewed(const struct json *object, struct machine_renewed *lease,
                         struct err *err) {
    int answer = 0;
    if (!field_id(object, "jobId", &lease->job.value, err) ||
        !field_choice(object, "answer", renewal_names, MACHINE_RENEWAL_COUNT, &answer, err) ||
        !jr_i64(object, "leaseRemainingMs", 0, MACHINE_DURATION_MS_MAX, &lease->lease_remaining_ms,
                err)) {
        return false;
    }
    lease->answer = (enum machine_renewal)answer;
    return true;
}

bool machine_renew_answer_decode(struct str text, struct arena *arena,
                                 struct machine_renew_answer *ret, struct err *err) {
    own(json) object = NULL;
    const struct json *list = NULL;
    if (!field_parse(text, NULL, &object, err) ||
        !jr_array(object, "leases", RENEW_JOBS_MAX, &list, err)) {
        return false;
    }
    size_t count = jr_count(list);
    struct machine_renewed *leases = arena_array(arena, count, sizeof(*leases));
    for (size_t i = 0; i < count; i++) {
        const struct json *item = NULL;
        if (!jr_item_object(list, i, &item, err) || !read_renewed(item, &leases[i], err)) {
            return err_wrap(err, "leases[%zu]", i);
        }
    }
    *ret = (struct machine_renew_answer){.leases = leases, .lease_count = (int32_t)count};
    return true;
}

/* progress */

static void put_progress_item(struct jw *json, const struct machine_progress_item *item) {
    CHECK(item->stage > JUDGE_STAGE_NONE);
    CHECK((int)item->stage < STAGE_COUNT);
    jw_object_begin(json);
    put_lease(json, &item->lease);
    jw_put_i64(json, "sequence", item->sequence);
    jw_put_cstr(json, "state", stage_names[item->stage]);
    if (item->case_index < 0) {
        jw_put_null(json, "caseIndex");
    } else {
        jw_put_i64(json, "caseIndex", item->case_index + 1);
    }
    jw_put_i64(json, "casesTotal", item->cases_total);
    jw_key(json, "cases");
    jw_array_begin(json);
    for (int32_t i = 0; i < item->case_count; i++) {
        case_result_write(json, &item->cases[i], 0);
    }
    jw_array_end(json);
    jw_object_end(json);
}

bool machine_progress_encode(const struct machine_progress *message, struct buf *out,
                             struct err *err) {
    CHECK(message->item_count > 0);
    CHECK(message->item_count <= RENEW_JOBS_MAX);
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_i64(&json, "sessionEpoch", message->session_epoch);
    jw_key(&json, "items");
    jw_array_begin(&json);
    for (int32_t i = 0; i < message->item_count; i++) {
        put_progress_item(&json, &message->items[i]);
    }
    jw_array_end(&json);
    jw_object_end(&json);
    return jw_finish(&json, "the progress report", err);
}

static bool read_progress_cases(const struct json *object, struct arena *arena,
                                struct machine_progress_item *item, struct err *err) {
    const struct json *list = NULL;
    if (!jr_array(object, "cases", MANIFEST_CASES_MAX, &list, err)) {
        return false;
    }
    size_t count = jr_count(list);
    struct case_result *cases = arena_array(arena, count, sizeof(*cases));
    for (size_t i = 0; i < count; i++) {
        if (!case_result_from_json(jr_at(list, i), 0, arena, &cases[i], err)) {
            return err_wrap(err, "cases[%zu]", i);
        }
        if (cases[i].index >= item->cases_total) {
            return err_set(err, ERR_INVALID, "bad_field", "cases[%zu]: index %d is over casesTotal",
                           i, cases[i].index + 1);
        }
    }
    item->cases = cases;
    item->case_count = (int32_t)count;
    return true;
}

static bool read_progress_item(const struct json *object, struct arena *arena,
                               struct machine_progress_item *item, struct err *err) {
    static const char *const known[] = {"jobId",      "leaseEpoch", "leaseToken",
                                        "sequence",   "state",      "caseIndex",
                                        "casesTotal", "cases",      NULL};
    int stage = 0;
    int64_t number = 0;
    if (!jr_refuse_unknown(object, known, err) || !field_lease(object, &item->lease, err) ||
        !field_id(object, "sequence", &item->sequence, err) ||
        !field_choice(object, "state", stage_names, STAGE_COUNT, &stage, err) ||
        !field_i32(object, "casesTotal", 0, MANIFEST_CASES_MAX, &item->cases_total, err) ||
        !jr_opt_i64(object, "caseIndex", 1, item->cases_total, &number, err) ||
        !read_progress_cases(object, arena, item, err)) {
        return false;
    }
    item->stage = (enum judge_stage)stage;
    item->case_index = (int32_t)number - 1;
    return true;
}

bool machine_progress_decode(struct str text, struct arena *arena, struct machine_progress *ret,
                             struct err *err) {
    static const char *const known[] = {"sessionEpoch", "items", NULL};
    own(json) object = NULL;
    const struct json *list = NULL;
    struct machine_progress progress = {0};
    if (!field_parse(text, known, &object, err) ||
        !field_id(object, "sessionEpoch", &progress.session_epoch, err) ||
        !jr_array(object, "items", RENEW_JOBS_MAX, &list, err)) {
        return false;
    }
    size_t count = jr_count(list);
    if (count == 0) {
        return err_set(err, ERR_INVALID, "bad_field", "field `items` must not be empty");
    }
    struct machine_progress_item *items = arena_array(arena, count, sizeof(*items));
    for (size_t i = 0; i < count; i++) {
        const struct json *item = NULL;
        if (!jr_item_object(list, i, &item, err) ||
            !read_progress_item(item, arena, &items[i], err)) {
            return err_wrap(err, "items[%zu]", i);
        }
    }
    progress.items = items;
    progress.item_count = (int32_t)count;
    *ret = progress;
    return true;
}

/* release */

bool machine_release_encode(const struct machine_release *message, struct buf *out,
                            struct err *err) {
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_i64(&json, "sessionEpoch", message->session_epoch);
    put_leases(&json, message->leases, message->lease_count);
    jw_put_str(&json, "reason", message->reason);
    jw_object_end(&json);
    return jw_finish(&json, "the release", err);
}

bool machine_release_decode(struct str text, struct arena *arena, struct machine_release *ret,
                            struct err *err) {
    static const char *const known[] = {"sessionEpoch", "leases", "reason", NULL};
    own(json) object = NULL;
    struct machine_release release = {0};
    if (!field_parse(text, known, &object, err) ||
        !field_id(object, "sessionEpoch", &release.session_epoch, err) ||
        !field_leases(object, arena, &release.leases, &release.lease_count, err) ||
        !field_word(object, "reason", MACHINE_REASON_BYTES_MAX, arena, &release.reason, err)) {
        return false;
    }
    *ret = release;
    return true;
}

bool machine_release_answer_encode(const struct machine_release_answer *message, struct buf *out,
                                   struct err *err) {
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_i64(&json, "released", message->released);
    jw_object_end(&json);
    return jw_finish(&json, "the release's answer", err);
}

bool machine_release_answer_decode(struct str text, struct machine_release_answer *ret,
                                   struct err *err) {
    own(json) object = NULL;
    return field_parse(text, NULL, &object, err) &&
           field_i32(object, "released", 0, RENEW_JOBS_MAX, &ret->released, err);
}
