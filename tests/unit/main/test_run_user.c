/* Whom to become, and becoming it for good. What changes this process is done in a child. */
#include "base/file.h"
#include "main/run_user.h"

#include <pwd.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

static void need_root(void) {
    if (geteuid() != 0) {
        (void)printf("skipped: only root can become another user\n");
        skip();
    }
}

/* The exit status of a child that ran `check` as the user "nobody". */
static int as_nobody(int (*check)(void)) {
    struct run_user user = {0};
    struct err err = {0};
    assert_true(run_user_choose("nobody", "", &user, &err));
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        _exit(run_user_become(&user, &err) ? check() : 100);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void a_name_that_nobody_has_is_refused(void **state) {
    (void)state;
    struct run_user user = {0};
    struct err err = {0};

    assert_false(run_user_choose("no-such-user-here", "", &user, &err));

    assert_string_equal(err.code, "no_user");
    assert_non_null(strstr(err.text, "no-such-user-here"));
}

static void root_is_refused(void **state) {
    (void)state;
    struct run_user user = {0};
    struct err err = {0};

    assert_false(run_user_choose("root", "", &user, &err));

    assert_string_equal(err.code, "root_refused");
    assert_non_null(strstr(err.text, "--user"));
}

static void root_falls_back_to_an_unprivileged_user(void **state) {
    (void)state;
    need_root();
    struct run_user user = {0};
    struct err err = {0};
    (void)unsetenv("SUDO_UID");

    assert_true(run_user_choose("", "", &user, &err));

    assert_int_not_equal(user.uid, 0);
    assert_true(strcmp(user.name, "assize") == 0 || strcmp(user.name, "nobody") == 0);
}

static void who_called_sudo_is_whom_it_runs_as(void **state) {
    (void)state;
    need_root();
    struct run_user user = {0};
    struct err err = {0};
    const struct passwd *daemon_user = getpwnam("daemon");
    char uid[16];
    if (daemon_user == NULL) {
        skip();
        return;
    }
    (void)snprintf(uid, sizeof uid, "%u", daemon_user->pw_uid);
    assert_int_equal(setenv("SUDO_UID", uid, 1), 0);

    bool chosen = run_user_choose("", "", &user, &err);

    (void)unsetenv("SUDO_UID");
    assert_true(chosen);
    assert_string_equal(user.name, "daemon");
}

static void sudo_by_root_itself_is_no_reason_to_stay_root(void **state) {
    (void)state;
    need_root();
    struct run_user user = {0};
    struct err err = {0};
    assert_int_equal(setenv("SUDO_UID", "0", 1), 0);

    bool chosen = run_user_choose("", "", &user, &err);

    (void)unsetenv("SUDO_UID");
    assert_true(chosen);
    assert_int_not_equal(user.uid, 0);
}

static void root_goes_on_as_the_user_whose_data_it_finds(void **state) {
    (void)state;
    need_root();
    struct run_user user = {0};
    struct err err = {0};
    (void)unsetenv("SUDO_UID");
    assert_int_equal(chown(folder, 4242, 4242), 0);

    assert_true(run_user_choose("", folder, &user, &err));

    assert_int_equal(user.uid, 4242);
    assert_true(run_user_choose("nobody", folder, &user, &err));
    assert_int_not_equal(user.uid, 4242);
}

static void roots_own_folder_does_not_make_it_run_as_root(void **state) {
    (void)state;
    need_root();
    struct run_user user = {0};
    struct err err = {0};
    (void)unsetenv("SUDO_UID");

    assert_true(run_user_choose("", folder, &user, &err));

    assert_int_not_equal(user.uid, 0);
}

static int check_choice_of_others(void) {
    struct run_user user = {0};
    struct err err = {0};
    if (!run_user_choose("", "", &user, &err) || user.uid != geteuid()) {
        return 1;
    }
    return !run_user_choose("daemon", "", &user, &err) && strcmp(err.code, "not_root") == 0 ? 0 : 2;
}

static void who_is_not_root_stays_who_he_is(void **state) {
    (void)state;
    need_root();
    assert_int_equal(as_nobody(check_choice_of_others), 0);
}

static int check_rights(void) {
    if (getuid() == 0 || geteuid() == 0 || getgid() == 0 || getegid() == 0) {
        return 1;
    }
    if (setuid(0) == 0 || setgid(0) == 0 || getgroups(0, NULL) != 0) {
        return 2;
    }
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : 3;
}

static void the_rights_are_gone_for_good(void **state) {
    (void)state;
    need_root();
    assert_int_equal(as_nobody(check_rights), 0);
}

static int check_death_signal(void) {
    int sent = 0;
    return prctl(PR_GET_PDEATHSIG, &sent) == 0 && sent == SIGTERM ? 0 : 1;
}

static void the_parents_death_is_still_noticed(void **state) {
    (void)state;
    need_root();
    struct run_user user = {0};
    struct err err = {0};
    assert_true(run_user_choose("nobody", "", &user, &err));
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
        _exit(run_user_become(&user, &err) ? check_death_signal() : 100);
    }
    int status = 1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void a_folder_is_made_for_the_user_alone(void **state) {
    (void)state;
    struct run_user user = {0};
    struct err err = {0};
    struct stat info;
    char path[128];
    (void)snprintf(path, sizeof path, "%s/a/b", folder);
    assert_true(run_user_choose(geteuid() == 0 ? "nobody" : "", "", &user, &err));
    assert_int_equal(chmod(folder, 0755), 0);
    if (geteuid() == 0) { /* the folder between is root's: open it */
        (void)snprintf(path, sizeof path, "%s/b", folder);
    }

    if (!run_user_own_folder(&user, path, &err)) {
        fail_msg("%s", err.text);
    }

    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_uid, user.uid);
    assert_int_equal(info.st_mode & 0777, 0700);
}

static void a_folder_behind_a_closed_one_is_refused_with_advice(void **state) {
    (void)state;
    need_root();
    struct run_user user = {0};
    struct err err = {0};
    char path[128];
    (void)snprintf(path, sizeof path, "%s/data", folder);
    assert_true(run_user_choose("nobody", "", &user, &err));
    assert_int_equal(chmod(folder, 0700), 0); /* root's own */

    assert_false(run_user_own_folder(&user, path, &err));

    assert_string_equal(err.code, "unreachable_folder");
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "--data"));
}

static void another_users_data_is_refused_with_both_ways_out(void **state) {
    (void)state;
    need_root();
    struct run_user user = {0};
    struct err err = {0};
    struct stat info;
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(chown(folder, 1, 1), 0);
    assert_true(run_user_choose("nobody", "", &user, &err));

    assert_false(run_user_own_folder(&user, folder, &err));

    assert_string_equal(err.code, "foreign_folder");
    assert_non_null(strstr(err.text, "--user"));
    assert_non_null(strstr(err.text, "chown -R nobody"));
    assert_int_equal(stat(folder, &info), 0);
    assert_int_equal(info.st_uid, 1);
}

static void the_owner_of_a_file_is_found(void **state) {
    (void)state;
    need_root();
    struct run_user user = {0};
    struct err err = {0};
    char path[128];
    (void)snprintf(path, sizeof path, "%s/file", folder);
    assert_true(file_save_atomic(path, STR("x"), 0600, &err));
    assert_int_equal(chown(path, 1, 2), 0);

    assert_true(run_user_of_file(path, &user, &err));

    assert_int_equal(user.uid, 1);
    assert_int_equal(user.gid, 2);
    assert_false(run_user_of_file("/no/such/file", &user, &err));
    assert_string_equal(err.code, "no_file");
}

static int set_up(void **state) {
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/assize-user-XXXXXX");
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int tear_down(void **state) {
    (void)state;
    struct err err = {0};
    return file_remove_tree(folder, &err) ? 0 : -1;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_name_that_nobody_has_is_refused),
        TEST(root_is_refused),
        TEST(root_falls_back_to_an_unprivileged_user),
        TEST(who_called_sudo_is_whom_it_runs_as),
        TEST(sudo_by_root_itself_is_no_reason_to_stay_root),
        TEST(root_goes_on_as_the_user_whose_data_it_finds),
        TEST(roots_own_folder_does_not_make_it_run_as_root),
        TEST(who_is_not_root_stays_who_he_is),
        TEST(the_rights_are_gone_for_good),
        TEST(the_parents_death_is_still_noticed),
        TEST(a_folder_is_made_for_the_user_alone),
        TEST(a_folder_behind_a_closed_one_is_refused_with_advice),
        TEST(another_users_data_is_refused_with_both_ways_out),
        TEST(the_owner_of_a_file_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
