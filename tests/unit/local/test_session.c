/* Finding the languages, and what an ordinary user is told. */
#include "local/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void a_given_folder_is_taken(void **state) {
    (void)state;
    char path[100];
    struct err err = {0};

    assert_true(session_find_languages("/some/where", path, sizeof(path), &err));

    assert_string_equal(path, "/some/where");
    assert_false(session_find_languages("/some/where", path, 5, &err));
}

static void the_programs_own_folder_is_found(void **state) {
    (void)state;
    char path[4096];
    struct err err = {0};
    assert_int_equal(chdir(getenv("ASSIZE_SOURCE_ROOT")), 0);

    assert_true(session_find_languages("", path, sizeof(path), &err));

    own(language_set) set = NULL;
    assert_true(language_set_load(path, &set, &err));
    assert_non_null(language_find(set, STR("cpp")));
}

static int as_ordinary_user(void) {
    own_session session = {.box = NULL};
    struct err err = {0};
    if (geteuid() == 0 && (setgid(12345) != 0 || setuid(12345) != 0)) {
        return 1;
    }
    if (session_open(&session, "/tmp", 1, &err)) {
        return 2;
    }
    return err.kind == ERR_SYSTEM && strstr(err.text, "sudo") != NULL ? 0 : 3;
}

static void an_ordinary_user_is_told_about_sudo(void **state) {
    (void)state;
    int status = -1;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(as_ordinary_user());
    }

    assert_int_equal(waitpid(child, &status, 0), child);

    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_given_folder_is_taken),
        cmocka_unit_test(the_programs_own_folder_is_found),
        cmocka_unit_test(an_ordinary_user_is_told_about_sudo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
