/* The language of checkers that are scripts: its two shell lines, run here by hand. What the box
 * makes of them is tested in tests/judge. */
#include "base/file.h"
#include "judge/checker_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs a command of the language in `folder` and returns its exit status. */
static int run_in(const char *folder, const char *const *argv, const char *argument) {
    pid_t child = fork();
    if (child == 0) {
        char *words[16] = {0};
        size_t count = 0;
        for (; argv[count] != NULL; count++) {
            words[count] = strdup(argv[count]);
        }
        words[count] = argument == NULL ? NULL : strdup(argument);
        if (chdir(folder) == 0) {
            (void)execv(words[0], words);
        }
        _exit(99);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void put(const char *folder, const char *name, const char *text) {
    char path[128];
    struct err err = {0};
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_true(file_save_atomic(path, str_from(text), 0755, &err));
    assert_int_equal(chmod(path, 0755), 0);
}

static void move_archive(const char *from, const char *to) {
    char old[128];
    char new[128];
    (void)snprintf(old, sizeof old, "%s/built.tar", from);
    (void)snprintf(new, sizeof new, "%s/built.tar", to);
    assert_int_equal(rename(old, new), 0);
}

static int make_folders(void **state) {
    static char folders[2][32];
    for (int i = 0; i < 2; i++) {
        (void)snprintf(folders[i], sizeof folders[i], "/tmp/assize-script-XXXXXX");
        if (mkdtemp(folders[i]) == NULL) {
            return -1;
        }
    }
    *state = folders;
    return 0;
}

static int remove_folders(void **state) {
    char(*folders)[32] = *state;
    struct err err = {0};
    return file_remove_tree(folders[0], &err) && file_remove_tree(folders[1], &err) ? 0 : -1;
}

static void what_build_makes_stands_beside_run(void **state) {
    char(*folders)[32] = *state;
    const struct language *script = checker_script_language();
    put(folders[0], "build", "#!/bin/sh\nmkdir made && echo 42 > made/number\n");
    put(folders[0], "run", "#!/bin/sh\n[ \"$1\" = input ] && exit \"$(cat made/number)\"\n");

    assert_int_equal(run_in(folders[0], script->compile.argv, NULL), 0);
    move_archive(folders[0], folders[1]);

    assert_int_equal(run_in(folders[1], script->run.argv, "input"), 42);
}

static void without_build_run_is_enough(void **state) {
    char(*folders)[32] = *state;
    const struct language *script = checker_script_language();
    put(folders[0], "run", "#!/bin/sh\nexit 43\n");

    assert_int_equal(run_in(folders[0], script->compile.argv, NULL), 0);
    move_archive(folders[0], folders[1]);

    assert_int_equal(run_in(folders[1], script->run.argv, NULL), 43);
}

static void a_failing_build_fails(void **state) {
    char(*folders)[32] = *state;
    put(folders[0], "build", "#!/bin/sh\nexit 7\n");

    assert_int_not_equal(run_in(folders[0], checker_script_language()->compile.argv, NULL), 0);
}

static void every_file_is_a_source(void **state) {
    (void)state;
    const struct language *script = checker_script_language();
    assert_true(language_owns_file(script, STR("build")));
    assert_true(language_owns_file(script, STR("lib/x.py")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_build_makes_stands_beside_run, make_folders,
                                        remove_folders),
        cmocka_unit_test_setup_teardown(without_build_run_is_enough, make_folders, remove_folders),
        cmocka_unit_test_setup_teardown(a_failing_build_fails, make_folders, remove_folders),
        cmocka_unit_test(every_file_is_a_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
