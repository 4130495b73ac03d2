/* Checkers of every calling convention in the real box: each finds everything in its place, and
 * its answer becomes verdict, score and words. The submission echoes its input. */
#include "world.h"

#define ECHO "import sys\nsys.stdout.write(sys.stdin.read())\n"
#define READ "import os, sys\nread = lambda name: open(name).read().split()\n"

struct checker_row {
    const char *why;
    enum program_adapter adapter;
    const char *text; /* in Python */
    const char *args;
    enum verdict verdict; /* NONE: the problem's fault, in the words `says` */
    int64_t score_micro;
    const char *says; /* to the student */
    const char *staff;
};

/* Input "7", output "7", answer "8", nine points. */
static const struct checker_row rows[] = {
    {"ICPC", ADAPTER_ICPC,
     READ "i, a, folder, flag = sys.argv[1:]\n"
          "assert (read(i), read(a), sys.stdin.read().split()) == (['7'], ['8'], ['7'])\n"
          "open(folder + 'judgemessage.txt', 'w').write('wanted 8')\n"
          "open(folder + 'teammessage.txt', 'w').write('a bit more')\n"
          "open(folder + 'score_multiplier.txt', 'w').write('0.5')\n"
          "sys.exit(42 if flag == 'x' else 43)\n",
     "x", VERDICT_PARTIAL, 4500000, "a bit more", "wanted 8"},
    {"testlib", ADAPTER_TESTLIB,
     READ "flag, i, o, a, report, appes = sys.argv[1:]\n"
          "assert (read(i), read(o), read(a)) == (['7'], ['7'], ['8']) and appes == '-appes'\n"
          "open(report, 'w').write('<?xml version=\"1.0\"?><result outcome = \"points\" points = "
          "\"2.5\">8 &gt; 7</result>')\nsys.exit(7)\n",
     "x", VERDICT_PARTIAL, 2500000, "", "8 > 7"},
    {"testlib without a report", ADAPTER_TESTLIB,
     READ "i, o, a = sys.argv[1:4]\nprint('wrong answer expected 8', file=sys.stderr)\n"
          "sys.exit(0 if read(o) == read(a) else 1)\n",
     "", VERDICT_WRONG_ANSWER, 0, "rejected by the checker", "expected 8"},
    {"HUSTOJ", ADAPTER_HUSTOJ,
     READ "i, a, o = sys.argv[1:]\nsys.exit(0 if read(i) == read(o) != read(a) else 1)\n", "",
     VERDICT_ACCEPTED, 9000000, "", ""},
    {"HUSTOJ with testlib", ADAPTER_HUSTOJ_TESTLIB,
     READ "i, o, a = sys.argv[1:]\nassert read(a) == ['8'] and read(o) == ['7']\n"
          "print('points 0.25', file=sys.stderr)\nsys.exit(7)\n",
     "", VERDICT_PARTIAL, 2250000, "", ""},
    {"HUSTOJ with a score", ADAPTER_HUSTOJ_SCORE,
     READ "i, a, o = sys.argv[1:]\nsys.exit(50 if read(a) == ['8'] else 0)\n", "", VERDICT_PARTIAL,
     4500000, "", ""},
    {"QDUOJ", ADAPTER_QDUOJ,
     READ "i, o = sys.argv[1:]\nassert read(i) == sys.stdin.read().split()\n"
          "sys.exit(0 if read(o) == ['7'] else 1)\n",
     "", VERDICT_ACCEPTED, 9000000, "", ""},
    {"CMS", ADAPTER_CMS,
     READ "i, a, o = sys.argv[1:]\nassert read(a) == ['8'] and read(o) == ['7']\n"
          "print(1 / 3)\nprint('translate:partial', file=sys.stderr)\n",
     "", VERDICT_PARTIAL, 2999999, "partially correct", ""},
    {"Lemon", ADAPTER_LEMON,
     READ "i, o, a, full, score, message = sys.argv[1:]\n"
          "assert read(a) == ['8'] and read(o) == ['7'] and full == '9'\n"
          "open(score, 'w').write('3')\nopen(message, 'w').write('a third')\n",
     "", VERDICT_PARTIAL, 3000000, "a third", ""},
    {"SYZOJ", ADAPTER_SYZOJ,
     READ "assert read('answer') == ['8'] and read('user_out') == ['7'] == read('input')\n"
          "assert 'sys.stdout.write' in open('code').read()\n"
          "print(100)\nprint('fine', file=sys.stderr)\n",
     "", VERDICT_ACCEPTED, 9000000, "fine", ""},
    {"testlib lies", ADAPTER_TESTLIB,
     READ "open(sys.argv[4], 'w').write('<result outcome = \"accepted\"></result>')\nsys.exit(1)\n",
     "", VERDICT_NONE, 0, "says otherwise", ""},
    {"CMS says nothing", ADAPTER_CMS, "", "", VERDICT_NONE, 0, "no number from 0 to 1", ""},
    {"Lemon crashes", ADAPTER_LEMON, "import os\nos.abort()\n", "", VERDICT_NONE, 0, "signal 6",
     ""},
    {"SYZOJ hangs", ADAPTER_SYZOJ, "while True: pass\n", "", VERDICT_NONE, 0, "CPU time", ""},
    {"testlib leaves a folder as its report", ADAPTER_TESTLIB,
     READ "os.mkdir(sys.argv[4])\nsys.exit(0)\n", "", VERDICT_NONE, 0, "no plain file", ""},
};

static bool says(struct str text, const char *part) {
    return part[0] == '\0' ||
           (text.len > 0 && memmem(text.ptr, text.len, part, strlen(part)) != NULL);
}

static void run_row(const struct checker_row *row) {
    own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
    struct problem problem;
    begin_problem(&problem);
    add_case(&problem, "7\n", "8\n");
    set_checker(&problem, "python3", "checker.py", row->text);
    problem.manifest.checker.program.adapter = row->adapter;
    problem.manifest.checker.program.args = str_from(row->args);
    problem.manifest.kinds = PROBLEM_SCORING;
    problem.manifest.aggregation = AGGREGATE_SUM;
    problem.manifest.score_micro = 9000000;
    problem.cases[0].score_micro = 9000000;
    problem.manifest.limits.validation_time_ms = 300;

    struct outcome_of_test outcome = judge_text(&problem, arena, "python3", ECHO);

    if (row->verdict == VERDICT_NONE) {
        if (outcome.judged || outcome.err.fault != FAULT_PROBLEM ||
            strstr(outcome.err.text, row->says) == NULL) {
            fail_msg("%s: %s", row->why, outcome.judged ? "was judged" : outcome.err.text);
        }
        return;
    }
    if (!outcome.judged) {
        fail_msg("%s: %s", row->why, outcome.err.text);
    }
    const struct case_result *result = &outcome.judgement.cases[0];
    if (result->verdict != row->verdict || result->score_micro != row->score_micro ||
        !says(result->message, row->says) || !says(result->staff, row->staff)) {
        fail_msg("%s: %s %lld \"" STR_FMT "\" \"" STR_FMT "\"", row->why,
                 verdict_code(result->verdict), (long long)result->score_micro,
                 STR_ARG(result->message), STR_ARG(result->staff));
    }
}

static void each_convention_finds_its_files_and_is_understood(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        run_row(&rows[i]);
    }
}

/* ---- outputs that are no plain text ---- */

#define SAME "if out != open(i, 'rb').read(): raise SystemExit(99)\n"

/* Checkers that accept an output which is the input byte for byte, and say so in their way. */
static const struct {
    enum program_adapter adapter;
    const char *text;
} careful[] = {
    {ADAPTER_ICPC,
     "import sys\ni = sys.argv[1]\nout = sys.stdin.buffer.read()\n" SAME "sys.exit(42)\n"},
    {ADAPTER_TESTLIB,
     "import sys\ni, o, a, report = sys.argv[1:5]\nout = open(o, 'rb').read()\n" SAME
     "open(report, 'w').write('<result outcome = \"accepted\"></result>')\n"},
    {ADAPTER_HUSTOJ, "import sys\ni, a, o = sys.argv[1:]\nout = open(o, 'rb').read()\n" SAME},
    {ADAPTER_HUSTOJ_TESTLIB,
     "import sys\ni, o, a = sys.argv[1:]\nout = open(o, 'rb').read()\n" SAME},
    {ADAPTER_HUSTOJ_SCORE,
     "import sys\ni, a, o = sys.argv[1:]\nout = open(o, 'rb').read()\n" SAME "sys.exit(100)\n"},
    {ADAPTER_QDUOJ, "import sys\ni, o = sys.argv[1:]\nout = open(o, 'rb').read()\n" SAME},
    {ADAPTER_CMS,
     "import sys\ni, a, o = sys.argv[1:]\nout = open(o, 'rb').read()\n" SAME "print(1)\n"},
    {ADAPTER_LEMON,
     "import sys\ni, o, a, full, score, m = sys.argv[1:]\nout = open(o, 'rb').read()\n" SAME
     "open(score, 'w').write('9')\n"},
    {ADAPTER_SYZOJ, "i = 'input'\nout = open('user_out', 'rb').read()\n" SAME "print(100)\n"},
};

/* As written by careless programs; too much output ends before any checker. */
static const struct {
    const char *bytes;
    size_t count;
} odd_outputs[] = {
    {"a\0b\n", 4},     {"no line feed", 12},
    {"1\r\n2\r\n", 6}, {"\xef\xbb\xbf\x31\n", 5},
    {"\xff\xc3\n", 3}, {"", 0},
};

static void every_byte_of_an_output_reaches_the_checker(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof careful / sizeof careful[0]; i++) {
        own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
        struct problem problem;
        begin_problem(&problem);
        for (size_t j = 0; j < sizeof odd_outputs / sizeof odd_outputs[0]; j++) {
            add_case_bytes(&problem, str_of(odd_outputs[j].bytes, odd_outputs[j].count),
                           STR("8\n"));
            problem.cases[j].score_micro = 9000000;
        }
        set_checker(&problem, "python3", "checker.py", careful[i].text);
        problem.manifest.checker.program.adapter = careful[i].adapter;
        problem.manifest.kinds = PROBLEM_SCORING;
        problem.manifest.aggregation = AGGREGATE_SUM;
        problem.manifest.score_micro = 6 * 9000000;

        struct outcome_of_test outcome =
            judge_text(&problem, arena, "python3",
                       "import sys\nsys.stdout.buffer.write(sys.stdin.buffer.read())\n");

        if (!outcome.judged || outcome.judgement.verdict != VERDICT_ACCEPTED) {
            fail_msg("adapter %d: %s", (int)careful[i].adapter,
                     outcome.judged ? verdict_code(outcome.judgement.verdict) : outcome.err.text);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_convention_finds_its_files_and_is_understood),
        cmocka_unit_test(every_byte_of_an_output_reaches_the_checker),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
