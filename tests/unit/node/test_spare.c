/* What a node makes faster while it works. */
#include "node_world.h"

#include "node/node_internal.h"

#define PREPARE                                                                                    \
    "prepare:\n  command: [/usr/bin/toyc]\n  roots: [/usr]\n  produces: [fast]\n  optional: "      \
    "true\n"

/* Gives the toy language something to prepare. */
static void reload(struct world *world) {
    const char *path = arena_printf(world->arena, "%s/languages/toy/language.yaml", world->folder);
    own_buf text;
    buf_init(&text, 64 * KIB);
    assert_true(file_load(path, 64 * KIB, &text, &world->err));
    (void)buf_append_c(&text, PREPARE);
    assert_true(file_save_atomic(path, buf_str(&text), 0644, &world->err));
    language_set_free(world->languages);
    world->languages = NULL;
    if (!language_set_load(arena_printf(world->arena, "%s/languages", world->folder),
                           &world->languages, &world->err)) {
        fail_msg("%s", world->err.text);
    }
    judge_free(world->judge);
    world->judge = judge_create(&(struct judge_options){
        .box = fake_box(), .languages = world->languages, .cache_folder = world->folder});
    world->options.languages = world->languages;
    world->options.judge = world->judge;
}

static void the_pools_languages_are_prepared_in_a_slot_of_their_own(void **state) {
    struct world *world = *state;
    reload(world);
    world->options.warm = true;
    struct node node = {.options = &world->options};

    assert_null(spare_main(&node));

    assert_int_equal(fake.compiles, 1);
    assert_int_equal(fake.open_slots, 0);
    assert_null(spare_main(&node)); /* there already */
    assert_int_equal(fake.compiles, 1);
}

static void a_node_that_leaves_prepares_nothing(void **state) {
    struct world *world = *state;
    reload(world);
    world->options.warm = true;
    struct node node = {.options = &world->options};
    atomic_store(&node.leaving, true);

    assert_null(spare_main(&node));

    assert_int_equal(fake.starts, 0);
}

static void another_pools_languages_are_left_alone(void **state) {
    struct world *world = *state;
    reload(world);
    world->options.pool = "cpp";
    world->options.warm = true;
    struct node node = {.options = &world->options};

    assert_null(spare_main(&node));

    assert_int_equal(fake.starts, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        NODE_TEST(the_pools_languages_are_prepared_in_a_slot_of_their_own),
        NODE_TEST(a_node_that_leaves_prepares_nothing),
        NODE_TEST(another_pools_languages_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
