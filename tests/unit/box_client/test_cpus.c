#include "box_client/cpus.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static int usable(void) {
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
    return CPU_COUNT(&set);
}

static void each_slot_gets_a_processor_of_its_own(void **state) {
    (void)state;
    struct err err = {0};
    int32_t cpus[BOX_SLOTS_MAX] = {0};
    int count = usable() < BOX_SLOTS_MAX ? usable() : BOX_SLOTS_MAX;
    const struct box_options options = {.slots = count, .pin = true};

    assert_true(cpus_choose(&options, cpus, &err));

    for (int i = 1; i < count; i++) {
        assert_true(cpus[i] > cpus[i - 1]);
    }
}

static void more_slots_than_processors_are_refused(void **state) {
    (void)state;
    struct err err = {0};
    int32_t cpus[CPU_SETSIZE + 1];
    const struct box_options options = {.slots = usable() + 1, .pin = true, .idle_siblings = true};

    assert_false(cpus_choose(&options, cpus, &err));

    assert_int_equal(err.kind, ERR_INVALID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_slot_gets_a_processor_of_its_own),
        cmocka_unit_test(more_slots_than_processors_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
