/* Hydro's testdata/: which files are cases, their points, checker and limits. Without config.yaml
 * the names of the files say it. */
#include "package/hydro_internal.h"

#include "base/check.h"
#include "base/path.h"
#include <stdlib.h>
#include <string.h>

#define MS_DEFAULT 1000
#define KIB_DEFAULT (256 * KIB)
#define POINT_MICRO INT64_C(1000000)
#define TOTAL_MICRO (100 * POINT_MICRO)
#define NAME_BYTES_MAX 256
#define SUBTASKS_MAX 200
#define IDS_MAX 200

static const char *const known_keys[] = {"type",
                                         "subType",
                                         "target",
                                         "score",
                                         "time",
                                         "memory",
                                         "filename",
                                         "checker_type",
                                         "checker",
                                         "interactor",
                                         "manager",
                                         "validator",
                                         "num_processes",
                                         "user_extra_files",
                                         "judge_extra_files",
                                         "detail",
                                         "answers",
                                         "cases",
                                         "subtasks",
                                         "langs",
                                         "multi_pass",
                                         "time_limit_rate",
                                         "memory_limit_rate",
                                         "redirect",
                                         "count",
                                         "key",
                                         NULL};

/* ---- units ---- */

static size_t number_len(struct str text) {
    size_t len = 0;
    while (len < text.len &&
           ((text.ptr[len] >= '0' && text.ptr[len] <= '9') || text.ptr[len] == '.')) {
        len++;
    }
    return len;
}

struct unit {
    const char *name;
    int64_t factor; /* into the unit that is asked for, times 1000 */
};

/* Rounds up: a limit never becomes stricter. */
static bool with_unit(const struct yaml *node, const struct unit *units, const char *what,
                      int64_t max, int64_t *ret_value, struct err *err) {
    struct str text = STR("");
    struct err ignored = {0};
    int64_t milli = 0;
    if (!yr_str(node, NAME_BYTES_MAX, &text, err)) {
        return false;
    }
    text = str_trim(text);
    struct str unit = str_trim(str_sub(text, number_len(text), text.len));
    for (; units->name != NULL; units++) {
        if (!str_eq_nocase(unit, str_from(units->name))) {
            continue;
        }
        if (!str_to_scaled(str_sub(text, 0, number_len(text)), 3, INT32_MAX, &milli, &ignored)) {
            break;
        }
        int64_t value = (milli * units->factor + 999999) / 1000000;
        if (value < 1 || value > max) {
            return yr_error(node, err, "this %s is outside of what this judge can give", what);
        }
        *ret_value = value;
        return true;
    }
    return yr_error(node, err, "expected a %s", what);
}

bool hydro_time(const struct yaml *node, int64_t *ret_ms, struct err *err) {
    static const struct unit units[] = {{"ms", 1000}, {"s", 1000000},  {"", 1000},
                                        {"us", 1},    {"m", 60000000}, {NULL, 0}};
    int64_t ms = 0;
    if (!with_unit(node, units, "time such as 1000ms or 1s", TIME_LIMIT_MS_MAX, &ms, err)) {
        return false;
    }
    *ret_ms = ms < TIME_LIMIT_MS_MIN ? TIME_LIMIT_MS_MIN : ms;
    return true;
}

bool hydro_memory(const struct yaml *node, int64_t *ret_kib, struct err *err) {
    static const struct unit units[] = {
        {"m", 1024000}, {"mb", 1024000},   {"mib", 1024000},   {"k", 1000},   {"kb", 1000},
        {"kib", 1000},  {"g", 1048576000}, {"gb", 1048576000}, {"", 1024000}, {NULL, 0}};
    int64_t kib = 0;
    if (!with_unit(node, units, "memory such as 256m", MEMORY_LIMIT_KIB_MAX, &kib, err)) {
        return false;
    }
    *ret_kib = kib < MEMORY_LIMIT_KIB_MIN ? MEMORY_LIMIT_KIB_MIN : kib;
    return true;
}

static bool opt_time(const struct yaml *map, int64_t *ms, struct err *err) {
    const struct yaml *node = yr_get(map, "time");
    return yr_is_null(node) || hydro_time(node, ms, err);
}

static bool opt_memory(const struct yaml *map, int64_t *kib, struct err *err) {
    const struct yaml *node = yr_get(map, "memory");
    return yr_is_null(node) || hydro_memory(node, kib, err);
}

/* ---- cases ---- */

/* Whole points, the rest of the division to the last ones. */
static int64_t part_of(int64_t total_micro, int64_t count, int64_t index) {
    int64_t unit = total_micro % POINT_MICRO == 0 ? POINT_MICRO : 1;
    int64_t units = total_micro / unit;
    return (units / count + (index >= count - units % count ? 1 : 0)) * unit;
}

static bool put_pair(struct builder *builder, const struct package_file *input,
                     const struct package_file *answer, int32_t group,
                     struct manifest_case **ret_case, struct err *err) {
    struct package_reader *reader = builder->reader;
    struct str name = path_base(input == NULL ? answer->name : input->name);
    struct str stem = name;
    struct str tail = path_extension(name);
    stem = str_sub(name, 0, name.len - tail.len);
    for (int32_t i = 0; i < builder->case_count; i++) {
        if (str_eq(path_base(builder->cases[i].name), stem)) {
            stem = str_from(
                arena_printf(reader->arena, STR_FMT "-%d", STR_ARG(stem), builder->case_count + 1));
            break;
        }
    }
    if (!build_case(builder, stem, false, ret_case, err)) {
        return false;
    }
    (*ret_case)->group = group;
    if (input != NULL) {
        note_read(reader, input->name);
        if (!content_put_data(reader, input, &(*ret_case)->input, err)) {
            return false;
        }
    }
    if (answer != NULL) {
        note_read(reader, answer->name);
        return content_put_data(reader, answer, &(*ret_case)->answer, err);
    }
    return true;
}

/* A file that a case names: "/dev/null" and "-" are none. */
static bool find_file(struct builder *builder, const struct yaml *map, const char *key,
                      const struct package_file **ret_file, struct err *err) {
    struct str name = STR("");
    const struct yaml *node = yr_get(map, key);
    *ret_file = NULL;
    if (!yr_opt_str(map, key, NAME_BYTES_MAX, &name, err)) {
        return false;
    }
    if (name.len == 0 || str_eq_c(name, "-") || str_eq_c(name, "/dev/null")) {
        return true;
    }
    *ret_file = build_find(builder, HYDRO_TESTDATA, name);
    return *ret_file != NULL ||
           yr_error(node, err, "there is no testdata/" STR_FMT ": add it", STR_ARG(name));
}

static bool read_case(struct builder *builder, const struct yaml *node, int32_t group,
                      struct manifest_case **ret_case, struct err *err) {
    const struct package_file *input = NULL;
    const struct package_file *answer = NULL;
    if (!yr_map(node, err) || !find_file(builder, node, "input", &input, err) ||
        !find_file(builder, node, "output", &answer, err)) {
        return false;
    }
    if (input == NULL && answer == NULL) {
        return yr_error(node, err, "this case names neither input nor output");
    }
    return put_pair(builder, input, answer, group, ret_case, err) &&
           opt_time(node, &(*ret_case)->time_limit_ms, err) &&
           opt_memory(node, &(*ret_case)->memory_limit_kib, err);
}

static bool is_sum(const struct builder *builder, int32_t group) {
    return group < 0 || builder->groups[group].aggregation == AGGREGATE_SUM;
}

/* Points of the cases from `first` on, which are all of one subtask. */
static void share(struct builder *builder, int32_t first, int32_t group, int64_t total_micro) {
    int64_t count = builder->case_count - first;
    for (int64_t i = 0; i < count; i++) {
        struct manifest_case *row = &builder->cases[first + i];
        if (row->score_micro == 0) {
            row->score_micro =
                is_sum(builder, group) ? part_of(total_micro, count, i) : total_micro;
        }
    }
}

static bool read_cases(struct builder *builder, const struct yaml *list, int32_t group,
                       const struct yaml *limits, struct err *err) {
    int64_t time_ms = 0;
    int64_t memory_kib = 0;
    if (!yr_list(list, MANIFEST_CASES_MAX, err) || !opt_time(limits, &time_ms, err) ||
        !opt_memory(limits, &memory_kib, err)) {
        return false;
    }
    for (YR_EACH(item, list)) {
        struct manifest_case *row = NULL;
        int64_t score = 0;
        if (!read_case(builder, item, group, &row, err) ||
            !yr_opt_scaled(item, "score", 6, INT64_C(1000000000), &score, err)) {
            return false;
        }
        row->score_micro = is_sum(builder, group) ? score : 0;
        row->time_limit_ms = row->time_limit_ms > 0 ? row->time_limit_ms : time_ms;
        row->memory_limit_kib = row->memory_limit_kib > 0 ? row->memory_limit_kib : memory_kib;
    }
    return true;
}

/* ---- subtasks ---- */

struct subtasks {
    int64_t ids[SUBTASKS_MAX];
    int32_t count;
};

static bool read_type(const struct yaml *node, enum score_aggregation *ret_type, struct err *err) {
    static const struct {
        const char *name;
        enum score_aggregation type;
    } types[] = {{"min", AGGREGATE_MIN}, {"max", AGGREGATE_MAX}, {"sum", AGGREGATE_SUM}};
    struct str name = STR("min");
    if (!yr_opt_str(node, "type", NAME_BYTES_MAX, &name, err)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (str_eq_c(name, types[i].name)) {
            *ret_type = types[i].type;
            return true;
        }
    }
    return yr_error(yr_get(node, "type"), err, "`type` is min, max or sum");
}

static bool read_dependencies(struct builder *builder, const struct subtasks *seen,
                              const struct yaml *node, struct manifest_group *group,
                              struct err *err) {
    const struct yaml *list = NULL;
    bool wanted[SUBTASKS_MAX] = {false};
    if (!yr_opt_list(node, "if", IDS_MAX, &list, err)) {
        return false;
    }
    for (YR_EACH(item, list)) {
        int64_t id = 0;
        bool found = false;
        if (!yr_i64(item, 0, ID_MAX, &id, err)) {
            return false;
        }
        for (int32_t i = 0; i < seen->count; i++) {
            found = found || seen->ids[i] == id;
            wanted[i] = wanted[i] || seen->ids[i] == id;
        }
        if (!found) {
            return yr_error(item, err, "subtask %lld does not stand before this one",
                            (long long)id);
        }
    }
    int32_t *depends = arena_array(builder->reader->arena, (size_t)seen->count, sizeof(depends[0]));
    for (int32_t i = 0; i < seen->count; i++) {
        if (wanted[i]) {
            depends[group->depend_count++] = i;
        }
    }
    group->depends = depends;
    return true;
}

static bool read_subtask(struct builder *builder, struct subtasks *seen, const struct yaml *node,
                         int64_t score_micro, struct err *err) {
    struct manifest_group *group = NULL;
    enum score_aggregation type = AGGREGATE_MIN;
    int64_t id = seen->count + 1;
    int32_t first = builder->case_count;
    const struct yaml *cases = NULL;
    if (!read_type(node, &type, err) || !yr_opt_i64(node, "id", 0, ID_MAX, &id, err) ||
        !yr_opt_scaled(node, "score", 6, INT64_C(1000000000), &score_micro, err) ||
        !yr_need(node, "cases", &cases, err)) {
        return false;
    }
    const char *name =
        arena_printf(builder->reader->arena, "subtask%lld-%d", (long long)id, seen->count + 1);
    if (!build_group(builder, str_from(name), type, &group, err) ||
        !read_dependencies(builder, seen, node, group, err) ||
        !read_cases(builder, cases, seen->count, node, err)) {
        return false;
    }
    if (builder->case_count == first) {
        return yr_error(node, err, "this subtask has no cases");
    }
    group->score_micro = score_micro;
    share(builder, first, seen->count, score_micro);
    seen->ids[seen->count++] = id;
    return true;
}

static bool read_subtasks(struct builder *builder, const struct yaml *list, struct err *err) {
    struct subtasks *seen = arena_new(builder->reader->arena, struct subtasks);
    if (!yr_list(list, SUBTASKS_MAX, err)) {
        return false;
    }
    int64_t index = 0;
    for (YR_EACH(item, list)) {
        int64_t score = part_of(TOTAL_MICRO, (int64_t)list->count, index++);
        if (!yr_map(item, err) || !read_subtask(builder, seen, item, score, err)) {
            return false;
        }
    }
    return true;
}

/* ---- by names ---- */

static int64_t groups_of(const struct hydro_pair *pairs, size_t count) {
    int64_t groups = 0;
    for (size_t i = 0; i < count; i++) {
        groups += i == 0 || pairs[i].group != pairs[i - 1].group ? 1 : 0;
    }
    return groups;
}

static bool by_groups(struct builder *builder, const struct hydro_pair *pairs, size_t count,
                      struct err *err) {
    int64_t groups = groups_of(pairs, count);
    struct manifest_group *group = NULL;
    for (size_t i = 0; i < count; i++) {
        struct manifest_case *row = NULL;
        if (i == 0 || pairs[i].group != pairs[i - 1].group) {
            const char *name =
                arena_printf(builder->reader->arena, "subtask%lld", (long long)pairs[i].group);
            int64_t index = builder->group_count;
            if (!build_group(builder, str_from(name), AGGREGATE_MIN, &group, err)) {
                return false;
            }
            group->score_micro = part_of(TOTAL_MICRO, groups, index);
        }
        if (!put_pair(builder, pairs[i].input, pairs[i].answer, builder->group_count - 1, &row,
                      err)) {
            return false;
        }
        row->score_micro = group->score_micro;
    }
    return true;
}

static bool by_names(struct builder *builder, struct err *err) {
    struct package_reader *reader = builder->reader;
    struct hydro_pair *pairs = NULL;
    size_t count = 0;
    bool grouped = true;
    hydro_pairs(reader->tree, HYDRO_TESTDATA, reader->arena, &pairs, &count);
    for (size_t i = 0; i < count; i++) {
        grouped = grouped && pairs[i].group > 0;
    }
    note_guessed(reader, "cases, from the names of files in testdata/: %zu%s", count,
                 grouped && count > 0 ? ", in subtasks" : "");
    if (grouped && count > 0) {
        return by_groups(builder, pairs, count, err);
    }
    for (size_t i = 0; i < count; i++) {
        struct manifest_case *row = NULL;
        if (!put_pair(builder, pairs[i].input, pairs[i].answer, -1, &row, err)) {
            return false;
        }
    }
    if (builder->case_count > 0) {
        share(builder, 0, -1, TOTAL_MICRO);
    }
    return true;
}

/* ---- programs ---- */

static const struct checker_type {
    const char *name;
    enum checker_kind kind;
    enum program_adapter adapter;
} checker_types[] = {
    {"default", CHECKER_LINES, ADAPTER_NONE},      {"strict", CHECKER_EXACT, ADAPTER_NONE},
    {"testlib", CHECKER_PROGRAM, ADAPTER_TESTLIB}, {"kattis", CHECKER_PROGRAM, ADAPTER_ICPC},
    {"syzoj", CHECKER_PROGRAM, ADAPTER_SYZOJ},     {"lemon", CHECKER_PROGRAM, ADAPTER_LEMON},
    {"hustoj", CHECKER_PROGRAM, ADAPTER_HUSTOJ},   {"qduoj", CHECKER_PROGRAM, ADAPTER_QDUOJ},
};

/* A path, or {file, lang}. */
static bool read_program(struct builder *builder, const struct yaml *node,
                         enum program_adapter adapter, struct manifest_program *ret_program,
                         struct err *err) {
    struct str name = STR("");
    struct str language = STR("");
    const struct yaml *file_node = node->kind == YR_MAP ? yr_get(node, "file") : node;
    if (yr_is_null(file_node)) {
        return yr_error(node, err, "expected the name of a file in testdata/");
    }
    if (!yr_str(file_node, NAME_BYTES_MAX, &name, err)) {
        return false;
    }
    if (node->kind == YR_MAP && !yr_opt_str(node, "lang", NAME_BYTES_MAX, &language, err)) {
        return false;
    }
    const struct package_file *file = build_find(builder, HYDRO_TESTDATA, name);
    if (file == NULL) {
        return yr_error(node, err, "there is no testdata/" STR_FMT ": add it", STR_ARG(name));
    }
    const struct build_program spec = {.file = file,
                                       .folder = HYDRO_TESTDATA,
                                       .language = build_language_id(language),
                                       .adapter = adapter};
    return build_program(builder, &spec, ret_program, err);
}

static bool read_checker(struct builder *builder, const struct yaml *root, struct err *err) {
    struct str name = STR("default");
    const struct yaml *node = yr_get(root, "checker");
    if (!yr_opt_str(root, "checker_type", NAME_BYTES_MAX, &name, err)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(checker_types) / sizeof(checker_types[0]); i++) {
        const struct checker_type *type = &checker_types[i];
        if (!str_eq_c(name, type->name)) {
            continue;
        }
        build_checker(builder, type->kind);
        if (type->kind != CHECKER_PROGRAM) {
            return true;
        }
        if (yr_is_null(node)) {
            return yr_error(yr_get(root, "checker_type"), err, "`checker` is missing");
        }
        return read_program(builder, node, type->adapter,
                            &builder->reader->problem.manifest.checker.program, err);
    }
    return yr_error(yr_get(root, "checker_type"), err, "this kind of checker is not known");
}

static bool read_interactor(struct builder *builder, const struct yaml *root, struct err *err) {
    struct manifest *manifest = &builder->reader->problem.manifest;
    const struct yaml *node = NULL;
    if (!yr_need(root, "interactor", &node, err)) {
        return false;
    }
    manifest->kinds |= PROBLEM_INTERACTIVE;
    build_checker(builder, CHECKER_NONE);
    return read_program(builder, node, ADAPTER_TESTLIB, &manifest->interactor, err);
}

static bool read_validator(struct builder *builder, const struct yaml *root, struct err *err) {
    struct manifest_program program;
    const struct yaml *node = yr_get(root, "validator");
    if (yr_is_null(node)) {
        return true;
    }
    if (!read_program(builder, node, ADAPTER_TESTLIB, &program, err)) {
        return false;
    }
    build_validator(builder, &program);
    return true;
}

/* Files beside every submission. */
static bool read_includes(struct builder *builder, const struct yaml *root, struct err *err) {
    struct package_reader *reader = builder->reader;
    const struct yaml *list = NULL;
    if (!yr_opt_list(root, "user_extra_files", MANIFEST_FILES_MAX, &list, err) || list == NULL) {
        return err->kind == ERR_NONE;
    }
    struct manifest_include *rows = arena_array(reader->arena, list->count, sizeof(rows[0]));
    int32_t count = 0;
    for (YR_EACH(item, list)) {
        struct str name = STR("");
        if (!yr_str(item, NAME_BYTES_MAX, &name, err)) {
            return false;
        }
        const struct package_file *file = build_find(builder, HYDRO_TESTDATA, name);
        if (file == NULL) {
            return yr_error(item, err, "there is no testdata/" STR_FMT ": add it", STR_ARG(name));
        }
        rows[count].language = STR("default");
        rows[count].file.name = arena_str(reader->arena, name);
        if (!content_put(reader, file, &rows[count].file.blob, err)) {
            return false;
        }
        count++;
    }
    return build_includes(builder, rows, count, err);
}

/* ---- the kind of problem ---- */

static bool read_kind(struct builder *builder, const struct yaml *root, struct err *err) {
    static const struct {
        const char *name, *refusal;
    } refused[] = {
        {"objective", "objective questions (they are no programs)"},
        {"communication", "communication problems of several processes"},
        {"remote_judge", "problems that another site judges"},
    };
    struct str type = STR("default");
    const struct yaml *node = yr_get(root, "type");
    if (!yr_opt_str(root, "type", NAME_BYTES_MAX, &type, err)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        if (str_eq_c(type, refused[i].name)) {
            return package_unsupported(err, str_from(node->file), node->line, refused[i].refusal);
        }
    }
    if (str_eq_c(type, "interactive")) {
        return read_interactor(builder, root, err);
    }
    if (str_eq_c(type, "submit_answer")) {
        builder->reader->problem.manifest.kinds |= PROBLEM_SUBMIT_ANSWER;
    } else if (!str_eq_c(type, "default") && !str_eq_c(type, "fileio")) {
        return yr_error(node, err, "this type of problem is not known");
    }
    return read_checker(builder, root, err);
}

static bool read_file_names(struct builder *builder, const struct yaml *root, struct err *err) {
    struct package_reader *reader = builder->reader;
    struct str name = STR("");
    if (!yr_opt_str(root, "filename", NAME_BYTES_MAX, &name, err) || name.len == 0) {
        return err->kind == ERR_NONE;
    }
    if (!path_is_name(name)) {
        return yr_error(yr_get(root, "filename"), err, "this is no plain file name");
    }
    struct manifest *manifest = &reader->problem.manifest;
    manifest->input_file = str_from(arena_printf(reader->arena, STR_FMT ".in", STR_ARG(name)));
    manifest->output_file = str_from(arena_printf(reader->arena, STR_FMT ".out", STR_ARG(name)));
    return true;
}

static void note_keys(struct builder *builder, const struct yaml *root) {
    static const char *const dropped[] = {"langs",  "time_limit_rate", "memory_limit_rate",
                                          "detail", "multi_pass",      "judge_extra_files"};
    yaml_warn_unknown(builder->reader, root, known_keys);
    for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++) {
        const struct yaml *node = yr_get(root, dropped[i]);
        if (!yr_is_null(node)) {
            note_dropped(builder->reader, str_from(node->file), node->line, "`%s` is not used",
                         dropped[i]);
        }
    }
}

static bool read_data(struct builder *builder, const struct yaml *root, struct err *err) {
    const struct yaml *subtasks = yr_get(root, "subtasks");
    const struct yaml *cases = yr_get(root, "cases");
    if (!yr_is_null(subtasks) && subtasks->count > 0) {
        return read_subtasks(builder, subtasks, err);
    }
    if (yr_is_null(cases) || cases->count == 0) {
        return by_names(builder, err);
    }
    if (!read_cases(builder, cases, -1, NULL, err)) {
        return false;
    }
    share(builder, 0, -1, TOTAL_MICRO);
    return true;
}

static bool read_limits(struct builder *builder, const struct yaml *root, struct err *err) {
    struct manifest_limits *limits = &builder->reader->problem.manifest.limits;
    limits->time_ms = MS_DEFAULT;
    limits->memory_kib = KIB_DEFAULT;
    if (yr_is_null(yr_get(root, "time"))) {
        note_guessed(builder->reader, "no time limit is given: Hydro's %d ms", MS_DEFAULT);
    }
    builder->reader->problem.time_limit_given = true;
    if (yr_is_null(yr_get(root, "memory"))) {
        note_guessed(builder->reader, "no memory limit is given: Hydro's %d MiB",
                     KIB_DEFAULT / KIB);
    }
    return opt_time(root, &limits->time_ms, err) && opt_memory(root, &limits->memory_kib, err);
}

bool hydro_config_read(struct builder *builder, struct err *err) {
    static const char *const names[] = {"testdata/config.yaml", "testdata/config.yml"};
    const struct yaml *root = NULL;
    own(arena) arena = arena_create(YAML_ARENA_BYTES);
    build_scoring(builder);
    for (size_t i = 0; i < 2 && root == NULL; i++) {
        if (!yaml_file_read(builder->reader, str_from(names[i]), arena, &root, err)) {
            return false;
        }
    }
    build_checker(builder, CHECKER_LINES);
    if (!read_limits(builder, root, err)) {
        return false;
    }
    if (root == NULL) {
        return by_names(builder, err);
    }
    note_keys(builder, root);
    return read_kind(builder, root, err) && read_file_names(builder, root, err) &&
           read_includes(builder, root, err) && read_validator(builder, root, err) &&
           read_data(builder, root, err);
}
