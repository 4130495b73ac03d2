/* What server and node processes share. */
#include "base/file.h"
#include "base/limits.h"
#include "main/process.h"
#include "main/settings.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void a_pinned_folder_stays_reachable_after_its_parents_close(void **state) {
    (void)state;
    struct err err = {0};
    char folder[64] = "/tmp/assize-pin-XXXXXX";
    char path[128];
    char pinned[PINNED_BYTES];
    own_buf content;
    buf_init(&content, 100);
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/web", folder);
    assert_true(file_make_dirs(path, 0755, &err));
    (void)snprintf(path, sizeof path, "%s/web/index.html", folder);
    assert_true(file_save_atomic(path, STR("hello"), 0644, &err));
    (void)snprintf(path, sizeof path, "%s/web", folder);

    pin_folder(path, pinned);

    (void)snprintf(path, sizeof path, "%s/elsewhere", folder);
    char old[128];
    (void)snprintf(old, sizeof old, "%s/web", folder);
    assert_int_equal(rename(old, path), 0);
    (void)snprintf(path, sizeof path, "%s/index.html", pinned);
    assert_true(file_load(path, 100, &content, &err));
    assert_true(str_eq(buf_str(&content), STR("hello")));
    assert_true(file_remove_tree(folder, &err));
}

static void a_folder_that_is_not_there_is_pinned_as_nothing(void **state) {
    (void)state;
    char pinned[PINNED_BYTES] = "x";

    pin_folder("/no/such/folder", pinned);
    assert_string_equal(pinned, "");
    pin_folder("", pinned);
    assert_string_equal(pinned, "");
    pin_folder("/etc/passwd", pinned);
    assert_string_equal(pinned, "");
}

static void check_stop(int signal_number) {
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct err err = {0};
        int fd = -1;
        if (!process_stop_fd(&fd, &err)) {
            _exit(2);
        }
        struct pollfd stop = {.fd = fd, .events = POLLIN};
        if (poll(&stop, 1, 0) != 0) {
            _exit(3);
        }
        (void)kill(getpid(), signal_number);
        _exit(poll(&stop, 1, 1000) == 1 ? 0 : 4);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void both_signals_to_stop_become_readable(void **state) {
    (void)state;
    check_stop(SIGTERM);
    check_stop(SIGINT);
}

static void paths_are_below_the_data_folder(void **state) {
    (void)state;
    struct err err = {0};
    char path[64];
    own(config) config = config_create();
    config_add(config, "General", settings_common);
    assert_true(config_set(config, "data", STR("/srv/assize"), &err));

    process_path(config, "blobs", path, sizeof path);

    assert_string_equal(path, "/srv/assize/blobs");
}

static void slots_follow_the_processors_and_stay_bounded(void **state) {
    (void)state;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    assert_int_equal(process_slots(3), 3);
    assert_int_equal(process_slots(0), processors < NODE_SLOTS_MAX ? processors : NODE_SLOTS_MAX);
    assert_int_equal(process_slots(1000000), NODE_SLOTS_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pinned_folder_stays_reachable_after_its_parents_close),
        cmocka_unit_test(a_folder_that_is_not_there_is_pinned_as_nothing),
        cmocka_unit_test(both_signals_to_stop_become_readable),
        cmocka_unit_test(paths_are_below_the_data_folder),
        cmocka_unit_test(slots_follow_the_processors_and_stay_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
