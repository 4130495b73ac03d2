/* assize submit FILE */
#include "canned_server.h"
#include "cli/commands.h"

static char folder[64];
static char file[128];

static int set_up(void **state) {
    struct err err = {0};
    (void)snprintf(folder, sizeof folder, "/tmp/assize-submit-XXXXXX");
    assert_non_null(mkdtemp(folder));
    (void)snprintf(file, sizeof file, "%s/sum.cpp", folder);
    assert_true(file_save_atomic(file, STR("int main() { \"x\"; }\n"), 0600, &err));
    (void)canned_open(state);
    canned_add(HTTP_GET, "/api/v1/languages", 200,
               "{\"items\":[{\"id\":\"c\",\"extensions\":[\".c\"]},"
               "{\"id\":\"cpp\",\"extensions\":[\".cpp\",\".cc\"]}],\"next\":null}");
    canned_add(HTTP_GET, "/api/v1/problems", 200,
               "{\"items\":[{\"id\":4,\"code\":\"sums\"},{\"id\":5,\"code\":\"sum\"}],"
               "\"next\":null}");
    canned_add(HTTP_POST, "/api/v1/submissions", 201, "{\"id\":9}");
    canned_add(HTTP_GET, "/api/v1/submissions/9", 200,
               "{\"id\":9,\"problemCode\":\"sum\",\"language\":\"cpp\",\"state\":\"DONE\","
               "\"verdict\":\"ACCEPTED\",\"cases\":[]}");
    return 0;
}

static int tear_down(void **state) {
    struct err err = {0};
    (void)canned_close(state);
    return file_remove_tree(folder, &err) ? 0 : -1;
}

static const struct asked *the_post(void) {
    for (int i = 0; i < canned.asked_count; i++) {
        if (strcmp(canned.asked[i].path, "/api/v1/submissions") == 0) {
            return &canned.asked[i];
        }
    }
    fail_msg("nothing was submitted");
    return NULL;
}

static void file_name_and_ending_name_problem_and_language(void **state) {
    (void)state;

    assert_int_equal(RUN(command_submit, file), EXIT_STATUS_OK);

    assert_string_equal(the_post()->body, "{\"problemId\":5,\"language\":\"cpp\",\"source\":"
                                          "\"int main() { \\\"x\\\"; }\\n\"}");
    assert_int_equal(strlen(the_post()->key), 32);
    said("submission 9 received\n");
    said("submission 9 of sum in cpp: ACCEPTED\n");
}

static void flags_beat_what_the_file_is_called(void **state) {
    (void)state;

    assert_int_equal(
        RUN(command_submit, "--problem", "12", "--language=python3", file, "--no-wait"),
        EXIT_STATUS_OK);

    assert_non_null(strstr(the_post()->body, "\"problemId\":12,"));
    assert_non_null(strstr(the_post()->body, "\"language\":\"python3\""));
    assert_null(strstr(canned.said.text, "ACCEPTED")); /* did not wait */
}

static void each_attempt_has_a_key_of_its_own(void **state) {
    (void)state;
    char first[80];
    (void)RUN(command_submit, file, "--no-wait");
    (void)snprintf(first, sizeof first, "%s", the_post()->key);
    canned.asked_count = 0;

    (void)RUN(command_submit, file, "--no-wait");

    assert_string_not_equal(the_post()->key, first);
}

static void what_cannot_be_found_is_told_before_anything_is_sent(void **state) {
    (void)state;
    char odd[160];
    struct err err = {0};
    (void)snprintf(odd, sizeof odd, "%s/sum.zig", folder);
    assert_true(file_save_atomic(odd, STR("x"), 0600, &err));
    static const struct {
        const char *flag, *value, *says;
        bool odd_file;
    } rows[] = {{"--problem", "nothing", "there is no problem \"nothing\"", false},
                {"--problem", "sum", "say --language", true}};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(
            RUN(command_submit, rows[i].flag, rows[i].value, rows[i].odd_file ? odd : file),
            EXIT_STATUS_NEGATIVE);
        said(rows[i].says);
    }
    for (int i = 0; i < canned.asked_count; i++) {
        assert_string_not_equal(canned.asked[i].path, "/api/v1/submissions");
    }
}

static void a_file_that_is_missing_or_too_long_is_told(void **state) {
    (void)state;
    struct err err = {0};
    char big[160];
    char *text = calloc(1, SOURCE_BYTES_MAX + 2);
    memset(text, 'x', SOURCE_BYTES_MAX + 1);
    (void)snprintf(big, sizeof big, "%s/sum.c", folder);
    assert_true(file_save_atomic(big, str_from(text), 0600, &err));
    free(text);

    assert_int_equal(RUN(command_submit, "/no/such/file.cpp"), EXIT_STATUS_NEGATIVE);
    said("/no/such/file.cpp");
    assert_int_equal(RUN(command_submit, big), EXIT_STATUS_NEGATIVE);
    said("sum.c");
}

static void exactly_one_file_is_wanted(void **state) {
    (void)state;
    assert_int_equal(RUN(command_submit, NULL), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_submit, "a.c", "b.c"), EXIT_STATUS_USAGE);
    said("name one file");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(file_name_and_ending_name_problem_and_language),
        TEST(flags_beat_what_the_file_is_called),
        TEST(each_attempt_has_a_key_of_its_own),
        TEST(what_cannot_be_found_is_told_before_anything_is_sent),
        TEST(a_file_that_is_missing_or_too_long_is_told),
        TEST(exactly_one_file_is_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
