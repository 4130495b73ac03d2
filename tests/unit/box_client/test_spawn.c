#include "box_client/spawn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct box_setup setup;

static void the_setup_has_what_the_options_say(void **state) {
    (void)state;
    static const char *const roots[] = {"/opt/jdk", NULL};
    struct err err = {0};
    const struct box_options options = {.slots = 2,
                                        .cgroup_name = "name",
                                        .launcher_runs = 5,
                                        .memory_bytes = 1 << 30,
                                        .pids_max = 100,
                                        .cpu_weight = 20,
                                        .allowed_roots = roots};

    assert_true(spawn_setup(&options, &setup, &err));

    assert_int_equal(setup.slots, 2);
    assert_int_equal(setup.launcher_runs, 5);
    assert_int_equal(setup.caps.memory_bytes, 1 << 30);
    assert_int_equal(setup.caps.pids_max, 100);
    assert_int_equal(setup.caps.cpu_weight, 20);
    assert_string_equal(setup.cgroup, "name");
    assert_string_equal(setup.roots[0], "/usr");
    assert_string_equal(setup.roots[setup.root_count - 1], "/opt/jdk");
    assert_int_equal(setup.pinned, 0);
    assert_true(setup.first_id > 0);
}

static void what_is_not_said_has_a_usual_value(void **state) {
    (void)state;
    struct err err = {0};
    const struct box_options options = {.slots = 1};

    assert_true(spawn_setup(&options, &setup, &err));

    assert_string_equal(setup.cgroup, "assize");
    assert_int_equal(setup.launcher_runs, 1000);
}

static void wrong_options_are_refused(void **state) {
    (void)state;
    static const char *const relative[] = {"opt", NULL};
    static char long_name[100];
    memset(long_name, 'a', sizeof(long_name) - 1);
    const struct box_options wrong[] = {
        {.slots = 0},
        {.slots = BOX_SLOTS_MAX + 1},
        {.slots = 1, .cgroup_name = "a/b"},
        {.slots = 1, .cgroup_name = ""},
        {.slots = 1, .cgroup_name = ".."},
        {.slots = 1, .cgroup_name = long_name},
        {.slots = 1, .launcher_runs = -1},
        {.slots = 1, .cpu_weight = -1},
        {.slots = 1, .cpu_weight = 10001},
        {.slots = 1, .memory_bytes = -1},
        {.slots = 1, .pids_max = -1},
        {.slots = 1, .allowed_roots = relative},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct err err = {0};

        if (spawn_setup(&wrong[i], &setup, &err)) {
            fail_msg("row %zu was not refused", i);
        }

        assert_int_equal(err.kind, ERR_INVALID);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_setup_has_what_the_options_say),
        cmocka_unit_test(what_is_not_said_has_a_usual_value),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
