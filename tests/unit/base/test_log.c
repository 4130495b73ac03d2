#include "base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../aborts.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* What was logged into a fresh memory file since log_to. */
static int log_fd = -1;

static void log_to(enum log_level level, enum log_format format) {
    if (log_fd >= 0) {
        close(log_fd);
    }
    log_fd = memfd_create("log", MFD_CLOEXEC);
    log_setup(level, format, log_fd, "server");
}

static const char *logged(void) {
    static char text[40000];
    ssize_t got = pread(log_fd, text, sizeof(text) - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    return text;
}

static void an_event_is_one_json_line(void **state) {
    (void)state;
    log_to(LOG_INFO, LOG_FORMAT_JSON);
    struct err err = {0};
    (void)err_set_at(&err, ERR_BUSY, "full", 0, "x.c:1", "it is \"full\"");

    log_info("job.claimed", LOG_I64("job", 7), LOG_STR("node", "a\nb"), LOG_BOOL("warm", true),
             LOG_TEXT("part", STR("xy")), LOG_ERR(&err));

    const char *line = logged();
    assert_non_null(strstr(line, "{\"time\":\"20"));
    const char *rest = strstr(line, ",\"level\"");
    assert_non_null(rest);
    assert_string_equal(rest, ",\"level\":\"info\",\"role\":\"server\",\"event\":\"job.claimed\","
                              "\"job\":7,\"node\":\"a\\nb\",\"warm\":true,\"part\":\"xy\","
                              "\"error\":{\"kind\":\"busy\",\"code\":\"full\","
                              "\"text\":\"it is \\\"full\\\"\",\"where\":\"x.c:1\"}}\n");
}

static void levels_below_the_set_one_are_dropped(void **state) {
    (void)state;
    log_to(LOG_WARN, LOG_FORMAT_JSON);

    log_debug("a.b");
    log_info("a.b");
    assert_string_equal(logged(), "");

    log_warn("c.d");
    log_error("e.f");
    assert_non_null(strstr(logged(), "\"event\":\"c.d\""));
    assert_non_null(strstr(logged(), "\"level\":\"error\""));
}

static void text_format_is_for_people(void **state) {
    (void)state;
    log_to(LOG_DEBUG, LOG_FORMAT_TEXT);
    struct err err = {0};
    (void)err_set(&err, ERR_BUSY, "full", "no room");

    log_debug("node.started", LOG_I64("slots", 2), LOG_ERR(&err));

    assert_non_null(
        strstr(logged(), "Z debug server node.started slots=2 error=\"no room\" code=full\n"));
}

static void an_endless_text_is_cut_and_the_line_stays_json(void **state) {
    (void)state;
    log_to(LOG_INFO, LOG_FORMAT_JSON);
    static char text[30000];
    memset(text, 1, sizeof(text) - 1); /* each byte becomes six */

    log_info("a.b", LOG_STR("one", text), LOG_STR("two", text), LOG_I64("three", 3));

    const char *line = logged();
    assert_true(strlen(line) < 17000);
    assert_non_null(strstr(line, "\"one\":\""));
    assert_true(str_ends(str_from(line), STR("\",\"cut\":true}\n")));
    assert_null(strstr(line, "\"two\""));
}

static void logging_keeps_errno_and_survives_a_closed_file(void **state) {
    (void)state;
    log_setup(LOG_INFO, LOG_FORMAT_JSON, 9999, NULL);
    errno = 42;

    log_error("a.b");

    assert_int_equal(errno, 42);
}

static void levels_have_names(void **state) {
    (void)state;
    enum log_level level = LOG_ERROR;

    assert_true(log_level_parse(STR("debug"), &level));
    assert_int_equal(level, LOG_DEBUG);
    assert_false(log_level_parse(STR("loud"), &level));
    assert_false(log_level_parse(STR(""), &level));
    assert_int_equal(level, LOG_DEBUG);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_is_one_json_line),
        cmocka_unit_test(levels_below_the_set_one_are_dropped),
        cmocka_unit_test(text_format_is_for_people),
        cmocka_unit_test(an_endless_text_is_cut_and_the_line_stays_json),
        cmocka_unit_test(logging_keeps_errno_and_survives_a_closed_file),
        cmocka_unit_test(levels_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
