/* What is prepared for a language, once on each machine. The shipped Java needs it, C++ is only
 * faster with it. */
#include "fake_problem.h"
#include "judge/prepare.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static char cache[64];

static int setup(void **state) {
    (void)snprintf(cache, sizeof cache, "/tmp/assize-prepare-XXXXXX");
    if (mkdtemp(cache) == NULL || fake_setup(state) != 0) {
        return -1;
    }
    struct fake_world *world = *state;
    world->judge->cache_folder = strdup(cache);
    fake.open_slots = 1;
    return 0;
}

static int teardown(void **state) {
    struct err err = {0};
    return file_remove_tree(cache, &err) ? fake_teardown(state) : -1;
}

/* How many folders there are, whole or half made. */
static int folders(void) {
    char path[128];
    int count = 0;
    (void)snprintf(path, sizeof path, "%s/prepared", cache);
    DIR *folder = opendir(path);
    for (const struct dirent *entry = folder == NULL ? NULL : readdir(folder); entry != NULL;
         entry = readdir(folder)) {
        count += entry->d_name[0] != '.';
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return count;
}

static void support_files_and_products_are_put_into_one_folder(void **state) {
    struct fake_world *world = *state;
    const struct language *java = fake_language(world, "java");
    struct err err = {0};

    assert_true(prepare_language(&world->work, java, false, &err));

    const char *folder = prepare_folder(world->judge, java);
    static const char *const names[] = {"Compile.java", "compile.jar", "compile.jsa"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[512];
        struct stat status;
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 0777, 0644);
    }
    assert_int_equal(folders(), 1);
    assert_string_equal(fake.spec.argv[1], "prepare.sh");
}

static void a_second_judge_finds_what_the_first_made(void **state) {
    struct fake_world *world = *state;
    const struct language *java = fake_language(world, "java");
    struct err err = {0};
    assert_true(prepare_language(&world->work, java, false, &err));
    assert_int_equal(fake.compiles, 1);
    assert_true(prepare_language(&world->work, java, false, &err));
    own(judge) other = judge_create(&(struct judge_options){
        .box = world->judge->box, .languages = world->languages, .cache_folder = cache});
    struct work work = world->work;
    work.judge = other;

    assert_true(prepare_language(&work, java, false, &err));

    assert_int_equal(fake.compiles, 1);
    assert_string_equal(prepare_folder(other, java), prepare_folder(world->judge, java));
}

static void what_is_only_for_speed_is_made_when_the_language_is_proved(void **state) {
    struct fake_world *world = *state;
    const struct language *cpp = fake_language(world, "cpp");
    struct err err = {0};

    assert_true(prepare_language(&world->work, cpp, false, &err));
    assert_null(prepare_folder(world->judge, cpp));
    assert_true(prepare_language(&world->work, cpp, true, &err));
    assert_non_null(prepare_folder(world->judge, cpp));
}

static void a_language_without_needs_runs_nothing(void **state) {
    struct fake_world *world = *state;
    struct err err = {0};
    assert_true(prepare_language(&world->work, fake_language(world, "c"), true, &err));
    assert_null(prepare_folder(world->judge, fake_language(world, "c")));
    assert_int_equal(fake.starts, 0);
}

static void a_failed_preparation_leaves_nothing_and_is_the_nodes_fault(void **state) {
    struct fake_world *world = *state;
    const struct language *java = fake_language(world, "java");
    struct err err = {0};
    fake.override_output = BOX_OUTPUT_MISSING;
    fake.override_end = BOX_END_SIGNAL;

    assert_false(prepare_language(&world->work, java, false, &err));

    assert_int_equal(err.fault, FAULT_NODE);
    assert_non_null(strstr(err.text, "some words"));
    assert_int_equal(folders(), 0);
    assert_null(prepare_folder(world->judge, java));
    /* the next one tries again */
    assert_true(prepare_language(&world->work, java, false, &err));
}

static void without_a_folder_only_those_that_need_one_fail(void **state) {
    struct fake_world *world = *state;
    struct err err = {0};
    free(world->judge->cache_folder);
    world->judge->cache_folder = NULL;

    assert_true(prepare_language(&world->work, fake_language(world, "cpp"), true, &err));
    assert_false(prepare_language(&world->work, fake_language(world, "java"), true, &err));
    assert_string_equal(err.code, "no_cache_folder");
}

static void the_steps_see_the_folder_beside_their_roots(void **state) {
    struct fake_world *world = *state;
    const struct language *java = fake_language(world, "java");
    struct err err = {0};
    assert_true(prepare_language(&world->work, java, false, &err));

    const char *const *roots = prepare_roots(&world->work, java, java->run.roots);

    assert_string_equal(roots[0], "/usr");
    size_t count = 0;
    while (roots[count] != NULL) {
        count++;
    }
    assert_string_equal(roots[count - 1], prepare_folder(world->judge, java));
}

#define PREPARE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        PREPARE_TEST(support_files_and_products_are_put_into_one_folder),
        PREPARE_TEST(a_second_judge_finds_what_the_first_made),
        PREPARE_TEST(what_is_only_for_speed_is_made_when_the_language_is_proved),
        PREPARE_TEST(a_language_without_needs_runs_nothing),
        PREPARE_TEST(a_failed_preparation_leaves_nothing_and_is_the_nodes_fault),
        PREPARE_TEST(without_a_folder_only_those_that_need_one_fail),
        PREPARE_TEST(the_steps_see_the_folder_beside_their_roots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
