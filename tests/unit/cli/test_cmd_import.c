/* assize problem import PACKAGE... */
#include "canned_server.h"
#include "cli/commands.h"

#define PATH "/api/v1/admin/problems"

static char folder[64];

static const char created[] =
    "{\"problem\":{\"id\":3,\"code\":\"sum\",\"title\":\"Sum\"},\"created\":true,\"report\":{"
    "\"format\":\"icpc-legacy\",\"read\":[],\"guessed\":[{\"text\":\"time limit 2 s\","
    "\"file\":null,\"line\":null}],\"dropped\":[],\"warnings\":[{\"text\":\"odd\","
    "\"file\":\"problem.yaml\",\"line\":2}]}}";

static void put(const char *name, struct str content) {
    char path[160];
    struct err err = {0};
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_true(file_save_atomic(path, content, 0600, &err));
}

static int set_up(void **state) {
    char path[128];
    struct err err = {0};
    (void)snprintf(folder, sizeof folder, "/tmp/assize-import-XXXXXX");
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/sum two", folder);
    assert_true(file_make_dirs(path, 0700, &err));
    put("sum two/problem.yaml", STR("name: Sum\n"));
    put("package.zip", STR("PK not really"));
    put("empty.zip", STR(""));
    return canned_open(state);
}

static int tear_down(void **state) {
    struct err err = {0};
    (void)canned_close(state);
    return file_remove_tree(folder, &err) ? 0 : -1;
}

static const char *path_of(const char *name) {
    static char path[160];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void a_zip_is_sent_as_it_is(void **state) {
    (void)state;
    canned_add(HTTP_POST, PATH, 201, created);

    assert_int_equal(RUN(command_problem_import, path_of("package.zip"), "--code", "s m"),
                     EXIT_STATUS_OK);

    assert_string_equal(asked_last()->type, "application/zip");
    assert_string_equal(asked_last()->body, "PK not really");
    assert_string_equal(asked_last()->query, "fileName=package.zip code=s m");
    said("package.zip: problem 3 sum (Sum) created\n");
    said("  warning: problem.yaml:2: odd\n");
    said("  guessed: time limit 2 s\n");
}

static void a_folder_is_sent_as_a_zip_of_it(void **state) {
    (void)state;
    canned_add(HTTP_POST, PATH, 201, created);
    char slashed[170];
    (void)snprintf(slashed, sizeof slashed, "%s//", path_of("sum two"));

    assert_int_equal(RUN(command_problem_import, slashed), EXIT_STATUS_OK);

    assert_string_equal(asked_last()->query, "fileName=sum two");
    assert_true(asked_last()->body_bytes > 100);
    assert_memory_equal(asked_last()->body, "PK", 2);
}

static void a_refused_package_is_told_and_the_next_one_tried(void **state) {
    (void)state;
    canned_once(HTTP_POST, PATH, 422,
                "{\"status\":422,\"code\":\"bad_package\",\"detail\":\"refused\",\"errors\":["
                "{\"field\":\"problem.yaml:3\",\"message\":\"a name is missing\"}]}");
    canned_add(HTTP_POST, PATH, 201, created);
    char zip[160];
    (void)snprintf(zip, sizeof zip, "%s", path_of("package.zip"));

    assert_int_equal(RUN(command_problem_import, zip, zip), EXIT_STATUS_NEGATIVE);

    said("problem.yaml:3: a name is missing");
    said("problem 3 sum (Sum) created");
    assert_int_equal(canned.asked_count, 3);
}

static void what_is_no_package_is_not_sent(void **state) {
    (void)state;

    assert_int_equal(RUN(command_problem_import, path_of("empty.zip")), EXIT_STATUS_NEGATIVE);
    said("empty.zip is empty");
    assert_int_equal(RUN(command_problem_import, "/no/such/package"), EXIT_STATUS_NEGATIVE);
    said("/no/such/package");

    assert_string_equal(asked_last()->path, "/api/v1/session"); /* nothing but signing in */
    assert_int_equal(RUN(command_problem_import, NULL), EXIT_STATUS_USAGE);
    said("name a package");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_zip_is_sent_as_it_is),
        TEST(a_folder_is_sent_as_a_zip_of_it),
        TEST(a_refused_package_is_told_and_the_next_one_tried),
        TEST(what_is_no_package_is_not_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
