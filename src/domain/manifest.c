/* What a manifest may say. Numbers in parentheses refer to the invariants in manifest.h. */
#include "domain/manifest.h"

#include "base/check.h"
#include "base/ck.h"
#include "base/limits.h"
#include "base/path.h"
#include "domain/judgement.h"
#include "domain/scoring.h"
#include <stdlib.h>
#include <string.h>

#define KINDS_ALL                                                                                  \
    (PROBLEM_PASS_FAIL | PROBLEM_SCORING | PROBLEM_INTERACTIVE | PROBLEM_MULTI_PASS |              \
     PROBLEM_SUBMIT_ANSWER | PROBLEM_FUNCTION | PROBLEM_SQL)
#define PERMILLE_MIN 100
#define PERMILLE_MAX 100000
#define COMPILE_TIME_MS_MAX 600000
#define JOB_TOTAL_MS_MAX (INT64_C(24) * 3600 * 1000)
#define ROWS_MAX 10000000
#define ARGS_BYTES_MAX 4096
#define WORD_BYTES_MAX 64
#define DECIMAL_BYTES_MAX 32

static bool refuse(struct err *err, const char *what) {
    return err_set(err, ERR_INVALID, "bad_manifest", "the manifest is broken: %s", what);
}

void manifest_defaults(struct manifest *manifest) {
    *manifest = (struct manifest){
        .kinds = PROBLEM_PASS_FAIL,
        .limits = {.time_ms = 1000,
                   .memory_kib = 2048 * KIB,
                   .output_kib = 8 * KIB,
                   .code_kib = 128,
                   .compile_time_ms = 60000,
                   .compile_memory_kib = 2048 * KIB,
                   .validation_time_ms = 60000,
                   .validation_memory_kib = 2048 * KIB,
                   .validation_output_kib = 8 * KIB,
                   .validation_passes = 2,
                   .job_total_ms = 900000},
        .checker = {.kind = CHECKER_TOKENS},
        .aggregation = AGGREGATE_PASS_FAIL,
        .score_micro = SCORE_FULL_MICRO,
        .score_maximize = true,
        .sql = {.ddl = {.bytes = -1},
                .seed = {.bytes = -1},
                .reference = {.bytes = -1},
                .check = {.bytes = -1}},
    };
}

/* Texts */

static bool is_word(struct str text) {
    if (text.len == 0 || text.len > WORD_BYTES_MAX) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] <= ' ' || text.ptr[i] > '~') {
            return false;
        }
    }
    return true;
}

/* Words separated by one space each; may be empty. */
static bool is_words(struct str text) {
    bool more = text.len > 0;
    if (text.len > ARGS_BYTES_MAX || !str_is_utf8(text)) {
        return false;
    }
    while (more) {
        struct str word = STR("");
        struct str rest = STR("");
        more = str_cut(text, ' ', &word, &text);
        if (!str_next_word(&word, &rest) || word.len > 0 || str_has_nul(rest)) {
            return false; /* empty, or other white space inside */
        }
    }
    return true;
}

static bool is_word_list(struct str text) {
    struct str last = STR("");
    struct str word = STR("");
    if (!is_words(text)) {
        return false;
    }
    while (str_next_word(&text, &word)) {
        if (!is_word(word) || str_cmp(last, word) >= 0) {
            return false; /* ascending, so that one set has one text */
        }
        last = word;
    }
    return true;
}

static size_t skip_digits(struct str text, size_t from) {
    while (from < text.len && text.ptr[from] >= '0' && text.ptr[from] <= '9') {
        from++;
    }
    return from;
}

/* Empty, "0", or an integer that does not begin or end with 0, with an exponent unless that is 0:
 * "1e-6", "25e-1", "3". One value has one text. */
static bool is_decimal(struct str text) {
    if (text.len == 0 || str_eq_c(text, "0")) {
        return true;
    }
    size_t end = skip_digits(text, 0);
    if (end == 0 || text.len > DECIMAL_BYTES_MAX || text.ptr[0] == '0' ||
        text.ptr[end - 1] == '0') {
        return false;
    }
    if (end == text.len) {
        return true;
    }
    size_t first = end + 1 < text.len && text.ptr[end + 1] == '-' ? end + 2 : end + 1;
    return text.ptr[end] == 'e' && first < text.len && text.len - first <= 3 &&
           text.ptr[first] != '0' && skip_digits(text, first) == text.len;
}

/* Files */

static bool is_zero(const uint8_t digest[32]) {
    static const uint8_t zero[32];
    return memcmp(digest, zero, sizeof(zero)) == 0;
}

/* A file has its digest, the lack of one has none. */
static bool is_blob(const struct blob_ref *blob) {
    return blob->bytes >= 0 && blob->bytes <= PACKAGE_FILE_BYTES_MAX && !is_zero(blob->sha256);
}

static bool is_blob_or_none(const struct blob_ref *blob) {
    return blob->bytes == -1 ? is_zero(blob->sha256) : is_blob(blob);
}

static bool files_check(const struct manifest_file *files, int32_t count, const char *what,
                        struct err *err) {
    if (count < 0 || count > MANIFEST_FILES_MAX) {
        return refuse(err, what);
    }
    for (int32_t i = 0; i < count; i++) {
        if (!path_is_plain(files[i].name) || !is_blob(&files[i].blob)) {
            return refuse(err, what);
        }
        if (i > 0 && str_cmp(files[i - 1].name, files[i].name) >= 0) {
            return refuse(err, what); /* ascending: unique, and one set has one text */
        }
    }
    return true;
}

/* Parts of a manifest */

static bool kinds_check(const struct manifest *manifest, struct err *err) {
    uint32_t kinds = manifest->kinds;
    bool scored = (kinds & PROBLEM_SCORING) != 0;
    if ((kinds & ~(uint32_t)KINDS_ALL) != 0 || scored == ((kinds & PROBLEM_PASS_FAIL) != 0)) {
        return refuse(err, "a problem is either pass-fail or scoring");
    }
    if ((kinds & PROBLEM_SUBMIT_ANSWER) != 0 &&
        (kinds & (PROBLEM_INTERACTIVE | PROBLEM_MULTI_PASS)) != 0) {
        return refuse(err, "a submit-answer problem runs nothing");
    }
    if (((kinds & PROBLEM_INTERACTIVE) != 0) != (manifest->interactor.language.len > 0)) {
        return refuse(err, "an interactive problem has an interactor, no other does");
    }
    if (((kinds & PROBLEM_SQL) != 0) != (manifest->sql.dialect.len > 0)) {
        return refuse(err, "an SQL problem names its dialect, no other does");
    }
    return true;
}

struct range {
    const char *name;
    int64_t value, min, max;
};

static bool ranges_check(const struct range *ranges, size_t count, struct err *err) {
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].value < ranges[i].min || ranges[i].value > ranges[i].max) {
            return err_set(err, ERR_INVALID, "bad_manifest",
                           "the manifest is broken: %s is %lld, not within %lld to %lld",
                           ranges[i].name, (long long)ranges[i].value, (long long)ranges[i].min,
                           (long long)ranges[i].max);
        }
    }
    return true;
}

static bool languages_check(const struct manifest_limits *limits, struct err *err) {
    if (limits->language_count < 0 || limits->language_count > LANGUAGES_MAX) {
        return refuse(err, "count of language limits");
    }
    for (int32_t i = 0; i < limits->language_count; i++) {
        const struct manifest_language_limit *row = &limits->languages[i];
        const struct range ranges[] = {
            {"time_permille", row->time_permille, PERMILLE_MIN, PERMILLE_MAX},
            {"memory_permille", row->memory_permille, PERMILLE_MIN, PERMILLE_MAX},
        };
        if (!is_word(row->language) ||
            (i > 0 && str_cmp(limits->languages[i - 1].language, row->language) >= 0)) {
            return refuse(err, "languages of language limits are words in ascending order");
        }
        if (!ranges_check(ranges, sizeof(ranges) / sizeof(ranges[0]), err)) {
            return false;
        }
    }
    return true;
}

/* (2) */
static bool limits_check(const struct manifest_limits *limits, struct err *err) {
    const int64_t memory_min = MEMORY_LIMIT_KIB_MIN;
    const int64_t memory_max = MEMORY_LIMIT_KIB_MAX;
    const struct range ranges[] = {
        {"time_ms", limits->time_ms, TIME_LIMIT_MS_MIN, TIME_LIMIT_MS_MAX},
        {"memory_kib", limits->memory_kib, memory_min, memory_max},
        {"output_kib", limits->output_kib, 1, OUTPUT_LIMIT_KIB_MAX},
        {"code_kib", limits->code_kib, 1, SOURCE_BYTES_MAX / KIB},
        {"compile_time_ms", limits->compile_time_ms, 1, COMPILE_TIME_MS_MAX},
        {"compile_memory_kib", limits->compile_memory_kib, memory_min, memory_max},
        {"validation_time_ms", limits->validation_time_ms, 1, TIME_LIMIT_MS_MAX},
        {"validation_memory_kib", limits->validation_memory_kib, memory_min, memory_max},
        {"validation_output_kib", limits->validation_output_kib, 1, OUTPUT_LIMIT_KIB_MAX},
        {"validation_passes", limits->validation_passes, 1, VALIDATION_PASSES_MAX},
        {"job_total_ms", limits->job_total_ms, 1, JOB_TOTAL_MS_MAX},
    };
    return ranges_check(ranges, sizeof(ranges) / sizeof(ranges[0]), err) &&
           languages_check(limits, err);
}

static bool program_check(const struct manifest_program *program, const char *what,
                          struct err *err) {
    if (program->language.len == 0) {
        bool empty = program->adapter == ADAPTER_NONE && program->entry.len == 0 &&
                     program->file_count == 0 && program->args.len == 0;
        return empty || refuse(err, what);
    }
    bool entry_ok = program->entry.len == 0 || path_is_plain(program->entry);
    if (!is_word(program->language) || program->adapter <= ADAPTER_NONE ||
        program->adapter >= ADAPTER_COUNT || !entry_ok || program->file_count < 1 ||
        !is_words(program->args)) {
        return refuse(err, what);
    }
    return files_check(program->files, program->file_count, what, err);
}

static bool checker_check(const struct manifest *manifest, struct err *err) {
    const struct manifest_checker *checker = &manifest->checker;
    if (checker->kind < CHECKER_NONE || checker->kind >= CHECKER_KIND_COUNT) {
        return refuse(err, "unknown kind of checker");
    }
    if (checker->kind == CHECKER_NONE &&
        (manifest->kinds & (PROBLEM_INTERACTIVE | PROBLEM_SQL)) == 0) {
        return refuse(err, "no checker");
    }
    if ((checker->kind == CHECKER_PROGRAM) != (checker->program.language.len > 0)) {
        return refuse(err, "a checker of kind program has a program, no other does");
    }
    if (!is_decimal(checker->float_absolute) || !is_decimal(checker->float_relative)) {
        return refuse(err, "a float tolerance is not a canonical decimal");
    }
    return program_check(&checker->program, "program of the checker", err) &&
           program_check(&manifest->interactor, "program of the interactor", err);
}

static bool is_aggregation(enum score_aggregation aggregation) {
    return aggregation >= AGGREGATE_PASS_FAIL && aggregation <= AGGREGATE_MAX;
}

static bool is_score(int64_t score_micro) {
    return score_micro >= 0 && score_micro <= SCORE_MICRO_MAX;
}

/* (1) */
static bool group_check(const struct manifest_group *group, int32_t index, struct err *err) {
    if (!path_is_plain(group->name) || !is_aggregation(group->aggregation) ||
        !is_score(group->score_micro) || !is_words(group->checker_args)) {
        return refuse(err, "fields of a group");
    }
    if (group->parent < -1 || group->parent >= index || group->depend_count < 0 ||
        group->depend_count > index) {
        return refuse(err, "a group's parent and dependencies are earlier groups");
    }
    int32_t last = -1;
    for (int32_t i = 0; i < group->depend_count; i++) {
        if (group->depends[i] <= last || group->depends[i] >= index) {
            return refuse(err, "a group's dependencies are earlier groups in ascending order");
        }
        last = group->depends[i];
    }
    return true;
}

static int compare_names(const void *a, const void *b) {
    const struct str *first = a;
    const struct str *second = b;
    return str_cmp(*first, *second);
}

/* (1) Sorts `names` in place. */
static bool names_check(struct str *names, size_t count, const char *what, struct err *err) {
    qsort(names, count, sizeof(names[0]), compare_names);
    for (size_t i = 1; i < count; i++) {
        if (str_eq(names[i - 1], names[i])) {
            return err_set(err, ERR_INVALID, "bad_manifest",
                           "the manifest is broken: two %s are called " STR_FMT, what,
                           STR_ARG(names[i]));
        }
    }
    return true;
}

static bool groups_check(const struct manifest *manifest, struct err *err) {
    struct str names[MANIFEST_GROUPS_MAX];
    if (manifest->group_count < 0 || manifest->group_count > MANIFEST_GROUPS_MAX) {
        return refuse(err, "count of groups");
    }
    for (int32_t i = 0; i < manifest->group_count; i++) {
        if (!group_check(&manifest->groups[i], i, err)) {
            return false;
        }
        names[i] = manifest->groups[i].name;
    }
    return names_check(names, (size_t)manifest->group_count, "groups", err);
}

static bool case_check(const struct manifest *manifest, const struct manifest_case *row,
                       struct err *err) {
    int64_t time_ms = row->time_limit_ms;
    int64_t memory_kib = row->memory_limit_kib;
    if (!path_is_plain(row->name)) {
        return refuse(err, "name of a case");
    }
    if (row->group < -1 || row->group >= manifest->group_count || !is_score(row->score_micro)) {
        return refuse(err, "group or score of a case");
    }
    if (!is_blob_or_none(&row->input) || !is_blob_or_none(&row->answer)) {
        return refuse(err, "files of a case");
    }
    if ((time_ms != 0 && (time_ms < TIME_LIMIT_MS_MIN || time_ms > TIME_LIMIT_MS_MAX)) ||
        (memory_kib != 0 &&
         (memory_kib < MEMORY_LIMIT_KIB_MIN || memory_kib > MEMORY_LIMIT_KIB_MAX))) {
        return refuse(err, "limits of a case");
    }
    if (!is_words(row->args) || !is_words(row->checker_args)) {
        return refuse(err, "arguments of a case");
    }
    return files_check(row->files, row->file_count, "files beside a case", err);
}

static bool cases_check(const struct manifest *manifest, struct err *err) {
    const size_t names_bytes = MANIFEST_CASES_MAX * sizeof(struct str);
    if (manifest->case_count < 0 || manifest->case_count > MANIFEST_CASES_MAX) {
        return refuse(err, "count of cases");
    }
    size_t count = (size_t)manifest->case_count;
    own(arena) arena = arena_create(names_bytes + KIB);
    struct str *names = arena_array(arena, count, sizeof(names[0]));
    for (size_t i = 0; i < count; i++) {
        if (!case_check(manifest, &manifest->cases[i], err)) {
            return err_wrap(err, "case %zu", i + 1);
        }
        names[i] = manifest->cases[i].name;
    }
    return names_check(names, count, "cases", err);
}

static int compare_includes(const struct manifest_include *a, const struct manifest_include *b) {
    int order = str_cmp(a->language, b->language);
    return order != 0 ? order : str_cmp(a->file.name, b->file.name);
}

static bool includes_check(const struct manifest *manifest, struct err *err) {
    if (manifest->include_count < 0 || manifest->include_count > MANIFEST_FILES_MAX) {
        return refuse(err, "count of included files");
    }
    for (int32_t i = 0; i < manifest->include_count; i++) {
        const struct manifest_include *row = &manifest->includes[i];
        if (!is_word(row->language) || !path_is_plain(row->file.name) ||
            !is_blob(&row->file.blob)) {
            return refuse(err, "included file");
        }
        if (i > 0 && compare_includes(row - 1, row) >= 0) {
            return refuse(err, "included files are in ascending order");
        }
    }
    return true;
}

static bool sql_check(const struct manifest_sql *sql, struct err *err) {
    const struct range ranges[] = {
        {"seed_version", sql->seed_version, 0, ID_MAX},
        {"rows_max", sql->rows_max, 0, ROWS_MAX},
        {"result_bytes_max", sql->result_bytes_max, 0, PACKAGE_FILE_BYTES_MAX},
    };
    if (sql->dialect.len > 0 && !is_word(sql->dialect)) {
        return refuse(err, "SQL dialect");
    }
    if (!is_blob_or_none(&sql->ddl) || !is_blob_or_none(&sql->seed) ||
        !is_blob_or_none(&sql->reference) || !is_blob_or_none(&sql->check)) {
        return refuse(err, "files of an SQL problem");
    }
    if (!is_word_list(sql->statements)) {
        return refuse(err, "SQL statements are words in ascending order");
    }
    return ranges_check(ranges, sizeof(ranges) / sizeof(ranges[0]), err);
}

static bool streams_check(const struct manifest *manifest, struct err *err) {
    if ((manifest->input_file.len > 0 && !path_is_name(manifest->input_file)) ||
        (manifest->output_file.len > 0 && !path_is_name(manifest->output_file))) {
        return refuse(err, "names of input and output files");
    }
    if (!is_word_list(manifest->languages)) {
        return refuse(err, "languages are words in ascending order");
    }
    return true;
}

static bool scoring_check(const struct manifest *manifest, struct err *err) {
    bool scored = (manifest->kinds & PROBLEM_SCORING) != 0;
    if (!is_aggregation(manifest->aggregation) || !is_score(manifest->score_micro)) {
        return refuse(err, "scoring");
    }
    if (!scored && manifest->aggregation != AGGREGATE_PASS_FAIL) {
        return refuse(err, "a pass-fail problem adds up no scores");
    }
    return true;
}

bool manifest_check(const struct manifest *manifest, struct err *err) {
    return kinds_check(manifest, err) && limits_check(&manifest->limits, err) &&
           checker_check(manifest, err) && scoring_check(manifest, err) &&
           streams_check(manifest, err) && groups_check(manifest, err) &&
           cases_check(manifest, err) && includes_check(manifest, err) &&
           sql_check(&manifest->sql, err);
}

static void visit_files(const struct manifest_file *files, int32_t count, manifest_blob_fn *visit,
                        void *context) {
    for (int32_t i = 0; i < count; i++) {
        visit(context, &files[i].blob);
    }
}

static void visit_if_any(const struct blob_ref *blob, manifest_blob_fn *visit, void *context) {
    if (blob->bytes >= 0) {
        visit(context, blob);
    }
}

void manifest_each_blob(const struct manifest *manifest, manifest_blob_fn *visit, void *context) {
    const struct manifest_program *checker = &manifest->checker.program;
    visit_files(checker->files, checker->file_count, visit, context);
    visit_files(manifest->interactor.files, manifest->interactor.file_count, visit, context);
    for (int32_t i = 0; i < manifest->case_count; i++) {
        const struct manifest_case *row = &manifest->cases[i];
        visit_if_any(&row->input, visit, context);
        visit_if_any(&row->answer, visit, context);
        visit_files(row->files, row->file_count, visit, context);
    }
    for (int32_t i = 0; i < manifest->include_count; i++) {
        visit(context, &manifest->includes[i].file.blob);
    }
    visit_if_any(&manifest->sql.ddl, visit, context);
    visit_if_any(&manifest->sql.seed, visit, context);
    visit_if_any(&manifest->sql.reference, visit, context);
    visit_if_any(&manifest->sql.check, visit, context);
}

/* The row for one language, or NULL. */
static const struct manifest_language_limit *language_row(const struct manifest *manifest,
                                                          struct str language) {
    for (int32_t i = 0; i < manifest->limits.language_count; i++) {
        if (str_eq(manifest->limits.languages[i].language, language)) {
            return &manifest->limits.languages[i];
        }
    }
    return NULL;
}

static const struct manifest_case *case_row(const struct manifest *manifest, int32_t case_index) {
    CHECK(case_index >= -1 && case_index < manifest->case_count);
    return case_index < 0 ? NULL : &manifest->cases[case_index];
}

/* Rounds up: a multiplier never takes away what it should give. */
static int64_t scaled(int64_t value, int64_t permille, int64_t min, int64_t max) {
    int64_t product = 0;
    CHECK(ck_mul(value, permille, &product) && ck_add(product, 999, &product));
    product /= 1000;
    product = product < min ? min : product;
    return product > max ? max : product;
}

int64_t manifest_time_ms(const struct manifest *manifest, int32_t case_index, struct str language) {
    const struct manifest_language_limit *limit = language_row(manifest, language);
    const struct manifest_case *row = case_row(manifest, case_index);
    int64_t own_ms = row == NULL ? 0 : row->time_limit_ms;
    return scaled(own_ms > 0 ? own_ms : manifest->limits.time_ms,
                  limit == NULL ? 1000 : limit->time_permille, TIME_LIMIT_MS_MIN,
                  TIME_LIMIT_MS_MAX);
}

int64_t manifest_memory_kib(const struct manifest *manifest, int32_t case_index,
                            struct str language) {
    const struct manifest_language_limit *limit = language_row(manifest, language);
    const struct manifest_case *row = case_row(manifest, case_index);
    int64_t own_kib = row == NULL ? 0 : row->memory_limit_kib;
    return scaled(own_kib > 0 ? own_kib : manifest->limits.memory_kib,
                  limit == NULL ? 1000 : limit->memory_permille, MEMORY_LIMIT_KIB_MIN,
                  MEMORY_LIMIT_KIB_MAX);
}
