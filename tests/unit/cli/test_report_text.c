/* The report of an import, for people. */
#include "cli/report_text.h"

#include "../main/capture.h"

static void notes_have_their_place(void **state) {
    (void)state;
    own(json) report = NULL;
    struct err err = {0};
    struct capture capture;
    assert_true(jr_parse(STR("{\"read\":[\"a\",\"b\"],\"guessed\":[{\"text\":\"g\",\"file\":null,"
                             "\"line\":null}],\"dropped\":[],\"warnings\":[{\"text\":\"w\","
                             "\"file\":\"f\",\"line\":3}],\"refused\":[]}"),
                         &report, &err));
    capture_begin(&capture);

    report_text_print(report);

    capture_end(&capture);
    assert_string_equal(capture.text,
                        "  warning: f:3: w\n  guessed: g\n  read: 2 files and parts\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_have_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
