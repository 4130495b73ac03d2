/* Which file of a submission answers which case. */
#include "judge/answers.h"

#include "base/buf.h"
#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct manifest_case cases[] = {
    {.name = STR("sample/1")},
    {.name = STR("secret/group1/02")},
    {.name = STR("secret/group2/02")},
    {.name = STR("secret/10")},
};

static struct str found(const char *const *names, size_t count, int32_t cases_count,
                        int32_t index) {
    struct judge_source sources[8];
    struct manifest manifest = {.cases = cases, .case_count = cases_count};
    for (size_t i = 0; i < count; i++) {
        sources[i] = (struct judge_source){.name = str_from(names[i])};
    }
    struct judge_request request = {
        .manifest = &manifest, .sources = sources, .source_count = count};
    const struct judge_source *source = answers_find(&request, index);
    return source == NULL ? STR("none") : source->name;
}

static void a_file_belongs_to_the_case_whose_name_it_has(void **state) {
    (void)state;
    static const struct {
        const char *names[4];
        int32_t index;
        const char *found;
    } rows[] = {
        {{"1.out", "10.out"}, 0, "1.out"},
        {{"1.out", "10.out"}, 3, "10.out"},
        {{"10.out"}, 0, "none"}, /* the end of a name is not the name */
        {{"0.out"}, 3, "none"},
        {{"02.txt"}, 1, "02.txt"},
        {{"02.txt", "group1_02.ans"}, 1, "group1_02.ans"},
        {{"02.txt", "group1/02"}, 1, "group1/02"},
        {{"02.txt", "group1_02.ans"}, 2, "02.txt"},
        {{"secret_group2_02.a", "group1_02"}, 2, "secret_group2_02.a"},
        {{"1.cpp"}, 0, "none"},
        {{"1.OUT"}, 0, "none"},
        {{".out"}, 0, "none"},
        {{""}, 0, "none"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t count = 0;
        while (rows[i].names[count] != NULL) {
            count++;
        }

        struct str name = found(rows[i].names, count, 4, rows[i].index);

        if (!str_eq_c(name, rows[i].found)) {
            fail_msg("row %zu: " STR_FMT, i, STR_ARG(name));
        }
    }
}

static void an_only_case_takes_an_only_file_of_any_name(void **state) {
    (void)state;
    static const char *const one[] = {"my answer.docx"};
    static const char *const two[] = {"a", "b"};

    assert_true(str_eq_c(found(one, 1, 1, 0), "my answer.docx"));
    assert_true(str_eq_c(found(two, 2, 1, 0), "none"));
    assert_true(str_eq_c(found(one, 1, 2, 0), "none"));
}

static void one_text_may_be_several_files(void **state) {
    (void)state;
    own(arena) arena = arena_create(MIB);
    struct judge_source source = {.text = STR("=== 1.out ===\n5\n=== 2.out ===\n6\n7")};
    struct judge_request request = {.sources = &source, .source_count = 1};
    struct judge_request opened = {.slot = 0};
    struct err err = {0};

    assert_true(answers_open(&request, arena, &opened, &err));

    assert_int_equal(opened.source_count, 2);
    assert_true(str_eq_c(opened.sources[0].name, "1.out"));
    assert_true(str_eq_c(opened.sources[0].text, "5\n"));
    assert_true(str_eq_c(opened.sources[1].text, "6\n7"));
    source.text = STR("5\n=== 2.out ===\n");
    assert_true(answers_open(&request, arena, &opened, &err));
    assert_int_equal(opened.source_count, 1);
}

static void there_are_not_too_many_files(void **state) {
    (void)state;
    own(arena) arena = arena_create(MIB);
    own_buf text;
    struct err err = {0};
    struct judge_request opened = {.slot = 0};
    buf_init(&text, MIB);
    for (int i = 0; i < SOURCE_FILES_MAX + 1; i++) {
        (void)buf_printf(&text, "=== %d ===\n", i);
    }
    struct judge_source source = {.text = buf_str(&text)};
    struct judge_request request = {.sources = &source, .source_count = 1};

    assert_false(answers_open(&request, arena, &opened, &err));
    assert_int_equal(err.kind, ERR_TOO_LARGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_belongs_to_the_case_whose_name_it_has),
        cmocka_unit_test(one_text_may_be_several_files),
        cmocka_unit_test(there_are_not_too_many_files),
        cmocka_unit_test(an_only_case_takes_an_only_file_of_any_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
