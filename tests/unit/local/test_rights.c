/* Giving up the rights of root. Each test does so in a child. */
#include "local/rights.h"

#include "base/file.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

typedef int child_fn(void);

/* What the child returned; each number says which of its expectations failed. */
static int in_child(child_fn *run) {
    int status = -1;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(run());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void need_root(void) {
    if (geteuid() != 0) {
        print_message("skipped: needs root\n");
        skip();
    }
}

static char secret_path[] = "/tmp/assize-rights-XXXXXX";

static int plain_root(void) {
    struct err err = {0};
    char text[10] = "";
    unsetenv("SUDO_UID");
    unsetenv("SUDO_GID");
    if (!rights_drop(&err)) {
        return 1;
    }
    own_fd reading = open(secret_path, O_RDONLY | O_CLOEXEC);
    own_fd writing = open(secret_path, O_WRONLY | O_CLOEXEC);
    if (getuid() != 65534 || geteuid() != 65534 || getegid() != 65534) {
        return 2;
    }
    if (reading < 0 || read(reading, text, sizeof(text)) != 6) {
        return 3;
    }
    if (writing >= 0 || chmod(secret_path, 0777) == 0 || chown(secret_path, 1, 1) == 0) {
        return 4;
    }
    return setuid(0) == 0 || seteuid(0) == 0 || setgid(0) == 0 ? 5 : 0;
}

static void plain_root_becomes_nobody_who_may_read(void **state) {
    (void)state;
    need_root();
    own_fd fd = mkstemp(secret_path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "secret", 6), 6);
    assert_int_equal(fchmod(fd, 0600), 0);

    assert_int_equal(in_child(plain_root), 0);

    assert_int_equal(unlink(secret_path), 0);
}

static int under_sudo(void) {
    struct err err = {0};
    setenv("SUDO_UID", "12345", 1);
    setenv("SUDO_GID", "54321", 1);
    if (!rights_drop(&err)) {
        return 1;
    }
    own_fd shadow = open("/etc/shadow", O_RDONLY | O_CLOEXEC);
    if (getuid() != 12345 || getgid() != 54321 || shadow >= 0) {
        return 2;
    }
    return setuid(0) == 0 ? 3 : 0;
}

static void under_sudo_it_becomes_the_caller(void **state) {
    (void)state;
    need_root();

    assert_int_equal(in_child(under_sudo), 0);
}

static int bad_sudo(void) {
    struct err err = {0};
    setenv("SUDO_UID", "0", 1);
    setenv("SUDO_GID", "x", 1);
    return rights_drop(&err) && getuid() == 65534 ? 0 : 1;
}

static void a_strange_caller_is_nobody(void **state) {
    (void)state;
    need_root();

    assert_int_equal(in_child(bad_sudo), 0);
}

static int ordinary(void) {
    struct err err = {0};
    if (geteuid() == 0 && (setgid(12345) != 0 || setuid(12345) != 0)) {
        return 1;
    }
    uid_t before = getuid();
    return rights_drop(&err) && getuid() == before ? 0 : 2;
}

static void an_ordinary_user_stays_who_he_is(void **state) {
    (void)state;

    assert_int_equal(in_child(ordinary), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_root_becomes_nobody_who_may_read),
        cmocka_unit_test(under_sudo_it_becomes_the_caller),
        cmocka_unit_test(a_strange_caller_is_nobody),
        cmocka_unit_test(an_ordinary_user_stays_who_he_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
