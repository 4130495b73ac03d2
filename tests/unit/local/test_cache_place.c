/* Where local commands keep what is worth keeping. */
#include "local/cache_place.h"

#include "base/file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void plain_root_keeps_things_for_nobody(void **state) {
    char path[256];
    struct stat status;
    (void)state;
    if (geteuid() != 0) {
        skip();
    }
    unsetenv("SUDO_UID");
    assert_true(cache_place_find(path, sizeof path));
    assert_string_equal(path, "/var/cache/assize/nobody");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_uid, 65534);
    assert_int_equal(status.st_mode & 0777, 0700);
}

static void under_sudo_it_is_the_callers_home(void **state) {
    char path[256];
    (void)state;
    if (geteuid() != 0) {
        skip();
    }
    /* `daemon` of Debian: home /usr/sbin */
    const struct passwd *daemon = getpwnam("daemon");
    if (daemon == NULL) {
        skip();
    }
    char uid[16];
    char expected[256];
    char home[4096];
    assert_non_null(realpath(daemon->pw_dir, home));
    (void)snprintf(expected, sizeof expected, "%.200s/.cache/assize", home);
    (void)snprintf(uid, sizeof uid, "%u", daemon->pw_uid);
    setenv("SUDO_UID", uid, 1);
    setenv("SUDO_GID", uid, 1);
    setenv("XDG_CACHE_HOME", "/tmp", 1); /* root's own, not the caller's */

    assert_true(cache_place_find(path, sizeof path));

    assert_string_equal(path, expected);
    unsetenv("SUDO_UID");
    unsetenv("SUDO_GID");
    unsetenv("XDG_CACHE_HOME");
}

static void a_place_too_long_is_none(void **state) {
    char path[8];
    (void)state;
    assert_false(cache_place_find(path, sizeof path));
}

static void it_is_made_and_must_be_writable(void **state) {
    char folder[] = "/tmp/assize-cache-XXXXXX";
    char path[64];
    struct err err = {0};
    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/a/b", folder);
    assert_true(cache_place_make(path));
    (void)snprintf(path, sizeof path, "%s/file", folder);
    assert_true(file_save_atomic(path, STR("x"), 0600, &err));
    assert_false(cache_place_make(path));
    assert_true(file_remove_tree(folder, &err));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_root_keeps_things_for_nobody),
        cmocka_unit_test(under_sudo_it_is_the_callers_home),
        cmocka_unit_test(a_place_too_long_is_none),
        cmocka_unit_test(it_is_made_and_must_be_writable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
