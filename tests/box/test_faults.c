/* What happens when one of the processes dies, and where the box cannot work at all. */
#include "box_fixture.h"

#include "base/cgroupfs.h"
#include "base/clock.h"
#include "base/file.h"
#include "box/cgroup.h"
#include "box/message.h"
#include "box_client/doctor.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cmocka.h>

static void must(bool done, const struct err *err) {
    if (!done) {
        fail_msg("%s (%s, %s)", err->text, err->code, err->where);
    }
}

/* Of the attack's processes and of the cgroups. */
static bool all_is_gone(bool cgroups_too) {
    for (int i = 0; i < 400; i++) {
        if (count_processes("attack") == 0 && (!cgroups_too || count_cgroups() == 0)) {
            return true;
        }
        clock_sleep_ms(&clock_real, 5);
    }
    return false;
}

static bool becomes_some(const char *name) {
    for (int i = 0; i < 400 && count_processes(name) == 0; i++) {
        clock_sleep_ms(&clock_real, 5);
    }
    return count_processes(name) > 0;
}

static void start(const struct fixture *fixture, const char *name, uint32_t *ret_run) {
    const char *argv[] = {name, NULL};
    const char *full[16];
    struct box_file file;
    struct err err = {0};
    struct box_run_spec spec = fixture_spec(fixture, argv, full, &file);
    must(box_start(fixture->box, 0, &spec, ret_run, &err), &err);
}

/* The client is another process here, so that it can be killed. */
static void a_killed_client_takes_everything_with_it(void **state) {
    (void)state;
    int ready[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    pid_t client = fork();
    if (client == 0) {
        struct fixture fixture;
        uint32_t run = 0;
        fixture_open(&fixture);
        start(&fixture, "fork-bomb", &run);
        start(&fixture, "daemonise", &run);
        start(&fixture, "rest", &run);
        clock_sleep_ms(&clock_real, 100);
        (void)!write(ready[1], "r", 1);
        for (;;) {
            pause();
        }
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_true(becomes_some("attack"));
    pid_t box = child_called(client, "assize-box");
    assert_true(box > 0);

    kill(client, SIGKILL);
    waitpid(client, NULL, 0);

    assert_true(all_is_gone(true));
    for (int i = 0; i < 400 && count_fds(box) > 2; i++) {
        clock_sleep_ms(&clock_real, 5);
    }
    assert_true(count_fds(box) <= 2); /* gone, or waiting for whoever reaps orphans here */
    close(ready[0]);
}

static void a_killed_box_is_told_and_leaves_no_process(void **state) {
    (void)state;
    struct fixture fixture;
    struct box_result result;
    struct err err = {0};
    uint32_t run = 0;
    fixture_open(&fixture);
    start(&fixture, "fork-bomb", &run);
    assert_true(becomes_some("attack"));

    kill(fixture.box_pid, SIGKILL);

    box_result_init(&result);
    assert_false(box_wait(fixture.box, 0, 3000, &result, &err));
    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_int_equal(err.fault, FAULT_NODE);
    assert_false(box_slot_open(fixture.box, 1, &err));
    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_true(all_is_gone(false));
    fixture_close(&fixture);
}

static void the_next_box_sweeps_up_after_a_dead_one(void **state) {
    (void)state;
    struct fixture fixture;
    assert_true(count_cgroups() > 0); /* of the test before */

    fixture_open(&fixture);
    fixture_check_clean(&fixture);
    fixture_close(&fixture);

    assert_int_equal(count_cgroups(), 0);
}

static void two_boxes_do_not_disturb_each_other(void **state) {
    (void)state;
    struct fixture first;
    struct fixture second;
    struct box_result result;
    fixture_open(&first);
    pid_t first_pid = first.box_pid;
    fixture_open(&second);

    fixture_run(&second, "hello", &result);
    assert_int_equal(result.end, BOX_END_EXIT);
    box_result_done(&result);
    fixture_close(&second);

    fixture_run(&first, "hello", &result);
    assert_int_equal(result.end, BOX_END_EXIT);
    box_result_done(&result);
    assert_int_equal(kill(first_pid, 0), 0);
    fixture_close(&first);
    assert_int_equal(count_cgroups(), 0);
}

/* `depth` 1: the launcher; 2: the first process of the run. */
static void kill_below(int depth) {
    struct fixture fixture;
    struct box_result result;
    struct err err = {0};
    uint32_t run = 0;
    fixture_open(&fixture);
    start(&fixture, "rest", &run);
    assert_true(becomes_some("attack"));
    pid_t victim = fixture.box_pid;
    for (int i = 0; i < depth; i++) {
        victim = child_called(victim, "assize-box");
        assert_true(victim > 0);
    }

    kill(victim, SIGKILL);

    box_result_init(&result);
    assert_false(box_wait(fixture.box, 0, 5000, &result, &err));
    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_int_equal(err.fault, FAULT_NODE);
    assert_true(all_is_gone(false));
    fixture_run(&fixture, "hello", &result);
    assert_int_equal(result.end, BOX_END_EXIT);
    box_result_done(&result);
    fixture_close(&fixture);
    assert_int_equal(count_cgroups(), 0);
}

static void a_killed_launcher_fails_its_runs_and_is_replaced(void **state) {
    (void)state;
    kill_below(1);
}

static void a_killed_first_process_fails_its_run(void **state) {
    (void)state;
    kill_below(2);
}

/* Tries box_open in a child that has given something away first. */
static void expect_refusal(bool (*give_away)(void), const char *words) {
    pid_t child = fork();
    if (child == 0) {
        struct err err = {0};
        struct box *box = NULL;
        struct box_options options = {
            .program = getenv("ASSIZE_BOX"), .cgroup_name = fixture_cgroup(), .slots = 1};
        if (!give_away()) {
            _exit(9);
        }
        bool opened = box_open(&options, &box, &err);
        printf("           %s\n", err.text);
        fflush(stdout);
        _exit(opened                                      ? 1
              : strcmp(err.code, "box_unavailable") != 0  ? 2
              : words != NULL && !strstr(err.text, words) ? 3
                                                          : 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static bool become_nobody(void) {
    return setgid(65534) == 0 && setuid(65534) == 0;
}

static bool lose_sys_admin(void) {
    return prctl(PR_CAPBSET_DROP, 21 /* CAP_SYS_ADMIN */, 0, 0, 0) == 0;
}

static bool name_no_program(void) {
    return setenv("ASSIZE_BOX", "/nowhere/assize-box", 1) == 0;
}

static void without_root_the_box_says_what_it_needs(void **state) {
    (void)state;
    if (fixture_is_rootless()) {
        skip(); /* tests/box/command.py takes from an ordinary user what it needs */
    }
    expect_refusal(become_nobody, "root");
}

static void without_the_right_to_mount_the_box_refuses(void **state) {
    (void)state;
    if (fixture_is_rootless()) {
        skip();
    }
    expect_refusal(lose_sys_admin, NULL);
}

static void without_its_program_the_box_names_it(void **state) {
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        struct err err = {0};
        struct box *box = NULL;
        struct box_options options = {.program = "/nowhere/assize-box", .slots = 1};
        bool opened = name_no_program() && box_open(&options, &box, &err);
        _exit(opened || strstr(err.text, "/nowhere/assize-box") == NULL);
    }
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

/* In a group of its own: with systemd's mark of Delegate=, and without. 0: each had its base. */
static int find_bases(const char *top, const char *group) {
    struct err err = {0};
    struct cgroups groups;
    char procs[200];
    (void)snprintf(procs, sizeof(procs), "%s/cgroup.procs", group);
    if (!file_write_at(AT_FDCWD, procs, "0", &err) || !cgroups_find(&groups, &err)) {
        return 2;
    }
    if (strcmp(groups.paths[CGROUP_UNIFIED], top) != 0) {
        return 3;
    }
    if (setxattr(group, "user.delegate", "1", 1, 0) != 0 || !cgroups_find(&groups, &err)) {
        return 4;
    }
    return strcmp(groups.paths[CGROUP_UNIFIED], group) == 0 ? 0 : 5;
}

static void only_a_delegated_group_is_divided(void **state) {
    (void)state;
    const char *top =
        cgroupfs_is("/sys/fs/cgroup", true) ? "/sys/fs/cgroup/" : "/sys/fs/cgroup/unified";
    char group[150];
    if (fixture_is_rootless() || !cgroupfs_is(top, true)) {
        skip(); /* another user has no choice; version 1 knows no delegation */
    }
    (void)snprintf(group, sizeof(group), "%s/assize-delegate-%ld", top, (long)getpid());
    assert_int_equal(mkdir(group, 0755), 0);

    pid_t child = fork();
    if (child == 0) {
        _exit(find_bases(top, group));
    }
    int status = -1;
    waitpid(child, &status, 0);
    rmdir(group);
    assert_int_equal(status, 0);
}

/* A client of another version, or one that went mad, is left alone. */
static void a_broken_message_ends_the_box(void **state) {
    (void)state;
    int pair[2];
    char block[4096] = "this is no message";
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    pid_t box = fork();
    if (box == 0) {
        close(pair[0]); /* it may be 3 */
        dup2(pair[1], 3);
        char *argv[] = {getenv("ASSIZE_BOX"), NULL};
        char *environment[] = {NULL};
        execve(argv[0], argv, environment);
        _exit(9);
    }
    close(pair[1]);
    struct box_setup setup = {.magic = MESSAGE_MAGIC,
                              .slots = 1,
                              .launcher_runs = 1,
                              .first_id = 2000000000,
                              .cgroup = ""};
    (void)snprintf(setup.cgroup, sizeof(setup.cgroup), "%s", fixture_cgroup());
    assert_int_equal(send(pair[0], &setup, sizeof(setup), 0), sizeof(setup));
    assert_true(read(pair[0], block, sizeof(block)) > 0); /* it is ready */

    assert_int_equal(send(pair[0], block, 100, 0), 100);

    int status = -1;
    assert_int_equal(waitpid(box, &status, 0), box);
    assert_int_equal(status, 0);
    close(pair[0]);
    assert_int_equal(count_cgroups(), 0);
}

static void the_doctor_finds_all_that_is_needed_here(void **state) {
    (void)state;
    struct box_requirement rows[64];
    size_t count = box_doctor(rows, sizeof(rows) / sizeof(rows[0]));
    assert_true(count > 5);
    for (size_t i = 0; i < count; i++) {
        printf("           %-28s %-8s %s\n", rows[i].name,
               rows[i].found    ? "found"
               : rows[i].needed ? "MISSING"
                                : "missing",
               rows[i].found ? rows[i].detail : rows[i].remedy);
        assert_true(rows[i].found || !rows[i].needed);
        assert_true(rows[i].name[0] != '\0');
        assert_true(rows[i].found || rows[i].remedy[0] != '\0');
    }
}

int main(void) {
    fixture_require();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_client_takes_everything_with_it),
        cmocka_unit_test(a_killed_box_is_told_and_leaves_no_process),
        cmocka_unit_test(the_next_box_sweeps_up_after_a_dead_one),
        cmocka_unit_test(two_boxes_do_not_disturb_each_other),
        cmocka_unit_test(a_killed_launcher_fails_its_runs_and_is_replaced),
        cmocka_unit_test(a_killed_first_process_fails_its_run),
        cmocka_unit_test(without_root_the_box_says_what_it_needs),
        cmocka_unit_test(without_the_right_to_mount_the_box_refuses),
        cmocka_unit_test(without_its_program_the_box_names_it),
        cmocka_unit_test(only_a_delegated_group_is_divided),
        cmocka_unit_test(a_broken_message_ends_the_box),
        cmocka_unit_test(the_doctor_finds_all_that_is_needed_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
