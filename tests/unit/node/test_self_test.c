/* What a node finds out about itself before the server hears of it. */
#include "node_world.h"

static void load(struct world *world) {
    language_set_free(world->languages);
    world->languages = NULL;
    if (!language_set_load(arena_printf(world->arena, "%s/languages", world->folder),
                           &world->languages, &world->err)) {
        fail_msg("%s", world->err.text);
    }
    judge_free(world->judge);
    world->judge =
        judge_create(&(struct judge_options){.box = fake_box(), .languages = world->languages});
    world->options.languages = world->languages;
    world->options.judge = world->judge;
}

static struct self_test run(struct world *world) {
    struct self_test test = {0};
    if (!self_test_run(&world->options, world->arena, &test, &world->err)) {
        fail_msg("%s", world->err.text);
    }
    return test;
}

static void a_language_that_says_hello_is_proved_with_its_version(void **state) {
    struct world *world = *state;

    struct self_test test = run(world);

    assert_true(test.passed);
    assert_int_equal(test.language_count, 1);
    assert_true(str_eq_c(test.languages[0].id, "toy"));
    assert_true(str_eq_c(test.languages[0].version, "Toy 1.2.3"));
    assert_true(str_eq_c(test.detail, "toy: ok"));
    assert_int_equal(fake.open_slots, 0); /* what it opened it closed */
}

static void a_language_that_is_installed_and_broken_fails_the_test(void **state) {
    struct world *world = *state;
    world_language(world, "toy2", "exit 1");
    load(world);

    struct self_test test = run(world);

    assert_false(test.passed);
    assert_int_equal(test.language_count, 1); /* the other one is not lost for it */
    assert_true(memmem(test.detail.ptr, test.detail.len, "toy2: ", 6) != NULL);
    assert_true(memmem(test.detail.ptr, test.detail.len, "toy: ok", 7) != NULL);
}

static void another_pools_languages_are_not_looked_at(void **state) {
    struct world *world = *state;
    world_language(world, "toy2", "exit 1");
    const char *spec = arena_printf(world->arena, "%s/languages/toy2/language.yaml", world->folder);
    own_buf text;
    buf_init(&text, 64 * KIB);
    assert_true(file_load(spec, 64 * KIB, &text, &world->err));
    char *pool = strstr(buf_c(&text), "pool: toy") == NULL ? NULL : text.ptr;
    assert_non_null(pool);
    memcpy(strstr(pool, "pool: toy"), "pool: cpp", 9);
    assert_true(file_save_atomic(spec, buf_str(&text), 0600, &world->err));
    load(world);

    struct self_test test = run(world);

    assert_true(test.passed);
    assert_int_equal(test.language_count, 1);
}

static void a_pool_of_which_nothing_works_has_no_node(void **state) {
    struct world *world = *state;
    struct self_test test = {0};
    fake.fail_start = true;

    assert_false(self_test_run(&world->options, world->arena, &test, &world->err));

    assert_string_equal(world->err.code, "no_language");
    assert_non_null(strstr(world->err.text, "toy"));
}

static void the_config_digest_changes_with_what_decides_verdicts(void **state) {
    struct world *world = *state;
    struct self_test first = run(world);
    struct self_test same = run(world);
    const char *spec = arena_printf(world->arena, "%s/languages/toy/language.yaml", world->folder);
    own_buf text;
    buf_init(&text, 64 * KIB);
    assert_true(file_load(spec, 64 * KIB, &text, &world->err));
    assert_true(buf_append_c(&text, "# changed\n"));
    assert_true(file_save_atomic(spec, buf_str(&text), 0600, &world->err));
    load(world);

    struct self_test other = run(world);

    assert_true(digest_equal(&first.config, &same.config));
    assert_false(digest_equal(&first.config, &other.config));
}

int main(void) {
    log_setup(LOG_ERROR + 1, LOG_FORMAT_JSON, 2, "test");
    const struct CMUnitTest tests[] = {
        NODE_TEST(a_language_that_says_hello_is_proved_with_its_version),
        NODE_TEST(a_language_that_is_installed_and_broken_fails_the_test),
        NODE_TEST(another_pools_languages_are_not_looked_at),
        NODE_TEST(a_pool_of_which_nothing_works_has_no_node),
        NODE_TEST(the_config_digest_changes_with_what_decides_verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
