#ifndef TESTS_NODE_FIXTURE_H
#define TESTS_NODE_FIXTURE_H

/* A judge node that speaks the machine API by hand. */
#include "people.h"
#include "wire/judgement_json.h"
#include "wire/machine_json.h"

#define INTERNAL "/api/v1/internal/judgers/"

struct fake_node {
    int64_t id;
    const char *join_code;
    const char *headers; /* its credential */
    int64_t epoch;
};

struct fake_lease {
    int64_t job;
    int64_t epoch;
    char token[17];
    int64_t submission;
    char manifest[DIGEST_HEX_BYTES];
    char source[DIGEST_HEX_BYTES];
};

__attribute__((format(printf, 4, 5))) static inline struct reply
node_post(struct fixture *f, const struct fake_node *node, const char *path, const char *format,
          ...) {
    char text[8192];
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert_in_range(len, 0, sizeof text - 1);
    return fixture_ask(f, &(struct ask){.method = "POST",
                                        .path = arena_printf(f->arena, INTERNAL "%s", path),
                                        .headers = node != NULL ? node->headers : NULL,
                                        .type = "application/json",
                                        .body = str_of(text, (size_t)len)});
}

static inline struct fake_node node_registered(struct fixture *f, const struct person *admin,
                                               const char *name) {
    struct fake_node node = {0};
    struct reply reply = send_json(f, admin, "POST", "/api/v1/admin/judgers",
                                   "{\"name\":\"%s\",\"pool\":\"cpp\",\"slots\":2}", name);
    expect(reply, 201);
    node.id = reply_i64(&reply, "judger.id");
    node.join_code = arena_cstr(f->arena, reply_str(&reply, "joinCode"));
    return node;
}

static inline struct reply node_join(struct fixture *f, const char *code) {
    return node_post(f, NULL, "join",
                     "{\"joinCode\":\"%s\",\"protocolVersion\":1,\"name\":\"n\","
                     "\"version\":\"0.1.0\"}",
                     code);
}

static inline void node_joined(struct fixture *f, struct fake_node *node) {
    struct reply reply = node_join(f, node->join_code);
    expect(reply, 200);
    assert_int_equal(reply_i64(&reply, "nodeId"), node->id);
    node->headers = arena_printf(f->arena, "Authorization: Bearer " STR_FMT "\r\n",
                                 STR_ARG(reply_str(&reply, "credential")));
}

static inline struct reply node_session(struct fixture *f, const struct fake_node *node,
                                        bool self_test_passed) {
    return node_post(f, node, "session",
                     "{\"protocolVersion\":1,\"version\":\"0.1.0\",\"languages\":[{\"id\":\"cpp\","
                     "\"version\":\"g++ 12.2.0\"}],\"slots\":2,\"selfTest\":{\"passed\":%s,"
                     "\"detail\":\"cpp: ok\"},\"configDigest\":\"%064d\"}",
                     self_test_passed ? "true" : "false", 7);
}

static inline struct reply node_beat(struct fixture *f, const struct fake_node *node) {
    return node_post(f, node, "heartbeat",
                     "{\"sessionEpoch\":%lld,\"busySlots\":0,\"loadPermille\":120}",
                     (long long)node->epoch);
}

static inline void node_opened(struct fixture *f, struct fake_node *node) {
    struct reply reply = node_session(f, node, true);
    expect(reply, 200);
    node->epoch = reply_i64(&reply, "sessionEpoch");
    struct reply beat = node_beat(f, node);
    expect(beat, 200);
}

static inline struct reply node_configure(struct fixture *f, const struct person *admin,
                                          const struct fake_node *node, const char *config) {
    const char *path = arena_printf(f->arena, "/api/v1/admin/judgers/%lld", (long long)node->id);
    struct reply now = get(f, admin, path);
    expect(now, 200);
    return send_json(f, admin, "PATCH", path, "{\"revision\":%lld,\"configState\":\"%s\"}",
                     (long long)reply_i64(&now, "revision"), config);
}

/* Registered, joined, in a session, enabled. */
static inline struct fake_node new_node(struct fixture *f, const struct person *admin,
                                        const char *name) {
    struct fake_node node = node_registered(f, admin, name);
    node_joined(f, &node);
    node_opened(f, &node);
    struct reply reply = node_configure(f, admin, &node, "ENABLED");
    expect(reply, 200);
    return node;
}

static inline struct reply node_claim(struct fixture *f, const struct fake_node *node, int claim,
                                      int wait_ms) {
    return node_post(f, node, "jobs/claim",
                     "{\"sessionEpoch\":%lld,\"claimId\":\"%016x\",\"freeSlots\":1,\"waitMs\":%d}",
                     (long long)node->epoch, (unsigned)claim, wait_ms);
}

static inline void lease_of_reply(const struct reply *reply, struct fake_lease *ret_lease) {
    struct err err = {0};
    assert_int_equal(jr_count(reply_at(reply, "jobs")), 1);
    ret_lease->job = reply_i64(reply, "jobs.0.jobId");
    ret_lease->epoch = reply_i64(reply, "jobs.0.leaseEpoch");
    ret_lease->submission = reply_i64(reply, "jobs.0.submissionId");
    assert_true(str_to_c(reply_str(reply, "jobs.0.leaseToken"), ret_lease->token,
                         sizeof ret_lease->token, &err));
    assert_true(str_to_c(reply_str(reply, "jobs.0.manifestId"), ret_lease->manifest,
                         sizeof ret_lease->manifest, &err));
    assert_true(str_to_c(reply_str(reply, "jobs.0.sourceDigest"), ret_lease->source,
                         sizeof ret_lease->source, &err));
}

static inline struct fake_lease node_claimed(struct fixture *f, const struct fake_node *node,
                                             int claim) {
    struct fake_lease lease = {0};
    struct reply reply = node_claim(f, node, claim, 5000);
    expect(reply, 200);
    lease_of_reply(&reply, &lease);
    return lease;
}

/* "sessionEpoch":1,"leaseEpoch":1,"leaseToken":"..." */
static inline const char *lease_members(struct fixture *f, const struct fake_node *node,
                                        const struct fake_lease *lease) {
    return arena_printf(f->arena, "\"sessionEpoch\":%lld,\"leaseEpoch\":%lld,\"leaseToken\":\"%s\"",
                        (long long)node->epoch, (long long)lease->epoch, lease->token);
}

/* {"jobId":1,"leaseEpoch":1,"leaseToken":"..."}, without the closing brace. */
static inline const char *lease_object(struct fixture *f, const struct fake_lease *lease) {
    return arena_printf(f->arena, "{\"jobId\":%lld,\"leaseEpoch\":%lld,\"leaseToken\":\"%s\"",
                        (long long)lease->job, (long long)lease->epoch, lease->token);
}

/* The first `cases` of the two were run, the last one with `verdict`. */
static inline struct str result_text(struct fixture *f, enum verdict verdict, int cases) {
    static const char *const names[] = {"sample/1", "secret/a"};
    struct case_result *rows = arena_array(f->arena, 2, sizeof *rows);
    own_buf text;
    buf_init(&text, 64 * KIB);
    for (int i = 0; i < cases; i++) {
        rows[i] = (struct case_result){.index = i,
                                       .name = str_from(names[i]),
                                       .sample = i == 0,
                                       .verdict = i + 1 < cases ? VERDICT_ACCEPTED : verdict,
                                       .cpu_ms = 5 + i,
                                       .wall_ms = 9,
                                       .memory_kib = 1024};
    }
    bool accepted = verdict == VERDICT_ACCEPTED;
    struct judgement judgement = {.verdict = verdict,
                                  .score_micro = accepted ? SCORE_FULL_MICRO : 0,
                                  .cases_passed = accepted ? cases : cases - 1,
                                  .cases_total = 2,
                                  .compile = {.ran = true, .ok = true},
                                  .cases = rows,
                                  .case_count = cases,
                                  .language = STR("cpp"),
                                  .language_version = STR("g++ 12.2.0")};
    assert_true(judgement_encode(&judgement, &text, &f->err));
    return arena_str(f->arena, buf_str(&text));
}

/* `digest` NULL: the right one. */
static inline struct reply node_result(struct fixture *f, const struct fake_node *node,
                                       const struct fake_lease *lease, struct str result,
                                       const char *digest) {
    char hex[DIGEST_HEX_BYTES];
    struct digest right = digest_of(result);
    digest_hex(&right, hex);
    return node_post(f, node, arena_printf(f->arena, "jobs/%lld/result", (long long)lease->job),
                     "{%s,\"digest\":\"%s\",\"result\":" STR_FMT "}", lease_members(f, node, lease),
                     digest != NULL ? digest : hex, STR_ARG(result));
}

static inline void node_settled(struct fixture *f, const struct fake_node *node,
                                const struct fake_lease *lease, enum verdict verdict) {
    struct reply reply = node_result(f, node, lease, result_text(f, verdict, 2), NULL);
    expect(reply, 200);
    assert_true(reply_is(&reply, "answer", "SETTLED"));
}

static inline struct reply node_progress(struct fixture *f, const struct fake_node *node,
                                         const struct fake_lease *lease, int sequence,
                                         const char *rest) {
    return node_post(f, node, "jobs/progress",
                     "{\"sessionEpoch\":%lld,\"items\":[%s,\"sequence\":%d,%s}]}",
                     (long long)node->epoch, lease_object(f, lease), sequence, rest);
}

#endif
