/* What a server does around serving: the first start, and its end. */
#include "server_program.h"

static char folder[64];
static char data[96];
static char demo[96];
static char languages[1024];
static struct running_server server;

static void put_demo(const char *name, const char *content) {
    char path[160];
    char parent[160];
    struct err err = {0};
    program_path(path, sizeof path, demo, name);
    (void)snprintf(parent, sizeof parent, "%.*s", (int)(strrchr(path, '/') - path), path);
    assert_true(file_make_dirs(parent, 0755, &err));
    assert_true(file_save_atomic(path, str_from(content), 0644, &err));
}

static void put_package(const char *code, const char *yaml) {
    char name[64];
    (void)snprintf(name, sizeof name, "%s/problem.yaml", code);
    put_demo(name, yaml);
    (void)snprintf(name, sizeof name, "%s/data/secret/1.in", code);
    put_demo(name, "1 2\n");
    (void)snprintf(name, sizeof name, "%s/data/secret/1.ans", code);
    put_demo(name, "3\n");
}

static int set_up(void **state) {
    (void)state;
    program_folder(folder, sizeof folder);
    program_path(data, sizeof data, folder, "data");
    program_path(demo, sizeof demo, folder, "demo");
    source_path(languages, sizeof languages, "languages");
    put_package("sum", "name: Sum\n");
    put_package("max", "name: Max\n");
    put_package(".hidden", "name: Hidden\n");
    put_package("broken", "name: [\n");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    struct err err = {0};
    return file_remove_tree(folder, &err) ? 0 : -1;
}

static void start(void) {
    server_start(&server,
                 (const char *const[]){"server", "--listen", "127.0.0.1:0", "--data", data,
                                       "--languages-dir", languages, "--demo", demo, NULL});
}

static void only_an_empty_database_gets_the_demo_problems(void **state) {
    (void)state;
    char token[1024];
    char password[128];

    start();

    (void)snprintf(password, sizeof password, "%s", server.password);
    assert_int_equal(server_sign_in(&server, password, token, sizeof token), 200);
    assert_int_equal(server_problems(&server, token), 2);
    program_said(&server.program, "problem.refused"); /* one broken package stops nothing */
    assert_int_equal(program_stop(&server.program), 0);
    put_package("later", "name: Later\n");
    start();
    assert_int_equal(server_sign_in(&server, password, token, sizeof token), 200);
    assert_int_equal(server_problems(&server, token), 2);
    assert_int_equal(program_stop(&server.program), 0);
}

static void both_signals_end_it_in_good_order(void **state) {
    (void)state;
    static const int signals[] = {SIGTERM, SIGINT};
    for (int i = 0; i < 2; i++) {
        start();
        assert_int_equal(kill(server.program.pid, signals[i]), 0);
        assert_int_equal(program_end(&server.program), 0);
    }
}

static void a_killed_one_starts_again_with_all_it_had(void **state) {
    (void)state;
    char token[1024];
    char password[128];
    start();
    (void)snprintf(password, sizeof password, "%s", server.password);
    assert_int_equal(kill(server.program.pid, SIGKILL), 0);
    assert_int_equal(program_end(&server.program), 128 + SIGKILL);

    start();

    assert_int_equal(server_sign_in(&server, password, token, sizeof token), 200);
    assert_int_equal(server_problems(&server, token), 2);
    assert_int_equal(program_stop(&server.program), 0);
}

static void without_nodes_it_says_so(void **state) {
    (void)state;
    own(json) health = NULL;
    struct str status = {0};
    struct err err = {0};
    start();

    assert_int_equal(server_call(&server, HTTP_GET, "/api/system/health", NULL, NULL, &health),
                     200);

    assert_true(jr_str(health, "status", 64, &status, &err));
    assert_true(str_eq_c(status, "degraded"));
    assert_int_equal(program_stop(&server.program), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(only_an_empty_database_gets_the_demo_problems),
        TEST(both_signals_end_it_in_good_order),
        TEST(a_killed_one_starts_again_with_all_it_had),
        TEST(without_nodes_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
