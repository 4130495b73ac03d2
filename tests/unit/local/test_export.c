/* Exporting and importing gives the same manifest, for every fixture. */
#include "local/export.h"

#include "base/file.h"
#include "package/outcome.h"
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void round_trip(const char *package, const char *folder) {
    char before[65];
    char after[65];
    struct err err = {0};
    own_loaded first = {.arena = NULL};
    own_loaded second = {.arena = NULL};
    if (!loaded_open(&first, package, &err) || !export_folder(&first, folder, &err) ||
        !loaded_open(&second, folder, &err)) {
        fail_msg("%s: %s", package, err.text);
    }
    assert_true(package_manifest_id(&first.problem, before, &err));
    assert_true(package_manifest_id(&second.problem, after, &err));
    assert_string_equal(before, after);
    assert_int_equal(first.problem.submission_count, second.problem.submission_count);
    assert_int_equal(first.problem.statement_count, second.problem.statement_count);
}

static void every_fixture_keeps_its_manifest(void **state) {
    (void)state;
    char root[512];
    char folder[] = "/tmp/assize-export-XXXXXX";
    struct err err = {0};
    int count = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(root, sizeof(root), "%s/tests/fixtures/problems", getenv("ASSIZE_SOURCE_ROOT"));
    DIR *dir = opendir(root);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        char package[1024];
        char target[1024];
        if (entry->d_name[0] == '.') {
            continue;
        }
        snprintf(package, sizeof(package), "%s/%s", root, entry->d_name);
        snprintf(target, sizeof(target), "%s/%s", folder, entry->d_name);
        round_trip(package, target);
        count++;
    }
    closedir(dir);
    assert_true(count >= 4);
    assert_true(file_remove_tree(folder, &err));
}

static void a_folder_that_is_there_is_not_written_into(void **state) {
    (void)state;
    char package[512];
    struct err err = {0};
    own_loaded loaded = {.arena = NULL};
    snprintf(package, sizeof(package), "%s/tests/fixtures/problems/gap",
             getenv("ASSIZE_SOURCE_ROOT"));
    assert_true(loaded_open(&loaded, package, &err));

    assert_false(export_folder(&loaded, "/tmp", &err));

    assert_int_equal(err.kind, ERR_CONFLICT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fixture_keeps_its_manifest),
        cmocka_unit_test(a_folder_that_is_there_is_not_written_into),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
