#include "cli/selection.h"
#include "base/limits.h"

/* clang-format off */
static const struct flag {
    const char *name;
    const char *member;
    bool number;
} flags[] = {
    {"problem",  "problemId", true},
    {"of-user",  "userId",    true},
    {"language", "language",  false},
    {"verdict",  "verdict",   false},
    {"fault",    "fault",     false},
    {"state",    "jobState",  false},
    {"from",     "from",      false},
    {"to",       "to",        false},
};
/* clang-format on */
#define FLAG_COUNT (sizeof flags / sizeof flags[0])

const char *selection_query_text(const struct config *config, struct arena *arena) {
    const char *text = config_bool(config, "held") ? "&held=true" : "";
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        const char *value = config_text(config, flags[i].name);
        if (value[0] != '\0') {
            text = arena_printf(arena, "%s&%s=%s", text, flags[i].member,
                                client_escape(arena, str_from(value)));
        }
    }
    return text;
}

static bool put_flag(struct jw *json, const struct config *config, const struct flag *flag,
                     struct err *err) {
    const char *value = config_text(config, flag->name);
    int64_t number = 0;
    if (value[0] == '\0') {
        return true;
    }
    if (!flag->number) {
        jw_put_cstr(json, flag->member, value);
        return true;
    }
    if (!str_to_i64(str_from(value), 1, ID_MAX, &number, err)) {
        return err_set(err, ERR_INVALID, "bad_argument", "--%s takes a number, not \"%.64s\"",
                       flag->name, value);
    }
    jw_put_i64(json, flag->member, number);
    return true;
}

static bool put_ids(struct jw *json, const struct cli *cli, int first, struct err *err) {
    if (cli->count <= first) {
        return true;
    }
    jw_key(json, "submissionIds");
    jw_array_begin(json);
    for (int i = first; i < cli->count; i++) {
        int64_t id = 0;
        if (!str_to_i64(str_from(cli->arguments[i]), 1, ID_MAX, &id, err)) {
            return err_set(err, ERR_INVALID, "bad_argument", "\"%.64s\" is no submission's number",
                           cli->arguments[i]);
        }
        jw_i64(json, id);
    }
    jw_array_end(json);
    return true;
}

bool selection_write(struct jw *json, const struct cli *cli, int first, struct err *err) {
    jw_key(json, "selection");
    jw_object_begin(json);
    if (config_bool(cli->config, "all")) {
        jw_put_bool(json, "all", true);
    }
    if (config_bool(cli->config, "held")) {
        jw_put_bool(json, "held", true);
    }
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        if (!put_flag(json, cli->config, &flags[i], err)) {
            return false;
        }
    }
    if (!put_ids(json, cli, first, err)) {
        return false;
    }
    jw_object_end(json);
    return true;
}
