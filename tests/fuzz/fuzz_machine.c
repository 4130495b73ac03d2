/* The messages between server and node. The first byte chooses which one the rest is read as.
 *
 * Holds: what is accepted, written and read again, is written with the same bytes; a refusal has
 * one of the documented codes and a message in UTF-8; a result's bytes are a part of the message
 * and read by themselves as the same judgement. */
#include "base/check.h"
#include "wire/judgement_json.h"
#include "wire/machine_json.h"
#include <string.h>

#define OUT_BYTES_MAX ((size_t)8 * MIB)
#define ARENA_BYTES_MAX ((size_t)64 * MIB)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

typedef bool both_ways_fn(struct str text, struct arena *arena, struct buf *out, struct err *err);

#define BOTH_WAYS(name)                                                                            \
    static bool name##_both(struct str text, struct arena *arena, struct buf *out,                 \
                            struct err *err) {                                                     \
        struct machine_##name message;                                                             \
        return machine_##name##_decode(text, arena, &message, err) &&                              \
               machine_##name##_encode(&message, out, err);                                        \
    }
#define BOTH_WAYS_SMALL(name)                                                                      \
    static bool name##_both(struct str text, struct arena *arena, struct buf *out,                 \
                            struct err *err) {                                                     \
        struct machine_##name message;                                                             \
        (void)arena;                                                                               \
        return machine_##name##_decode(text, &message, err) &&                                     \
               machine_##name##_encode(&message, out, err);                                        \
    }

BOTH_WAYS(join)
BOTH_WAYS(join_answer)
BOTH_WAYS(session)
BOTH_WAYS_SMALL(session_answer)
BOTH_WAYS_SMALL(heartbeat)
BOTH_WAYS_SMALL(heartbeat_answer)
BOTH_WAYS_SMALL(claim)
BOTH_WAYS(claim_answer)
BOTH_WAYS(renew)
BOTH_WAYS(renew_answer)
BOTH_WAYS(progress)
BOTH_WAYS(release)
BOTH_WAYS_SMALL(release_answer)
BOTH_WAYS_SMALL(result_answer)
BOTH_WAYS_SMALL(failure_answer)

static const struct job_id job = {1};

static bool failure_both(struct str text, struct arena *arena, struct buf *out, struct err *err) {
    struct machine_failure message;
    return machine_failure_decode(text, job, arena, &message, err) &&
           machine_failure_encode(&message, out, err);
}

static bool judgement_both(struct str text, struct arena *arena, struct buf *out, struct err *err) {
    struct judgement judgement;
    return judgement_decode(text, arena, &judgement, err) && judgement_encode(&judgement, out, err);
}

static bool result_both(struct str text, struct arena *arena, struct buf *out, struct err *err) {
    struct machine_result message;
    struct judgement judgement;
    own_buf whole = {0};
    own_buf part = {0};
    if (!machine_result_decode(text, job, arena, &message, &judgement, err)) {
        return false;
    }
    CHECK(message.text.ptr >= text.ptr);
    CHECK(message.text.ptr + message.text.len <= text.ptr + text.len);
    buf_init(&whole, OUT_BYTES_MAX);
    buf_init(&part, OUT_BYTES_MAX);
    CHECK(judgement_encode(&judgement, &whole, err));
    CHECK(judgement_both(message.text, arena, &part, err));
    CHECK(str_eq(buf_str(&whole), buf_str(&part)));
    return machine_result_encode(&message, out, err);
}

static both_ways_fn *const messages[] = {
    join_both,           join_answer_both,      session_both,       session_answer_both,
    heartbeat_both,      heartbeat_answer_both, claim_both,         claim_answer_both,
    renew_both,          renew_answer_both,     progress_both,      release_both,
    release_answer_both, result_both,           result_answer_both, failure_both,
    failure_answer_both, judgement_both,
};

static void check_refusal(const struct err *err) {
    static const char *const codes[] = {"bad_json", "unknown_field", "missing_field", "bad_field",
                                        "field_too_long"};
    bool known = false;
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        known = known || strcmp(err->code, codes[i]) == 0;
    }
    CHECK(known);
    CHECK(str_is_utf8(str_from(err->text)));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    if (count == 0) {
        return 0;
    }
    /* Letters, so that a corpus can be read: 'a' is the first message. */
    both_ways_fn *both_ways =
        messages[(uint8_t)(bytes[0] - 'a') % (sizeof(messages) / sizeof(messages[0]))];
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    own_buf once = {0};
    own_buf twice = {0};
    struct err err = {0};
    buf_init(&once, OUT_BYTES_MAX);
    buf_init(&twice, OUT_BYTES_MAX);
    if (!both_ways(str_of(bytes + 1, count - 1), arena, &once, &err)) {
        check_refusal(&err);
        return 0;
    }
    CHECK(both_ways(buf_str(&once), arena, &twice, &err));
    CHECK(str_eq(buf_str(&once), buf_str(&twice)));
    return 0;
}
