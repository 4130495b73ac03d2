/* Problems of every kind in the real box: who is blamed when a submission and an interactor end,
 * hang, flood or lie; passes; answers; files. */
#include "world.h"

#define C_HEAD "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"

/* Asks "double N" for each N of the input and expects 2 N back. Ends with `accept` or `reject`;
 * `before` is done first. ICPC: 42 and 43; testlib: 0 and 1. */
#define INTERACTOR(before, accept, reject)                                                         \
    C_HEAD "int main(int argc, char **argv) {\n"                                                   \
           "FILE *in = fopen(argv[1], \"r\"); int n, x;\n" before                                  \
           "while (fscanf(in, \"%d\", &n) == 1) { printf(\"double %d\\n\", n); fflush(stdout);\n"  \
           "if (scanf(\"%d\", &x) != 1 || x != 2 * n) return " reject "; }\n"                      \
           "puts(\"end\"); fflush(stdout); return " accept "; }\n"
#define ICPC_INTERACTOR INTERACTOR("", "42", "43")

#define DOUBLER(more)                                                                              \
    C_HEAD                                                                                         \
    "int main(void) { char w[20]; int n; while (scanf(\"%19s\", w) == 1 && w[0] == 'd') {\n"       \
    "scanf(\"%d\", &n); " more " printf(\"%d\\n\", 2 * n); fflush(stdout); } return 0; }\n"

static void begin_dialogue(struct problem *problem, enum program_adapter adapter,
                           const char *interactor) {
    begin_problem(problem);
    problem->manifest.limits.time_ms = 200;
    problem->manifest.limits.output_kib = 256; /* more than the pipes hold */
    problem->manifest.limits.validation_time_ms = 400;
    problem->manifest.limits.validation_memory_kib = 64 * KIB;
    problem->manifest.limits.validation_output_kib = 64;
    problem->manifest.kinds |= PROBLEM_INTERACTIVE;
    problem->manifest.checker.kind = CHECKER_NONE;
    problem->checker_files[0] =
        (struct manifest_file){.name = STR("talk.c"), .blob = add_blob(problem, interactor)};
    problem->manifest.interactor = (struct manifest_program){
        .language = STR("c"),
        .adapter = adapter,
        .files = problem->checker_files,
        .file_count = 1,
    };
    add_case(problem, "1 2 3\n", "answers\n");
}

struct row {
    const char *why;
    const char *interactor; /* NULL: the good one */
    const char *program;
    enum verdict verdict; /* NONE: the problem's fault */
    const char *says;
};

static const struct row dialogues[] = {
    {"a good dialogue", NULL, DOUBLER(""), VERDICT_ACCEPTED, ""},
    {"a wrong word", NULL, DOUBLER("n++;"), VERDICT_WRONG_ANSWER, "interactor"},
    {"a wrong word, then for ever", NULL,
     DOUBLER("if (n == 2) { puts(\"7\"); fflush(stdout); for (;;) {} }"), VERDICT_WRONG_ANSWER,
     "interactor"},
    {"not flushed", NULL,
     C_HEAD "int main(void) { int n; scanf(\"%*s %d\", &n); printf(\"%d\\n\", 2 * n); scanf(\"%*s "
            "%d\", &n); return 0; }\n",
     VERDICT_TIME_LIMIT_EXCEEDED, "flushed"},
    {"says nothing and sleeps", NULL, C_HEAD "int main(void) { sleep(100); return 0; }\n",
     VERDICT_TIME_LIMIT_EXCEEDED, "waited for each other"},
    {"computes without end", NULL,
     C_HEAD "int main(void) { for (volatile int i = 0;; i = i + 1) {} }\n",
     VERDICT_TIME_LIMIT_EXCEEDED, "CPU time"},
    {"ends at once", NULL, "int main(void) { return 0; }\n", VERDICT_WRONG_ANSWER, "interactor"},
    {"crashes", NULL, C_HEAD "int main(void) { abort(); }\n", VERDICT_RUNTIME_ERROR, "signal 6"},
    {"crashes after the last word", NULL,
     C_HEAD "int main(void) { char w[20]; int n; while (scanf(\"%19s\", w) == 1 && w[0] == 'd') { "
            "scanf(\"%d\", &n); printf(\"%d\\n\", 2 * n); fflush(stdout); } while (getchar() != "
            "EOF) {} return 3; }\n",
     VERDICT_RUNTIME_ERROR, "exit status 3"},
    {"closes its output and goes on", NULL,
     C_HEAD "int main(void) { fclose(stdout); for (;;) { if (getchar() == EOF) return 0; } }\n",
     VERDICT_WRONG_ANSWER, "interactor"},
    {"floods a reader that stopped reading", NULL,
     C_HEAD "int main(void) { for (;;) { puts(\"5\"); } }\n", VERDICT_WRONG_ANSWER, "interactor"},
    {"floods while it is read", INTERACTOR("while (scanf(\"%d\", &n) == 1) {}", "42", "43"),
     C_HEAD "int main(void) { for (;;) { puts(\"5\"); } }\n", VERDICT_OUTPUT_LIMIT_EXCEEDED,
     "256 KiB"},
    {"too much memory", NULL,
     C_HEAD "int main(void) { for (;;) { char *p = malloc(1 << 20); if (!p) return 1; memset(p, 1, "
            "1 << 20); } }\n",
     VERDICT_MEMORY_LIMIT_EXCEEDED, "memory"},
    /* interactors that fail */
    {"the interactor crashes", INTERACTOR("abort();", "42", "43"), DOUBLER(""), VERDICT_NONE,
     "interactor"},
    {"the interactor says 0", INTERACTOR("", "0", "43"), DOUBLER(""), VERDICT_NONE,
     "exit status 0"},
    {"it crashes although the submission crashes too", INTERACTOR("abort();", "42", "43"),
     "int main(void) { return 1; }\n", VERDICT_NONE, "interactor"},
    {"it computes without end", INTERACTOR("for (volatile int i = 0;; i = i + 1) {}", "42", "43"),
     DOUBLER(""), VERDICT_NONE, "CPU time"},
    {"it hangs", INTERACTOR("sleep(100);", "42", "43"), DOUBLER(""), VERDICT_NONE, "wall time"},
    {"it floods", INTERACTOR("for (;;) puts(\"x\");", "42", "43"),
     C_HEAD "int main(void) { while (getchar() != EOF) {} return 0; }\n", VERDICT_NONE,
     "wrote more"},
    {"it takes all memory",
     INTERACTOR("for (;;) { char *p = malloc(1 << 20); if (!p) return 1; memset(p, 1, 1 << 20); }",
                "42", "43"),
     DOUBLER(""), VERDICT_NONE, "memory"},
    {"it does not compile", "int main( {\n", DOUBLER(""), VERDICT_NONE,
     "interactor does not compile"},
};

static bool contains(struct str text, const char *part) {
    return part[0] == '\0' ||
           (text.len > 0 && memmem(text.ptr, text.len, part, strlen(part)) != NULL);
}

static void expect(const struct row *row, const struct outcome_of_test *outcome) {
    const struct judgement *judgement = &outcome->judgement;
    if (!outcome->judged) {
        if (row->verdict != VERDICT_NONE || outcome->err.fault != FAULT_PROBLEM ||
            !contains(str_from(outcome->err.text), row->says)) {
            fail_msg("%s: fault %d, %s", row->why, (int)outcome->err.fault, outcome->err.text);
        }
        return;
    }
    struct str message = judgement->compile.log;
    if (judgement->case_count > 0) {
        message = judgement->cases[judgement->case_count - 1].message;
    }
    if (judgement->verdict != row->verdict || !contains(message, row->says)) {
        fail_msg("%s: %s \"" STR_FMT "\"", row->why, verdict_code(judgement->verdict),
                 STR_ARG(message));
    }
}

static void a_dialogue_blames_who_broke_it(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof dialogues / sizeof dialogues[0]; i++) {
        own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
        struct problem problem;
        begin_dialogue(&problem, ADAPTER_ICPC,
                       dialogues[i].interactor == NULL ? ICPC_INTERACTOR : dialogues[i].interactor);

        struct outcome_of_test outcome = judge_text(&problem, arena, "c", dialogues[i].program);

        expect(&dialogues[i], &outcome);
    }
}

/* The submission has 200 ms of CPU time and 1.6 s in all; the interactor computes for two seconds.
 */
static void the_interactors_time_is_not_the_submissions(void **state) {
    (void)state;
    static const struct row row = {"a slow interactor", NULL, DOUBLER(""), VERDICT_ACCEPTED, ""};
    own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
    struct problem problem;
    begin_dialogue(
        &problem, ADAPTER_ICPC,
        "#include <time.h>\n" INTERACTOR("while (clock() < 2 * CLOCKS_PER_SEC) {}", "42", "43"));
    problem.manifest.limits.validation_time_ms = 5000;

    struct outcome_of_test outcome = judge_text(&problem, arena, "c", row.program);

    expect(&row, &outcome);
    assert_true(outcome.judgement.cases[0].cpu_ms < 200);
    assert_true(outcome.judgement.cases[0].wall_ms > 1600);
}

/* ---- testlib ---- */

#define TOUT(text) "FILE *t = fopen(argv[2], \"w\"); fputs(\"" text "\", t); fclose(t);"

static const struct row testlib_rows[] = {
    {"ok, and the checker accepts tout", INTERACTOR(TOUT("answers\\n"), "0", "1"), DOUBLER(""),
     VERDICT_ACCEPTED, ""},
    {"ok, but the checker rejects tout", INTERACTOR(TOUT("other\\n"), "0", "1"), DOUBLER(""),
     VERDICT_WRONG_ANSWER, "line 1"},
    {"ok, and nothing in tout", INTERACTOR("", "0", "1"), DOUBLER(""), VERDICT_WRONG_ANSWER,
     "no output"},
    {"wrong answer", INTERACTOR(TOUT("answers\\n"), "0", "1"), DOUBLER("n++;"),
     VERDICT_WRONG_ANSWER, "interactor"},
    {"presentation error", INTERACTOR("", "0", "2"), DOUBLER("n++;"), VERDICT_WRONG_ANSWER,
     "interactor"},
    {"fail", INTERACTOR("", "3", "1"), DOUBLER(""), VERDICT_NONE, "exit status 3"},
    {"tout is a link", INTERACTOR("symlink(\"/etc/passwd\", argv[2]);", "0", "1"), DOUBLER(""),
     VERDICT_NONE, "tout"},
};

static void testlibs_tout_goes_to_the_checker(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof testlib_rows / sizeof testlib_rows[0]; i++) {
        own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
        struct problem problem;
        begin_dialogue(&problem, ADAPTER_TESTLIB, testlib_rows[i].interactor);
        problem.manifest.checker.kind = CHECKER_TOKENS;

        struct outcome_of_test outcome = judge_text(&problem, arena, "c", testlib_rows[i].program);

        expect(&testlib_rows[i], &outcome);
    }
}

/* ---- passes ---- */

/* Accepts what doubles the input's number; goes on with that until 8 is reached. Counts its passes
 * in a file of its own. */
#define PASS_CHECKER(more)                                                                         \
    C_HEAD "int main(int argc, char **argv) { int n, x, pass = 0; char name[200];\n"               \
           "FILE *in = fopen(argv[1], \"r\"); fscanf(in, \"%d\", &n);\n"                           \
           "snprintf(name, sizeof name, \"%scount\", argv[3]); FILE *f = fopen(name, \"r\");\n"    \
           "if (f) { fscanf(f, \"%d\", &pass); fclose(f); } pass++;\n"                             \
           "f = fopen(name, \"w\"); fprintf(f, \"%d\", pass); fclose(f);\n"                        \
           "snprintf(name, sizeof name, \"%snextpass.in\", argv[3]);\n"                            \
           "if (access(name, F_OK) == 0) return 9;\n" more                                         \
           "if (scanf(\"%d\", &x) != 1 || x != 2 * n) return 43;\n"                                \
           "if (x >= 8) return pass == 3 ? 42 : 10;\n"                                             \
           "f = fopen(name, \"w\"); fprintf(f, \"%d\\n\", x); fclose(f); return 42; }\n"

#define DOUBLE_ONCE(more)                                                                          \
    C_HEAD "int main(void) { int n; scanf(\"%d\", &n); " more                                      \
           " printf(\"%d\\n\", 2 * n); return 0; }\n"

static const struct row pass_rows[] = {
    {"three passes", NULL, DOUBLE_ONCE(""), VERDICT_ACCEPTED, ""},
    {"wrong in the second", NULL, DOUBLE_ONCE("n += n == 2;"), VERDICT_WRONG_ANSWER, "pass 2: "},
    {"crash in the third", NULL, DOUBLE_ONCE("if (n == 4) abort();"), VERDICT_RUNTIME_ERROR,
     "pass 3: signal 6"},
    {"too slow in the second", NULL, DOUBLE_ONCE("while (n == 2) {}"), VERDICT_TIME_LIMIT_EXCEEDED,
     "pass 2: used more"},
    {"a file of an earlier pass is not there", NULL,
     DOUBLE_ONCE("if (access(\"left\", F_OK) == 0) return 1; fclose(fopen(\"left\", \"w\"));"),
     VERDICT_ACCEPTED, ""},
    {"rejects, but wants another pass",
     PASS_CHECKER("f = fopen(name, \"w\"); fclose(f); return 43;"), DOUBLE_ONCE(""), VERDICT_NONE,
     "did not accept"},
    {"passes without end",
     PASS_CHECKER("f = fopen(name, \"w\"); fputs(\"1\", f); fclose(f); return 42;"),
     DOUBLE_ONCE(""), VERDICT_NONE, "more passes"},
    {"the next input is a link", PASS_CHECKER("symlink(argv[2], name); return 42;"),
     DOUBLE_ONCE(""), VERDICT_NONE, "nextpass.in"},
    {"the validator crashes in the second pass", PASS_CHECKER("if (pass == 2) abort();"),
     DOUBLE_ONCE(""), VERDICT_NONE, "checker"},
};

static void a_validator_says_what_comes_next(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof pass_rows / sizeof pass_rows[0]; i++) {
        own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
        struct problem problem;
        begin_problem(&problem);
        problem.manifest.kinds |= PROBLEM_MULTI_PASS;
        problem.manifest.limits.time_ms = 200;
        problem.manifest.limits.validation_passes = 3;
        set_checker(&problem, "c", "check.c",
                    pass_rows[i].interactor == NULL ? PASS_CHECKER("") : pass_rows[i].interactor);
        add_case(&problem, "1\n", "8\n");

        struct outcome_of_test outcome = judge_text(&problem, arena, "c", pass_rows[i].program);

        expect(&pass_rows[i], &outcome);
    }
}

/* Asks for the double of its number, and in the second pass again for that. */
#define PASS_INTERACTOR                                                                            \
    C_HEAD "int main(int argc, char **argv) { int n, x; char name[200];\n"                         \
           "FILE *in = fopen(argv[1], \"r\"); fscanf(in, \"%d\", &n);\n"                           \
           "printf(\"double %d\\nend\\n\", n); fflush(stdout);\n"                                  \
           "if (scanf(\"%d\", &x) != 1 || x != 2 * n) return 43;\n"                                \
           "if (x >= 8) return 42;\n"                                                              \
           "snprintf(name, sizeof name, \"%snextpass.in\", argv[3]);\n"                            \
           "FILE *f = fopen(name, \"w\"); fprintf(f, \"%d\\n\", x); fclose(f); return 42; }\n"

static const struct row pass_dialogues[] = {
    {"three passes", NULL, DOUBLER(""), VERDICT_ACCEPTED, ""},
    {"wrong in the second", NULL, DOUBLER("n += n == 2;"), VERDICT_WRONG_ANSWER, "pass 2: "},
    {"silent in the third", NULL, DOUBLER("if (n == 4) sleep(100);"), VERDICT_TIME_LIMIT_EXCEEDED,
     "pass 3: "},
};

static void an_interactor_may_want_several_passes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof pass_dialogues / sizeof pass_dialogues[0]; i++) {
        own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
        struct problem problem;
        begin_dialogue(&problem, ADAPTER_ICPC, PASS_INTERACTOR);
        problem.manifest.kinds |= PROBLEM_MULTI_PASS;
        problem.manifest.limits.validation_passes = 3;
        problem.cases[0].input = add_blob(&problem, "1\n");

        struct outcome_of_test outcome =
            judge_text(&problem, arena, "c", pass_dialogues[i].program);

        expect(&pass_dialogues[i], &outcome);
    }
}

/* ---- files ---- */

#define FILE_SUM(in, out, more)                                                                    \
    C_HEAD "int main(void) { int a, b; FILE *i = " in ", *o;\n" more                               \
           "fscanf(i, \"%d %d\", &a, &b); o = " out                                                \
           "; fprintf(o, \"%d\\n\", a + b); return 0; }\n"

static const struct row file_rows[] = {
    {"both by name", NULL, FILE_SUM("fopen(\"sum.in\", \"r\")", "fopen(\"sum.out\", \"w\")", ""),
     VERDICT_ACCEPTED, ""},
    {"both by stream", NULL, FILE_SUM("stdin", "stdout", ""), VERDICT_ACCEPTED, ""},
    {"in by name, out by stream", NULL, FILE_SUM("fopen(\"sum.in\", \"r\")", "stdout", ""),
     VERDICT_ACCEPTED, ""},
    {"the file counts, not what is printed beside it", NULL,
     FILE_SUM("stdin", "fopen(\"sum.out\", \"w\")", "puts(\"debugging\");"), VERDICT_ACCEPTED, ""},
    {"another name", NULL, FILE_SUM("stdin", "fopen(\"sum.txt\", \"w\")", ""), VERDICT_WRONG_ANSWER,
     "there is no file sum.out"},
    {"a link", NULL, FILE_SUM("stdin", "tmpfile()", "symlink(\"/etc/passwd\", \"sum.out\");"),
     VERDICT_WRONG_ANSWER, "not a plain file"},
    {"a pipe", NULL,
     "#include <sys/stat.h>\n" FILE_SUM("stdin", "tmpfile()", "mkfifo(\"sum.out\", 0600);"),
     VERDICT_WRONG_ANSWER, "not a plain file"},
    {"a folder", NULL,
     "#include <sys/stat.h>\n" FILE_SUM("stdin", "tmpfile()", "mkdir(\"sum.out\", 0700);"),
     VERDICT_WRONG_ANSWER, "not a plain file"},
    {"too much", NULL,
     FILE_SUM("stdin", "fopen(\"sum.out\", \"w\")",
              "FILE *f = fopen(\"sum.out\", \"w\"); for (;;) if (fputs(\"xxxxxxxxxxxxxxxx\", f) < "
              "0) return 1;"),
     VERDICT_OUTPUT_LIMIT_EXCEEDED, "16 KiB"},
};

static void input_and_output_have_names(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof file_rows / sizeof file_rows[0]; i++) {
        own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
        struct problem problem;
        begin_sum(&problem);
        problem.manifest.input_file = STR("sum.in");
        problem.manifest.output_file = STR("sum.out");

        struct outcome_of_test outcome = judge_text(&problem, arena, "c", file_rows[i].program);

        expect(&file_rows[i], &outcome);
    }
}

/* ---- answers ---- */

static void answers_are_checked_case_by_case(void **state) {
    (void)state;
    static const struct {
        struct judge_source sources[3];
        size_t count;
        struct row row;
    } rows[] = {
        {{{STR("1.out"), STR("3\n")}, {STR("2.out"), STR("42")}, {STR("3.out"), STR("0")}},
         3,
         {"all right", NULL, NULL, VERDICT_ACCEPTED, ""}},
        {{{STR("1.out"), STR("3\n")}, {STR("2.out"), STR("41")}, {STR("3.out"), STR("0")}},
         3,
         {"the second is wrong", NULL, NULL, VERDICT_WRONG_ANSWER, "line 1"}},
        {{{STR("1.out"), STR("3\n")}, {STR("2.out"), STR("42")}},
         2,
         {"one is missing", NULL, NULL, VERDICT_WRONG_ANSWER, "no file for this case"}},
        {{{STR("-1.out"), STR("3\n")}, {STR("2.out"), STR("42")}},
         2,
         {"a bad name", NULL, NULL, VERDICT_COMPILE_ERROR, "may not be called"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
        struct problem problem;
        begin_sum(&problem);
        problem.manifest.kinds |= PROBLEM_SUBMIT_ANSWER;

        struct outcome_of_test outcome =
            judge_sources(&problem, 0, arena, "c", rows[i].sources, rows[i].count);

        expect(&rows[i].row, &outcome);
    }
}

/* ---- functions ---- */

#define GRADER                                                                                     \
    "#include <stdio.h>\nint twice(int);\n"                                                        \
    "int main(void) { int a, b; scanf(\"%d %d\", &a, &b); printf(\"%d\\n\", twice(a) + "           \
    "twice(b)); }\n"

static const struct row function_rows[] = {
    {"right", GRADER, "int twice(int n) { return 2 * n; }\n", VERDICT_ACCEPTED, ""},
    {"wrong", GRADER, "int twice(int n) { return n * n; }\n", VERDICT_WRONG_ANSWER, "line 1"},
    {"another function", GRADER, "int thrice(int n) { return 3 * n; }\n", VERDICT_COMPILE_ERROR,
     "twice"},
    {"a main of its own", GRADER, "int main(void) { return 0; }\n", VERDICT_COMPILE_ERROR, "main"},
    {"does not compile", GRADER, "int twice(int n) { return }\n", VERDICT_COMPILE_ERROR,
     "main.c:1"},
    {"nor does the grader", "int main(void) { return }\n", "int twice(int n) { return 2 * n; }\n",
     VERDICT_NONE, "grader.c:1"},
    {"neither compiles: the problem's is told", "int main(void) { return }\n",
     "int twice(int n) { return }\n", VERDICT_NONE, "grader.c:1"},
};

static void a_function_is_linked_with_the_grader(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof function_rows / sizeof function_rows[0]; i++) {
        own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
        struct problem problem;
        begin_problem(&problem);
        add_case(&problem, "1 3\n", "8\n");
        problem.manifest.kinds |= PROBLEM_FUNCTION;
        problem.includes[0] = (struct manifest_include){
            .language = STR("c"),
            .file = {.name = STR("grader.c"),
                     .blob = add_blob(&problem, function_rows[i].interactor)}};
        problem.manifest.includes = problem.includes;
        problem.manifest.include_count = 1;

        struct outcome_of_test outcome = judge_text(&problem, arena, "c", function_rows[i].program);

        expect(&function_rows[i], &outcome);
    }
}

int main(void) {
    if (geteuid() != 0) {
        (void)fprintf(stderr, "skipped: the box needs root\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dialogue_blames_who_broke_it),
        cmocka_unit_test(the_interactors_time_is_not_the_submissions),
        cmocka_unit_test(testlibs_tout_goes_to_the_checker),
        cmocka_unit_test(a_validator_says_what_comes_next),
        cmocka_unit_test(an_interactor_may_want_several_passes),
        cmocka_unit_test(input_and_output_have_names),
        cmocka_unit_test(answers_are_checked_case_by_case),
        cmocka_unit_test(a_function_is_linked_with_the_grader),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
