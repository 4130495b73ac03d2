/* Several answer files as one text. */
#include "domain/answer_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void files_come_back_as_they_were_added(void **state) {
    (void)state;
    static const char *const contents[] = {"1 2\n3\n", "", "\n\n", "no newline",
                                           "=== \n ===\n===\n"};
    static const char *const read[] = {"1 2\n3\n", "", "\n\n", "no newline\n", "=== \n ===\n===\n"};
    own_buf text;
    struct err err = {0};
    struct str name = {0};
    struct str content = {0};
    buf_init(&text, 1000);
    for (size_t i = 0; i < 5; i++) {
        assert_true(answer_files_add(&text, STR("a b.out"), str_from(contents[i]), &err));
    }

    struct str rest = buf_str(&text);
    assert_true(answer_files_are_several(rest));
    for (size_t i = 0; i < 5; i++) {
        assert_true(answer_files_next(&rest, &name, &content));
        assert_true(str_eq_c(name, "a b.out"));
        if (!str_eq_c(content, read[i])) {
            fail_msg("%zu: " STR_FMT, i, STR_ARG(content));
        }
    }
    assert_false(answer_files_next(&rest, &name, &content));
}

static void what_would_be_read_otherwise_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *name, *content;
    } rows[] = {
        {"", "1"},
        {"a\nb", "1"},
        {"a\r", "1"},
        {"a", "=== b ===\n"},
        {"a", "1\n=== b ===\n"},
        {"a", "1\n=== b ===\r\n"},
        {"a", "1\n=== b ==="},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        own_buf text;
        struct err err = {0};
        buf_init(&text, 1000);

        assert_false(
            answer_files_add(&text, str_from(rows[i].name), str_from(rows[i].content), &err));

        assert_string_equal(err.code, "bad_answers");
    }
}

static void other_texts_are_one_file(void **state) {
    (void)state;
    static const char *const texts[] = {"", "1\n=== a ===\n", "===  ===\n", "=== a ==\n",
                                        "print(1)"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_false(answer_files_are_several(str_from(texts[i])));
    }
    assert_true(answer_files_are_several(STR("=== a ===")));
    assert_true(answer_files_are_several(STR("=== a ===\r\n1\r\n")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_come_back_as_they_were_added),
        cmocka_unit_test(what_would_be_read_otherwise_is_refused),
        cmocka_unit_test(other_texts_are_one_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
