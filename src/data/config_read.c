/* Where settings come from: a file, the environment, the command line. */
#include "base/arena.h"
#include "base/check.h"
#include "base/file.h"
#include "data/config.h"
#include "data/config_internal.h"
#include "data/suggest.h"
#include <stdio.h>
#include <string.h>

#define NAME_BYTES_MAX 128
#define SHOWN_BYTES_MAX 60

/* One line of a file, for messages: "assize.conf:12". */
struct line {
    const char *file;
    int number;
    struct str text;
    struct str section; /* the one it stands in; empty before the first */
};

static bool line_error(const struct line *line, struct err *err, const char *text) {
    return err_set(err, ERR_INVALID, "bad_config", "%s:%d: %s", line->file, line->number, text);
}

/* Cuts a comment off: '#' at the start or after white space. */
static struct str without_comment(struct str text) {
    for (size_t i = 0; i < text.len; i++) {
        bool stands_apart = i == 0 || text.ptr[i - 1] == ' ' || text.ptr[i - 1] == '\t';
        if (text.ptr[i] == '#' && stands_apart) {
            return str_trim(str_sub(text, 0, i));
        }
    }
    return str_trim(text);
}

/* A value in double quotes, with \" and \\ inside, into `out`. */
static bool read_quoted(const struct line *line, struct str text, struct buf *out,
                        struct err *err) {
    size_t at = 1;
    while (at < text.len && text.ptr[at] != '"') {
        if (text.ptr[at] == '\\') {
            at++;
            bool known = at < text.len && (text.ptr[at] == '"' || text.ptr[at] == '\\');
            if (!known) {
                return line_error(line, err, "only \\\" and \\\\ may stand after a backslash");
            }
        }
        buf_append_char(out, text.ptr[at]);
        at++;
    }
    if (at >= text.len) {
        return line_error(line, err, "the closing quote is missing");
    }
    if (without_comment(str_sub(text, at + 1, text.len)).len > 0) {
        return line_error(line, err, "something stands behind the closing quote");
    }
    return true;
}

static bool unknown_setting(const struct config *config, const struct line *line, struct str name,
                            struct err *err) {
    struct suggest nearest = suggest_for(name);
    for (size_t i = 0; i < config->count; i++) {
        suggest_offer(&nearest, config->values[i].row->name);
    }
    char hint[SUGGEST_TEXT_BYTES];
    suggest_text(&nearest, hint);
    struct str shown = str_utf8_prefix(name, SHOWN_BYTES_MAX);
    return err_set(err, ERR_INVALID, "unknown_setting",
                   "%s:%d: there is no setting `" STR_FMT "`%s", line->file, line->number,
                   STR_ARG(shown), hint);
}

static bool store_line(struct config *config, const struct line *line, struct str name,
                       struct str text, struct err *err) {
    struct config_value *value = config_find(config, name);
    if (value == NULL) {
        return unknown_setting(config, line, name, err);
    }
    if (value->text_of_read == config->texts_read) {
        return err_set(err, ERR_INVALID, "bad_config", "%s:%d: `%s` is set a second time",
                       line->file, line->number, value->row->name);
    }
    value->text_of_read = config->texts_read;
    const char *source = arena_printf(config->arena, "%s:%d", line->file, line->number);
    own_buf unquoted;
    buf_init(&unquoted, CONFIG_BYTES_MAX);
    if (!str_starts(text, STR("\""))) {
        return config_store(config, value, CONFIG_RANK_FILE, source, without_comment(text), err);
    }
    return read_quoted(line, text, &unquoted, err) &&
           config_store(config, value, CONFIG_RANK_FILE, source, buf_str(&unquoted), err);
}

static bool read_section(struct line *line, struct str text, struct err *err) {
    struct str inside = without_comment(text);
    if (!str_ends(inside, STR("]"))) {
        return line_error(line, err, "a section is written as [name]");
    }
    line->section = str_trim(str_sub(inside, 1, inside.len - 2));
    if (line->section.len == 0 || line->section.len > NAME_BYTES_MAX) {
        return line_error(line, err, "a section needs a name of at most 128 bytes");
    }
    return true;
}

static bool read_line(struct config *config, struct line *line, struct err *err) {
    struct str text = str_trim(line->text);
    if (text.len == 0 || text.ptr[0] == '#') {
        return true;
    }
    if (text.ptr[0] == '[') {
        return read_section(line, text, err);
    }
    struct str key = STR("");
    struct str value = STR("");
    if (!str_cut(text, '=', &key, &value)) {
        return line_error(line, err, "a line is `name = value`, `[section]` or a # comment");
    }
    key = str_trim(key);
    char name[2 * NAME_BYTES_MAX + 2];
    if (key.len == 0 || key.len > NAME_BYTES_MAX) {
        return line_error(line, err, "the name before `=` must have 1 to 128 bytes");
    }
    snprintf(name, sizeof(name), STR_FMT "%s" STR_FMT, STR_ARG(line->section),
             line->section.len > 0 ? "." : "", STR_ARG(key));
    return store_line(config, line, str_from(name), str_trim(value), err);
}

bool config_read_text(struct config *config, const char *file, struct str text, struct err *err) {
    if (text.len > CONFIG_BYTES_MAX) {
        return err_set(err, ERR_TOO_LARGE, "too_large", "%s is larger than %d bytes", file,
                       CONFIG_BYTES_MAX);
    }
    if (str_starts(text, STR("\xef\xbb\xbf"))) {
        text = str_sub(text, 3, text.len); /* the mark that some editors put first */
    }
    config->texts_read++;
    struct line line = {.file = file, .section = STR("")};
    while (str_next_line(&text, &line.text)) {
        line.number++;
        if (!read_line(config, &line, err)) {
            return false;
        }
    }
    return true;
}

bool config_read_file(struct config *config, const char *path, struct err *err) {
    own_buf text;
    buf_init(&text, CONFIG_BYTES_MAX);
    return file_load(path, CONFIG_BYTES_MAX, &text, err) &&
           config_read_text(config, path, buf_str(&text), err);
}

/* The value of `name` in the environment, or NULL. An empty one counts as not set: container tools
 * pass on variables that nobody gave a value. */
static const char *env_value(const char *const environment[], const char *name) {
    size_t len = strlen(name);
    for (size_t i = 0; environment[i] != NULL; i++) {
        if (strncmp(environment[i], name, len) == 0 && environment[i][len] == '=') {
            return environment[i][len + 1] == '\0' ? NULL : environment[i] + len + 1;
        }
    }
    return NULL;
}

static bool store_secret_file(struct config *config, struct config_value *value,
                              const char *variable, const char *path, struct err *err) {
    own_buf text;
    buf_init(&text, CONFIG_BYTES_MAX);
    if (!file_load(path, CONFIG_BYTES_MAX, &text, err)) {
        return err_wrap(err, "%s", variable);
    }
    struct str first = STR("");
    struct str rest = buf_str(&text);
    bool any = str_next_line(&rest, &first);
    if (!any || rest.len > 0) {
        return err_set(err, ERR_INVALID, "bad_config", "%s: %s must hold exactly one line",
                       variable, path);
    }
    return config_store(config, value, CONFIG_RANK_ENV, variable, first, err);
}

/* Reads one variable, and for a secret its twin that names a file. */
static bool read_variable(struct config *config, struct config_value *value,
                          const char *const environment[], const char *variable, struct err *err) {
    const char *text = env_value(environment, variable);
    const char *twin = arena_printf(config->arena, "%s_FILE", variable);
    const char *path = value->row->secret ? env_value(environment, twin) : NULL;
    if (text != NULL && path != NULL) {
        return err_set(err, ERR_INVALID, "bad_config", "%s and %s are both set: keep one", variable,
                       twin);
    }
    if (path != NULL) {
        return store_secret_file(config, value, twin, path, err);
    }
    return text == NULL ||
           config_store(config, value, CONFIG_RANK_ENV, variable, str_from(text), err);
}

bool config_read_env(struct config *config, const char *const environment[], struct err *err) {
    for (size_t i = 0; i < config->count; i++) {
        struct config_value *value = &config->values[i];
        const char *other = value->row->env;
        /* The derived name last: where both are set, it wins. */
        if ((other != NULL && !read_variable(config, value, environment, other, err)) ||
            !read_variable(config, value, environment, value->env, err)) {
            return false;
        }
    }
    return true;
}

static struct config_value *find_flag(const struct config *config, struct str flag) {
    for (size_t i = 0; i < config->count; i++) {
        const char *own_flag = config->values[i].row->flag;
        if (own_flag != NULL && str_eq_c(flag, own_flag)) {
            return &config->values[i];
        }
    }
    return NULL;
}

static bool unknown_flag(const struct config *config, struct str flag, struct err *err) {
    struct suggest nearest = suggest_for(flag);
    for (size_t i = 0; i < config->count; i++) {
        if (config->values[i].row->flag != NULL) {
            suggest_offer(&nearest, config->values[i].row->flag);
        }
    }
    struct str shown = str_utf8_prefix(flag, SHOWN_BYTES_MAX);
    const char *hint = nearest.name == NULL ? "" : nearest.name;
    return err_set(err, ERR_INVALID, "unknown_flag", "there is no flag --" STR_FMT "%s%s%s",
                   STR_ARG(shown), *hint ? " (did you mean --" : "", hint, *hint ? "?)" : "");
}

/* The arguments while they are read. */
struct args {
    int count;
    const char *const *items;
    int at;
};

/* What follows "--name": after '=', or the next argument. */
static bool flag_value(struct args *args, const char *flag, bool attached, struct str *value,
                       struct err *err) {
    if (attached) {
        return true;
    }
    if (args->at + 1 >= args->count || strncmp(args->items[args->at + 1], "--", 2) == 0) {
        return err_set(err, ERR_INVALID, "bad_config", "--%s needs a value: --%s=VALUE", flag,
                       flag);
    }
    args->at++;
    *value = str_from(args->items[args->at]);
    return true;
}

static bool read_bool_flag(struct config *config, struct config_value *value, bool attached,
                           struct str text, struct err *err) {
    const char *source = arena_printf(config->arena, "--%s", value->row->flag);
    return config_store(config, value, CONFIG_RANK_FLAG, source, attached ? text : STR("true"),
                        err);
}

static bool read_no_flag(struct config *config, struct str name, struct err *err) {
    struct config_value *value =
        str_starts(name, STR("no-")) ? find_flag(config, str_sub(name, 3, name.len)) : NULL;
    if (value == NULL || value->row->type != CONFIG_BOOL) {
        return unknown_flag(config, name, err);
    }
    const char *source = arena_printf(config->arena, "--no-%s", value->row->flag);
    return config_store(config, value, CONFIG_RANK_FLAG, source, STR("false"), err);
}

static bool read_flag(struct config *config, struct args *args, struct str text, struct err *err) {
    struct str name = STR("");
    struct str given = STR("");
    bool attached = str_cut(text, '=', &name, &given);
    struct config_value *value = find_flag(config, name);
    if (value == NULL) {
        return attached ? unknown_flag(config, name, err) : read_no_flag(config, name, err);
    }
    if (value->row->type == CONFIG_BOOL) {
        return read_bool_flag(config, value, attached, given, err);
    }
    const char *source = arena_printf(config->arena, "--%s", value->row->flag);
    return flag_value(args, value->row->flag, attached, &given, err) &&
           config_store(config, value, CONFIG_RANK_FLAG, source, given, err);
}

bool config_read_args(struct config *config, int count, const char *const args[],
                      const char **ret_rest, int *ret_rest_count, struct err *err) {
    struct args state = {.count = count, .items = args};
    int rest = 0;
    bool flags_end = false;
    for (; state.at < count; state.at++) {
        struct str text = str_from(args[state.at]);
        bool help = str_eq(text, STR("-h"));
        if (flags_end || text.len < 2 || text.ptr[0] != '-') {
            ret_rest[rest++] = args[state.at];
        } else if (str_eq(text, STR("--"))) {
            flags_end = true;
        } else if (!help && text.ptr[1] != '-') {
            return err_set(err, ERR_INVALID, "unknown_flag",
                           "there is no flag %.60s: flags begin with two dashes", args[state.at]);
        } else if (!read_flag(config, &state, help ? STR("help") : str_sub(text, 2, text.len),
                              err)) {
            return false;
        }
    }
    *ret_rest_count = rest;
    return true;
}

bool config_set(struct config *config, const char *name, struct str value, struct err *err) {
    struct config_value *found = config_find(config, str_from(name));
    CHECK(found != NULL);
    return config_store(config, found, CONFIG_RANK_FLAG, "set", value, err);
}
