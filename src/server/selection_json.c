#include "server/selection_json.h"
#include "app/job.h"
#include "base/check.h"
#include "base/limits.h"

#include <stdlib.h>

struct words {
    struct str verdict;
    struct str fault;
    struct str job_state;
    struct str from;
    struct str to;
};

/* clang-format off */
static const char *const fault_words[] = {
    [FAULT_NONE]    = NULL,
    [FAULT_NODE]    = "NODE",
    [FAULT_PROBLEM] = "PROBLEM",
    [FAULT_JOB]     = "JOB",
};
/* clang-format on */

const char *fault_word(enum fault fault) {
    CHECK((size_t)fault < sizeof fault_words / sizeof fault_words[0]);
    return fault_words[fault];
}

static bool parse_fault(struct str text, enum fault *ret_fault) {
    for (size_t i = FAULT_NONE + 1; i < sizeof fault_words / sizeof fault_words[0]; i++) {
        if (str_eq_c(text, fault_words[i])) {
            *ret_fault = (enum fault)i;
            return true;
        }
    }
    return text.len == 0;
}

static bool parse_state(struct str text, enum job_state *ret_state) {
    for (int state = JOB_QUEUED; state < JOB_STATE_COUNT; state++) {
        if (str_eq_c(text, job_state_name((enum job_state)state))) {
            *ret_state = (enum job_state)state;
            return true;
        }
    }
    return text.len == 0;
}

static bool parse_time(struct str text, int64_t *ret_ms) {
    return text.len == 0 || clock_parse_rfc3339(text, ret_ms);
}

static bool parse_words(const struct words *words, const char *code, struct selection *selection,
                        struct err *err) {
    if ((words->verdict.len > 0 && !verdict_parse(words->verdict, &selection->verdict)) ||
        !parse_fault(words->fault, &selection->fault) ||
        !parse_state(words->job_state, &selection->job_state)) {
        return err_set(err, ERR_INVALID, code, "`verdict`, `fault` or `jobState` is no such word");
    }
    if (!parse_time(words->from, &selection->from_ms) ||
        !parse_time(words->to, &selection->to_ms)) {
        return err_set(err, ERR_INVALID, code, "`from` and `to` are times as 2026-11-30T08:00:00Z");
    }
    return true;
}

bool selection_of_query(struct call *call, struct selection *ret_selection) {
    const struct http_request *http = call->http;
    struct words words = {
        .verdict = http_query(http, "verdict"),
        .fault = http_query(http, "fault"),
        .job_state = http_query(http, "jobState"),
        .from = http_query(http, "from"),
        .to = http_query(http, "to"),
    };
    struct err err = {0};
    *ret_selection = (struct selection){.language = http_query(http, "language"),
                                        .held = str_eq(http_query(http, "held"), STR("true"))};
    if (!call_query_id(call, "problemId", &ret_selection->problem.value) ||
        !call_query_id(call, "userId", &ret_selection->user.value)) {
        return false;
    }
    if (!parse_words(&words, "bad_parameter", ret_selection, &err)) {
        call_fail(call, &err);
        return false;
    }
    return true;
}

static int compare(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;
    return left < right ? -1 : left > right ? 1 : 0;
}

static bool read_ids(struct call *call, const struct json *object, struct selection *selection,
                     struct err *err) {
    const struct json *array = NULL;
    if (!jr_opt_array(object, "submissionIds", SELECTION_IDS_MAX, &array, err)) {
        return false;
    }
    if (array == NULL) {
        return true;
    }
    size_t count = jr_count(array);
    int64_t *ids = arena_array(call->arena, count + 1, sizeof ids[0]);
    for (size_t i = 0; i < count; i++) {
        if (!jr_item_i64(array, i, 1, ID_MAX, &ids[i], err)) {
            return false;
        }
    }
    qsort(ids, count, sizeof ids[0], compare);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || ids[i] != ids[i - 1]) {
            ids[selection->id_count++] = ids[i];
        }
    }
    selection->ids = ids;
    return true;
}

static bool read_plain(const struct json *object, struct selection *selection, bool *all,
                       struct err *err) {
    return jr_opt_bool(object, "all", all, err) &&
           jr_opt_bool(object, "held", &selection->held, err) &&
           jr_opt_i64(object, "problemId", 1, ID_MAX, &selection->problem.value, err) &&
           jr_opt_i64(object, "userId", 1, ID_MAX, &selection->user.value, err) &&
           jr_opt_str(object, "language", LANGUAGE_ID_BYTES_MAX, &selection->language, err);
}

static bool read_words(const struct json *object, struct words *words, struct err *err) {
    return jr_opt_str(object, "verdict", 32, &words->verdict, err) &&
           jr_opt_str(object, "fault", 16, &words->fault, err) &&
           jr_opt_str(object, "jobState", 16, &words->job_state, err) &&
           jr_opt_str(object, "from", 40, &words->from, err) &&
           jr_opt_str(object, "to", 40, &words->to, err);
}

static bool names_something(const struct selection *s) {
    return s->problem.value != 0 || s->user.value != 0 || s->language.len > 0 || s->verdict != 0 ||
           s->fault != 0 || s->job_state != 0 || s->held || s->from_ms != 0 || s->to_ms != 0 ||
           s->ids != NULL;
}

bool selection_of_body(struct call *call, const struct json *body, struct selection *ret_selection,
                       struct err *err) {
    static const char *const known[] = {"all",     "problemId", "userId",        "language",
                                        "verdict", "fault",     "jobState",      "held",
                                        "from",    "to",        "submissionIds", NULL};
    const struct json *object = NULL;
    struct words words = {0};
    bool all = false;
    *ret_selection = (struct selection){0};
    if (!jr_object(body, "selection", &object, err) || !jr_refuse_unknown(object, known, err) ||
        !read_plain(object, ret_selection, &all, err) || !read_words(object, &words, err) ||
        !parse_words(&words, "bad_field", ret_selection, err) ||
        !read_ids(call, object, ret_selection, err)) {
        return false;
    }
    if (!all && !names_something(ret_selection)) {
        return err_set(err, ERR_INVALID, "bad_field",
                       "field `selection` names nothing: say what you mean, or \"all\": true");
    }
    return true;
}

static void put_id(struct jw *json, const char *name, int64_t id) {
    if (id != 0) {
        jw_put_i64(json, name, id);
    } else {
        jw_put_null(json, name);
    }
}

void view_selection(struct jw *json, const struct selection *s) {
    jw_object_begin(json);
    put_id(json, "problemId", s->problem.value);
    put_id(json, "userId", s->user.value);
    if (s->language.len > 0) {
        jw_put_str(json, "language", s->language);
    } else {
        jw_put_null(json, "language");
    }
    jw_put_cstr(json, "verdict", s->verdict != 0 ? verdict_code(s->verdict) : NULL);
    jw_put_cstr(json, "fault", fault_word(s->fault));
    jw_put_cstr(json, "jobState", s->job_state != 0 ? job_state_name(s->job_state) : NULL);
    jw_put_time(json, "from", s->from_ms);
    jw_put_time(json, "to", s->to_ms);
    jw_put_i64(json, "submissionCount", s->id_count);
    jw_object_end(json);
}
