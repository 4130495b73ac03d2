/* What a manifest may say, and the limits that follow from it. */
#include "domain/manifest.h"

#include "base/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* A small valid manifest of which each test breaks one thing. */
struct sample {
    struct manifest manifest;
    struct manifest_case cases[2];
    struct manifest_group groups[2];
    struct manifest_file files[2];
    struct manifest_include includes[1];
    struct manifest_language_limit languages[2];
    int32_t depends[1];
};

static struct blob_ref blob(uint8_t fill) {
    struct blob_ref ref = {.bytes = fill};
    memset(ref.sha256, fill, sizeof(ref.sha256));
    return ref;
}

static void sample_init(struct sample *s) {
    memset(s, 0, sizeof(*s));
    manifest_defaults(&s->manifest);
    s->files[0] = (struct manifest_file){STR("check.cpp"), blob(9)};
    s->files[1] = (struct manifest_file){STR("util.h"), blob(10)};
    s->manifest.checker.kind = CHECKER_PROGRAM;
    s->manifest.checker.program = (struct manifest_program){
        .language = STR("cpp"), .adapter = ADAPTER_ICPC, .files = s->files, .file_count = 2};
    s->depends[0] = 0;
    s->groups[0] = (struct manifest_group){
        .name = STR("secret/1"), .parent = -1, .aggregation = AGGREGATE_PASS_FAIL};
    s->groups[1] = (struct manifest_group){.name = STR("secret/2"),
                                           .parent = 0,
                                           .aggregation = AGGREGATE_SUM,
                                           .depends = s->depends,
                                           .depend_count = 1};
    s->cases[0] = (struct manifest_case){
        .name = STR("sample/1"), .sample = true, .group = -1, .input = blob(1), .answer = blob(2)};
    s->cases[1] = (struct manifest_case){
        .name = STR("secret/1"), .group = 1, .input = blob(3), .answer = blob(2)};
    s->includes[0] = (struct manifest_include){STR("cpp"), {STR("grader.h"), blob(7)}};
    s->languages[0] = (struct manifest_language_limit){STR("java"), 2000, 1000};
    s->languages[1] = (struct manifest_language_limit){STR("python"), 5000, 1500};
    s->manifest.groups = s->groups;
    s->manifest.group_count = 2;
    s->manifest.cases = s->cases;
    s->manifest.case_count = 2;
    s->manifest.includes = s->includes;
    s->manifest.include_count = 1;
    s->manifest.limits.languages = s->languages;
    s->manifest.limits.language_count = 2;
}

static void defaults_are_a_valid_manifest(void **state) {
    (void)state;
    struct manifest manifest;
    struct err err = {0};

    manifest_defaults(&manifest);

    assert_true(manifest_check(&manifest, &err));
    assert_int_equal(manifest.case_count, 0);
    assert_int_equal(manifest.checker.kind, CHECKER_TOKENS);
}

static void the_sample_is_valid(void **state) {
    (void)state;
    struct sample s;
    struct err err = {0};
    sample_init(&s);

    bool ok = manifest_check(&s.manifest, &err);

    assert_string_equal(err.text, "");
    assert_true(ok);
}

typedef void break_fn(struct sample *s);

#define BREAK(name, statement)                                                                     \
    static void name(struct sample *s) {                                                           \
        statement;                                                                                 \
    }
BREAK(break_kind_none, s->manifest.kinds = 0)
BREAK(break_kind_both, s->manifest.kinds = PROBLEM_PASS_FAIL | PROBLEM_SCORING)
BREAK(break_kind_unknown, s->manifest.kinds = PROBLEM_PASS_FAIL | 4096)
BREAK(break_interactor, s->manifest.kinds |= PROBLEM_INTERACTIVE)
BREAK(break_submit_answer, s->manifest.kinds |= PROBLEM_SUBMIT_ANSWER | PROBLEM_MULTI_PASS)
BREAK(break_sql, s->manifest.kinds |= PROBLEM_SQL)
BREAK(break_time_low, s->manifest.limits.time_ms = TIME_LIMIT_MS_MIN - 1)
BREAK(break_time_high, s->manifest.limits.time_ms = TIME_LIMIT_MS_MAX + 1)
BREAK(break_memory, s->manifest.limits.memory_kib = 0)
BREAK(break_output, s->manifest.limits.output_kib = OUTPUT_LIMIT_KIB_MAX + 1)
BREAK(break_passes, s->manifest.limits.validation_passes = 0)
BREAK(break_job_total, s->manifest.limits.job_total_ms = 0)
BREAK(break_language_order, s->languages[1].language = STR("c"))
BREAK(break_language_word, s->languages[0].language = STR("a b"))
BREAK(break_language_factor, s->languages[0].time_permille = 0)
BREAK(break_checker_none, s->manifest.checker.kind = CHECKER_NONE)
BREAK(break_checker_kind, s->manifest.checker.kind = CHECKER_KIND_COUNT)
BREAK(break_checker_unused_program, s->manifest.checker.kind = CHECKER_TOKENS)
BREAK(break_checker_adapter, s->manifest.checker.program.adapter = ADAPTER_NONE)
BREAK(break_checker_files, s->manifest.checker.program.file_count = 0)
BREAK(break_checker_entry, s->manifest.checker.program.entry = STR("../x"))
BREAK(break_checker_args, s->manifest.checker.program.args = STR("a  b"))
BREAK(break_args_tab, s->manifest.checker.program.args = STR("a\tb"))
BREAK(break_args_edge, s->manifest.checker.program.args = STR("a "))
BREAK(break_float_form, s->manifest.checker.float_absolute = STR("0.001"))
BREAK(break_float_zeros, s->manifest.checker.float_absolute = STR("10e-4"))
BREAK(break_float_text, s->manifest.checker.float_relative = STR("1e"))
BREAK(break_float_exponent, s->manifest.checker.float_relative = STR("1e-06"))
BREAK(break_file_order, s->files[1].name = STR("a.h"))
BREAK(break_file_twice, s->files[1].name = STR("check.cpp"))
BREAK(break_file_path, s->files[1].name = STR("/util.h"))
BREAK(break_file_digest, memset(s->files[1].blob.sha256, 0, 32))
BREAK(break_file_none, s->files[1].blob.bytes = -1)
BREAK(break_group_parent, s->groups[1].parent = 1)
BREAK(break_group_self, s->depends[0] = 1)
BREAK(break_group_twice, s->groups[1].name = s->groups[0].name)
BREAK(break_group_aggregation, s->groups[0].aggregation = 0)
BREAK(break_group_score, s->groups[0].score_micro = -1)
BREAK(break_case_twice, s->cases[1].name = s->cases[0].name)
BREAK(break_case_name, s->cases[1].name = STR(""))
BREAK(break_case_group, s->cases[1].group = 2)
BREAK(break_case_group_low, s->cases[1].group = -2)
BREAK(break_case_input, s->cases[1].input = ((struct blob_ref){.bytes = 0}))
BREAK(break_case_absent_digest, s->cases[1].answer.bytes = -1)
BREAK(break_case_time, s->cases[1].time_limit_ms = 1)
BREAK(break_case_memory, s->cases[1].memory_limit_kib = 1)
BREAK(break_case_score, s->cases[1].score_micro = -1)
BREAK(break_include_language, s->includes[0].language = STR(""))
BREAK(break_include_path, s->includes[0].file.name = STR("a/../../b"))
BREAK(break_aggregation, s->manifest.aggregation = AGGREGATE_SUM)
BREAK(break_total, s->manifest.score_micro = -1)
BREAK(break_streams, s->manifest.input_file = STR("a/b"))
BREAK(break_languages, s->manifest.languages = STR("cpp c"))
BREAK(break_statements, s->manifest.sql.statements = STR("SELECT SELECT"))
BREAK(break_rows, s->manifest.sql.rows_max = -1)
BREAK(break_count, s->manifest.case_count = -1)

#define ROW(fn)                                                                                    \
    { #fn, fn }
static const struct {
    const char *name;
    break_fn *apply;
} breaks[] = {
    ROW(break_kind_none),
    ROW(break_kind_both),
    ROW(break_kind_unknown),
    ROW(break_interactor),
    ROW(break_submit_answer),
    ROW(break_sql),
    ROW(break_time_low),
    ROW(break_time_high),
    ROW(break_memory),
    ROW(break_output),
    ROW(break_passes),
    ROW(break_job_total),
    ROW(break_language_order),
    ROW(break_language_word),
    ROW(break_language_factor),
    ROW(break_checker_none),
    ROW(break_checker_kind),
    ROW(break_checker_unused_program),
    ROW(break_checker_adapter),
    ROW(break_checker_files),
    ROW(break_checker_entry),
    ROW(break_checker_args),
    ROW(break_args_tab),
    ROW(break_args_edge),
    ROW(break_float_form),
    ROW(break_float_zeros),
    ROW(break_float_text),
    ROW(break_float_exponent),
    ROW(break_file_order),
    ROW(break_file_twice),
    ROW(break_file_path),
    ROW(break_file_digest),
    ROW(break_file_none),
    ROW(break_group_parent),
    ROW(break_group_self),
    ROW(break_group_twice),
    ROW(break_group_aggregation),
    ROW(break_group_score),
    ROW(break_case_twice),
    ROW(break_case_name),
    ROW(break_case_group),
    ROW(break_case_group_low),
    ROW(break_case_input),
    ROW(break_case_absent_digest),
    ROW(break_case_time),
    ROW(break_case_memory),
    ROW(break_case_score),
    ROW(break_include_language),
    ROW(break_include_path),
    ROW(break_aggregation),
    ROW(break_total),
    ROW(break_streams),
    ROW(break_languages),
    ROW(break_statements),
    ROW(break_rows),
    ROW(break_count),
};

static void each_broken_invariant_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(breaks) / sizeof(breaks[0]); i++) {
        struct sample s;
        struct err err = {0};
        sample_init(&s);
        breaks[i].apply(&s);

        bool ok = manifest_check(&s.manifest, &err);

        if (ok) {
            print_message("accepted: %s\n", breaks[i].name);
        }
        assert_false(ok);
        assert_string_equal(err.code, "bad_manifest");
    }
}

static void tolerances_have_one_spelling(void **state) {
    (void)state;
    const char *const good[] = {"", "0", "1", "1e-6", "25e-1", "1e3", "123456789e-12"};

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct sample s;
        struct err err = {0};
        sample_init(&s);
        s.manifest.checker.float_absolute = str_from(good[i]);
        assert_true(manifest_check(&s.manifest, &err));
    }
}

static void limits_follow_case_then_language(void **state) {
    (void)state;
    struct sample s;
    sample_init(&s);
    s.manifest.limits.time_ms = 1500;
    s.manifest.limits.memory_kib = 100001;
    s.cases[1].time_limit_ms = 300;
    s.cases[1].memory_limit_kib = 50000;

    assert_int_equal(manifest_time_ms(&s.manifest, -1, STR("cpp")), 1500);
    assert_int_equal(manifest_time_ms(&s.manifest, 0, STR("cpp")), 1500);
    assert_int_equal(manifest_time_ms(&s.manifest, 1, STR("cpp")), 300);
    assert_int_equal(manifest_time_ms(&s.manifest, 1, STR("python")), 1500);
    assert_int_equal(manifest_memory_kib(&s.manifest, 0, STR("python")), 150002); /* up */
    assert_int_equal(manifest_memory_kib(&s.manifest, 1, STR("java")), 50000);
}

static void multiplied_limits_stay_inside_the_house_limits(void **state) {
    (void)state;
    struct sample s;
    sample_init(&s);
    s.languages[1].time_permille = 100000;
    s.languages[1].memory_permille = 100000;
    s.manifest.limits.time_ms = TIME_LIMIT_MS_MAX;

    assert_int_equal(manifest_time_ms(&s.manifest, -1, STR("python")), TIME_LIMIT_MS_MAX);
    assert_int_equal(manifest_memory_kib(&s.manifest, -1, STR("python")), MEMORY_LIMIT_KIB_MAX);
}

static void count_blob(void *context, const struct blob_ref *ref) {
    int64_t *sum = context;
    *sum += ref->bytes;
}

static void every_file_is_visited(void **state) {
    (void)state;
    struct sample s;
    int64_t sum = 0;
    sample_init(&s);
    s.cases[1].files = s.files;
    s.cases[1].file_count = 1;
    s.manifest.sql.ddl = blob(100);

    manifest_each_blob(&s.manifest, count_blob, &sum);

    assert_int_equal(sum, 9 + 10 + 1 + 2 + 3 + 2 + 9 + 7 + 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_a_valid_manifest),
        cmocka_unit_test(the_sample_is_valid),
        cmocka_unit_test(each_broken_invariant_is_refused),
        cmocka_unit_test(tolerances_have_one_spelling),
        cmocka_unit_test(limits_follow_case_then_language),
        cmocka_unit_test(multiplied_limits_stay_inside_the_house_limits),
        cmocka_unit_test(every_file_is_visited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
