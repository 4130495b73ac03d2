/* assize up: everything on one machine, as processes. */
#include "server_program.h"

static char folder[64];
static char data[96];
static char languages[1024];
static struct running_server server;
static struct program program;

static int set_up(void **state) {
    (void)state;
    program_folder(folder, sizeof folder);
    program_path(data, sizeof data, folder, "data");
    source_path(languages, sizeof languages, "languages");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    struct err err = {0};
    return file_remove_tree(folder, &err) ? 0 : -1;
}

static bool is_healthy(void) {
    own(json) health = NULL;
    struct str status = {0};
    struct err err = {0};
    assert_int_equal(server_call(&server, HTTP_GET, "/api/system/health", NULL, NULL, &health),
                     200);
    return jr_str(health, "status", 64, &status, &err) && str_eq_c(status, "ok");
}

/* Processes whose parent is `pid`. */
static int children_of(pid_t pid) {
    char path[64];
    int count = 0;
    struct err err = {0};
    own_buf text;
    struct str rest = {0};
    struct str word = {0};
    buf_init(&text, 64 * KIB);
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    assert_true(file_load(path, 64 * KIB, &text, &err));
    rest = buf_str(&text);
    while (str_next_word(&rest, &word)) {
        count++;
    }
    return count;
}

static void server_and_nodes_come_up_by_themselves_and_go_together(void **state) {
    (void)state;
    program_need_root();
    char path[160];
    server_start(&server, (const char *const[]){"up", "--listen", "127.0.0.1:0", "--data", data,
                                                "--languages-dir", languages, "--pools", "python",
                                                "--slots", "1", "--web", "", NULL});
    assert_int_equal(children_of(server.program.pid), 2);

    for (int i = 0; i < 300 && !is_healthy(); i++) {
        clock_sleep_ms(&clock_real, 100);
    }

    assert_true(is_healthy()); /* enrolled and enabled without anybody's help */
    program_path(path, sizeof path, data, "node-python/credential");
    assert_int_equal(access(path, F_OK), 0);
    program_path(path, sizeof path, data, "node-python/join-code");
    assert_int_not_equal(access(path, F_OK), 0); /* used up */
    assert_int_equal(program_stop(&server.program), 0);
    program_said(&server.program, "node.stopped");
}

static void its_nodes_need_a_tcp_address(void **state) {
    (void)state;

    int status = PROGRAM_RUN(&program, "up", "--listen", "unix:/tmp/assize-test.sock", "--data",
                             data, "--languages-dir", languages, "--pools", "python");

    assert_int_equal(status, 2);
    program_said(&program, "TCP");
    (void)unlink("/tmp/assize-test.sock");
}

static void without_any_toolchain_it_says_what_to_install(void **state) {
    (void)state;
    char path[160];
    struct err err = {0};
    static const char spec[] = "name: Toy\npool: toy\neditor: text\nextensions: [.toy]\n"
                               "source: main.toy\nenvironment: [HOME=/w]\n"
                               "compile:\n  command: [/no/such/toy, \"{sources}\"]\n  roots: []\n"
                               "  produces: [main]\n"
                               "run:\n  command: [/w/main]\n  roots: []\n  profile: native\n"
                               "  processes: 1\n"
                               "version:\n  command: [/no/such/toy, --version]\n"
                               "hello: hello.toy\npackage: apt-get install toy\n";
    (void)snprintf(path, sizeof path, "%s/languages/toy", folder);
    assert_true(file_make_dirs(path, 0755, &err));
    (void)snprintf(path, sizeof path, "%s/languages/toy/language.yaml", folder);
    assert_true(file_save_atomic(path, str_from(spec), 0644, &err));
    (void)snprintf(path, sizeof path, "%s/languages/toy/hello.toy", folder);
    assert_true(file_save_atomic(path, STR("hello"), 0644, &err));
    (void)snprintf(path, sizeof path, "%s/languages", folder);

    int status = PROGRAM_RUN(&program, "up", "--listen", "127.0.0.1:0", "--data", data,
                             "--languages-dir", path);

    assert_int_equal(status, 3);
    program_said(&program, "apt-get install toy");
    program_said(&program, "no compiler or interpreter is installed");
}

static void too_many_pools_are_refused(void **state) {
    (void)state;

    int status = PROGRAM_RUN(&program, "up", "--listen", "127.0.0.1:0", "--data", data,
                             "--languages-dir", languages, "--pools", "a b c d e f g h i");

    assert_int_equal(status, 2);
    program_said(&program, "pools");
}

static void a_database_that_is_in_use_ends_it_at_once(void **state) {
    (void)state;
    program_need_root();
    server_start(&server, (const char *const[]){"server", "--listen", "127.0.0.1:0", "--data", data,
                                                "--languages-dir", languages, NULL});
    int64_t before_ms = clock_mono_ms(&clock_real);

    int status = PROGRAM_RUN(&program, "up", "--listen", "127.0.0.1:0", "--data", data,
                             "--languages-dir", languages, "--pools", "python");

    assert_int_equal(status, 3);
    assert_true(clock_mono_ms(&clock_real) - before_ms < 15000);
    assert_int_equal(program_stop(&server.program), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(server_and_nodes_come_up_by_themselves_and_go_together),
        TEST(its_nodes_need_a_tcp_address),
        TEST(without_any_toolchain_it_says_what_to_install),
        TEST(too_many_pools_are_refused),
        TEST(a_database_that_is_in_use_ends_it_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
