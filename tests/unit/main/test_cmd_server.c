/* assize server, as its own process. */
#include "server_program.h"

static char folder[64];
static char data[96];
static char languages[1024];
static struct running_server server;
static struct program second;

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

static void start(const char *listen) {
    server_start(&server, (const char *const[]){"server", "--listen", listen, "--data", data,
                                                "--languages-dir", languages, "--web", "", NULL});
}

static int run_second(const char *listen, const char *its_data) {
    return PROGRAM_RUN(&second, "server", "--listen", listen, "--data", its_data, "--languages-dir",
                       languages);
}

static void it_shows_its_address_and_the_password_once(void **state) {
    (void)state;
    char token[1024];

    start("127.0.0.1:0");

    assert_int_equal(server_sign_in(&server, server.password, token, sizeof token), 200);
    program_said(&server.program, "user name admin");
    assert_null(strstr(server.program.out, "Warning")); /* nobody else can connect */
    const char *shown = strstr(server.program.out, server.password);
    assert_non_null(shown);
    assert_null(strstr(shown + 1, server.password)); /* and not in the log */
    assert_int_equal(program_stop(&server.program), 0);
    program_said(&server.program, "server.stopping");
    char password[128];
    (void)snprintf(password, sizeof password, "%s", server.password);
    start("127.0.0.1:0");
    assert_string_equal(server.password, "");
    assert_int_equal(server_sign_in(&server, password, token, sizeof token), 200);
    assert_int_equal(program_stop(&server.program), 0);
}

static void a_second_one_on_the_same_data_is_refused_by_the_holders_name(void **state) {
    (void)state;
    char holder[64];
    start("127.0.0.1:0");
    (void)snprintf(holder, sizeof holder, "pid %d", (int)server.program.pid);

    int status = run_second("127.0.0.1:0", data);

    assert_int_equal(status, 3);
    program_said(&second, holder);
    assert_int_equal(program_stop(&server.program), 0);
}

static void a_port_that_is_taken_is_told(void **state) {
    (void)state;
    char other[96];
    program_path(other, sizeof other, folder, "other");
    start("127.0.0.1:0");

    int status = run_second(server.url + strlen("http://"), other);

    assert_int_equal(status, 3);
    program_said(&second, server.url + strlen("http://"));
    assert_int_equal(program_stop(&server.program), 0);
}

static void what_makes_no_sense_is_a_mistake(void **state) {
    (void)state;
    assert_int_equal(run_second("nonsense", data), 2);
    program_said(&second, "nonsense");
    assert_int_equal(PROGRAM_RUN(&second, "server", "--lisen", "x"), 2);
    program_said(&second, "--listen");
    assert_int_equal(PROGRAM_RUN(&second, "server", "--languages-dir", "/no/such/folder", "--data",
                                 data, "--listen", "127.0.0.1:0"),
                     3);
    program_said(&second, "/no/such/folder");
}

static void a_classroom_is_warned_about_plain_http(void **state) {
    (void)state;

    start("0.0.0.0:0");

    program_said(&server.program, "Warning");
    assert_int_equal(strncmp(server.url, "http://127.0.0.1:", 17), 0);
    assert_int_equal(program_stop(&server.program), 0);
}

static void it_does_not_run_as_root(void **state) {
    (void)state;
    program_need_root();
    char path[64];
    struct stat info;

    start("127.0.0.1:0");

    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)server.program.pid);
    assert_int_equal(stat(path, &info), 0);
    assert_int_not_equal(info.st_uid, 0);
    assert_int_equal(stat(data, &info), 0);
    assert_int_not_equal(info.st_uid, 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    assert_int_equal(program_stop(&server.program), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(it_shows_its_address_and_the_password_once),
        TEST(a_second_one_on_the_same_data_is_refused_by_the_holders_name),
        TEST(a_port_that_is_taken_is_told),
        TEST(what_makes_no_sense_is_a_mistake),
        TEST(a_classroom_is_warned_about_plain_http),
        TEST(it_does_not_run_as_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
