/* Hydro's testdata/config.yaml. */
#include "package/hydro_internal.h"

#include "fixture.h"

static void with_config(struct fixture *f, const char *config) {
    fixture_init(f);
    fixture_put(f, "problem.yaml", "title: x\n");
    fixture_put(f, "testdata/config.yaml", config);
    for (int i = 1; i <= 4; i++) {
        fixture_put(f, arena_printf(f->arena, "testdata/%d.in", i), "1\n");
        fixture_put(f, arena_printf(f->arena, "testdata/%d.out", i), "2\n");
    }
    fixture_put(f, "testdata/c.cc", "int main(){}\n");
    fixture_put(f, "testdata/testlib.h", "/* */\n");
}

static void subtasks_become_groups(void **state) {
    (void)state;
    struct fixture f;
    with_config(&f, "subtasks:\n"
                    "- {id: 1, score: 30, type: sum, cases: [{input: 1.in, output: 1.out}, "
                    "{input: 2.in, output: 2.out}]}\n"
                    "- {id: 7, score: 70, if: [1], time: 2s, cases: [{input: 3.in, output: "
                    "3.out}]}\n");

    fixture_must_read(&f);

    const struct manifest *manifest = &f.problem.manifest;
    assert_int_equal(manifest->group_count, 2);
    assert_int_equal(manifest->groups[0].aggregation, AGGREGATE_SUM);
    assert_int_equal(manifest->groups[1].aggregation, AGGREGATE_MIN);
    assert_int_equal(manifest->groups[1].depend_count, 1);
    assert_int_equal(manifest->groups[1].depends[0], 0);
    assert_int_equal(manifest->cases[0].score_micro, 15000000);
    assert_int_equal(manifest->cases[2].score_micro, 70000000);
    assert_int_equal(manifest->cases[2].time_limit_ms, 2000);
    assert_int_equal(manifest->score_micro, 100000000);
    fixture_done(&f);
}

/* Three cases of 100 points: 33, 33, 34, and never 99. */
static void no_point_is_lost(void **state) {
    (void)state;
    struct fixture f;
    with_config(&f, "cases:\n- {input: 1.in, output: 1.out}\n- {input: 2.in, output: 2.out}\n"
                    "- {input: 3.in, output: 3.out}\n");

    fixture_must_read(&f);

    const struct manifest *manifest = &f.problem.manifest;
    assert_int_equal(manifest->cases[0].score_micro, 33000000);
    assert_int_equal(manifest->cases[2].score_micro, 34000000);
    assert_int_equal(manifest->score_micro, 100000000);
    fixture_done(&f);
}

static void checkers_are_called_as_they_expect(void **state) {
    (void)state;
    static const struct {
        const char *type;
        enum checker_kind kind;
        enum program_adapter adapter;
    } rows[] = {
        {"default", CHECKER_LINES, ADAPTER_NONE},      {"strict", CHECKER_EXACT, ADAPTER_NONE},
        {"testlib", CHECKER_PROGRAM, ADAPTER_TESTLIB}, {"kattis", CHECKER_PROGRAM, ADAPTER_ICPC},
        {"syzoj", CHECKER_PROGRAM, ADAPTER_SYZOJ},     {"lemon", CHECKER_PROGRAM, ADAPTER_LEMON},
        {"hustoj", CHECKER_PROGRAM, ADAPTER_HUSTOJ},   {"qduoj", CHECKER_PROGRAM, ADAPTER_QDUOJ},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        char config[100];
        snprintf(config, sizeof(config), "checker_type: %s\nchecker: c.cc\n", rows[i].type);
        with_config(&f, config);
        fixture_must_read(&f);
        const struct manifest_checker *checker = &f.problem.manifest.checker;
        assert_int_equal(checker->kind, rows[i].kind);
        assert_int_equal(checker->program.adapter, rows[i].adapter);
        /* The package's own testlib.h goes with it. */
        assert_int_equal(checker->program.file_count, rows[i].adapter == ADAPTER_NONE ? 0 : 2);
        fixture_done(&f);
    }
}

static void interactors_file_names_and_files_are_kept(void **state) {
    (void)state;
    struct fixture f;
    with_config(&f, "type: interactive\ninteractor: {file: c.cc, lang: cc}\nfilename: sum\n"
                    "user_extra_files: [testlib.h]\nvalidator: c.cc\n");

    fixture_must_read(&f);

    const struct manifest *manifest = &f.problem.manifest;
    assert_true((manifest->kinds & PROBLEM_INTERACTIVE) != 0);
    assert_int_equal(manifest->interactor.adapter, ADAPTER_TESTLIB);
    assert_true(str_eq_c(manifest->input_file, "sum.in"));
    assert_true(str_eq_c(manifest->output_file, "sum.out"));
    assert_int_equal(manifest->include_count, 1);
    assert_int_equal(f.problem.validator_count, 1);
    fixture_done(&f);
}

static void units_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t ms, kib; /* -1: refused */
    } rows[] = {
        {"1s", 1000, -1},    {"1500ms", 1500, -1}, {"1.5s", 1500, -1}, {"256m", 15360000, 262144},
        {"1g", -1, 1048576}, {"64MB", -1, 65536},  {"fast", -1, -1},   {"-1s", -1, -1},
        {"1e9s", -1, -1},    {"0.001s", 10, -1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct err err = {0};
        int64_t ms = -1;
        int64_t kib = -1;
        const struct yaml node = {.kind = YR_SCALAR, .text = str_from(rows[i].text), .file = "x"};
        bool time = hydro_time(&node, &ms, &err);
        bool memory = hydro_memory(&node, &kib, &err);
        if (rows[i].ms != 15360000) { /* 256 minutes are too long */
            assert_int_equal(time ? ms : -1, rows[i].ms);
        }
        assert_int_equal(memory ? kib : -1, rows[i].kib);
    }
}

static void what_is_wrong_is_said_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *config, *message;
    } rows[] = {
        {"subtasks:\n- {id: 1, if: [5], cases: [{input: 1.in}]}\n", "config.yaml:2: subtask 5"},
        {"subtasks:\n- {id: 1, type: avg, cases: [{input: 1.in}]}\n", "config.yaml:2: `type`"},
        {"subtasks:\n- {id: 1, cases: []}\n", "config.yaml:2: this subtask has no cases"},
        {"subtasks:\n- {id: 1}\n", "config.yaml:2: "},
        {"cases:\n- {score: 3}\n", "config.yaml:2: this case names neither"},
        {"checker_type: nobody\n", "config.yaml:1: this kind of checker is not known"},
        {"checker_type: testlib\n", "config.yaml:1: `checker` is missing"},
        {"type: interactive\n", "interactor"},
        {"filename: ../x\n", "config.yaml:1: this is no plain file name"},
        {"memory: 1t\n", "config.yaml:1: expected a memory"},
        {"user_extra_files: [no.h]\n", "config.yaml:1: there is no testdata/no.h"},
        {"user_extra_files: [c.cc, c.cc]\n", "c.cc: this file is named twice"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        with_config(&f, rows[i].config);
        assert_false(fixture_read(&f));
        if (strstr(f.err.text, rows[i].message) == NULL) {
            print_error("%s\n", f.err.text);
        }
        assert_non_null(strstr(f.err.text, rows[i].message));
        fixture_done(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subtasks_become_groups),
        cmocka_unit_test(no_point_is_lost),
        cmocka_unit_test(checkers_are_called_as_they_expect),
        cmocka_unit_test(interactors_file_names_and_files_are_kept),
        cmocka_unit_test(units_are_read),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
