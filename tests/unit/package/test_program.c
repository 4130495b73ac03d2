/* Which files are one program, and in which language. */
#include "fixture.h"

#include "package/reader_internal.h"

#define FILES_MAX 5

struct row {
    const char *files[FILES_MAX]; /* below output_validators/ */
    const char *language, *entry; /* NULL: refused */
    int32_t count;
    const char *message;
};

static void check_row(const struct row *row, const char *yaml, const char *folder) {
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "problem.yaml", yaml);
    for (int i = 0; i < FILES_MAX && row->files[i] != NULL; i++) {
        fixture_put(&f, arena_printf(f.arena, "%s/%s", folder, row->files[i]), row->files[i]);
    }
    if (row->language == NULL) {
        fixture_must_refuse(&f, "bad_package", row->message);
        fixture_done(&f);
        return;
    }
    fixture_must_read(&f);
    const struct manifest_program *program = &f.problem.manifest.checker.program;
    assert_true(str_eq_c(program->language, row->language));
    assert_true(str_eq_c(program->entry, row->entry));
    assert_int_equal(program->file_count, row->count);
    fixture_done(&f);
}

static void a_folder_for_several_programs_holds_one(void **state) {
    (void)state;
    const struct row rows[] = {
        {{"check.cpp"}, "cpp", "check.cpp", 1, NULL},
        {{"check.py"}, "python3", "check.py", 1, NULL},
        {{"check.cpp", "check.h"}, "cpp", "check.cpp", 2, NULL},
        {{"mine/a.cpp", "mine/b.cc", "mine/c.h"}, "cpp", "", 3, NULL},
        {{"mine/main.cpp", "mine/b.c"}, "cpp", "main.cpp", 2, NULL},
        {{"mine/a.c", "mine/sub/b.c"}, "c", "", 2, NULL},
        {{"mine/__main__.py", "mine/helper.py"}, "python3", "__main__.py", 2, NULL},
        {{"mine/build", "mine/check.cpp", "mine/run"}, "script", "build", 3, NULL},
        {{"README.md", "mine/a.cpp"}, "cpp", "a.cpp", 1, NULL},
        {{"a.cpp", "b.cpp"}, NULL, NULL, 0, "it holds several programs"},
        {{"one/a.cpp", "two/a.cpp"}, NULL, NULL, 0, "it holds several programs"},
        {{"mine/a.py", "mine/b.py"}, NULL, NULL, 0, "several Python files need one called"},
        {{"mine/a.py", "mine/b.cpp"}, NULL, NULL, 0, "sources in several languages"},
        {{"README.md"}, NULL, NULL, 0, "there is no program in it that is known"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        check_row(&rows[i], "name: x\nvalidation: custom\n", "output_validators");
    }
}

static void a_folder_for_one_program_is_taken_whole(void **state) {
    (void)state;
    const struct row rows[] = {
        {{"a.cpp", "b.cpp"}, "cpp", "", 2, NULL},
        {{"main.py", "sub/helper.py"}, "python3", "main.py", 2, NULL},
        {{"run"}, "script", "run", 1, NULL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        check_row(&rows[i], "name: x\nproblem_format_version: 2025-09\n", "output_validator");
    }
}

static void extensions_tell_the_language(void **state) {
    (void)state;
    assert_true(str_eq_c(program_language(STR("a.C")), "cpp"));
    assert_true(str_eq_c(program_language(STR("a.c")), "c"));
    assert_true(str_eq_c(program_language(STR("x/a.tar.py")), "python3"));
    assert_int_equal(program_language(STR("a.h")).len, 0);
    assert_int_equal(program_language(STR("cpp")).len, 0);
}

static void files_of_a_program_are_kept_byte_by_byte(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "problem.yaml", "name: x\nvalidation: custom\n");
    fixture_put(&f, "output_validators/check.py", "print()\r\n");

    fixture_must_read(&f);

    const struct manifest_program *program = &f.problem.manifest.checker.program;
    assert_true(str_eq_c(fixture_content(&f, &program->files[0].blob), "print()\r\n"));
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_for_several_programs_holds_one),
        cmocka_unit_test(a_folder_for_one_program_is_taken_whole),
        cmocka_unit_test(extensions_tell_the_language),
        cmocka_unit_test(files_of_a_program_are_kept_byte_by_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
