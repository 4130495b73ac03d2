/* The life of a node as it asks for it: join, session, heartbeat. Node and pool come from the
 * credential, never from the body. Nothing here waits in a thread: each request is parked until the
 * writer has committed. */
#include "app/dispatch.h"
#include "base/limits.h"
#include "server/machine_internal.h"
#include "wire/machine_json.h"

static route_fn judger_join, judger_session, judger_heartbeat;

/* clang-format off */
const struct route routes_machine[] = {
    {HTTP_POST, "/api/v1/internal/judgers/join", ACCESS_NONE, 4 * KIB, RATE_LOGIN, 0,
     judger_join, "judgerJoin"},
    {HTTP_POST, "/api/v1/internal/judgers/session", ACCESS_NODE, 64 * KIB, RATE_MACHINE, 0,
     judger_session, "judgerSession"},
    {HTTP_POST, "/api/v1/internal/judgers/heartbeat", ACCESS_NODE, 4 * KIB, RATE_MACHINE, 0,
     judger_heartbeat, "judgerHeartbeat"},
    {0},
};
/* clang-format on */

bool machine_body(struct call *call, struct str *ret_text) {
    struct str type = http_header(call->http, "Content-Type");
    if (!str_starts(type, STR("application/json"))) {
        call_fail_at(call, ERR_INVALID, "wrong_content_type",
                     "send the body as Content-Type: application/json");
        return false;
    }
    *ret_text = http_body(call->http);
    return true;
}

/* The newest that both speak. */
static int32_t agree(int32_t asked) {
    return asked < MACHINE_PROTOCOL ? asked : MACHINE_PROTOCOL;
}

static bool check_protocol(int32_t protocol, struct err *err) {
    if (protocol < MACHINE_PROTOCOL_MIN || protocol > MACHINE_PROTOCOL) {
        return err_set(err, ERR_CONFLICT, "protocol_unsupported",
                       "this server speaks the protocol versions %d to %d, the node asks for %d: "
                       "update the older one",
                       MACHINE_PROTOCOL_MIN, MACHINE_PROTOCOL, protocol);
    }
    return true;
}

/* Not what is ours to mend, nor what may work the next time. */
static bool is_refusal(enum err_kind kind) {
    return kind == ERR_INVALID || kind == ERR_DENIED || kind == ERR_MISSING ||
           kind == ERR_CONFLICT || kind == ERR_TOO_LARGE;
}

void machine_note(const struct call *call, const char *event, int64_t job, const struct err *err) {
    struct refused_call refused = {
        .node = call->actor.node, .job = {job}, .event = event, .reason = err};
    if (is_refusal(err->kind)) {
        dispatch_note_refusal(call->app, &refused);
    }
}

void machine_refuse(struct call *call, const char *event, int64_t job, const struct err *err) {
    machine_note(call, event, job, err);
    call_fail(call, err);
}

/* ---- join ---- */

struct join_call {
    struct join_request request;
    struct call *call;
};

static void join_done(struct write_item *item) {
    struct join_call *join = item->context;
    struct call *call = join->call;
    struct err err = {0};
    struct machine_join_answer answer = {
        .node = join->request.node,
        .credential = str_from(join->request.credential),
        .protocol = agree(join->request.protocol_version),
        .server_ms = clock_utc_ms(app_clock(call->app)),
    };
    if (!item->ok) {
        call_fail(call, &item->err);
        return;
    }
    buf_init(&call->out, MACHINE_MESSAGE_BYTES_MAX);
    if (!machine_join_answer_encode(&answer, &call->out, &err)) {
        call_fail(call, &err);
        return;
    }
    call_reply_text(call, 200, buf_str(&call->out));
}

static void judger_join(struct call *call) {
    struct machine_join message = {0};
    struct str text = {0};
    struct err err = {0};
    if (!machine_body(call, &text)) {
        return;
    }
    if (!machine_join_decode(text, call->arena, &message, &err) ||
        !check_protocol(message.protocol, &err)) {
        call_fail(call, &err);
        return;
    }
    struct join_call *join = arena_new(call->arena, struct join_call);
    join->call = call;
    join->request = (struct join_request){.item = {.done = join_done, .context = join},
                                          .join_code = message.join_code,
                                          .protocol_version = message.protocol,
                                          .name = message.name,
                                          .version = message.version};
    call_later(call);
    dispatch_join(call->app, &join->request);
}

/* ---- session ---- */

struct session_call {
    struct session_request request;
    struct call *call;
};

static void session_done(struct write_item *item) {
    struct session_call *session = item->context;
    struct call *call = session->call;
    const struct app_settings *settings = app_settings_of(call->app);
    struct err err = {0};
    struct machine_session_answer answer = {.session_epoch = session->request.session_epoch,
                                            .lease_ms = settings->lease_ms,
                                            .renew_ms = settings->renew_ms,
                                            .heartbeat_ms = settings->heartbeat_ms,
                                            .protocol = agree(session->request.protocol),
                                            .check = session->request.check};
    if (!item->ok) {
        call_fail(call, &item->err);
        return;
    }
    buf_init(&call->out, MACHINE_MESSAGE_BYTES_MAX);
    if (!machine_session_answer_encode(&answer, &call->out, &err)) {
        call_fail(call, &err);
        return;
    }
    call_reply_text(call, 200, buf_str(&call->out));
}

static void judger_session(struct call *call) {
    struct machine_session message = {0};
    struct str text = {0};
    struct err err = {0};
    if (!machine_body(call, &text)) {
        return;
    }
    if (!machine_session_decode(text, call->arena, &message, &err) ||
        !check_protocol(message.protocol, &err)) {
        call_fail(call, &err);
        return;
    }
    struct node_language *languages =
        arena_array(call->arena, (size_t)message.language_count + 1, sizeof *languages);
    for (int32_t i = 0; i < message.language_count; i++) {
        languages[i] =
            (struct node_language){message.languages[i].id, message.languages[i].version};
    }
    char *config = arena_array(call->arena, DIGEST_HEX_BYTES, 1);
    digest_hex(&message.config, config);
    struct session_call *session = arena_new(call->arena, struct session_call);
    session->call = call;
    session->request = (struct session_request){.item = {.done = session_done, .context = session},
                                                .actor = call->actor,
                                                .protocol = message.protocol,
                                                .version = message.version,
                                                .slots = message.slots,
                                                .languages = languages,
                                                .language_count = message.language_count,
                                                .self_test_passed = message.self_test_passed,
                                                .self_test_detail = message.self_test_detail,
                                                .config_digest = str_from(config)};
    call_later(call);
    dispatch_session(call->app, &session->request);
}

/* ---- heartbeat ---- */

struct heartbeat_call {
    struct heartbeat_request request;
    struct call *call;
};

static void heartbeat_done(struct write_item *item) {
    struct heartbeat_call *heartbeat = item->context;
    struct call *call = heartbeat->call;
    struct err err = {0};
    struct machine_heartbeat_answer answer = {.session_epoch = heartbeat->request.session_epoch,
                                              .config =
                                                  (enum machine_config)heartbeat->request.config,
                                              .slots = heartbeat->request.slots,
                                              .check = heartbeat->request.check};
    if (!item->ok) {
        machine_refuse(call, "heartbeat.refused", 0, &item->err);
        return;
    }
    buf_init(&call->out, MACHINE_MESSAGE_BYTES_MAX);
    if (!machine_heartbeat_answer_encode(&answer, &call->out, &err)) {
        call_fail(call, &err);
        return;
    }
    call_reply_text(call, 200, buf_str(&call->out));
}

static void judger_heartbeat(struct call *call) {
    struct machine_heartbeat message = {0};
    struct str text = {0};
    struct err err = {0};
    if (!machine_body(call, &text)) {
        return;
    }
    if (!machine_heartbeat_decode(text, &message, &err)) {
        call_fail(call, &err);
        return;
    }
    struct heartbeat_call *heartbeat = arena_new(call->arena, struct heartbeat_call);
    heartbeat->call = call;
    heartbeat->request =
        (struct heartbeat_request){.item = {.done = heartbeat_done, .context = heartbeat},
                                   .actor = call->actor,
                                   .session_epoch = message.session_epoch,
                                   .busy_slots = message.busy_slots,
                                   .load_permille = message.load_permille};
    call_later(call);
    dispatch_heartbeat(call->app, &heartbeat->request);
}
