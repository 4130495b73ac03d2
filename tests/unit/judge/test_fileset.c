/* The files of a run. */
#include "base/file.h"
#include "base/limits.h"
#include "judge/fileset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct fileset_options plain;

static void files_are_added_with_their_marks_and_sizes(void **state) {
    (void)state;
    own(arena) arena = arena_create(64 * KIB);
    own_fileset set = {.count = 0};
    struct err err = {0};
    int64_t bytes = 0;

    assert_true(fileset_add_text(&set, arena, STR("run"), STR("abc"),
                                 (struct fileset_options){.executable = true}, &err));
    assert_true(fileset_add_text(&set, arena, STR("data/x"), STR("12345"),
                                 (struct fileset_options){.writable = true}, &err));

    assert_int_equal(set.count, 2);
    assert_true(set.files[0].executable && !set.files[0].writable);
    assert_true(!set.files[1].executable && set.files[1].writable);
    assert_string_equal(set.files[1].name, "data/x");
    assert_true(fileset_bytes(&set, &bytes, &err));
    assert_int_equal(bytes, 8);
}

static void a_second_file_of_a_name_is_refused_or_wins(void **state) {
    (void)state;
    own(arena) arena = arena_create(64 * KIB);
    own_fileset set = {.count = 0};
    struct err err = {0};
    char content[4] = "";
    assert_true(fileset_add_text(&set, arena, STR("a"), STR("old"), plain, &err));

    assert_false(fileset_add_text(&set, arena, STR("a"), STR("new"), plain, &err));
    assert_string_equal(err.code, "double_file");
    assert_true(fileset_add_text(&set, arena, STR("a"), STR("new"),
                                 (struct fileset_options){.replace = true}, &err));

    assert_int_equal(set.count, 1);
    assert_int_equal(pread(set.files[0].fd, content, 3, 0), 3);
    assert_string_equal(content, "new");
}

static void a_refused_descriptor_stays_with_its_owner(void **state) {
    (void)state;
    own(arena) arena = arena_create(64 * KIB);
    own_fileset set = {.count = 0};
    own_fd fd = -1;
    struct err err = {0};
    char name[16];
    for (int i = 0; i < BOX_FILES_MAX; i++) {
        (void)snprintf(name, sizeof name, "f%d", i);
        assert_true(fileset_add_text(&set, arena, str_from(name), STR(""), plain, &err));
    }
    assert_true(file_memory("test", STR("x"), false, &fd, &err));

    assert_false(fileset_add(&set, arena, STR("one more"), &fd, plain, &err));

    assert_string_equal(err.code, "too_many_files");
    assert_true(fd >= 0);
    assert_int_equal(set.count, BOX_FILES_MAX);
}

static void a_copy_lives_on_its_own(void **state) {
    (void)state;
    own(arena) arena = arena_create(64 * KIB);
    struct fileset first = {.count = 0};
    own_fileset second = {.count = 0};
    struct err err = {0};
    char content[4] = "";
    assert_true(fileset_add_text(&first, arena, STR("a"), STR("abc"),
                                 (struct fileset_options){.executable = true}, &err));

    assert_true(fileset_copy(&second, arena, &first, &err));
    fileset_done(&first);

    assert_int_equal(first.count, 0);
    assert_true(second.files[0].executable);
    assert_int_equal(pread(second.files[0].fd, content, 3, 0), 3);
    assert_string_equal(content, "abc");
    fileset_done(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_added_with_their_marks_and_sizes),
        cmocka_unit_test(a_second_file_of_a_name_is_refused_or_wins),
        cmocka_unit_test(a_refused_descriptor_stays_with_its_owner),
        cmocka_unit_test(a_copy_lives_on_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
