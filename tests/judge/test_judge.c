/* Whole judgings in the real box: each verdict, each fault of a checker, and that a submission
 * finds nothing that it should not see. */
#include "world.h"

#include "base/clock.h"
#include "base/thread.h"

#define SUM_CPP                                                                                    \
    "#include <iostream>\n"                                                                        \
    "int main() { long long a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }\n"

static bool contains(struct str text, const char *part) {
    return part[0] == '\0' ||
           (text.len > 0 && memmem(text.ptr, text.len, part, strlen(part)) != NULL);
}

static void expect(const char *why, const struct outcome_of_test *outcome, enum verdict verdict,
                   const char *says) {
    const struct judgement *judgement = &outcome->judgement;
    if (!outcome->judged) {
        fail_msg("%s: %s", why, outcome->err.text);
    }
    struct str message = judgement->compile.log;
    if (judgement->case_count > 0) {
        message = judgement->cases[judgement->case_count - 1].message;
    }
    if (judgement->verdict != verdict || !contains(message, says)) {
        fail_msg("%s: %s \"" STR_FMT "\", compiler: \"" STR_FMT "\"", why,
                 verdict_code(judgement->verdict), STR_ARG(message),
                 STR_ARG(judgement->compile.log));
    }
}

struct row {
    const char *why;
    const char *language;
    const char *text;
    enum verdict verdict;
    const char *says;
};

static const struct row sum_rows[] = {
    {"right in C++", "cpp", SUM_CPP, VERDICT_ACCEPTED, ""},
    {"right in C", "c",
     "#include <stdio.h>\n"
     "int main(void) { long long a, b; scanf(\"%lld %lld\", &a, &b); printf(\"%lld\\n\", a + b); }",
     VERDICT_ACCEPTED, ""},
    {"right in Python", "python3", "print(sum(map(int, input().split())))\n", VERDICT_ACCEPTED, ""},
    {"Python ends by exit()", "python3",
     "import sys\na, b = map(int, sys.stdin.read().split())\nprint(a + b)\nexit()\n",
     VERDICT_ACCEPTED, ""},
    {"debug output on stderr", "python3",
     "import sys\nprint('x' * 100000, file=sys.stderr)\nprint(sum(map(int, input().split())))\n",
     VERDICT_ACCEPTED, ""},
    {"wrong in the second case", "cpp", "#include <cstdio>\nint main() { puts(\"3\"); }\n",
     VERDICT_WRONG_ANSWER, "line 1, token 1 is wrong"},
    {"no output", "cpp", "int main() {}\n", VERDICT_WRONG_ANSWER, "no output"},
    {"too slow", "cpp", "int main() { for (volatile int i = 0;; i = i + 1) {} }\n",
     VERDICT_TIME_LIMIT_EXCEEDED, "500 ms of CPU time"},
    {"too slow in two processes", "c",
     "#include <unistd.h>\nint main(void) { fork(); for (volatile int i = 0;; i = i + 1) {} }\n",
     VERDICT_TIME_LIMIT_EXCEEDED, "500 ms of CPU time"},
    {"sleeps", "c", "#include <unistd.h>\nint main(void) { sleep(100); }\n",
     VERDICT_TIME_LIMIT_EXCEEDED, "wall time"},
    {"waits for input that never comes", "python3", "import time\ntime.sleep(100)\n",
     VERDICT_TIME_LIMIT_EXCEEDED, "wall time"},
    {"too much memory", "c",
     "#include <stdlib.h>\n#include <string.h>\n"
     "int main(void) { for (;;) { char *p = malloc(1 << 20); if (!p) return 1; memset(p, 1, 1 << "
     "20); } }\n",
     VERDICT_MEMORY_LIMIT_EXCEEDED, "65536 KiB of memory"},
    {"a child used too much memory, the parent says 0", "c",
     "#include <stdlib.h>\n#include <string.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"
     "int main(void) { if (fork() == 0) { volatile char *p = malloc(200 << 20); for (int i = 0; i "
     "< 200 << 20; i += 4096) p[i] = 1; "
     "_exit(0); } wait(NULL); return 0; }\n",
     VERDICT_MEMORY_LIMIT_EXCEEDED, "memory"},
    {"too much output", "c",
     "#include <stdio.h>\nint main(void) { for (;;) puts(\"3333333333333333\"); }\n",
     VERDICT_OUTPUT_LIMIT_EXCEEDED, "16 KiB"},
    {"exit status", "c", "int main(void) { return 3; }\n", VERDICT_RUNTIME_ERROR, "exit status 3"},
    {"right answer, then a crash", "c",
     "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { puts(\"3\"); fflush(stdout); "
     "abort(); }\n",
     VERDICT_RUNTIME_ERROR, "signal 6 (aborted)"},
    {"null pointer", "c", "int main(void) { volatile int *p = 0; return *p; }\n",
     VERDICT_RUNTIME_ERROR, "signal 11 (segmentation fault)"},
    {"division by zero", "c", "int main(void) { volatile int z = 0; return 100 / z; }\n",
     VERDICT_RUNTIME_ERROR, "signal 8"},
    {"deep recursion within the memory limit", "c",
     "int f(int n) { volatile char pad[1000]; pad[0] = 0; return n == 0 ? pad[0] : f(n - 1) + 1; "
     "}\n"
     "#include <stdio.h>\nint main(void) { int a, b; scanf(\"%d %d\", &a, &b); "
     "printf(\"%d\\n\", f(30000) - 30000 + a + b); }\n",
     VERDICT_ACCEPTED, ""},
    {"uncaught exception", "python3", "raise ValueError('x')\n", VERDICT_RUNTIME_ERROR,
     "exit status 1"},
    {"does not compile in C++", "cpp", "int main() { return x; }\n", VERDICT_COMPILE_ERROR,
     "main.cpp:1:"},
    {"does not compile in Python", "python3", "print(1\n", VERDICT_COMPILE_ERROR, "line 1"},
    {"does not link", "c", "int f(void);\nint main(void) { return f(); }\n", VERDICT_COMPILE_ERROR,
     "undefined reference"},
};

static void each_program_gets_its_verdict(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof sum_rows / sizeof sum_rows[0]; i++) {
        own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
        struct problem problem;
        begin_sum(&problem);

        struct outcome_of_test outcome =
            judge_text(&problem, arena, sum_rows[i].language, sum_rows[i].text);

        expect(sum_rows[i].why, &outcome, sum_rows[i].verdict, sum_rows[i].says);
    }
}

static void times_and_sizes_are_measured(void **state) {
    (void)state;
    own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
    struct problem problem;
    begin_sum(&problem);
    problem.manifest.limits.time_ms = 5000;

    struct outcome_of_test outcome = judge_text(
        &problem, arena, "c",
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n"
        "int main(void) { char *p = malloc(20 << 20); memset(p, 1, 20 << 20);\n"
        "while (clock() < CLOCKS_PER_SEC / 5) { p[clock() % 100]++; }\n"
        "int a, b; scanf(\"%d %d\", &a, &b); printf(\"%d\\n\", a + b + (p[200] - 1)); }\n");

    expect("measured", &outcome, VERDICT_ACCEPTED, "");
    const struct case_result *first = &outcome.judgement.cases[0];
    assert_in_range(first->cpu_ms, 190, 400);
    assert_true(first->wall_ms >= first->cpu_ms - 20);
    assert_in_range(first->memory_kib, 20 * KIB, 30 * KIB);
    assert_true(outcome.judgement.compile.cpu_ms > 0);
    assert_true(outcome.judgement.language_version.len > 0);
}

/* ---- near the time limit: 100 ms, the box kills at 150 ---- */

#define BURN                                                                                       \
    "#include <stdio.h>\n#include <time.h>\n"                                                      \
    "static void burn(void) { while (clock() < 115 * (CLOCKS_PER_SEC / 1000)) {} }\n"              \
    "static int odd(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); "               \
    "return t.tv_nsec / 64 % 2; }\n"                                                               \
    "static int sum(void) { int a, b; return scanf(\"%d %d\", &a, &b), printf(\"%d\\n\", a + b); " \
    "}\n"

static struct outcome_of_test judge_near(struct arena *arena, const char *text) {
    struct problem problem;
    begin_sum(&problem);
    problem.manifest.limits.time_ms = 100;
    return judge_text(&problem, arena, "c", text);
}

static void a_run_in_the_band_is_measured_twice(void **state) {
    (void)state;
    own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);

    struct outcome_of_test outcome =
        judge_near(arena, BURN "int main(void) { burn(); return sum() < 0; }\n");

    expect("slow each time", &outcome, VERDICT_TIME_LIMIT_EXCEEDED, "100 ms of CPU time");
    const struct case_result *first = &outcome.judgement.cases[0];
    assert_true(first->twice);
    assert_in_range(first->cpu_ms, 101, 150);
    assert_true(first->other_cpu_ms >= first->cpu_ms);
}

/* A program that is slow in every other run: as often as one is slow and the next is not, it is
 * accepted for the next. Fifty judgings without that would be a chance of one in a million. */
static void the_better_run_counts(void **state) {
    (void)state;
    bool saved = false;
    for (int i = 0; i < 50 && !saved; i++) {
        own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
        struct outcome_of_test outcome =
            judge_near(arena, BURN "int main(void) { if (odd()) burn(); return sum() < 0; }\n");
        assert_true(outcome.judged);
        for (int32_t c = 0; c < outcome.judgement.case_count; c++) {
            const struct case_result *result = &outcome.judgement.cases[c];
            bool slow = result->cpu_ms > 100;
            assert_true(slow == (result->verdict == VERDICT_TIME_LIMIT_EXCEEDED));
            assert_true(result->twice || !slow);
            assert_true(!result->twice || result->other_cpu_ms > 100);
            saved = saved || (result->twice && result->verdict == VERDICT_ACCEPTED);
        }
    }
    assert_true(saved);
}

/* ---- compiling ---- */

static void a_compiler_without_end_is_a_compile_error(void **state) {
    (void)state;
    own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
    struct problem problem;
    begin_sum(&problem);
    problem.manifest.limits.compile_time_ms = 1500;

    struct outcome_of_test slow = judge_text(
        &problem, arena, "cpp",
        "template <int n, int m> struct f { enum { v = f<n - 1, m * 2>::v + f<n - 1, m * 2 + "
        "1>::v }; };\ntemplate <int m> struct f<0, m> { enum { v = 1 }; };\n"
        "int main() { return f<24, 0>::v; }\n");
    expect("templates", &slow, VERDICT_COMPILE_ERROR, "The compiler used more than");

    struct outcome_of_test self = judge_text(&problem, arena, "c", "#include \"main.c\"\n");
    expect("includes itself", &self, VERDICT_COMPILE_ERROR, "nested depth");

    struct outcome_of_test stuck = judge_text(&problem, arena, "c", "#include \"/dev/zero\"\n");
    expect("a device", &stuck, VERDICT_COMPILE_ERROR, "");
    assert_true(stuck.judgement.compile.log.len > 0);
}

static void the_compilers_log_is_bounded(void **state) {
    (void)state;
    own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
    own_buf source = {0};
    struct problem problem;
    begin_sum(&problem);
    buf_init(&source, 128 * KIB);
    (void)buf_append_c(&source, "int main() {\n");
    for (int i = 0; i < 2000; i++) {
        (void)buf_append_c(&source, "undeclared_name_one + undeclared_name_two;\n");
    }
    (void)buf_append_c(&source, "}\n");

    struct outcome_of_test outcome = judge_text(&problem, arena, "cpp", buf_c(&source));

    expect("many errors", &outcome, VERDICT_COMPILE_ERROR, "undeclared_name_one");
    assert_true(outcome.judgement.compile.log.len <= COMPILE_LOG_BYTES_MAX);
    assert_true(str_is_utf8(outcome.judgement.compile.log));
}

static void several_files_and_includes_make_one_program(void **state) {
    (void)state;
    own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
    struct problem problem;
    static const struct judge_source sources[] = {
        {STR("main.cpp"), STR("#include <cstdio>\n#include \"sum.h\"\n#include \"given.h\"\n"
                              "int main() { int a, b; scanf(\"%d %d\", &a, &b); "
                              "printf(\"%d\\n\", sum(a, b) + GIVEN); }\n")},
        {STR("sum.cpp"), STR("#include \"sum.h\"\nint sum(int a, int b) { return a + b; }\n")},
        {STR("sum.h"), STR("int sum(int a, int b);\n")},
        {STR("given.h"), STR("#define GIVEN 1\n")}};
    begin_sum(&problem);

    struct outcome_of_test own_header = judge_sources(&problem, 0, arena, "cpp", sources, 4);
    expect("own header", &own_header, VERDICT_WRONG_ANSWER, "");

    problem.includes[0] = (struct manifest_include){
        .language = STR("cpp"),
        .file = {.name = STR("given.h"), .blob = add_blob(&problem, "#define GIVEN 0\n")}};
    problem.manifest.includes = problem.includes;
    problem.manifest.include_count = 1;
    struct outcome_of_test given = judge_sources(&problem, 0, arena, "cpp", sources, 4);
    expect("the problem's header", &given, VERDICT_ACCEPTED, "");

    static const struct judge_source python[] = {
        {STR("helper.py"), STR("def add(a, b):\n    return a + b\n")},
        {STR("main.py"), STR("from helper import add\nprint(add(*map(int, input().split())))\n")}};
    struct outcome_of_test imported = judge_sources(&problem, 0, arena, "python3", python, 2);
    expect("Python files", &imported, VERDICT_ACCEPTED, "");
}

/* ---- checkers ---- */

static const char accept_even[] =
    "#include <fstream>\n#include <iostream>\n#include <string>\n"
    "int main(int argc, char **argv) {\n"
    "  std::ifstream in(argv[1]), ans(argv[2]); long long a, b, x, y;\n"
    "  if (argc < 4 || !(in >> a >> b) || !(ans >> y)) return 1;\n"
    "  std::ofstream(std::string(argv[3]) + \"judgemessage.txt\") << \"secret \" << y;\n"
    "  if (!(std::cin >> x)) { return 43; }\n"
    "  std::ofstream(std::string(argv[3]) + \"teammessage.txt\") << (argc > 4 ? argv[4] : \"none\")"
    " << \" \" << x % 2;\n"
    "  return x == a + b && x == y ? 42 : 43;\n}\n";

static void a_checker_sees_input_answer_output_and_flags(void **state) {
    (void)state;
    own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
    struct problem problem;
    begin_sum(&problem);
    set_checker(&problem, "cpp", "validate.cpp", accept_even);
    problem.manifest.checker.program.args = STR("flag other");

    struct outcome_of_test right = judge_text(&problem, arena, "cpp", SUM_CPP);
    expect("right", &right, VERDICT_ACCEPTED, "flag 0");
    struct outcome_of_test wrong = judge_text(&problem, arena, "python3", "print(7)\n");
    expect("wrong", &wrong, VERDICT_WRONG_ANSWER, "flag 1");
    struct outcome_of_test nothing = judge_text(&problem, arena, "c", "int main(void) {}\n");
    expect("nothing", &nothing, VERDICT_WRONG_ANSWER, "no output");
}

struct checker_row {
    const char *why;
    const char *language;
    const char *name;
    const char *text;
    bool good;
    enum verdict verdict; /* when good */
    const char *says;
};

static const struct checker_row checker_rows[] = {
    {"Python accepts", "python3", "check.py", "import sys\nsys.exit(42)\n", true, VERDICT_ACCEPTED,
     ""},
    {"C rejects", "c", "check.c", "int main(void) { return 43; }\n", true, VERDICT_WRONG_ANSWER,
     "rejected by the checker"},
    {"exits 0", "c", "check.c", "int main(void) { return 0; }\n", false, VERDICT_NONE,
     "exit status 0"},
    {"crashes", "c", "check.c",
     "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { fputs(\"oh no\", stderr); abort(); "
     "}\n",
     false, VERDICT_NONE, "signal 6 (aborted): oh no"},
    {"hangs", "c", "check.c", "int main(void) { for (volatile int i = 0;; i = i + 1) {} }\n", false,
     VERDICT_NONE, "CPU time"},
    {"sleeps", "c", "check.c", "#include <unistd.h>\nint main(void) { sleep(100); return 42; }\n",
     false, VERDICT_NONE, "wall time"},
    {"writes without end", "c", "check.c",
     "#include <stdio.h>\nint main(void) { for (;;) puts(\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"); "
     "}\n",
     false, VERDICT_NONE, "wrote more than"},
    {"does not compile", "c", "check.c", "int main(void) { return x; }\n", false, VERDICT_NONE,
     "does not compile"},
    {"does not read the output", "c", "check.c", "int main(void) { return 42; }\n", true,
     VERDICT_ACCEPTED, ""},
    {"tries to change the answer and the program's output", "python3", "check.py",
     "import os, sys\n"
     "for name in sys.argv[1:3] + ['/dev/stdin', '/proc/self/fd/0']:\n"
     "    try:\n        open(name, 'w').write('x')\n    except OSError:\n        pass\n"
     "sys.exit(42 if open(sys.argv[2]).read() else 43)\n",
     true, VERDICT_ACCEPTED, ""},
};

static void each_end_of_a_checker_is_a_verdict_or_the_problems_fault(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof checker_rows / sizeof checker_rows[0]; i++) {
        const struct checker_row *row = &checker_rows[i];
        own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
        struct problem problem;
        begin_sum(&problem);
        set_checker(&problem, row->language, row->name, row->text);
        problem.manifest.limits.validation_time_ms = 300;
        problem.manifest.limits.validation_output_kib = 64;

        struct outcome_of_test outcome =
            judge_text(&problem, arena, "python3", "print(sum(map(int, input().split())))\n");

        if (row->good) {
            expect(row->why, &outcome, row->verdict, row->says);
        } else if (outcome.judged || outcome.err.fault != FAULT_PROBLEM ||
                   strstr(outcome.err.text, row->says) == NULL) {
            fail_msg("%s: %s", row->why, outcome.judged ? "was judged" : outcome.err.text);
        }
    }
}

static void a_checker_may_be_scripts(void **state) {
    (void)state;
    own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
    struct problem problem;
    begin_sum(&problem);
    set_checker(&problem, "script", "build",
                "#!/bin/sh\nmkdir made && echo 'exit 42' > made/decide.sh\n");
    set_checker(&problem, "script", "run",
                "#!/bin/sh\n[ \"$4\" = ok ] && [ -s \"$1\" ] && [ -s \"$2\" ] && . "
                "./made/decide.sh\nexit 43\n");
    problem.manifest.checker.program.args = STR("ok");

    struct outcome_of_test outcome = judge_text(&problem, arena, "cpp", SUM_CPP);

    expect("scripts", &outcome, VERDICT_ACCEPTED, "");
}

/* ---- what a submission can see ---- */

static void neither_answers_nor_other_runs_are_to_be_found(void **state) {
    (void)state;
    own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
    struct problem problem;
    begin_sum(&problem);
    set_checker(&problem, "cpp", "validate.cpp", accept_even);

    struct outcome_of_test outcome =
        judge_text(&problem, arena, "python3",
                   "import os, sys\n"
                   "a, b = map(int, input().split())\n"
                   "bad = []\n"
                   "for name in ('/w/data/answer', '/w/data/input', '/w/feedback', '/work', "
                   "'/home', '/root',\n"
                   "             '/etc/passwd', '/etc/shadow', '/var/lib', '/w/left_behind'):\n"
                   "    if os.path.exists(name): bad.append(name)\n"
                   "for pid in os.listdir('/proc') if os.path.isdir('/proc') else []:\n"
                   "    if pid.isdigit() and int(pid) > 50: bad.append(pid)\n"
                   "open('/w/left_behind', 'w').write('x')\n"
                   "print(a + b if not bad else bad)\n");

    expect("looks around", &outcome, VERDICT_ACCEPTED, "");
}

static void an_input_cannot_be_changed_for_later(void **state) {
    (void)state;
    own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
    struct problem problem;
    begin_problem(&problem);
    add_case(&problem, "1 2\n", "3\n");
    add_case(&problem, "1 2\n", "3\n"); /* the same blob */

    struct outcome_of_test outcome = judge_text(&problem, arena, "python3",
                                                "import os\n"
                                                "print(sum(map(int, input().split())))\n"
                                                "for name in ('/dev/stdin', '/proc/self/fd/0'):\n"
                                                "    try:\n        open(name, 'r+').write('9 9')\n"
                                                "    except OSError:\n        pass\n");

    expect("changes its input", &outcome, VERDICT_ACCEPTED, "");
}

/* ---- stopping, parallel slots, proof ---- */

static void a_judging_stops_in_the_middle_of_a_run(void **state) {
    (void)state;
    own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
    struct problem problem;
    begin_sum(&problem);
    problem.manifest.limits.time_ms = 20000;
    problem.stop_in_run = true;
    int64_t before = clock_mono_ms(&clock_real);

    struct outcome_of_test outcome = judge_text(
        &problem, arena, "c", "#include <unistd.h>\nint main(void) { for (;;) pause(); }\n");

    assert_false(outcome.judged);
    assert_int_equal(outcome.err.kind, ERR_CANCELLED);
    assert_true(clock_mono_ms(&clock_real) - before < 10000);
    /* the slot is good for the next one */
    begin_sum(&problem);
    struct outcome_of_test next = judge_text(&problem, arena, "cpp", SUM_CPP);
    expect("after a stop", &next, VERDICT_ACCEPTED, "");
}

struct parallel {
    int slot;
    int rounds;
    int failures;
};

static void *judge_in_parallel(void *argument) {
    struct parallel *parallel = argument;
    for (int i = 0; i < parallel->rounds; i++) {
        own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
        struct problem problem;
        begin_sum(&problem);
        set_checker(&problem, "cpp", "shared.cpp", accept_even);
        bool right = i % 2 == 0;
        struct judge_source source = {.name = STR("x"),
                                      .text = right ? STR("print(sum(map(int, input().split())))\n")
                                                    : STR("print(1)\n")};
        struct outcome_of_test outcome =
            judge_sources(&problem, parallel->slot, arena, "python3", &source, 1);
        enum verdict expected = right ? VERDICT_ACCEPTED : VERDICT_WRONG_ANSWER;
        parallel->failures += outcome.judged && outcome.judgement.verdict == expected ? 0 : 1;
    }
    return NULL;
}

static void two_slots_judge_at_once_and_share_a_checker(void **state) {
    (void)state;
    struct parallel parallel[WORLD_SLOTS];
    pthread_t threads[WORLD_SLOTS];
    for (int i = 0; i < WORLD_SLOTS; i++) {
        parallel[i] = (struct parallel){.slot = i, .rounds = 6};
        threads[i] = thread_start("slot", judge_in_parallel, &parallel[i]);
    }
    for (int i = 0; i < WORLD_SLOTS; i++) {
        thread_join(threads[i]);
        assert_int_equal(parallel[i].failures, 0);
    }
}

static void every_shipped_language_is_proved_or_says_what_to_install(void **state) {
    (void)state;
    for (size_t i = 0; i < language_count(world.languages); i++) {
        own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
        const struct language *language = language_at(world.languages, i);
        struct str version = {0};
        struct err err = {0};

        bool proved = judge_prove_language(world.judge, 1, language, arena, &version, &err);

        if (!proved && err.kind != ERR_MISSING) {
            fail_msg("%s: %s", language->id, err.text);
        }
        assert_true(proved ? version.len > 0 : strstr(err.text, language->package_hint) != NULL);
    }
}

static void a_missing_toolchain_names_its_package(void **state) {
    (void)state;
    own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
    char folder[] = "/tmp/assize-judge-XXXXXX";
    char path[128];
    struct err err = {0};
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/none", folder);
    assert_true(file_make_dirs(path, 0755, &err));
    (void)snprintf(path, sizeof path, "%s/none/hello.no", folder);
    assert_true(file_save_atomic(path, STR("hello\n"), 0644, &err));
    (void)snprintf(path, sizeof path, "%s/none/language.yaml", folder);
    assert_true(file_save_atomic(
        path,
        STR("name: None\npool: more\neditor: x\nextensions: [.no]\nsource: main.no\n"
            "environment: []\n"
            "run:\n  command: [/usr/bin/no-such-program, main.no]\n  roots: [/usr]\n"
            "  profile: managed\n"
            "version:\n  command: [/usr/bin/no-such-program, --version]\n"
            "hello: hello.no\npackage: apt-get install no-such-program\n"),
        0644, &err));
    own(language_set) set = NULL;
    assert_true(language_set_load(folder, &set, &err));
    own(judge) judge = judge_create(&(struct judge_options){.box = world.box, .languages = set});
    struct str version = {0};

    assert_false(judge_prove_language(judge, 0, language_at(set, 0), arena, &version, &err));

    assert_int_equal(err.kind, ERR_MISSING);
    assert_string_equal(err.code, "language_unavailable");
    assert_non_null(strstr(err.text, "apt-get install no-such-program"));
    assert_true(file_remove_tree(folder, &err));
}

static void a_checker_is_prepared_ahead_and_kept_on_disk(void **state) {
    (void)state;
    char folder[] = "/tmp/assize-judge-XXXXXX";
    struct err err = {0};
    struct problem problem;
    assert_non_null(mkdtemp(folder));
    begin_sum(&problem);
    set_checker(&problem, "cpp", "kept.cpp", accept_even);
    for (int round = 0; round < 2; round++) {
        own(judge) judge = judge_create(&(struct judge_options){
            .box = world.box, .languages = world.languages, .cache_folder = folder});
        struct judge_request request = {
            .manifest = &problem.manifest, .open_blob = open_blob, .context = &problem};

        /* the second judge reads what the first compiled: it has no source to compile */
        problem.blob_count = round == 0 ? problem.blob_count : 0;
        assert_true(judge_prepare_checker(judge, 0, &request, &err));
    }
    own(judge) empty =
        judge_create(&(struct judge_options){.box = world.box, .languages = world.languages});
    struct judge_request request = {
        .manifest = &problem.manifest, .open_blob = open_blob, .context = &problem};
    assert_false(judge_prepare_checker(empty, 0, &request, &err));
    assert_int_equal(err.fault, FAULT_PROBLEM);
    assert_true(file_remove_tree(folder, &err));
}

int main(void) {
    if (geteuid() != 0) {
        (void)fprintf(stderr, "skipped: the box needs root\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_program_gets_its_verdict),
        cmocka_unit_test(times_and_sizes_are_measured),
        cmocka_unit_test(the_better_run_counts),
        cmocka_unit_test(a_run_in_the_band_is_measured_twice),
        cmocka_unit_test(a_compiler_without_end_is_a_compile_error),
        cmocka_unit_test(the_compilers_log_is_bounded),
        cmocka_unit_test(several_files_and_includes_make_one_program),
        cmocka_unit_test(a_checker_sees_input_answer_output_and_flags),
        cmocka_unit_test(each_end_of_a_checker_is_a_verdict_or_the_problems_fault),
        cmocka_unit_test(a_checker_may_be_scripts),
        cmocka_unit_test(neither_answers_nor_other_runs_are_to_be_found),
        cmocka_unit_test(an_input_cannot_be_changed_for_later),
        cmocka_unit_test(a_judging_stops_in_the_middle_of_a_run),
        cmocka_unit_test(two_slots_judge_at_once_and_share_a_checker),
        cmocka_unit_test(every_shipped_language_is_proved_or_says_what_to_install),
        cmocka_unit_test(a_missing_toolchain_names_its_package),
        cmocka_unit_test(a_checker_is_prepared_ahead_and_kept_on_disk),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
