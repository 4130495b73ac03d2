/* Compilers fed with hostile sources, in the box as a judge runs them. */
#include "box_fixture.h"

#include "base/buf.h"
#include "base/file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MIB (1024LL * 1024)
#define LOG_BYTES_MAX (64 * 1024)
#define CPU_MS 4000 /* of most; a judge gives more */

enum product { MADE, NOT_MADE, EITHER };

struct row {
    const char *name;
    const char *compiler; /* "gcc" or "g++" */
    const char *option;   /* one more, or NULL */
    const char *source;   /* the text, or NULL: written by `write` */
    void (*write)(struct buf *source);
    enum product product;
    const char *never; /* no message may hold it; NULL: nothing to leak */
};

/* ---- sources that are too long to write down ---- */

static void write_templates(struct buf *source) {
    buf_append_c(source, "template<int N> struct A { A<N + 1> next; A<N + 2> other; };\n"
                         "A<0> a;\nint main() {}\n");
}

static void write_errors(struct buf *source) {
    for (int i = 0; i < 20000; i++) {
        buf_printf(source, "int f%d() { return undeclared_\\u00e9_%d; }\n", i, i);
    }
}

static void write_warnings(struct buf *source) {
    for (int i = 0; i < 20000; i++) {
        buf_printf(source, "static int unused_%d;\n", i);
    }
    buf_append_c(source, "int main(void) { return 0; }\n");
}

static void write_nesting(struct buf *source) {
    buf_append_c(source, "int main(void) { return ");
    for (int i = 0; i < 100000; i++) {
        buf_append_c(source, "(");
    }
    buf_append_c(source, "0; }\n");
}

static void write_utf16(struct buf *source) {
    static const char text[] = "\xff\xfei\0n\0t\0 \0m\0a\0i\0n\0(\0)\0{\0}\0";
    buf_append(source, str_of(text, sizeof(text) - 1));
}

static void write_bytes(struct buf *source) {
    for (int i = 0; i < 5000; i++) {
        buf_append_char(source, (char)(i * 37 % 256));
    }
}

#define MAIN "int main(void) { return 0; }\n"
/* clang-format off */
static const struct row rows[] = {
    {"an ordinary program",         "gcc", NULL, MAIN, NULL, MADE, NULL},
    {"/dev/random included",        "gcc", NULL, "#include \"/dev/random\"\n" MAIN, NULL, NOT_MADE, NULL},
    {"/dev/urandom included",       "gcc", NULL, "#include \"/dev/urandom\"\n" MAIN, NULL, NOT_MADE, NULL},
    {"/dev/zero included",          "gcc", NULL, "#include \"/dev/zero\"\n" MAIN, NULL, NOT_MADE, NULL},
    {"standard input included",     "gcc", NULL, "#include \"/dev/stdin\"\n" MAIN, NULL, EITHER, NULL},
    {"a terminal included",         "gcc", NULL, "#include \"/dev/tty\"\n" MAIN, NULL, NOT_MADE, NULL},
    {"the own descriptors included", "gcc", NULL, "#include \"/proc/self/fd/0\"\n" MAIN, NULL, EITHER, NULL},
    {"the users of the host",       "gcc", NULL, "#include \"/etc/passwd\"\n" MAIN, NULL, NOT_MADE, "root:"},
    {"the users of the host, assembled", "gcc", NULL, "__asm__(\".incbin \\\"/etc/passwd\\\"\");\n" MAIN, NULL,
     NOT_MADE, "root:"},
    {"a folder above",              "gcc", NULL, "#include \"../tests/1.ans\"\n#include \"1.in\"\n" MAIN, NULL,
     NOT_MADE, NULL},
    {"asked whether files are there", "gcc", NULL,
     "#if __has_include(\"/etc/passwd\") || __has_include(\"/root\") || __has_include(\"/w/../etc/shadow\")\n"
     "#error \"seen\"\n#endif\n" MAIN, NULL, MADE, "seen"},
    {"the environment, by the compiler", "gcc", NULL, "#include HOME\n" MAIN, NULL, NOT_MADE, NULL},
    {"templates without end",       "g++", NULL, NULL, write_templates, NOT_MADE, NULL},
    {"a constant that takes long",  "g++", "-fconstexpr-ops-limit=2000000000",
     "constexpr long f() { long s = 0; for (long i = 0; i < 10000000000L; i++) s += i; return s; }\n"
     "static_assert(f() > 0);\nint main() {}\n", NULL, NOT_MADE, NULL},
    {"an object of 16 GiB",         "gcc", NULL, "main[-1u]={1};\n", NULL, NOT_MADE, NULL},
    {"a program of 1 GiB",          "gcc", NULL, "char a[1 << 30] = {1};\n" MAIN, NULL, NOT_MADE, NULL},
    {"errors without end",          "g++", NULL, NULL, write_errors, NOT_MADE, NULL},
    {"warnings without end",        "gcc", "-Wall", NULL, write_warnings, MADE, NULL},
    {"nesting without end",         "gcc", NULL, NULL, write_nesting, NOT_MADE, NULL},
    {"pragmas",                     "gcc", NULL, "#pragma GCC optimize(\"O3\")\n#pragma GCC target(\"sse4\")\n"
     "#pragma GCC poison x\n#pragma GCC plugin \"/w/p.so\"\n#line 1 \"/etc/passwd\"\n" MAIN, NULL, MADE, "root:"},
    {"a plugin",                    "gcc", "-fplugin=/w/p.so", MAIN, NULL, NOT_MADE, NULL},
    {"the moment of the compile",   "gcc", NULL, "const char *t = __TIME__ __DATE__;\n" MAIN, NULL, MADE, NULL},
    {"a header of the name of a standard one", "g++", NULL,
     "#include <bits/stdc++.h>\nint main() { std::vector<int> v; return (int)v.size(); }\n", NULL, MADE, NULL},
    {"nothing",                     "gcc", NULL, "", NULL, NOT_MADE, NULL},
    {"a comment alone",             "gcc", NULL, "/* nothing */\n", NULL, NOT_MADE, NULL},
    {"CRLF and a byte order mark",  "gcc", NULL, "\xef\xbb\xbfint main(void)\r\n{\r\nreturn 0;\r\n}\r\n", NULL,
     MADE, NULL},
    {"UTF-16",                      "gcc", NULL, NULL, write_utf16, NOT_MADE, NULL},
    {"any bytes",                   "gcc", NULL, NULL, write_bytes, NOT_MADE, NULL},
};
/* clang-format on */

static struct fixture fixture;

static void must(bool done, const struct err *err) {
    if (!done) {
        fail_msg("%s (%s, %s)", err->text, err->code, err->where);
    }
}

static void make_source(const struct row *row, int *ret_fd) {
    struct err err = {0};
    own_buf text;
    buf_init(&text, 4 * MIB);
    if (row->write != NULL) {
        row->write(&text);
    } else {
        buf_append_c(&text, row->source);
    }
    assert_false(text.full);
    must(file_memory("source", buf_str(&text), true, ret_fd, &err), &err);
}

static struct box_run_spec compile_spec(const char *const *argv, const struct box_file *file,
                                        const char *const *outputs) {
    static const char *const roots[] = {"/usr", "/lib", "/lib64", NULL};
    static const char *const env[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", NULL};
    return (struct box_run_spec){
        .profile = BOX_PROFILE_COMPILE,
        .argv = argv,
        .env = env,
        .roots = roots,
        .files = file,
        .file_count = 1,
        .outputs = outputs,
        .output_file_bytes_max = 64 * MIB,
        .streams = {{.kind = BOX_STREAM_NULL},
                    {.kind = BOX_STREAM_CAPTURE, .bytes_max = LOG_BYTES_MAX},
                    {.kind = BOX_STREAM_CAPTURE, .bytes_max = LOG_BYTES_MAX}},
        .limits = {.cpu_ms = CPU_MS * fixture_slow(),
                   .wall_ms = 60000 * fixture_slow(),
                   .memory_bytes = 512 * MIB,
                   .file_bytes = 64 * MIB,
                   .work_bytes = 256 * MIB,
                   .work_inodes = 1000,
                   .pids_max = 32,
                   .open_files_max = 64}};
}

static void one_row(void **state) {
    const struct row *row = *state;
    char compiler[32];
    char log[LOG_BYTES_MAX + 1];
    bool plus = strcmp(row->compiler, "g++") == 0;
    const char *name = plus ? "a.cpp" : "a.c";
    const char *outputs[] = {"prog", NULL};
    const char *argv[] = {compiler, "-O1", "-o", "prog", name, row->option, NULL};
    struct err err = {0};
    struct box_result result;
    int source = -1;
    int poison = -1;
    must(file_memory("header", STR("#error poisoned\n"), true, &poison, &err), &err);
    snprintf(compiler, sizeof(compiler), "/usr/bin/%s", row->compiler);
    if (access(compiler, X_OK) != 0) {
        skip();
    }
    box_result_init(&result);
    make_source(row, &source);
    /* A header beside the source, where only "..." and -I look. */
    const struct box_file files[] = {{.name = name, .fd = source},
                                     {.name = "bits/stdc++.h", .fd = poison}};
    struct box_run_spec spec = compile_spec(argv, files, outputs);
    spec.file_count = 2;

    must(box_run(fixture.box, 0, &spec, &result, &err), &err);

    fixture_text(result.stream_fds[2], log, sizeof(log));
    printf("           end %d, code %d, cpu %lld us, product %d, %zu bytes kept of %lld\n",
           (int)result.end, result.exit_code,
           (long long)(result.cpu_user_us + result.cpu_system_us), (int)result.output_states[0],
           strlen(log), (long long)result.stream_bytes[2]);
    bool made = result.end == BOX_END_EXIT && result.exit_code == 0 &&
                result.output_states[0] == BOX_OUTPUT_FILE;
    assert_true(row->product == EITHER || made == (row->product == MADE));
    if (made != (row->product == MADE) && row->product == MADE) {
        fail_msg("%s", log);
    }
    assert_true(row->never == NULL || strstr(log, row->never) == NULL);
    box_result_done(&result);
    close(source);
    close(poison);
    fixture_check_clean(&fixture);
}

/* A compiler is a program like others: what it leaves running, and what it writes beside its
 * product, goes with its run; a later compile meets none of it. */
static void helpers_and_links_of_a_compile_end_with_it(void **state) {
    (void)state;
    static const char *const leave[] = {
        "/bin/sh", "-c",
        "ln -s /usr/bin/env prog; ln -s /etc/passwd a.h; echo evil >/tmp/stdio.h; "
        "setsid sleep 1000 >/dev/null 2>&1 </dev/null & sleep 0.1",
        NULL};
    static const char *const look[] = {"/bin/sh", "-c", "ls -A /w /tmp", NULL};
    static const char *const outputs[] = {"prog", NULL};
    static const char *const roots[] = {"/usr", "/lib", "/lib64", "/bin", NULL};
    struct err err = {0};
    struct box_result result;
    char text[256];
    int source = -1;
    must(file_memory("source", STR(MAIN), true, &source, &err), &err);
    const struct box_file file = {.name = "a.c", .fd = source};
    struct box_run_spec spec = compile_spec(leave, &file, outputs);
    spec.roots = roots;
    box_result_init(&result);

    must(box_run(fixture.box, 0, &spec, &result, &err), &err);

    assert_int_equal(result.output_states[0], BOX_OUTPUT_NOT_PLAIN);
    assert_true(result.leftover_processes >= 1);
    box_result_done(&result);
    spec.argv = look;
    box_result_init(&result);
    must(box_run(fixture.box, 0, &spec, &result, &err), &err);
    fixture_text(result.stream_fds[1], text, sizeof(text));
    assert_string_equal(text, "/tmp:\n\n/w:\na.c\n");
    box_result_done(&result);
    close(source);
    fixture.fds_before = fixture_settled_fds(&fixture); /* another launcher, for other roots */
    fixture_check_clean(&fixture);
}

/* Nothing of this process's surroundings, and not one of the variables that steer gcc. */
static void a_compiler_sees_only_the_environment_it_is_given(void **state) {
    (void)state;
    static const char *const argv[] = {"/usr/bin/env", NULL};
    struct err err = {0};
    struct box_result result;
    char text[512];
    int source = -1;
    (void)setenv("GCC_EXEC_PREFIX", "/tmp/evil", 1);
    (void)setenv("LD_PRELOAD_FOR_TEST", "/tmp/evil.so", 1);
    must(file_memory("source", STR(MAIN), true, &source, &err), &err);
    const struct box_file file = {.name = "a.c", .fd = source};
    const struct box_run_spec spec = compile_spec(argv, &file, NULL);
    box_result_init(&result);

    must(box_run(fixture.box, 0, &spec, &result, &err), &err);

    fixture_text(result.stream_fds[1], text, sizeof(text));
    assert_string_equal(text, "PATH=/usr/bin:/bin\nLC_ALL=C\n");
    box_result_done(&result);
    close(source);
}

#define ROWS (sizeof(rows) / sizeof(rows[0]))

int main(void) {
    fixture_require();
    static struct CMUnitTest tests[ROWS + 2];
    static struct row states[ROWS];
    const char *only = getenv("ONLY");
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if (only == NULL || strstr(rows[i].name, only) != NULL) {
            states[count] = rows[i];
            tests[count] = (struct CMUnitTest){
                .name = rows[i].name, .test_func = one_row, .initial_state = &states[count]};
            count++;
        }
    }
    if (only == NULL || strstr("helpers_and_links_of_a_compile_end_with_it", only) != NULL) {
        tests[count++] =
            (struct CMUnitTest)cmocka_unit_test(helpers_and_links_of_a_compile_end_with_it);
    }
    if (only == NULL || strstr("a_compiler_sees_only_the_environment_it_is_given", only) != NULL) {
        tests[count++] =
            (struct CMUnitTest)cmocka_unit_test(a_compiler_sees_only_the_environment_it_is_given);
    }
    fixture_open(&fixture);
    struct err err = {0};
    struct box_result result;
    static const char *const argv[] = {"/usr/bin/env", NULL};
    const struct box_file file = {.name = "a.c", .fd = fixture.attack};
    const struct box_run_spec spec = compile_spec(argv, &file, NULL);
    box_result_init(&result);
    if (!box_run(fixture.box, 0, &spec, &result, &err)) { /* makes the launcher of these roots */
        puts(err.text);
        return 1;
    }
    box_result_done(&result);
    fixture.fds_before = fixture_settled_fds(&fixture);
    int failed = _cmocka_run_group_tests("compiles", tests, count, NULL, NULL);
    fixture_close(&fixture);
    return failed + (count_cgroups() != 0);
}
