/* A zip of answer files as one text. */
#include "fixture.h"
#include "package/answers.h"

#include <sys/mman.h>

static bool read_zip(const struct zip_entry *rows, size_t count, struct arena *arena,
                     struct str *ret_text, struct err *err) {
    own_fd fd = zip_of(rows, count);
    return package_answers_read(fd, arena, ret_text, err);
}

static void files_and_folders_become_one_text(void **state) {
    (void)state;
    own(arena) arena = arena_create(4 * MIB);
    const struct zip_entry rows[] = {{.name = "group1/02.out", .content = "2\n"},
                                     {.name = "1.out", .content = "1"},
                                     {.name = "__MACOSX/1.out", .content = "x"}};
    struct str text = {0};
    struct err err = {0};

    assert_true(read_zip(rows, 3, arena, &text, &err));

    assert_true(str_eq_c(text, "=== 1.out ===\n1\n=== group1_02.out ===\n2\n"));
}

static void one_folder_around_all_is_taken_off(void **state) {
    (void)state;
    own(arena) arena = arena_create(4 * MIB);
    const struct zip_entry rows[] = {{.name = "my answers/1.out", .content = "1\n"},
                                     {.name = "my answers/group1/02.out", .content = "2\n"}};
    struct str text = {0};
    struct err err = {0};

    assert_true(read_zip(rows, 2, arena, &text, &err));

    assert_true(str_eq_c(text, "=== 1.out ===\n1\n=== group1_02.out ===\n2\n"));
}

static void a_zip_that_unpacks_to_much_is_refused_before_it_has(void **state) {
    (void)state;
    own(arena) arena = arena_create(4 * MIB);
    struct zip_entry rows[4];
    char *half = arena_array(arena, SOURCE_BYTES_MAX, 1);
    memset(half, 'a', SOURCE_BYTES_MAX - 1);
    for (int i = 0; i < 4; i++) { /* each would do by itself; none of it is kept */
        rows[i] =
            (struct zip_entry){.name = arena_printf(arena, "__MACOSX/%d.out", i), .content = half};
    }
    rows[0].name = "0.out";
    rows[1].name = "1.out";
    rows[2].name = "2.out";
    struct str text = {0};
    struct err err = {0};

    assert_false(read_zip(rows, 4, arena, &text, &err));

    assert_int_equal(err.kind, ERR_TOO_LARGE);
    assert_non_null(strstr(err.text, "2.out: the zip unpacks to far more"));
}

static void a_file_that_is_no_zip_is_refused(void **state) {
    (void)state;
    own(arena) arena = arena_create(1 * MIB);
    own_fd fd = memfd_create("xml", MFD_CLOEXEC);
    struct str text = {0};
    struct err err = {0};
    assert_true(file_write_all(fd, STR("<fps></fps>"), &err));

    assert_false(package_answers_read(fd, arena, &text, &err));

    assert_non_null(strstr(err.text, "no zip"));
}

static void what_is_not_safe_or_no_text_is_refused(void **state) {
    (void)state;
    own(arena) arena = arena_create(4 * MIB);
    char *large = arena_array(arena, SOURCE_BYTES_MAX + 2, 1);
    memset(large, 'a', SOURCE_BYTES_MAX + 1);
    const struct {
        struct zip_entry entry;
        const char *says;
    } rows[] = {
        {{.name = "../1.out", .content = "1"}, "../1.out"},
        {{.name = "/etc/1.out", .content = "1"}, "/etc/1.out"},
        {{.name = "1.out", .content = "\xff\xfe"}, "UTF-8"},
        {{.name = "1.out", .content = large}, "1.out"},
        {{.name = "1.out", .content = "1\n=== 2.out ===\n"}, "reads as the beginning"},
        {{.name = "__MACOSX/1.out", .content = "1"}, "1 to 100 files"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct str text = {0};
        struct err err = {0};

        bool good = read_zip(&rows[i].entry, 1, arena, &text, &err);

        if (good || strstr(err.text, rows[i].says) == NULL) {
            fail_msg("row %zu: %s", i, good ? "read" : err.text);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_and_folders_become_one_text),
        cmocka_unit_test(one_folder_around_all_is_taken_off),
        cmocka_unit_test(a_zip_that_unpacks_to_much_is_refused_before_it_has),
        cmocka_unit_test(a_file_that_is_no_zip_is_refused),
        cmocka_unit_test(what_is_not_safe_or_no_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
