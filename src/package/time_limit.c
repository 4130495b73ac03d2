/* The time limit. The legacy format does not say where it stands, so it stands in several places:
 * problem.yaml, a file .timelimit, domjudge-problem.ini. Places that disagree are an error, because
 * only the author knows which one is right. */
#include "base/check.h"
#include "package/reader_internal.h"

#define DEFAULT_MS 2000
#define INI_BYTES_MAX (64 * KIB)
#define INI_NAME STR("domjudge-problem.ini")
#define TIMELIMIT_NAME STR(".timelimit")

struct place {
    struct str file;
    int64_t ms; /* 0: it does not say */
};

static bool parse_seconds(struct str text, struct str file, int line, int64_t *ret_ms,
                          struct err *err) {
    struct err ignored = {0};
    int64_t ms = 0;
    if (!str_to_scaled(str_trim(text), 3, TIME_LIMIT_MS_MAX, &ms, &ignored) ||
        ms < TIME_LIMIT_MS_MIN) {
        return package_refuse(err, file, line, "a time limit in seconds, from 0.01 to 600");
    }
    *ret_ms = ms;
    return true;
}

static struct str unquoted(struct str text) {
    text = str_trim(text);
    if (text.len >= 2 && (text.ptr[0] == '\'' || text.ptr[0] == '"') &&
        text.ptr[0] == text.ptr[text.len - 1]) {
        return str_sub(text, 1, text.len - 2);
    }
    return text;
}

static bool ini_value(struct package_reader *reader, struct str key, struct str value, int line,
                      int64_t *ret_ms, struct err *err) {
    if (str_eq_c(key, "timelimit")) {
        return parse_seconds(value, INI_NAME, line, ret_ms, err);
    }
    if (str_eq_c(key, "name")) {
        reader->ini_title = value;
    } else if (str_eq_c(key, "short-name") || str_eq_c(key, "externalid")) {
        reader->ini_code = value;
    } else if (str_eq_c(key, "special_run") || str_eq_c(key, "special_compare")) {
        note_warning(reader, INI_NAME, line, "`" STR_FMT "` names a program outside this package",
                     STR_ARG(key));
    }
    return true;
}

static bool read_ini(struct package_reader *reader, int64_t *ret_ms, struct err *err) {
    const struct package_file *file = package_tree_find(reader->tree, INI_NAME);
    struct str text = STR("");
    struct str line = STR("");
    if (file == NULL) {
        return true;
    }
    if (!content_text(reader, file, INI_BYTES_MAX, &text, err)) {
        return false;
    }
    note_read(reader, INI_NAME);
    for (int number = 1; str_next_line(&text, &line); number++) {
        struct str key = STR("");
        struct str value = STR("");
        line = str_trim(line);
        if (line.len == 0 || line.ptr[0] == ';' || line.ptr[0] == '#' || line.ptr[0] == '[') {
            continue;
        }
        if (!str_cut(line, '=', &key, &value)) {
            return package_refuse(err, INI_NAME, number, "expected key = value");
        }
        if (!ini_value(reader, str_trim(key), unquoted(value), number, ret_ms, err)) {
            return false;
        }
    }
    return true;
}

static bool read_timelimit_file(struct package_reader *reader, int64_t *ret_ms, struct err *err) {
    const struct package_file *file = package_tree_find(reader->tree, TIMELIMIT_NAME);
    struct str text = STR("");
    if (file == NULL) {
        return true;
    }
    note_read(reader, TIMELIMIT_NAME);
    return content_text(reader, file, KIB, &text, err) &&
           parse_seconds(text, TIMELIMIT_NAME, 0, ret_ms, err);
}

static bool agree(const struct place *places, size_t count, int64_t *ret_ms, struct err *err) {
    const struct place *first = NULL;
    for (size_t i = 0; i < count; i++) {
        if (places[i].ms == 0) {
            continue;
        }
        if (first != NULL && first->ms != places[i].ms) {
            return package_refuse(err, STR(""), 0,
                                  STR_FMT " and " STR_FMT " give different time limits (%lld ms, "
                                          "%lld ms): keep one",
                                  STR_ARG(first->file), STR_ARG(places[i].file),
                                  (long long)first->ms, (long long)places[i].ms);
        }
        first = first == NULL ? &places[i] : first;
    }
    *ret_ms = first == NULL ? 0 : first->ms;
    return true;
}

bool time_limit_read(struct package_reader *reader, struct err *err) {
    struct place places[] = {
        {STR("problem.yaml"), reader->yaml_time_ms}, {TIMELIMIT_NAME, 0}, {INI_NAME, 0}};
    int64_t ms = 0;
    if (!read_timelimit_file(reader, &places[1].ms, err) || !read_ini(reader, &places[2].ms, err) ||
        !agree(places, sizeof(places) / sizeof(places[0]), &ms, err)) {
        return false;
    }
    reader->problem.time_limit_given = ms != 0;
    if (ms == 0) {
        ms = DEFAULT_MS;
        note_guessed(reader, "no time limit is given: %d ms", DEFAULT_MS);
    }
    reader->problem.manifest.limits.time_ms = ms;
    return true;
}
