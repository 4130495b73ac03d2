/* A database's address says all but the password, and what is wrong with it is named. */
#include "store/mydb_target.h"
#include "store/store_fixture.h"

static struct mydb_target parsed(const char *address) {
    struct mydb_target target = {0};
    struct err err = {0};
    if (!mydb_target_parse(str_from(address), &target, &err)) {
        fail_msg("%s: %s", address, err.text);
    }
    return target;
}

static void an_address_names_each_part(void **state) {
    (void)state;
    struct mydb_target target =
        parsed("mysql://judge%40x@[fd00::7]:3307/school%2Ddb?tls=on&ca=/etc/ca.pem&"
               "password_file=/run/pw");

    assert_string_equal(target.user, "judge@x");
    assert_string_equal(target.host, "fd00::7");
    assert_int_equal(target.port, 3307);
    assert_string_equal(target.database, "school-db");
    assert_int_equal(target.tls, MYDB_TLS_ON);
    assert_string_equal(target.ca_file, "/etc/ca.pem");
    assert_string_equal(target.password_file, "/run/pw");
    assert_string_equal(target.password, "");
}

static void what_is_not_said_is_safe(void **state) {
    (void)state;
    struct mydb_target away = parsed("mysql://a@db.example/x");
    struct mydb_target here = parsed("mysql://a@localhost/x");
    struct mydb_target socket = parsed("mysql://a@/x?socket=/run/m.sock");

    assert_int_equal(away.port, 3306);
    assert_int_equal(away.tls, MYDB_TLS_VERIFY);
    assert_int_equal(here.tls, MYDB_TLS_OFF);
    assert_int_equal(socket.tls, MYDB_TLS_OFF);
    assert_string_equal(socket.socket, "/run/m.sock");
}

static void what_is_wrong_is_named(void **state) {
    (void)state;
    static const struct {
        const char *address;
        const char *said;
    } rows[] = {
        {"postgres://a@h/d", "begin with mysql://"},
        {"mysql://a@h", "names no database"},
        {"mysql://a@h/", "names no database"},
        {"mysql://h/d", "names no user"},
        {"mysql://@h/d", "names no user"},
        {"mysql://a@/d", "names no host"},
        {"mysql://a@h:0/d", "port"},
        {"mysql://a@h:65536/d", "port"},
        {"mysql://a@h:x/d", "port"},
        {"mysql://a@[::1/d", "without its ]"},
        {"mysql://a@h/d?tls=maybe", "off, on or verify"},
        {"mysql://a@h/d?speed=9", "\"speed\""},
        {"mysql://a@h/d%2", "two hex digits"},
        {"mysql://a@h/d%00", "no plain text"},
        {"mysql://a:secret@h/d", "password"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct mydb_target target = {0};
        struct err err = {0};

        assert_false(mydb_target_parse(str_from(rows[i].address), &target, &err));

        assert_int_equal(err.kind, ERR_INVALID);
        assert_non_null(strstr(err.text, rows[i].said));
        assert_null(strstr(err.text, "secret"));
    }
}

static void a_password_comes_from_its_file_or_else_from_the_caller(void **state) {
    struct fixture *f = *state;
    struct mydb_target target = {0};
    char path[128];
    (void)snprintf(path, sizeof path, "%s/pw", f->folder);

    assert_true(mydb_target_read_password(&target, "from the environment", &f->err));
    assert_string_equal(target.password, "from the environment");
    assert_true(file_save_atomic(path, STR("from the file\nnot this\n"), 0600, &f->err));
    (void)snprintf(target.password_file, sizeof target.password_file, "%s", path);
    assert_true(mydb_target_read_password(&target, "unused", &f->err));
    assert_string_equal(target.password, "from the file");
}

static void a_password_file_that_is_none_is_named(void **state) {
    struct fixture *f = *state;
    struct mydb_target target = {.password_file = "/nonexistent/pw"};

    assert_false(mydb_target_read_password(&target, NULL, &f->err));
    assert_int_equal(f->err.kind, ERR_INVALID);
    assert_non_null(strstr(f->err.text, "/nonexistent/pw"));

    (void)snprintf(target.password_file, sizeof target.password_file, "%s/pw", f->folder);
    assert_true(file_save_atomic(target.password_file, STR("\n"), 0600, &f->err));
    assert_false(mydb_target_read_password(&target, NULL, &f->err));
    assert_string_equal(f->err.code, "bad_password_file");
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, fixture_setup_empty, fixture_teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_names_each_part),
        cmocka_unit_test(what_is_not_said_is_safe),
        cmocka_unit_test(what_is_wrong_is_named),
        IN_FOLDER(a_password_comes_from_its_file_or_else_from_the_caller),
        IN_FOLDER(a_password_file_that_is_none_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
