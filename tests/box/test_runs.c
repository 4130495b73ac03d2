/* Files out of the box, runs joined by pipes, services, many runs, and specs that are refused. */
#include "box_prepared.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/thread.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define MIB (1024LL * 1024)

static void assert_fd_text(int fd, const char *expected) {
    char text[256];
    fixture_text(fd, text, sizeof(text));
    assert_string_equal(text, expected);
}

/* ---- files ---- */

struct output_row {
    const char *kind;
    const char *name;
    enum box_output_state state;
};

static const struct output_row output_rows[] = {
    {"plain", "out", BOX_OUTPUT_FILE},          {"empty", "out", BOX_OUTPUT_FILE},
    {"plain", "other", BOX_OUTPUT_MISSING},     {"plain", "attack", BOX_OUTPUT_TOO_LARGE},
    {"link", "out", BOX_OUTPUT_NOT_PLAIN},      {"link-beside", "out", BOX_OUTPUT_NOT_PLAIN},
    {"link-zero", "out", BOX_OUTPUT_NOT_PLAIN}, {"link-environment", "out", BOX_OUTPUT_NOT_PLAIN},
    {"fifo", "out", BOX_OUTPUT_NOT_PLAIN},      {"folder", "out", BOX_OUTPUT_NOT_PLAIN},
    {"sparse", "out", BOX_OUTPUT_TOO_LARGE},    {"folder-link", "d/env", BOX_OUTPUT_NOT_PLAIN},
};

static void only_plain_files_come_out(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(output_rows) / sizeof(output_rows[0]); i++) {
        const struct output_row *row = &output_rows[i];
        const char *outputs[] = {row->name, NULL};
        struct prepared prepared;
        struct box_result result;
        prepare(&prepared, "output-file", row->kind);
        prepared.spec.outputs = outputs;
        prepared.spec.output_file_bytes_max = 10000;

        run_it(&prepared, &result);

        printf("           %s %s\n", row->kind, row->name);
        assert_int_equal(result.end, BOX_END_EXIT);
        assert_int_equal(result.exit_code, 0);
        assert_int_equal(result.output_states[0], row->state);
        assert_int_equal(result.output_fds[0] >= 0, row->state == BOX_OUTPUT_FILE);
        box_result_done(&result);
    }
    fixture_check_clean(&fixture);
}

static void an_output_is_what_was_written_and_cannot_be_changed(void **state) {
    (void)state;
    const char *outputs[] = {"out", NULL};
    struct prepared prepared;
    struct box_result result;
    prepare(&prepared, "output-file", "plain");
    prepared.spec.outputs = outputs;
    prepared.spec.output_file_bytes_max = 8;

    run_it(&prepared, &result);

    assert_fd_text(result.output_fds[0], "product\n");
    assert_int_equal(write(result.output_fds[0], "x", 1), -1);
    box_result_done(&result);
    fixture_check_clean(&fixture);
}

static void a_racing_link_never_shows_a_host_file(void **state) {
    (void)state;
    const char *outputs[] = {"out", "link", NULL};
    for (int i = 0; i < 20; i++) {
        struct prepared prepared;
        struct box_result result;
        prepare(&prepared, "output-race", NULL);
        prepared.spec.outputs = outputs;
        prepared.spec.output_file_bytes_max = 1 << 20;

        run_it(&prepared, &result);

        assert_int_equal(result.leftover_processes, 1);
        for (int j = 0; j < 2; j++) {
            if (result.output_states[j] == BOX_OUTPUT_FILE) {
                assert_fd_text(result.output_fds[j], "product\n");
            }
        }
        box_result_done(&result);
    }
    fixture_check_clean(&fixture);
}

static void placed_files_have_their_place_and_mode(void **state) {
    (void)state;
    struct err err = {0};
    struct prepared prepared;
    struct box_result result;
    struct box_file files[3];
    int text = -1;
    must(file_memory("text", STR("placed\n"), false, &text, &err), &err);
    prepare(&prepared, "show", "/w/a/b/c.txt");
    files[0] = prepared.file;
    files[1] = (struct box_file){.name = "a/b/c.txt", .fd = text};
    files[2] = (struct box_file){.name = "a/d.txt", .fd = text, .writable = true};
    prepared.spec.files = files;
    prepared.spec.file_count = 3;

    run_it(&prepared, &result);

    assert_fd_text(result.stream_fds[1], "placed\n");
    box_result_done(&result);
    close(text);
    fixture_check_clean(&fixture);
}

static void files_that_do_not_fit_are_the_specs_fault(void **state) {
    (void)state;
    struct err err = {0};
    struct prepared prepared;
    struct box_result result;
    box_result_init(&result);
    prepare(&prepared, "hello", NULL);
    prepared.spec.limits.work_bytes = 8192;

    assert_false(box_run(fixture.box, 0, &prepared.spec, &result, &err));

    assert_int_equal(err.kind, ERR_INVALID);
    fixture_check_clean(&fixture);
}

static void runs_leave_nothing_to_the_next(void **state) {
    (void)state;
    struct prepared prepared;
    struct box_result result;
    prepare(&prepared, "put-everywhere", NULL);
    run_it(&prepared, &result);
    assert_fd_text(result.stream_fds[1], "ok\n");
    box_result_done(&result);
    prepare(&prepared, "find-marks", NULL);

    run_it(&prepared, &result);

    assert_fd_text(result.stream_fds[1], "ok\n");
    box_result_done(&result);
}

static void an_input_stays_what_it_is(void **state) {
    (void)state;
    struct err err = {0};
    int input = -1;
    must(file_memory("input", STR("1 2\n"), false, &input, &err), &err);
    for (int i = 0; i < 3; i++) {
        struct prepared prepared;
        struct box_result result;
        prepare(&prepared, "write-input", NULL);
        prepared.spec.streams[0] = (struct box_stream){.kind = BOX_STREAM_FD, .fd = input};
        run_it(&prepared, &result);
        assert_fd_text(result.stream_fds[1], "ok\n");
        box_result_done(&result);

        prepare(&prepared, "echo", NULL);
        prepared.spec.streams[0] = (struct box_stream){.kind = BOX_STREAM_FD, .fd = input};
        run_it(&prepared, &result);

        assert_fd_text(result.stream_fds[1], "1 2\n");
        box_result_done(&result);
    }
    close(input);
}

static void a_private_file_can_be_an_input(void **state) {
    (void)state;
    char path[] = "/tmp/assize-box-test-XXXXXX";
    int file = mkostemp(path, O_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(write(file, "secret\n", 7), 7);
    struct prepared prepared;
    struct box_result result;
    prepare(&prepared, "echo-by-name", NULL);
    prepared.spec.streams[0] = (struct box_stream){.kind = BOX_STREAM_FD, .fd = file};

    run_it(&prepared, &result);

    assert_fd_text(result.stream_fds[1], "secret\n");
    box_result_done(&result);
    unlink(path);
    close(file);
}

static void a_large_input_need_not_be_read(void **state) {
    (void)state;
    int input = memfd_create("input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(ftruncate(input, 100 * MIB), 0);
    struct prepared prepared;
    struct box_result result;
    prepare(&prepared, "hello", NULL);
    prepared.spec.streams[0] = (struct box_stream){.kind = BOX_STREAM_FD, .fd = input};

    run_it(&prepared, &result);

    assert_int_equal(result.end, BOX_END_EXIT);
    assert_true(result.memory_peak_bytes < 2 * MIB);
    box_result_done(&result);
    close(input);
}

/* ---- starting ---- */

static void a_missing_program_is_told_by_its_errno(void **state) {
    (void)state;
    const char *argv[] = {"/w/nothing", NULL};
    struct prepared prepared;
    struct box_result result;
    prepare(&prepared, "hello", NULL);
    prepared.spec.argv = argv;

    run_it(&prepared, &result);

    assert_int_equal(result.end, BOX_END_START);
    assert_int_equal(result.exit_code, ENOENT);
    box_result_done(&result);
    fixture_check_clean(&fixture);
}

/* What a language needs: a compiler with its tools, then its product. */
static void a_compiler_runs_and_its_product_too(void **state) {
    (void)state;
    static const char *const roots[] = {"/usr", "/lib", "/lib64", NULL};
    const char *compile[] = {"/usr/bin/gcc", "-O2", "-o", "prog", "a.c", NULL};
    const char *outputs[] = {"prog", NULL};
    struct err err = {0};
    struct prepared prepared;
    struct box_result compiled;
    struct box_result result;
    int source = -1;
    if (access("/usr/bin/gcc", X_OK) != 0) {
        skip();
    }
    must(file_memory("source", STR("#include <stdio.h>\nint main(void){puts(\"made\");}\n"), false,
                     &source, &err),
         &err);
    prepare(&prepared, "hello", NULL);
    prepared.file = (struct box_file){.name = "a.c", .fd = source};
    prepared.spec.argv = compile;
    prepared.spec.profile = BOX_PROFILE_COMPILE;
    prepared.spec.roots = roots;
    prepared.spec.outputs = outputs;
    prepared.spec.output_file_bytes_max = 8 * MIB;
    prepared.spec.limits.cpu_ms = 20000;
    prepared.spec.limits.wall_ms = 60000;
    run_it(&prepared, &compiled);
    char text[2000];
    fixture_text(compiled.stream_fds[2], text, sizeof(text));
    assert_string_equal(text, "");
    assert_int_equal(compiled.exit_code, 0);
    assert_int_equal(compiled.output_states[0], BOX_OUTPUT_FILE);

    const char *run[] = {"/w/prog", NULL};
    prepare(&prepared, "hello", NULL);
    prepared.file =
        (struct box_file){.name = "prog", .fd = compiled.output_fds[0], .executable = true};
    prepared.spec.argv = run;
    prepared.spec.roots = roots;
    run_it(&prepared, &result);

    assert_fd_text(result.stream_fds[1], "made\n");
    box_result_done(&result);
    box_result_done(&compiled);
    close(source);
    fixture.fds_before = fixture_settled_fds(&fixture); /* a second launcher */
}

static void a_root_outside_the_list_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"/etc", "/root", "/usr/../etc", "/usrx", "usr", "/", "//usr"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const char *roots[] = {bad[i], NULL};
        struct err err = {0};
        struct prepared prepared;
        uint32_t run = 0;
        prepare(&prepared, "hello", NULL);
        prepared.spec.roots = roots;

        assert_false(box_start(fixture.box, 0, &prepared.spec, &run, &err));

        assert_int_equal(err.kind, ERR_INVALID);
    }
    fixture_check_clean(&fixture);
}

/* Below an allowed root, but missing: the run fails with a reason, the box goes on. */
static void a_missing_root_is_named(void **state) {
    (void)state;
    const char *roots[] = {"/usr/there-is-no-such-folder", NULL};
    struct err err = {0};
    struct prepared prepared;
    struct box_result result;
    box_result_init(&result);
    prepare(&prepared, "hello", NULL);
    prepared.spec.roots = roots;

    assert_false(box_run(fixture.box, 0, &prepared.spec, &result, &err));

    assert_non_null(strstr(err.text, "there-is-no-such-folder"));
    fixture_check_clean(&fixture);
}

/* ---- specs ---- */

static void limits_of_nothing_or_too_much_are_refused(void **state) {
    (void)state;
    for (int field = 0; field < 6; field++) {
        static const int64_t values[] = {0, -1, INT64_MIN, INT64_MAX};
        for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
            struct err err = {0};
            struct prepared prepared;
            uint32_t run = 0;
            prepare(&prepared, "hello", NULL);
            int64_t *fields[] = {
                &prepared.spec.limits.cpu_ms,       &prepared.spec.limits.wall_ms,
                &prepared.spec.limits.memory_bytes, &prepared.spec.limits.file_bytes,
                &prepared.spec.limits.work_bytes,   &prepared.spec.streams[1].bytes_max};
            *fields[field] = values[i];

            assert_false(box_start(fixture.box, 0, &prepared.spec, &run, &err));

            assert_int_equal(err.kind, ERR_INVALID);
        }
    }
}

static void wrong_names_and_slots_are_refused(void **state) {
    (void)state;
    static const char *const names[] = {"", "/a", "../a", "a/../b", "a//b", ".", "a\nb"};
    struct err err = {0};
    struct prepared prepared;
    uint32_t run = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        prepare(&prepared, "hello", NULL);
        prepared.file.name = names[i];
        assert_false(box_start(fixture.box, 0, &prepared.spec, &run, &err));
        assert_int_equal(err.kind, ERR_INVALID);
    }
    prepare(&prepared, "hello", NULL);

    assert_false(box_start(fixture.box, -1, &prepared.spec, &run, &err));
    assert_false(box_start(fixture.box, FIXTURE_SLOTS, &prepared.spec, &run, &err));
    assert_false(box_slot_open(fixture.box, 0, &err)); /* it is open */
    assert_false(box_kill(fixture.box, 0, 12345, &err));
    assert_int_equal(err.kind, ERR_MISSING);
}

/* ---- several runs ---- */

static void start_pair(struct prepared *first, struct prepared *second, uint32_t *ret_first) {
    struct err err = {0};
    uint32_t second_run = 0;
    must(box_start(fixture.box, 0, &first->spec, ret_first, &err), &err);
    must(box_start(fixture.box, 0, &second->spec, &second_run, &err), &err);
}

/* Results by role: [0] the first run's, [1] the second's. */
static void wait_pair(uint32_t first, struct box_result results[2]) {
    for (int i = 0; i < 2; i++) {
        struct box_result result;
        struct err err = {0};
        box_result_init(&result);
        must(box_wait(fixture.box, 0, 30000, &result, &err), &err);
        results[result.run == first ? 0 : 1] = result;
    }
}

static void join(struct prepared *first, struct prepared *second, int64_t bytes_max) {
    first->spec.streams[1] =
        (struct box_stream){.kind = BOX_STREAM_PIPE, .pipe = 0, .bytes_max = bytes_max};
    second->spec.streams[0] = (struct box_stream){.kind = BOX_STREAM_PIPE, .pipe = 0};
    second->spec.streams[1] =
        (struct box_stream){.kind = BOX_STREAM_PIPE, .pipe = 1, .bytes_max = bytes_max};
    first->spec.streams[0] = (struct box_stream){.kind = BOX_STREAM_PIPE, .pipe = 1};
}

static void two_runs_talk_and_the_box_knows_who_ended_first(void **state) {
    (void)state;
    static const int64_t maxima[] = {0, 100000};
    for (size_t i = 0; i < 6; i++) {
        struct prepared first;
        struct prepared second;
        struct box_result results[2];
        uint32_t run = 0;
        prepare(&first, "talk-first", "50");
        prepare(&second, "talk-back", NULL);
        join(&first, &second, maxima[i % 2]);

        if (i % 3 == 0) { /* whichever is started first */
            start_pair(&second, &first, &run);
        } else {
            start_pair(&first, &second, &run);
        }
        wait_pair(run, results);

        struct box_result *talker = i % 3 == 0 ? &results[1] : &results[0];
        struct box_result *other = i % 3 == 0 ? &results[0] : &results[1];
        assert_int_equal(talker->end, BOX_END_EXIT);
        assert_int_equal(talker->exit_code, 0);
        assert_int_equal(talker->end_order, 1);
        assert_int_equal(other->end, BOX_END_EXIT);
        assert_int_equal(other->end_order, 2);
        if (maxima[i % 2] > 0) { /* "50\n" ... "10\n" and "9\n" ... "1\n" */
            assert_int_equal(talker->stream_bytes[1], 41 * 3 + 9 * 2);
            assert_int_equal(other->stream_bytes[1], 41 * 3 + 9 * 2);
        }
        box_result_done(&results[0]);
        box_result_done(&results[1]);
    }
    fixture_check_clean(&fixture);
}

/* Who reads the end of its input may be gone before the crash that it comes of is over; but who
 * only closes its output, and lives on, has not ended. */
static void a_crash_is_first_and_who_ends_for_it_is_second(void **state) {
    (void)state;
    for (int i = 0; i < 8; i++) {
        struct prepared crasher;
        struct prepared reader;
        struct box_result results[2];
        uint32_t run = 0;
        bool lives_on = i >= 6;
        prepare(&crasher, "crash-slowly", lives_on ? "late" : NULL);
        prepare(&reader, "drink", "rejects");
        join(&crasher, &reader, 100000);

        if (i % 2 == 0) {
            start_pair(&crasher, &reader, &run);
        } else {
            start_pair(&reader, &crasher, &run);
        }
        wait_pair(run, results);

        assert_int_equal(results[i % 2].signal, SIGABRT);
        assert_int_equal(results[1 - i % 2].exit_code, 1);
        if (fixture_slow() == 1) { /* else more than the tenth of a second passes between the two */
            assert_int_equal(results[i % 2].end_order, lives_on ? 2 : 1);
            assert_int_equal(results[1 - i % 2].end_order, lives_on ? 1 : 2);
        }
        box_result_done(&results[0]);
        box_result_done(&results[1]);
    }
    fixture_check_clean(&fixture);
}

static void a_writer_whose_reader_left_gets_sigpipe(void **state) {
    (void)state;
    static const int64_t maxima[] = {0, 1LL << 30};
    for (size_t i = 0; i < 2; i++) {
        struct prepared first;
        struct prepared second;
        struct box_result results[2];
        uint32_t run = 0;
        prepare(&first, "flood", NULL);
        prepare(&second, "hello", NULL);
        first.spec.streams[1] =
            (struct box_stream){.kind = BOX_STREAM_PIPE, .pipe = 3, .bytes_max = maxima[i]};
        second.spec.streams[0] = (struct box_stream){.kind = BOX_STREAM_PIPE, .pipe = 3};

        start_pair(&first, &second, &run);
        wait_pair(run, results);

        assert_int_equal(results[0].end, BOX_END_SIGNAL);
        assert_int_equal(results[0].signal, SIGPIPE);
        assert_int_equal(results[0].end_order, 2);
        assert_int_equal(results[1].end_order, 1);
        box_result_done(&results[0]);
        box_result_done(&results[1]);
    }
    fixture_check_clean(&fixture);
}

static void too_much_through_a_pipe_ends_the_writer(void **state) {
    (void)state;
    struct prepared first;
    struct prepared second;
    struct box_result results[2];
    uint32_t run = 0;
    prepare(&first, "flood", NULL);
    prepare(&second, "drink", NULL);
    first.spec.streams[1] =
        (struct box_stream){.kind = BOX_STREAM_PIPE, .pipe = 0, .bytes_max = 5 * MIB};
    second.spec.streams[0] = (struct box_stream){.kind = BOX_STREAM_PIPE, .pipe = 0};

    start_pair(&first, &second, &run);
    wait_pair(run, results);

    assert_int_equal(results[0].end, BOX_END_OUTPUT);
    assert_true(results[0].stream_bytes[1] > 5 * MIB);
    assert_int_equal(results[1].end, BOX_END_EXIT);
    box_result_done(&results[0]);
    box_result_done(&results[1]);
    fixture_check_clean(&fixture);
}

/* Whatever the one side does, both end within the wall limit and the box goes on. */
static void every_pair_of_manners_comes_to_an_end(void **state) {
    (void)state;
    static const char *const manners[] = {"hello", "flood", "drink", "rest", "echo", "spin"};
    size_t count = sizeof(manners) / sizeof(manners[0]);
    for (size_t i = 0; i < count * count; i++) {
        struct prepared first;
        struct prepared second;
        struct box_result results[2];
        uint32_t run = 0;
        prepare(&first, manners[i / count], NULL);
        prepare(&second, manners[i % count], NULL);
        join(&first, &second, MIB);
        first.spec.limits.wall_ms = second.spec.limits.wall_ms = 150;
        first.spec.limits.cpu_ms = second.spec.limits.cpu_ms = 60 * fixture_slow();

        start_pair(&first, &second, &run);
        wait_pair(run, results);

        assert_int_equal(results[0].end_order + results[1].end_order, 3);
        box_result_done(&results[0]);
        box_result_done(&results[1]);
    }
    fixture_check_clean(&fixture);
}

static void a_killed_run_is_told_as_killed(void **state) {
    (void)state;
    struct err err = {0};
    struct prepared prepared;
    struct box_result result;
    uint32_t run = 0;
    prepare(&prepared, "rest", NULL);
    must(box_start(fixture.box, 0, &prepared.spec, &run, &err), &err);
    assert_false(box_wait(fixture.box, 0, 100, &result, &err));
    assert_int_equal(err.kind, ERR_DEADLINE);

    must(box_kill(fixture.box, 0, run, &err), &err);

    must(box_wait(fixture.box, 0, 2000, &result, &err), &err);
    assert_int_equal(result.run, run);
    assert_int_equal(result.end, BOX_END_KILLED);
    box_result_done(&result);
    fixture_check_clean(&fixture);
}

static void a_service_outlives_jobs_and_answers_over_its_socket(void **state) {
    (void)state;
    struct err err = {0};
    struct prepared service;
    struct box_result result;
    uint32_t run = 0;
    int pair[2];
    char line[16] = "";
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    prepare(&service, "echo", NULL);
    service.spec.service = true;
    service.spec.streams[0] = (struct box_stream){.kind = BOX_STREAM_FD, .fd = pair[1]};
    service.spec.streams[1] = (struct box_stream){.kind = BOX_STREAM_FD, .fd = pair[1]};
    must(box_start(fixture.box, 0, &service.spec, &run, &err), &err);
    close(pair[1]);
    for (int i = 0; i < 3; i++) {
        fixture_run(&fixture, "hello", &result);
        assert_int_equal(result.end_order, 1);
        box_result_done(&result);

        assert_int_equal(write(pair[0], "ping", 4), 4);
        assert_int_equal(read(pair[0], line, sizeof(line)), 4);
        assert_memory_equal(line, "ping", 4);
    }

    close(pair[0]);

    must(box_wait(fixture.box, 0, 2000, &result, &err), &err);
    assert_int_equal(result.run, run);
    assert_int_equal(result.end, BOX_END_EXIT);
    box_result_done(&result);
    fixture_check_clean(&fixture);
}

static void asking_without_waiting_hears_of_an_end(void **state) {
    (void)state;
    struct err err = {0};
    struct prepared prepared;
    struct box_result result;
    uint32_t run = 0;
    bool ended = false;
    prepare(&prepared, "hello", NULL);
    must(box_start(fixture.box, 0, &prepared.spec, &run, &err), &err);

    for (int i = 0; i < 2000 && !ended; i++) {
        ended = box_wait(fixture.box, 0, 0, &result, &err);
        clock_sleep_ms(&clock_real, 5);
    }

    assert_true(ended);
    assert_int_equal(result.run, run);
    box_result_done(&result);
}

static void closing_a_slot_ends_its_runs(void **state) {
    (void)state;
    struct err err = {0};
    struct prepared prepared;
    for (int i = 0; i < 3; i++) {
        uint32_t run = 0;
        prepare(&prepared, "fork-bomb", NULL);
        must(box_start(fixture.box, 1, &prepared.spec, &run, &err), &err);
    }
    clock_sleep_ms(&clock_real, 50);

    must(box_slot_close(fixture.box, 1, &err), &err);

    assert_int_equal(count_processes("attack"), 0);
    must(box_slot_open(fixture.box, 1, &err), &err);
    fixture_check_clean(&fixture);
}

static void a_slot_takes_only_so_many_runs(void **state) {
    (void)state;
    struct err err = {0};
    struct prepared prepared;
    uint32_t run = 0;
    prepare(&prepared, "rest", NULL);
    for (int i = 0; i < BOX_RUNS_MAX; i++) {
        must(box_start(fixture.box, 1, &prepared.spec, &run, &err), &err);
    }

    assert_false(box_start(fixture.box, 1, &prepared.spec, &run, &err));

    assert_int_equal(err.kind, ERR_BUSY);
    must(box_slot_close(fixture.box, 1, &err), &err);
    must(box_slot_open(fixture.box, 1, &err), &err);
    fixture_check_clean(&fixture);
}

struct worker {
    int slot;
    int wrong;
};

static void *work(void *argument) {
    struct worker *worker = argument;
    char expected[16];
    for (int i = 0; i < 100 / fixture_slow(); i++) {
        struct prepared prepared;
        struct box_result result;
        struct err err = {0};
        char text[16];
        char number[8];
        box_result_init(&result);
        snprintf(number, sizeof(number), "%d", i % 200);
        snprintf(expected, sizeof(expected), i % 2 == 0 ? "" : "hello\n");
        prepare(&prepared, i % 2 == 0 ? "leave" : "hello", number);
        if (!box_run(fixture.box, worker->slot, &prepared.spec, &result, &err)) {
            worker->wrong++;
            continue;
        }
        fixture_text(result.stream_fds[1], text, sizeof(text));
        bool right = result.end == BOX_END_EXIT && strcmp(text, expected) == 0 &&
                     result.exit_code == (i % 2 == 0 ? i % 200 : 0);
        worker->wrong += !right;
        box_result_done(&result);
    }
    return NULL;
}

static void two_slots_work_at_the_same_time(void **state) {
    (void)state;
    struct worker workers[FIXTURE_SLOTS] = {{.slot = 0}, {.slot = 1}};
    pthread_t threads[FIXTURE_SLOTS];

    for (int i = 0; i < FIXTURE_SLOTS; i++) {
        threads[i] = thread_start("slot", work, &workers[i]);
    }
    for (int i = 0; i < FIXTURE_SLOTS; i++) {
        thread_join(threads[i]);
    }

    assert_int_equal(workers[0].wrong, 0);
    assert_int_equal(workers[1].wrong, 0);
    fixture.fds_before = fixture_settled_fds(&fixture); /* slot 1 has its launcher now */
    fixture_check_clean(&fixture);
}

static void two_hundred_runs_leave_nothing(void **state) {
    (void)state;
    size_t cgroups = count_cgroups();
    int64_t before_ms = clock_mono_ms(&clock_real);
    for (int i = 0; i < 200 / fixture_slow(); i++) {
        struct box_result result;
        fixture_run(&fixture, i % 5 == 0 ? "daemonise" : "hello", &result);
        assert_int_equal(result.end, BOX_END_EXIT);
        box_result_done(&result);
    }
    printf("           %lld ms\n", (long long)(clock_mono_ms(&clock_real) - before_ms));

    fixture_check_clean(&fixture);
    assert_int_equal(count_cgroups(), cgroups);
}

/* The same program measured again and again, beside a busy neighbour. */
static void the_same_program_measures_the_same(void **state) {
    (void)state;
    struct err err = {0};
    struct prepared neighbour;
    uint32_t run = 0;
    int64_t least_us = INT64_MAX;
    int64_t most_us = 0;
    prepare(&neighbour, "spin", NULL);
    neighbour.spec.limits.cpu_ms = neighbour.spec.limits.wall_ms = 60000;
    must(box_start(fixture.box, 1, &neighbour.spec, &run, &err), &err);
    for (int i = 0; i < 10; i++) {
        struct prepared prepared;
        struct box_result result;
        prepare(&prepared, "burn", "100");
        run_it(&prepared, &result);
        int64_t cpu_us = result.cpu_user_us + result.cpu_system_us;
        least_us = cpu_us < least_us ? cpu_us : least_us;
        most_us = cpu_us > most_us ? cpu_us : most_us;
        assert_true(result.wall_us + 4000 >= cpu_us);
        box_result_done(&result);
    }
    must(box_slot_close(fixture.box, 1, &err), &err);
    must(box_slot_open(fixture.box, 1, &err), &err);

    printf("           %lld to %lld us\n", (long long)least_us, (long long)most_us);
    assert_true(least_us >= 99000);
    if (fixture_slow() == 1) { /* an emulated processor's time is its host's too */
        assert_in_range(least_us, 99000, 104000);
        assert_in_range(most_us, 99000, 110000);
    }
}

int main(void) {
    fixture_require();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_plain_files_come_out),
        cmocka_unit_test(an_output_is_what_was_written_and_cannot_be_changed),
        cmocka_unit_test(a_racing_link_never_shows_a_host_file),
        cmocka_unit_test(placed_files_have_their_place_and_mode),
        cmocka_unit_test(files_that_do_not_fit_are_the_specs_fault),
        cmocka_unit_test(runs_leave_nothing_to_the_next),
        cmocka_unit_test(an_input_stays_what_it_is),
        cmocka_unit_test(a_private_file_can_be_an_input),
        cmocka_unit_test(a_large_input_need_not_be_read),
        cmocka_unit_test(a_missing_program_is_told_by_its_errno),
        cmocka_unit_test(a_compiler_runs_and_its_product_too),
        cmocka_unit_test(a_root_outside_the_list_is_refused),
        cmocka_unit_test(a_missing_root_is_named),
        cmocka_unit_test(limits_of_nothing_or_too_much_are_refused),
        cmocka_unit_test(wrong_names_and_slots_are_refused),
        cmocka_unit_test(two_runs_talk_and_the_box_knows_who_ended_first),
        cmocka_unit_test(a_crash_is_first_and_who_ends_for_it_is_second),
        cmocka_unit_test(a_writer_whose_reader_left_gets_sigpipe),
        cmocka_unit_test(too_much_through_a_pipe_ends_the_writer),
        cmocka_unit_test(every_pair_of_manners_comes_to_an_end),
        cmocka_unit_test(a_killed_run_is_told_as_killed),
        cmocka_unit_test(a_service_outlives_jobs_and_answers_over_its_socket),
        cmocka_unit_test(asking_without_waiting_hears_of_an_end),
        cmocka_unit_test(closing_a_slot_ends_its_runs),
        cmocka_unit_test(a_slot_takes_only_so_many_runs),
        cmocka_unit_test(two_slots_work_at_the_same_time),
        cmocka_unit_test(two_hundred_runs_leave_nothing),
        cmocka_unit_test(the_same_program_measures_the_same),
    };
    if (getenv("ONLY") != NULL) {
        cmocka_set_test_filter(getenv("ONLY"));
    }
    fixture_open(&fixture);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fixture_close(&fixture);
    if (count_cgroups() != 0) {
        puts("the box left cgroups behind");
        failed++;
    }
    return failed;
}
