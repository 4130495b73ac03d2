/* assize admin reset-password --local, beside a running server. */
#include "server_program.h"

static char folder[64];
static char data[96];
static char languages[1024];
static struct running_server server;
static struct program admin;

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

static int reset(const char *user) {
    return PROGRAM_RUN(&admin, "admin", "reset-password", "--local", "--username", user, "--data",
                       data, "--languages-dir", languages);
}

static void the_new_password_works_and_the_old_one_does_not(void **state) {
    (void)state;
    char token[1024];
    char fresh[128];
    server_start(&server, (const char *const[]){"server", "--listen", "127.0.0.1:0", "--data", data,
                                                "--languages-dir", languages, NULL});

    assert_int_equal(reset("admin"), 0);

    program_word(&admin, "New password of admin: ", fresh, sizeof fresh);
    assert_string_not_equal(fresh, server.password);
    assert_int_equal(server_sign_in(&server, server.password, token, sizeof token), 401);
    assert_int_equal(server_sign_in(&server, fresh, token, sizeof token), 200);
    assert_int_equal(program_stop(&server.program), 0);
}

static void a_user_that_is_not_there_is_told(void **state) {
    (void)state;
    server_start(&server, (const char *const[]){"server", "--listen", "127.0.0.1:0", "--data", data,
                                                "--languages-dir", languages, NULL});

    assert_int_equal(reset("nobody-here"), 3);

    program_said(&admin, "nobody-here");
    assert_int_equal(program_stop(&server.program), 0);
}

static void without_a_database_it_says_where_it_looked(void **state) {
    (void)state;

    assert_int_equal(reset("admin"), 3);

    program_said(&admin, data);
    program_said(&admin, "--data");
}

static void it_must_be_told_to_work_locally(void **state) {
    (void)state;

    assert_int_equal(PROGRAM_RUN(&admin, "admin", "reset-password", "--data", data), 2);

    program_said(&admin, "--local");
}

static void the_servers_files_stay_the_servers(void **state) {
    (void)state;
    program_need_root();
    struct stat before;
    struct stat info;
    char path[160];
    server_start(&server, (const char *const[]){"server", "--listen", "127.0.0.1:0", "--data", data,
                                                "--languages-dir", languages, NULL});
    assert_int_equal(program_stop(&server.program), 0);
    program_path(path, sizeof path, data, "assize.db");
    assert_int_equal(stat(path, &before), 0);

    assert_int_equal(reset("admin"), 0);

    static const char *const names[] = {"assize.db", "assize.db-wal", "assize.db-shm"};
    for (int i = 0; i < 3; i++) {
        program_path(path, sizeof path, data, names[i]);
        assert_true(stat(path, &info) != 0 || info.st_uid == before.st_uid);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_new_password_works_and_the_old_one_does_not),
        TEST(a_user_that_is_not_there_is_told),
        TEST(without_a_database_it_says_where_it_looked),
        TEST(it_must_be_told_to_work_locally),
        TEST(the_servers_files_stay_the_servers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
