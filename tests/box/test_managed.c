/* Python, JavaScript and Java in the box: what their virtual machines need is there, and what
 * hostile programs do with them stays inside. A language that this machine lacks is skipped. */
#include "box_fixture.h"

#include "base/file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MIB (1024LL * 1024)
#define CPU_MS 2000
#define WALL_MS 5000
#define JAVA_SLOW 4 /* an emulated machine interprets the interpreter that Java starts with */

struct language {
    const char *program;
    const char *file;
    const char *argv[8];
};

/* clang-format off */
static const struct language python = {"/usr/bin/python3", "main.py",
    {"/usr/bin/python3", "-I", "-S", "main.py", NULL}};
static const struct language script = {"/usr/bin/node", "main.mjs",
    {"/usr/bin/node", "--max-old-space-size=128", "main.mjs", NULL}};
static const struct language java = {"/usr/bin/java", "Main.java",
    {"/usr/bin/java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m", "-Xss8m", "Main.java", NULL}};
/* clang-format on */

#define BIT(end) (1u << (end))
#define EXIT BIT(BOX_END_EXIT)
#define STOPPED (BIT(BOX_END_CPU) | BIT(BOX_END_WALL))
#define FULL BIT(BOX_END_MEMORY)
#define SIGNAL BIT(BOX_END_SIGNAL)
#define ANY (-1)

struct row {
    const char *name;
    const struct language *language;
    const char *source;
    unsigned ends;      /* any of them */
    int code;           /* of an exit; ANY */
    const char *output; /* how fd 1 begins; NULL: anything */
    const char *beside; /* the text of a second file, random.py; NULL: none */
};

#define JAVA(body)                                                                                 \
    "public class Main { public static void main(String[] a) throws Throwable { " body " } }"

/* clang-format off */
static const struct row rows[] = {
    {"Python says hello",       &python, "print('hello')", EXIT, 0, "hello\n", NULL},
    {"Python: a long text",     &python, "x = 'a' * 10**10\nprint(len(x))", FULL | EXIT, ANY, NULL, NULL},
    {"Python: a long list",     &python, "x = [0] * 10**9\nprint(len(x))", FULL | EXIT, ANY, NULL, NULL},
    {"Python: a shell's daemon", &python,
     "import os, time\nos.system('setsid sleep 1000 >/dev/null 2>&1 </dev/null &')\nprint('left')", EXIT, 0,
     "left\n", NULL},
    {"Python: calls by number", &python,
     "import ctypes\nc = ctypes.CDLL(None, use_errno=True)\n"
     "print([c.syscall(n, 0, 0, 0, 0, 0) for n in (165, 161, 272, 101, 41, 321, 425)])",
     EXIT, 0, "[-1, -1, -1, -1, -1, -1, -1]\n", NULL},
    {"Python: a fork bomb",     &python, "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass",
     STOPPED, ANY, NULL, NULL},
    {"Python: a thread bomb",   &python,
     "import threading, time\ndef f():\n  while True: time.sleep(1)\nwhile True:\n  "
     "threading.Thread(target=f).start()",
     EXIT | STOPPED | SIGNAL, ANY, NULL, NULL},
    {"Python: a planted module", &python, "import random\nprint(random.__name__, random.randint(3, 3))", EXIT, 0,
     "random 3\n", "raise SystemExit('planted')"},
    {"Python: a large constant", &python, "x = 1 << 10**10\n", FULL | STOPPED | EXIT, ANY, NULL, NULL},
    {"Python: deep nesting",    &python, "x = eval('(' * 5000 + ')' * 5000)\n", EXIT | SIGNAL, ANY, "", NULL},
    {"Python: another encoding", &python, "# -*- coding: utf-7 -*-\nprint('a')\n", EXIT, ANY, NULL, NULL},
    {"Python: a slow pattern",  &python, "import re\nre.match('(a+)+$', 'a' * 40 + 'b')", STOPPED, ANY, NULL, NULL},
    {"Python: many digits",     &python,
     "import sys\ntry: int('9' * 10**6)\nexcept ValueError: print('too many')", EXIT, 0, NULL, NULL},

    {"JavaScript says hello",   &script, "console.log('hello')", EXIT, 0, "hello\n", NULL},
    {"JavaScript: a child that stays", &script,
     "import {spawn} from 'node:child_process'\nspawn('/bin/sleep', ['1000'], {detached: true, stdio: "
     "'ignore'}).unref()\n"
     "console.log('left')", EXIT, 0, "left\n", NULL},
    {"JavaScript: workers",     &script,
     "import {Worker} from 'node:worker_threads'\nfor (let i = 0; i < 4; i++) new Worker('for(;;);', {eval: true})",
     STOPPED | EXIT | SIGNAL, ANY, NULL, NULL},
    {"JavaScript: bindings",    &script,
     "let n = 0\nfor (const b of ['spawn_sync', 'process_wrap', 'fs']) { try { process.binding(b); n++ } catch {} }\n"
     "import('node:fs').then(fs => { try { fs.readFileSync('/etc/passwd'); console.log('read') } "
     "catch (e) { console.log(e.code) } })", EXIT, 0, "ENOENT\n", NULL},
    {"JavaScript: memory by WebAssembly", &script,
     "const m = []\nfor (;;) { const w = new WebAssembly.Memory({initial: 1024}); new "
     "Uint8Array(w.buffer).fill(1); m.push(w) }",
     FULL | EXIT | SIGNAL, ANY, NULL, NULL},
    {"JavaScript: memory of arrays", &script, "const a = []\nfor (;;) a.push(new Array(100000).fill(a.length))",
     FULL | EXIT | SIGNAL, ANY, NULL, NULL},
    {"JavaScript: microtasks without end", &script, "function f() { Promise.resolve().then(f) }\nf()",
     STOPPED | FULL, ANY, NULL, NULL},
    {"JavaScript: a promise nobody keeps", &script, "await new Promise(() => {})", EXIT, 13, NULL, NULL},
    {"JavaScript: a timer without end", &script, "setInterval(() => {}, 1000)", BIT(BOX_END_WALL), ANY, NULL, NULL},

    {"Java says hello",         &java, JAVA("System.out.println(\"hello\");"), EXIT, 0, "hello\n", NULL},
    {"Java: out of memory, caught", &java,
     JAVA("var l = new java.util.ArrayList<byte[]>(); try { for (;;) l.add(new byte[1 << 24]); } "
          "catch (OutOfMemoryError e) { l = null; System.out.println(\"caught\"); }"), EXIT | FULL, ANY, NULL, NULL},
    {"Java: an early end",      &java,
     "public class Main { static { System.out.println(\"early\"); System.exit(3); } public static void "
     "main(String[] a) {} }",
     EXIT, 3, "early\n", NULL},
    {"Java: a process",         &java,
     JAVA("try { new ProcessBuilder(\"/bin/sleep\", \"1000\").start(); System.out.println(\"left\"); } "
          "catch (java.io.IOException e) { System.out.println(\"left\"); }"), EXIT, 0, "left\n", NULL},
    {"Java: a thread bomb",     &java,
     JAVA("try { for (;;) { var t = new Thread(() -> { for (;;) try { Thread.sleep(9999); } catch (Exception "
     "e) {} }); "
          "t.setDaemon(true); t.start(); } } catch (Throwable e) { System.out.println(\"no more\"); "
     "System.exit(0); }"),
     EXIT | STOPPED | SIGNAL | FULL, ANY, NULL, NULL},
    {"Java: a hook without end", &java,
     JAVA("Runtime.getRuntime().addShutdownHook(new Thread(() -> { for (;;); }));"), STOPPED, ANY, NULL, NULL},
    {"Java: direct buffers",    &java,
     JAVA("var l = new java.util.ArrayList<Object>(); for (;;) { var b = java.nio.ByteBuffer.allocateDirect(1 "
     "<< 24); "
          "for (int i = 0; i < b.capacity(); i += 4096) b.put(i, (byte) 1); l.add(b); }"), EXIT | FULL |
     SIGNAL, ANY, NULL, NULL},
    {"Java: recursion without end", &java,
     "public class Main { static int f(int n) { return f(n + 1) + 1; } public static void main(String[] a) { "
     "try { f(0); } catch (StackOverflowError e) { System.out.println(\"overflow\"); } } }", EXIT, 0,
     "overflow\n", NULL},
};
/* clang-format on */

static struct fixture fixture;
static const char *const roots[] = {
    "/usr", "/lib", "/lib64", "/bin", "/etc/alternatives", "/etc/java-17-openjdk", NULL};
static const char *const roots_without_java[] = {"/usr", "/lib", "/lib64", "/bin", NULL};

static struct box_run_spec spec_of(const struct language *language, const struct box_file *files,
                                   size_t file_count) {
    static const char *const env[] = {"PATH=/usr/bin:/bin", "HOME=/w", "LC_ALL=C.UTF-8", NULL};
    bool has_java = access("/etc/java-17-openjdk", F_OK) == 0;
    int64_t slow = fixture_slow() * (language == &java && fixture_slow() > 1 ? JAVA_SLOW : 1);
    return (struct box_run_spec){.profile = BOX_PROFILE_MANAGED,
                                 .argv = language->argv,
                                 .env = env,
                                 .roots = has_java ? roots : roots_without_java,
                                 .files = files,
                                 .file_count = file_count,
                                 .streams = {{.kind = BOX_STREAM_NULL},
                                             {.kind = BOX_STREAM_CAPTURE, .bytes_max = MIB},
                                             {.kind = BOX_STREAM_CAPTURE, .bytes_max = MIB}},
                                 .limits = {.cpu_ms = CPU_MS * slow,
                                            .wall_ms = WALL_MS * slow,
                                            .memory_bytes = 384 * MIB,
                                            .file_bytes = 64 * MIB,
                                            .work_bytes = 64 * MIB,
                                            .work_inodes = 1000,
                                            .pids_max = 64,
                                            .open_files_max = 256}};
}

static void one_row(void **state) {
    const struct row *row = *state;
    struct err err = {0};
    struct box_result result;
    struct box_file files[2] = {{.name = row->language->file}, {.name = "random.py"}};
    char text[512];
    char log[2048];
    if (access(row->language->program, X_OK) != 0) {
        skip();
    }
    const char *beside = row->beside == NULL ? "" : row->beside;
    assert_true(file_memory("source", str_from(row->source), true, &files[0].fd, &err));
    assert_true(file_memory("beside", str_from(beside), true, &files[1].fd, &err));
    const struct box_run_spec spec = spec_of(row->language, files, row->beside == NULL ? 1 : 2);
    box_result_init(&result);

    if (!box_run(fixture.box, 0, &spec, &result, &err)) {
        fail_msg("%s (%s)", err.text, err.where);
    }

    fixture_text(result.stream_fds[1], text, sizeof(text));
    fixture_text(result.stream_fds[2], log, sizeof(log));
    printf("           end %d, code %d, signal %d, cpu %lld us, peak %lld MiB, left %d: %.200s\n",
           (int)result.end, result.exit_code, result.signal,
           (long long)(result.cpu_user_us + result.cpu_system_us),
           (long long)(result.memory_peak_bytes / MIB), result.leftover_processes, log);
    assert_true((BIT(result.end) & row->ends) != 0);
    assert_true(result.end != BOX_END_EXIT || row->code == ANY || result.exit_code == row->code);
    if (row->output != NULL) {
        text[strlen(row->output)] = '\0';
        assert_string_equal(text, row->output);
    }
    box_result_done(&result);
    close(files[0].fd);
    close(files[1].fd);
    fixture_check_clean(&fixture);
}

#define ROWS (sizeof(rows) / sizeof(rows[0]))

int main(void) {
    fixture_require();
    static struct CMUnitTest tests[ROWS];
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
    fixture_open(&fixture);
    struct err err = {0};
    struct box_result result;
    static const struct language nothing = {"/bin/true", "a", {"/usr/bin/true", NULL}};
    const struct box_run_spec spec = spec_of(&nothing, NULL, 0);
    box_result_init(&result);
    if (!box_run(fixture.box, 0, &spec, &result, &err)) { /* makes the launcher of these roots */
        puts(err.text);
        return 1;
    }
    box_result_done(&result);
    fixture.fds_before = fixture_settled_fds(&fixture);
    int failed = _cmocka_run_group_tests("managed", tests, count, NULL, NULL);
    fixture_close(&fixture);
    return failed + (count_cgroups() != 0);
}
