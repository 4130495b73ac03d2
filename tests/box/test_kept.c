/* Files kept for later runs, many files, services with a socket, a launcher made anew. */
#include "box_fixture.h"

#include "base/file.h"
#include "base/frozen.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#define LAUNCHER_RUNS 5

static struct fixture fixture;

static void must(bool done, const struct err *err) {
    if (!done) {
        fail_msg("%s (%s, %s)", err->text, err->code, err->where);
    }
}

/* The attack itself and one more file; what it printed comes back. */
static void run_with(const struct box_file *file, const char *name, const char *word,
                     char *ret_text, size_t size) {
    const char *argv[] = {name, word, NULL};
    const char *full[16];
    struct err err = {0};
    struct box_result result;
    struct box_file files[2];
    struct box_run_spec spec = fixture_spec(&fixture, argv, full, &files[0]);
    files[1] = *file;
    spec.files = files;
    spec.file_count = 2;
    box_result_init(&result);
    must(box_run(fixture.box, 0, &spec, &result, &err), &err);
    assert_int_equal(result.end, BOX_END_EXIT);
    fixture_text(result.stream_fds[1], ret_text, size);
    box_result_done(&result);
}

static void kept_files_are_the_right_ones_again_and_again(void **state) {
    (void)state;
    int fds[12];
    for (int i = 0; i < 12; i++) {
        struct err err = {0};
        char text[16];
        snprintf(text, sizeof(text), "file %d\n", i);
        must(file_memory("kept", str_from(text), true, &fds[i], &err), &err);
    }
    for (int i = 0; i < 60; i++) {
        int which = i < 30 ? i % 12 : (i * 7) % 5; /* more than are kept, then fewer */
        char expected[16];
        char text[16];
        snprintf(expected, sizeof(expected), "file %d\n", which);

        run_with(&(struct box_file){.name = "a/t", .fd = fds[which], .kept = true}, "show",
                 "/w/a/t", text, sizeof(text));

        assert_string_equal(text, expected);
    }
    for (int i = 0; i < 12; i++) {
        close(fds[i]);
    }
    fixture_check_clean(&fixture);
}

static void a_run_cannot_change_what_the_next_one_gets(void **state) {
    (void)state;
    struct err err = {0};
    char text[64];
    int fd = -1;
    must(file_memory("kept", STR("first\n"), true, &fd, &err), &err);
    const struct box_file file = {.name = "kept", .fd = fd, .kept = true};
    for (int i = 0; i < 3; i++) {
        run_with(&file, "spoil", "/w/kept", text, sizeof(text));
        assert_string_equal(text, "ok\n");

        run_with(&file, "show", "/w/kept", text, sizeof(text));

        assert_string_equal(text, "first\n");
    }
    close(fd);
    fixture_check_clean(&fixture);
}

static void the_store_itself_is_out_of_reach(void **state) {
    (void)state;
    struct err err = {0};
    char text[256];
    int fd = -1;
    must(file_memory("kept", STR("first\n"), true, &fd, &err), &err);
    const struct box_file file = {.name = "kept", .fd = fd, .kept = true};

    run_with(&file, "list", "/tmp", text, sizeof(text));
    assert_string_equal(text, "\n");
    run_with(&file, "list", "/w", text, sizeof(text));

    assert_string_equal(text, "attack kept \n");
    close(fd);
}

static void a_file_that_is_not_sealed_is_copied_each_time(void **state) {
    (void)state;
    struct err err = {0};
    char text[16];
    int fd = -1;
    must(file_memory("open", STR("one\n"), false, &fd, &err), &err);
    const struct box_file file = {.name = "t", .fd = fd, .kept = true};
    run_with(&file, "show", "/w/t", text, sizeof(text));
    assert_string_equal(text, "one\n");

    assert_int_equal(pwrite(fd, "two\n", 4, 0), 4);
    run_with(&file, "show", "/w/t", text, sizeof(text));

    assert_string_equal(text, "two\n");
    close(fd);
}

static void as_many_files_as_a_submission_may_have(void **state) {
    (void)state;
    static char names[BOX_FILES_MAX][32];
    static const char *outputs[BOX_FILES_MAX + 1];
    const char *argv[] = {"show", "/w/file-126", NULL};
    const char *full[16];
    struct err err = {0};
    struct box_result result;
    struct box_file files[BOX_FILES_MAX];
    struct box_run_spec spec = fixture_spec(&fixture, argv, full, &files[0]);
    int fd = -1;
    char text[16];
    must(file_memory("t", STR("here\n"), true, &fd, &err), &err);
    for (int i = 0; i < BOX_FILES_MAX; i++) {
        snprintf(names[i], sizeof(names[i]), "file-%d", i);
        outputs[i] = names[i];
        if (i > 0) {
            files[i] = (struct box_file){.name = names[i], .fd = fd};
        }
    }
    spec.files = files;
    spec.file_count = BOX_FILES_MAX;
    spec.outputs = outputs;
    spec.output_file_bytes_max = 100;
    box_result_init(&result);

    must(box_run(fixture.box, 0, &spec, &result, &err), &err);

    fixture_text(result.stream_fds[1], text, sizeof(text));
    assert_string_equal(text, "here\n");
    assert_int_equal(result.output_states[0], BOX_OUTPUT_MISSING);
    for (int i = 1; i < BOX_FILES_MAX; i++) {
        assert_int_equal(result.output_states[i], BOX_OUTPUT_FILE);
        fixture_text(result.output_fds[i], text, sizeof(text));
        assert_string_equal(text, "here\n");
    }
    box_result_done(&result);
    close(fd);
    fixture_check_clean(&fixture);
}

static int connect_to(const struct sockaddr_un *address) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)address, sizeof(*address)), 0);
    return fd;
}

/* As a database is reached: it accepts on a socket that its caller listens with. */
static void a_service_accepts_on_the_socket_it_was_handed(void **state) {
    (void)state;
    struct err err = {0};
    const char *argv[] = {"serve", NULL};
    const char *full[16];
    struct box_file file;
    struct box_result result;
    uint32_t run = 0;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/assize-box-test-%d", (int)getpid());
    int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listening, (const struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(listening, 4), 0);
    struct box_run_spec spec = fixture_spec(&fixture, argv, full, &file);
    spec.profile = BOX_PROFILE_SERVER;
    spec.service = true;
    spec.service_fds = &listening;
    spec.service_fd_count = 1;
    must(box_start(fixture.box, 1, &spec, &run, &err), &err);
    close(listening);

    for (int i = 0; i < 3; i++) {
        char answer[8] = "";
        int peer = connect_to(&address);
        assert_int_equal(write(peer, "select", 6), 6);
        assert_int_equal(read(peer, answer, sizeof(answer)), 6);
        assert_memory_equal(answer, "select", 6);
        close(peer);
    }

    close(connect_to(&address)); /* the end of it */
    box_result_init(&result);
    must(box_wait(fixture.box, 1, 5000 * fixture_slow(), &result, &err), &err);
    assert_int_equal(result.run, run);
    assert_int_equal(result.end, BOX_END_EXIT);
    assert_int_equal(result.exit_code, 0);
    box_result_done(&result);
    unlink(address.sun_path);
}

/* Also after a run that went wrong: test_faults.c. */
static void a_launcher_is_made_anew_after_its_runs(void **state) {
    (void)state;
    pid_t seen[3 * LAUNCHER_RUNS];
    int changes = 0;
    for (int i = 0; i < 3 * LAUNCHER_RUNS; i++) {
        struct box_result result;
        const char *argv[] = {"rest", NULL};
        const char *full[16];
        struct box_file file;
        struct err err = {0};
        uint32_t run = 0;
        struct box_run_spec spec = fixture_spec(&fixture, argv, full, &file);
        must(box_start(fixture.box, 0, &spec, &run, &err), &err);
        seen[i] = child_called(fixture.box_pid, "assize-box"); /* it goes on resting meanwhile */
        must(box_kill(fixture.box, 0, run, &err), &err);
        box_result_init(&result);
        must(box_wait(fixture.box, 0, 5000 * fixture_slow(), &result, &err), &err);
        box_result_done(&result);
        changes += i > 0 && seen[i] != seen[i - 1];
    }
    assert_in_range(changes, 2, 3);
}

int main(void) {
    fixture_require();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_files_are_the_right_ones_again_and_again),
        cmocka_unit_test(a_run_cannot_change_what_the_next_one_gets),
        cmocka_unit_test(the_store_itself_is_out_of_reach),
        cmocka_unit_test(a_file_that_is_not_sealed_is_copied_each_time),
        cmocka_unit_test(as_many_files_as_a_submission_may_have),
        cmocka_unit_test(a_service_accepts_on_the_socket_it_was_handed),
    };
    const struct CMUnitTest few[] = {
        cmocka_unit_test(a_launcher_is_made_anew_after_its_runs),
    };
    if (getenv("ONLY") != NULL) {
        cmocka_set_test_filter(getenv("ONLY"));
    }
    fixture_open(&fixture);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fixture_close(&fixture);
    fixture_open_with(&fixture, &(struct box_options){.launcher_runs = LAUNCHER_RUNS});
    failed += cmocka_run_group_tests(few, NULL, NULL);
    fixture_close(&fixture);
    return failed;
}
