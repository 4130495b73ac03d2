/* Which files belong together, by their names. */
#include "package/hydro_internal.h"

#include "fixture.h"

static void pairs_are_found_in_each_family(void **state) {
    (void)state;
    static const struct {
        const char *input, *answer;
        int64_t group;
    } rows[] = {
        {"1.in", "1.out", 0},
        {"a2.in", "a2.ans", 0},
        {"x.in3", "x.ou3", 0},
        {"y.in4", "y.out4", 0},
        {"input5.txt", "output5.txt", 0},
        {"3-6.in", "3-6.out", 3},
        {"sub2-7.in", "sub2-7.ans", 2},
        {"8.in", "8.txt", 0},
        {"input9", "output9", 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        struct hydro_pair *pairs = NULL;
        size_t count = 0;
        fixture_init(&f);
        fixture_put(&f, arena_printf(f.arena, "d/%s", rows[i].input), "1");
        fixture_put(&f, arena_printf(f.arena, "d/%s", rows[i].answer), "2");
        assert_true(package_tree_open(f.folder, &f.tree, &f.err));
        hydro_pairs(f.tree, STR("d"), f.arena, &pairs, &count);
        assert_int_equal(count, 1);
        assert_non_null(pairs[0].answer);
        assert_true(str_ends(pairs[0].answer->name, str_from(rows[i].answer)));
        assert_int_equal(pairs[0].group, rows[i].group);
        fixture_done(&f);
    }
}

static void they_are_in_the_order_of_their_numbers(void **state) {
    (void)state;
    struct fixture f;
    struct hydro_pair *pairs = NULL;
    size_t count = 0;
    fixture_init(&f);
    for (int i = 1; i <= 11; i++) {
        fixture_put(&f, arena_printf(f.arena, "%d.in", i), "1");
        fixture_put(&f, arena_printf(f.arena, "%d.out", i), "2");
    }
    fixture_put(&f, "readme.txt", "no case");
    assert_true(package_tree_open(f.folder, &f.tree, &f.err));

    hydro_pairs(f.tree, STR(""), f.arena, &pairs, &count);

    assert_int_equal(count, 11);
    assert_true(str_eq_c(pairs[1].input->name, "2.in"));
    assert_true(str_eq_c(pairs[10].input->name, "11.in"));
    fixture_done(&f);
}

static void an_input_alone_is_told(void **state) {
    (void)state;
    struct fixture f;
    struct hydro_pair *pairs = NULL;
    size_t count = 0;
    fixture_init(&f);
    fixture_put(&f, "1.in", "1");
    assert_true(package_tree_open(f.folder, &f.tree, &f.err));

    hydro_pairs(f.tree, STR(""), f.arena, &pairs, &count);

    assert_int_equal(count, 1);
    assert_null(pairs[0].answer);
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_found_in_each_family),
        cmocka_unit_test(they_are_in_the_order_of_their_numbers),
        cmocka_unit_test(an_input_alone_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
