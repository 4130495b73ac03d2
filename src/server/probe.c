#include "server/probe.h"
#include "base/check.h"
#include "base/limits.h"
#include "data/json.h"
#include "data/json_write.h"
#include "domain/base_url.h"
#include "wire/health_json.h"
#include "wire/machine_api.h"

#define ANSWER_BYTES_MAX (64 * KIB)
#define DETAIL_BYTES 16384

/* After those of net/probe.h. */
enum { STEP_IDENTITY = PROBE_STEP_END, STEP_PROTOCOL, STEP_RUNTIME, STEP_END };

static const char *const step_names[STEP_END] = {
    [PROBE_RESOLVE] = "resolve",  [PROBE_NETWORK] = "network", [PROBE_CONNECT] = "connect",
    [PROBE_TLS] = "tls",          [PROBE_ANSWER] = "answer",   [STEP_IDENTITY] = "identity",
    [STEP_PROTOCOL] = "protocol", [STEP_RUNTIME] = "runtime",
};

struct finding {
    int failed; /* STEP_END: all is well */
    const char *text;
    struct str address;
};

static void judge_health(const struct node_probe *probe, const struct health *health,
                         const char *challenge, struct arena *arena, struct finding *finding) {
    const struct probe_target *target = probe->target;
    struct digest proof = health_proof(&target->key, challenge);
    if (!target->has_key || !digest_equal(&proof, &health->proof)) {
        finding->failed = STEP_IDENTITY;
        finding->text = "whoever answers does not have this node's credential";
    } else if (health->protocol_min > MACHINE_PROTOCOL ||
               health->protocol_max < MACHINE_PROTOCOL_MIN) {
        finding->failed = STEP_PROTOCOL;
        finding->text =
            arena_printf(arena, "it speaks the protocol versions %d to %d, this server %d to %d",
                         (int)health->protocol_min, (int)health->protocol_max, MACHINE_PROTOCOL_MIN,
                         MACHINE_PROTOCOL);
    } else if (!str_eq(health->config_digest, target->config_digest)) {
        finding->failed = STEP_RUNTIME;
        finding->text = "its runtimes are not those of its session: restart the node";
    }
}

static void look(const struct node_probe *probe, const struct base_url *url, struct arena *arena,
                 struct finding *finding) {
    char challenge[HEALTH_CHALLENGE_CHARS + 1];
    uint8_t bytes[HEALTH_CHALLENGE_CHARS / 2];
    struct probe_result result = {0};
    struct health health = {0};
    struct err err = {0};
    random_fill(probe->random, bytes, sizeof bytes);
    hex_encode(bytes, sizeof bytes, challenge);
    challenge[HEALTH_CHALLENGE_CHARS] = '\0';
    struct probe_options options = {
        .rules = probe->rules,
        .host = arena_cstr(arena, url->host),
        .port = url->port,
        .path = HEALTH_PATH,
        .header = arena_printf(arena, HEALTH_CHALLENGE_HEADER ": %s", challenge),
        .ca_file = probe->ca_file,
        .timeout_ms = PROBE_MS,
        .answer_bytes_max = ANSWER_BYTES_MAX,
    };
    probe_run(&options, arena, &result);
    finding->address = result.address;
    if (result.failed != PROBE_STEP_END) {
        finding->failed = (int)result.failed;
        finding->text = arena_cstr(arena, result.text);
    } else if (!health_decode(result.body, arena, &health, &err)) {
        finding->failed = PROBE_ANSWER;
        finding->text = arena_printf(arena, "the answer is none of a node: %s", err.text);
    } else {
        judge_health(probe, &health, challenge, arena, finding);
    }
}

static struct str steps_of(const struct finding *finding, struct arena *arena) {
    own_buf out = {0};
    struct jw json;
    struct err err = {0};
    buf_init(&out, DETAIL_BYTES);
    jw_init(&json, &out);
    jw_array_begin(&json);
    for (int step = PROBE_RESOLVE; step < STEP_END && step <= finding->failed; step++) {
        jw_object_begin(&json);
        jw_put_cstr(&json, "step", step_names[step]);
        jw_put_bool(&json, "passed", step != finding->failed);
        jw_put_str(&json, "text",
                   step == finding->failed ? str_from(finding->text)
                   : step == PROBE_CONNECT ? finding->address
                                           : (struct str){0});
        jw_object_end(&json);
    }
    jw_array_end(&json);
    CHECK(jw_finish(&json, "steps", &err));
    return arena_str(arena, buf_str(&out));
}

void node_probe_run(const struct node_probe *probe, struct arena *arena,
                    struct connection_outcome *ret_outcome) {
    struct finding finding = {.failed = STEP_END, .text = ""};
    struct base_url url = {0};
    struct err err = {0};
    if (base_url_parse(probe->target->base_url, &url, &err)) {
        look(probe, &url, arena, &finding);
    } else {
        finding.failed = PROBE_RESOLVE;
        finding.text = arena_cstr(arena, str_from(err.text));
    }
    bool passed = finding.failed == STEP_END;
    *ret_outcome = (struct connection_outcome){
        .node = probe->target->node,
        .passed = passed,
        .message = passed ? STR("")
                          : str_from(arena_printf(arena, "%s: %s", step_names[finding.failed],
                                                  finding.text)),
        .detail = steps_of(&finding, arena)};
}
