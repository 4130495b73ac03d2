/* Views as JSON, in the order of docs/api/schemas. */
#include "server/view_json.h"
#include "base/check.h"
#include "base/limits.h"
#include "server/call.h"
#include "wire/judgement_json.h"

struct str view_title(const struct text_by_language *titles, int count, const char *language) {
    struct str best = count > 0 ? titles[0].text : (struct str){0};
    for (int i = 0; i < count; i++) {
        if (str_starts(titles[i].language, str_from(language))) {
            return titles[i].text;
        }
        if (str_starts(titles[i].language, STR("en"))) {
            best = titles[i].text;
        }
    }
    return best;
}

static void put_or_null(struct jw *json, const char *name, struct str text) {
    if (text.len > 0) {
        jw_put_str(json, name, text);
    } else {
        jw_put_null(json, name);
    }
}

static void user_members(struct jw *json, const struct user_view *user) {
    jw_put_i64(json, "id", user->id.value);
    jw_put_str(json, "username", user->username);
    jw_put_str(json, "displayName", user->display_name);
    jw_put_cstr(json, "role", role_name(user->role));
}

void view_user(struct jw *json, const struct user_view *user) {
    jw_object_begin(json);
    user_members(json, user);
    jw_put_bool(json, "disabled", user->disabled);
    jw_put_time(json, "createdAt", user->created_ms);
    jw_object_end(json);
}

void view_session(struct jw *json, const struct session_view *session, bool with_token) {
    jw_object_begin(json);
    jw_key(json, "user");
    jw_object_begin(json);
    user_members(json, &session->user);
    jw_object_end(json);
    if (with_token) {
        jw_put_cstr(json, "accessToken", session->access_token);
    }
    jw_put_time(json, "expiresAt", session->expires_ms);
    jw_object_end(json);
}

void view_problem_members(struct jw *json, const struct problem_summary *problem,
                          const char *language) {
    jw_put_i64(json, "id", problem->id.value);
    jw_put_str(json, "code", problem->code);
    jw_put_str(json, "title", view_title(problem->titles, problem->title_count, language));
    jw_key(json, "titles");
    jw_object_begin(json);
    for (int i = 0; i < problem->title_count; i++) {
        jw_key_str(json, problem->titles[i].language);
        jw_str(json, problem->titles[i].text);
    }
    jw_object_end(json);
    jw_put_i64(json, "timeLimitMs", problem->time_limit_ms);
    jw_put_i64(json, "memoryKb", problem->memory_limit_kib);
}

void view_problem_summary(struct jw *json, const struct problem_summary *problem,
                          const char *language) {
    jw_object_begin(json);
    view_problem_members(json, problem, language);
    jw_put_cstr(json, "myStatus",
                problem->my_best == VERDICT_NONE       ? NULL
                : problem->my_best == VERDICT_ACCEPTED ? "ACCEPTED"
                                                       : "TRIED");
    jw_object_end(json);
}

/* The address of a statement's file: one part of a path, whatever its name. */
static void put_file_url(struct jw *json, int64_t problem, struct str file) {
    static const char digits[] = "0123456789ABCDEF";
    own_buf url;
    buf_init(&url, 4 * KIB);
    (void)buf_printf(&url, "/api/v1/problems/%lld/files/", (long long)problem);
    for (size_t i = 0; i < file.len; i++) {
        unsigned char c = (unsigned char)file.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '-' || c == '_' || c == '.' || c == '~';
        if (plain) {
            (void)buf_append_char(&url, (char)c);
        } else {
            (void)buf_printf(&url, "%%%c%c", digits[c >> 4], digits[c & 15]);
        }
    }
    jw_put_str(json, "url", buf_str(&url));
}

static void view_statements(struct jw *json, const struct problem_view *problem) {
    jw_key(json, "statements");
    jw_array_begin(json);
    for (int i = 0; i < problem->statement_count; i++) {
        const struct problem_statement *statement = &problem->statements[i];
        jw_object_begin(json);
        jw_put_str(json, "language", statement->language);
        jw_put_str(json, "format", statement->format);
        put_or_null(json, "text", statement->text);
        if (statement->file.len > 0) {
            put_file_url(json, problem->summary.id.value, statement->file);
        } else {
            jw_put_null(json, "url");
        }
        jw_object_end(json);
    }
    jw_array_end(json);
}

static void view_samples(struct jw *json, const struct problem_view *problem) {
    jw_key(json, "samples");
    jw_array_begin(json);
    for (int i = 0; i < problem->sample_count; i++) {
        jw_object_begin(json);
        jw_put_str(json, "name", problem->samples[i].name);
        jw_put_str(json, "input", problem->samples[i].input);
        jw_put_str(json, "answer", problem->samples[i].answer);
        jw_object_end(json);
    }
    jw_array_end(json);
}

static void view_problem_hold(struct jw *json, const struct problem_view *problem) {
    if (problem->held_ms == 0) {
        jw_put_null(json, "held");
        return;
    }
    jw_key(json, "held");
    jw_object_begin(json);
    jw_put_time(json, "since", problem->held_ms);
    jw_put_str(json, "code", problem->held_code);
    jw_put_str(json, "detail", problem->held_detail);
    jw_object_end(json);
}

void view_problem(struct jw *json, const struct problem_view *problem, const char *language) {
    struct str rest = problem->languages;
    struct str word = {0};
    jw_object_begin(json);
    view_problem_members(json, &problem->summary, language);
    jw_put_i64(json, "outputKb", problem->output_limit_kib);
    jw_put_i64(json, "sourceKb", problem->code_limit_kib);
    jw_put_i64(json, "casesTotal", problem->cases_total);
    jw_put_cstr(json, "manifestId", problem->manifest_id);
    view_statements(json, problem);
    view_samples(json, problem);
    jw_key(json, "languages");
    jw_array_begin(json);
    while (str_next_word(&rest, &word)) {
        jw_str(json, word);
    }
    jw_array_end(json);
    jw_put_time(json, "createdAt", problem->created_ms);
    view_problem_hold(json, problem);
    jw_object_end(json);
}

static const char *state_name(enum submission_state state) {
    switch (state) {
    case SUBMISSION_PENDING: return "PENDING";
    case SUBMISSION_COMPILING: return "COMPILING";
    case SUBMISSION_JUDGING: return "JUDGING";
    case SUBMISSION_DONE: return "DONE";
    }
    CHECK(false);
    return NULL;
}

static void put_known_ms(struct jw *json, const char *name, int64_t ms) {
    if (ms > 0) {
        jw_put_i64(json, name, ms);
    } else {
        jw_put_null(json, name);
    }
}

static void state_members(struct jw *json, const struct submission_view *view) {
    jw_put_cstr(json, "state", state_name(view->state));
    if (view->state == SUBMISSION_PENDING && view->reason.code != NULL) {
        jw_key(json, "reason");
        jw_object_begin(json);
        jw_put_cstr(json, "code", view->reason.code);
        jw_put_str(json, "text", view->reason.text);
        put_or_null(json, "detail", view->reason.detail);
        if (view->reason.place > 0) {
            jw_put_i64(json, "place", view->reason.place);
        } else {
            jw_put_null(json, "place");
        }
        put_known_ms(json, "estimateMs", view->reason.estimate_ms);
        if (view->reason.until_ms > 0) {
            jw_put_time(json, "until", view->reason.until_ms);
        } else {
            jw_put_null(json, "until");
        }
        jw_object_end(json);
    } else {
        jw_put_null(json, "reason");
    }
}

static void case_index_member(struct jw *json, const struct submission_view *view) {
    if (view->state == SUBMISSION_JUDGING && view->case_index >= 0) {
        jw_put_i64(json, "caseIndex", view->case_index + 1);
    } else {
        jw_put_null(json, "caseIndex");
    }
}

void view_submission_state(struct jw *json, const struct submission_view *view) {
    jw_object_begin(json);
    state_members(json, view);
    case_index_member(json, view);
    jw_put_i64(json, "casesTotal", view->cases_total);
    jw_object_end(json);
}

static void verdict_members(struct jw *json, const struct submission_view *view) {
    bool done = view->state == SUBMISSION_DONE;
    jw_put_cstr(json, "verdict", done ? verdict_code(view->verdict) : NULL);
    jw_put_cstr(json, "verdictShort", done ? verdict_short(view->verdict) : NULL);
    jw_put_decimal(json, "score", view->score_micro, 6);
    jw_put_i64(json, "casesPassed", view->cases_passed);
    jw_put_i64(json, "casesTotal", view->cases_total);
    case_index_member(json, view);
    if (done && view->verdict != VERDICT_COMPILE_ERROR && view->verdict != VERDICT_SYSTEM_ERROR) {
        jw_put_i64(json, "cpuMs", view->cpu_ms);
        jw_put_i64(json, "memoryKb", view->memory_kib);
    } else {
        jw_put_null(json, "cpuMs");
        jw_put_null(json, "memoryKb");
    }
}

static void submission_members(struct jw *json, const struct submission_view *view,
                               const char *language) {
    jw_put_i64(json, "id", view->id.value);
    jw_put_i64(json, "problemId", view->problem.value);
    jw_put_str(json, "problemCode", view->problem_code);
    jw_put_str(json, "problemTitle",
               view_title(view->problem_titles, view->problem_title_count, language));
    jw_put_i64(json, "userId", view->user.value);
    jw_put_str(json, "username", view->username);
    jw_put_str(json, "language", view->language);
    jw_put_cstr(json, "kind", view->is_sql ? "SQL" : "ALGO");
    state_members(json, view);
    verdict_members(json, view);
    jw_put_i64(json, "generation", view->generation);
    jw_put_time(json, "createdAt", view->created_ms);
    jw_put_time(json, "judgedAt", view->judged_ms);
}

void view_submission_summary(struct jw *json, const struct submission_view *view,
                             const char *language) {
    jw_object_begin(json);
    submission_members(json, view, language);
    jw_object_end(json);
}

void view_submission(struct jw *json, const struct submission_view *view, const char *language) {
    const struct judgement *judgement = &view->judgement;
    jw_object_begin(json);
    submission_members(json, view, language);
    jw_key(json, "compile");
    if (judgement->compile.ran) {
        jw_object_begin(json);
        jw_put_bool(json, "ok", judgement->compile.ok);
        jw_put_str(json, "log", judgement->compile.log);
        jw_object_end(json);
    } else {
        jw_null(json);
    }
    jw_key(json, "cases");
    jw_array_begin(json);
    for (int i = 0; i < judgement->case_count; i++) {
        case_result_write(json, &judgement->cases[i], CASE_STAFF);
    }
    jw_array_end(json);
    put_or_null(json, "message", judgement->message);
    if (view->source.ptr != NULL) {
        jw_put_str(json, "source", view->source);
    }
    jw_put_str(json, "traceId", view->trace_id);
    jw_object_end(json);
}

static const char *config_name(enum node_config config) {
    switch (config) {
    case NODE_PENDING: return "PENDING";
    case NODE_ENABLED: return "ENABLED";
    case NODE_DRAINING: return "DRAINING";
    case NODE_DISABLED: return "DISABLED";
    case NODE_CONFIG_END: break;
    }
    CHECK(false);
    return NULL;
}

static const char *observed_name(enum node_observed observed) {
    switch (observed) {
    case NODE_NEVER_SEEN: return "NEVER_SEEN";
    case NODE_ONLINE: return "ONLINE";
    case NODE_BUSY: return "BUSY";
    case NODE_OFFLINE: return "OFFLINE";
    }
    CHECK(false);
    return NULL;
}

void view_judger(struct jw *json, const struct node_view *node) {
    jw_object_begin(json);
    jw_put_i64(json, "id", node->id.value);
    jw_put_str(json, "name", node->name);
    jw_put_str(json, "pool", node->pool);
    jw_put_str(json, "runtimeSpec", node->runtime_spec);
    jw_put_i64(json, "slots", node->slots);
    jw_put_i64(json, "busySlots", node->busy_slots);
    jw_put_cstr(json, "configState", config_name(node->config));
    jw_put_cstr(json, "observedState", observed_name(node->observed));
    jw_put_time(json, "lastHeartbeatAt", node->heartbeat_ms);
    jw_put_i64(json, "sessionEpoch", node->session_epoch);
    jw_key(json, "languages");
    jw_array_begin(json);
    for (int i = 0; i < node->language_count; i++) {
        jw_object_begin(json);
        jw_put_str(json, "id", node->languages[i].id);
        jw_put_str(json, "version", node->languages[i].version);
        jw_object_end(json);
    }
    jw_array_end(json);
    put_or_null(json, "version", node->version);
    jw_put_i64(json, "revision", node->revision);
    put_or_null(json, "message", node->message);
    put_or_null(json, "hostGroup", node->host_group);
    put_or_null(json, "baseUrl", node->base_url);
    jw_put_bool(json, "selfTestPassed", node->self_test_passed);
    jw_put_bool(json, "checkWaiting", node->check != 0);
    jw_put_i64(json, "speedPermille", node->speed_permille);
    jw_put_bool(json, "hasCredential", node->has_credential);
    jw_object_end(json);
}

void view_registered(struct call *call, const struct node_registered *registered, int status) {
    struct jw json;
    call_reply_begin(call, &json);
    jw_object_begin(&json);
    jw_key(&json, "judger");
    view_judger(&json, &registered->node);
    jw_put_cstr(&json, "joinCode", registered->join_code);
    jw_put_time(&json, "joinCodeExpiresAt", registered->expires_ms);
    jw_object_end(&json);
    call_reply_end(call, &json, status);
}

static void put_imported(struct jw *json, const struct problem_import_result *result,
                         const char *language) {
    const struct problem_summary *problem = &result->problem;
    if (result->error.len > 0) {
        jw_null(json);
        return;
    }
    jw_object_begin(json);
    if (problem->id.value > 0) {
        jw_put_i64(json, "id", problem->id.value);
    } else {
        jw_put_null(json, "id");
    }
    jw_put_str(json, "code", problem->code);
    jw_put_str(json, "title", view_title(problem->titles, problem->title_count, language));
    jw_object_end(json);
}

static void put_import(struct jw *json, const struct problem_import_result *result,
                       const char *language) {
    jw_key(json, "problem");
    put_imported(json, result, language);
    jw_put_bool(json, "created", result->created);
    jw_key(json, "report");
    problem_report_json(json, &result->report);
}

/* The first that was taken stands by itself as well: most packages hold one. */
static const struct problem_import_result *first_of(const struct problem_import_list *list) {
    for (int32_t i = 0; i < list->count; i++) {
        if (list->items[i].error.len == 0) {
            return &list->items[i];
        }
    }
    return &list->items[0];
}

void view_import(struct jw *json, const struct problem_import_list *list, const char *language) {
    jw_object_begin(json);
    put_import(json, first_of(list), language);
    jw_key(json, "items");
    jw_array_begin(json);
    for (int32_t i = 0; i < list->count; i++) {
        jw_object_begin(json);
        put_import(json, &list->items[i], language);
        put_or_null(json, "error", list->items[i].error);
        jw_object_end(json);
    }
    jw_array_end(json);
    jw_object_end(json);
}
