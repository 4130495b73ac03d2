/* JSON of what concerns the node itself: join, session, heartbeat. */
#include "wire/machine_json.h"

#include "base/check.h"
#include "base/clock.h"
#include "wire/machine_fields_internal.h"

#define PROTOCOL_MAX 1000000

static const char *const config_names[MACHINE_CONFIG_COUNT] = {
    [MACHINE_PENDING] = "PENDING",
    [MACHINE_ENABLED] = "ENABLED",
    [MACHINE_DRAINING] = "DRAINING",
    [MACHINE_DISABLED] = "DISABLED",
};

/* join */

bool machine_join_encode(const struct machine_join *message, struct buf *out, struct err *err) {
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_str(&json, "joinCode", message->join_code);
    jw_put_i64(&json, "protocolVersion", message->protocol);
    jw_put_str(&json, "name", message->name);
    jw_put_str(&json, "version", message->version);
    jw_object_end(&json);
    return jw_finish(&json, "the join request", err);
}

bool machine_join_decode(struct str text, struct arena *arena, struct machine_join *ret,
                         struct err *err) {
    static const char *const known[] = {"joinCode", "protocolVersion", "name", "version", NULL};
    own(json) object = NULL;
    struct machine_join join = {0};
    if (!field_parse(text, known, &object, err) ||
        !field_word(object, "joinCode", MACHINE_JOIN_CODE_BYTES_MAX, arena, &join.join_code, err) ||
        !field_i32(object, "protocolVersion", 1, PROTOCOL_MAX, &join.protocol, err) ||
        !field_word(object, "name", NODE_NAME_BYTES_MAX, arena, &join.name, err) ||
        !field_word(object, "version", MACHINE_VERSION_BYTES_MAX, arena, &join.version, err)) {
        return false;
    }
    *ret = join;
    return true;
}

bool machine_join_answer_encode(const struct machine_join_answer *message, struct buf *out,
                                struct err *err) {
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_i64(&json, "nodeId", message->node.value);
    jw_put_str(&json, "credential", message->credential);
    jw_put_i64(&json, "protocolVersion", message->protocol);
    jw_put_time(&json, "serverTime", message->server_ms);
    jw_object_end(&json);
    return jw_finish(&json, "the join answer", err);
}

bool machine_join_answer_decode(struct str text, struct arena *arena,
                                struct machine_join_answer *ret, struct err *err) {
    own(json) object = NULL;
    struct machine_join_answer answer = {0};
    struct str time;
    if (!field_parse(text, NULL, &object, err) ||
        !field_id(object, "nodeId", &answer.node.value, err) ||
        !field_word(object, "credential", MACHINE_CREDENTIAL_BYTES_MAX, arena, &answer.credential,
                    err) ||
        !field_i32(object, "protocolVersion", 1, PROTOCOL_MAX, &answer.protocol, err) ||
        !jr_str(object, "serverTime", 40, &time, err)) {
        return false;
    }
    if (!clock_parse_rfc3339(time, &answer.server_ms) || answer.server_ms <= 0) {
        return err_set(err, ERR_INVALID, "bad_field",
                       "field `serverTime` must be a UTC time since 1970 as RFC 3339 writes it");
    }
    *ret = answer;
    return true;
}

/* session */

bool machine_session_encode(const struct machine_session *message, struct buf *out,
                            struct err *err) {
    CHECK(message->language_count >= 0);
    CHECK(message->language_count <= LANGUAGES_MAX);
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_i64(&json, "protocolVersion", message->protocol);
    jw_put_str(&json, "version", message->version);
    jw_key(&json, "languages");
    jw_array_begin(&json);
    for (int32_t i = 0; i < message->language_count; i++) {
        jw_object_begin(&json);
        jw_put_str(&json, "id", message->languages[i].id);
        jw_put_str(&json, "version", message->languages[i].version);
        jw_object_end(&json);
    }
    jw_array_end(&json);
    jw_put_i64(&json, "slots", message->slots);
    jw_key(&json, "selfTest");
    jw_object_begin(&json);
    jw_put_bool(&json, "passed", message->self_test_passed);
    jw_put_str(&json, "detail", message->self_test_detail);
    jw_object_end(&json);
    put_digest(&json, "configDigest", &message->config);
    jw_object_end(&json);
    return jw_finish(&json, "the session request", err);
}

static bool read_languages(const struct json *object, struct arena *arena,
                           struct machine_session *session, struct err *err) {
    static const char *const known[] = {"id", "version", NULL};
    const struct json *list = NULL;
    if (!jr_array(object, "languages", LANGUAGES_MAX, &list, err)) {
        return false;
    }
    size_t count = jr_count(list);
    struct machine_language *languages = arena_array(arena, count, sizeof(*languages));
    for (size_t i = 0; i < count; i++) {
        const struct json *item = NULL;
        if (!jr_item_object(list, i, &item, err) || !jr_refuse_unknown(item, known, err) ||
            !field_word(item, "id", LANGUAGE_ID_BYTES_MAX, arena, &languages[i].id, err) ||
            !field_text(item, "version", MACHINE_LANGUAGE_VERSION_BYTES_MAX, arena,
                        &languages[i].version, err)) {
            return err_wrap(err, "languages[%zu]", i);
        }
    }
    session->languages = languages;
    session->language_count = (int32_t)count;
    return true;
}

static bool read_self_test(const struct json *object, struct arena *arena,
                           struct machine_session *session, struct err *err) {
    static const char *const known[] = {"passed", "detail", NULL};
    const struct json *test = NULL;
    return jr_object(object, "selfTest", &test, err) && jr_refuse_unknown(test, known, err) &&
           jr_bool(test, "passed", &session->self_test_passed, err) &&
           field_text(test, "detail", MACHINE_SELF_TEST_BYTES_MAX, arena,
                      &session->self_test_detail, err);
}

bool machine_session_decode(struct str text, struct arena *arena, struct machine_session *ret,
                            struct err *err) {
    static const char *const known[] = {"protocolVersion", "version",      "languages", "slots",
                                        "selfTest",        "configDigest", NULL};
    own(json) object = NULL;
    struct machine_session session = {0};
    if (!field_parse(text, known, &object, err) ||
        !field_i32(object, "protocolVersion", 1, PROTOCOL_MAX, &session.protocol, err) ||
        !field_word(object, "version", MACHINE_VERSION_BYTES_MAX, arena, &session.version, err) ||
        !read_languages(object, arena, &session, err) ||
        !field_i32(object, "slots", 1, NODE_SLOTS_MAX, &session.slots, err) ||
        !read_self_test(object, arena, &session, err) ||
        !field_digest(object, "configDigest", &session.config, err)) {
        return false;
    }
    *ret = session;
    return true;
}

bool machine_session_answer_encode(const struct machine_session_answer *message, struct buf *out,
                                   struct err *err) {
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_i64(&json, "sessionEpoch", message->session_epoch);
    jw_put_i64(&json, "leaseMs", message->lease_ms);
    jw_put_i64(&json, "renewMs", message->renew_ms);
    jw_put_i64(&json, "heartbeatMs", message->heartbeat_ms);
    jw_put_i64(&json, "protocolVersion", message->protocol);
    if (message->check != 0) {
        jw_put_i64(&json, "checkId", message->check);
    }
    jw_object_end(&json);
    return jw_finish(&json, "the session answer", err);
}

bool machine_session_answer_decode(struct str text, struct machine_session_answer *ret,
                                   struct err *err) {
    own(json) object = NULL;
    struct machine_session_answer answer = {0};
    if (!field_parse(text, NULL, &object, err) ||
        !field_id(object, "sessionEpoch", &answer.session_epoch, err) ||
        !jr_i64(object, "leaseMs", 1, MACHINE_DURATION_MS_MAX, &answer.lease_ms, err) ||
        !jr_i64(object, "renewMs", 1, MACHINE_DURATION_MS_MAX, &answer.renew_ms, err) ||
        !jr_i64(object, "heartbeatMs", 1, MACHINE_DURATION_MS_MAX, &answer.heartbeat_ms, err) ||
        !field_i32(object, "protocolVersion", 1, PROTOCOL_MAX, &answer.protocol, err) ||
        !jr_opt_i64(object, "checkId", 1, ID_MAX, &answer.check, err)) {
        return false;
    }
    *ret = answer;
    return true;
}

/* heartbeat */

bool machine_heartbeat_encode(const struct machine_heartbeat *message, struct buf *out,
                              struct err *err) {
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_i64(&json, "sessionEpoch", message->session_epoch);
    jw_put_i64(&json, "busySlots", message->busy_slots);
    jw_put_i64(&json, "loadPermille", message->load_permille);
    jw_object_end(&json);
    return jw_finish(&json, "the heartbeat", err);
}

bool machine_heartbeat_decode(struct str text, struct machine_heartbeat *ret, struct err *err) {
    static const char *const known[] = {"sessionEpoch", "busySlots", "loadPermille", NULL};
    own(json) object = NULL;
    struct machine_heartbeat beat = {0};
    if (!field_parse(text, known, &object, err) ||
        !field_id(object, "sessionEpoch", &beat.session_epoch, err) ||
        !field_i32(object, "busySlots", 0, NODE_SLOTS_MAX, &beat.busy_slots, err) ||
        !jr_i64(object, "loadPermille", 0, ID_MAX, &beat.load_permille, err)) {
        return false;
    }
    *ret = beat;
    return true;
}

bool machine_heartbeat_answer_encode(const struct machine_heartbeat_answer *message,
                                     struct buf *out, struct err *err) {
    CHECK(message->config > 0);
    CHECK(message->config < MACHINE_CONFIG_COUNT);
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_i64(&json, "sessionEpoch", message->session_epoch);
    jw_put_cstr(&json, "configState", config_names[message->config]);
    jw_put_i64(&json, "slots", message->slots);
    if (message->check != 0) {
        jw_put_i64(&json, "checkId", message->check);
    }
    jw_object_end(&json);
    return jw_finish(&json, "the heartbeat's answer", err);
}

bool machine_heartbeat_answer_decode(struct str text, struct machine_heartbeat_answer *ret,
                                     struct err *err) {
    own(json) object = NULL;
    struct machine_heartbeat_answer answer = {0};
    int config = 0;
    if (!field_parse(text, NULL, &object, err) ||
        !field_id(object, "sessionEpoch", &answer.session_epoch, err) ||
        !field_choice(object, "configState", config_names, MACHINE_CONFIG_COUNT, &config, err) ||
        !field_i32(object, "slots", 1, NODE_SLOTS_MAX, &answer.slots, err) ||
        !jr_opt_i64(object, "checkId", 1, ID_MAX, &answer.check, err)) {
        return false;
    }
    answer.config = (enum machine_config)config;
    *ret = answer;
    return true;
}
