#include "box_filter/table.h"

#include "base/str.h"
#include <seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NAMES_MAX 1024

/* Newer than the library of the oldest system that is supported. */
static bool is_newer(const char *name) {
    static const char *const newer[] = {"fchmodat2",     "futex_wake",       "futex_wait",
                                        "futex_requeue", "map_shadow_stack", "mseal"};
    for (size_t i = 0; i < sizeof(newer) / sizeof(newer[0]); i++) {
        if (strcmp(newer[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static struct str seen[NAMES_MAX];
static unsigned seen_for[NAMES_MAX]; /* profiles */
static size_t seen_count;

static void check_name(struct str word, unsigned profiles) {
    char name[64];
    snprintf(name, sizeof(name), STR_FMT, STR_ARG(word));
    if (seccomp_syscall_resolve_name(name) == __NR_SCMP_ERROR && !is_newer(name)) {
        fail_msg("%s is no system call", name);
    }
    for (size_t i = 0; i < seen_count; i++) {
        if (str_eq(seen[i], word) && (seen_for[i] & profiles) != 0) {
            fail_msg("%s stands twice for one profile", name);
        }
    }
    assert_true(seen_count < NAMES_MAX);
    seen_for[seen_count] = profiles;
    seen[seen_count++] = word;
}

static void every_name_is_a_system_call_and_stands_once(void **state) {
    (void)state;
    for (size_t i = 0; i < filter_row_count; i++) {
        struct str rest = str_from(filter_rows[i].names);
        struct str word = STR("");
        while (str_next_word(&rest, &word)) {
            check_name(word, filter_rows[i].profiles);
        }
    }
    assert_true(seen_count > 200);
}

static void every_row_is_for_someone_and_every_check_has_conditions(void **state) {
    (void)state;
    for (size_t i = 0; i < filter_row_count; i++) {
        assert_true(filter_rows[i].profiles != 0);
        assert_true((filter_rows[i].profiles & ~FILTER_PROFILES_ALL) == 0);
        assert_true(filter_rows[i].action > FILTER_ENOSYS);
    }
    for (int action = FILTER_CLONE; action < FILTER_ACTION_COUNT; action++) {
        assert_true(filter_checks[action].count > 0);
        for (size_t i = 0; i < filter_checks[action].count; i++) {
            assert_true(filter_checks[action].conditions[i].argument < 6);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_a_system_call_and_stands_once),
        cmocka_unit_test(every_row_is_for_someone_and_every_check_has_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
