/* Messages between servers: read back as written, and anything else is dropped. */
#include "base/limits.h"
#include "wake/wake_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ME "0123456789abcdef"
#define OTHER "fedcba9876543210"

static void what_is_written_is_read_by_others_and_not_by_the_sender(void **state) {
    (void)state;
    own_buf text = {0};
    buf_init(&text, WAKE_TEXT_BYTES_MAX);
    struct wake_message message = {
        .topic = WAKE_PROGRESS, .id = 12, .count = 3, .body = STR("{\n\"case\":1}")};
    struct wake_message read = {0};

    wake_text_write(OTHER, &message, &text);

    assert_true(wake_text_read(buf_str(&text), ME, &read));
    assert_int_equal(read.topic, WAKE_PROGRESS);
    assert_int_equal(read.id, 12);
    assert_int_equal(read.count, 3);
    assert_true(str_eq(read.body, message.body));
    assert_false(wake_text_read(buf_str(&text), OTHER, &read));
}

static void anything_else_is_dropped(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "\n",
        "hello\n",
        "assize1 " OTHER " 1 2 3",   /* no end of line */
        "assize2 " OTHER " 1 2 3\n", /* another version */
        "assize1 short 1 2 3\n",
        "assize1 " OTHER " 0 2 3\n",  /* no topic */
        "assize1 " OTHER " 99 2 3\n", /* a topic of a later version */
        "assize1 " OTHER " 1 -2 3\n",
        "assize1 " OTHER " 1 9007199254740992 3\n", /* no id is as large */
        "assize1 " OTHER " 1 2 0\n",
        "assize1 " OTHER " 1 2\n",
        "assize1 " OTHER " 1 2 3 4\n",
        "assize1 " OTHER " 1 two 3\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct wake_message read = {.id = 77};
        assert_false(wake_text_read(str_from(texts[i]), ME, &read));
        assert_int_equal(read.id, 77);
    }
}

static void a_body_over_its_limit_is_dropped(void **state) {
    (void)state;
    static char text[WAKE_BODY_BYTES_MAX + 100];
    memset(text, 'x', sizeof text);
    int head = snprintf(text, 100, "assize1 " OTHER " 1 2 3\n");
    assert_true(head > 0);
    struct wake_message read = {0};

    assert_true(wake_text_read(str_of(text, (size_t)head + WAKE_BODY_BYTES_MAX), ME, &read));
    assert_false(wake_text_read(str_of(text, (size_t)head + WAKE_BODY_BYTES_MAX + 1), ME, &read));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_by_others_and_not_by_the_sender),
        cmocka_unit_test(anything_else_is_dropped),
        cmocka_unit_test(a_body_over_its_limit_is_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
