/* Importing problems and keeping accounts over HTTP. */
#include "people.h"
#include "zip_fixture.h"

#define FILES 5

static const struct zip_file package_files[FILES] = {
    {"sum/problem.yaml", {"name: Sum of Two\n", 17}},
    {"sum/data/sample/1.in", {"1 2\n", 4}},
    {"sum/data/sample/1.ans", {"3\n", 2}},
    {"sum/data/secret/a.in", {"20 22\n", 6}},
    {"sum/data/secret/a.ans", {"42\n", 3}},
};

static struct reply import_bytes(struct fixture *f, const struct person *who, const char *query,
                                 const char *type, struct str bytes) {
    return fixture_ask(
        f, &(struct ask){.method = "POST",
                         .path = arena_printf(f->arena, "/api/v1/admin/problems%s", query),
                         .headers = who->headers,
                         .type = type,
                         .body = bytes});
}

static struct reply import_files(struct fixture *f, const struct person *who, const char *query,
                                 const struct zip_file *files, int count) {
    own_buf zip;
    buf_init(&zip, MIB);
    zip_write(&zip, files, count);
    return import_bytes(f, who, query, "application/zip", buf_str(&zip));
}

static int64_t problem_count(struct fixture *f, const struct person *who) {
    struct reply list = get(f, who, "/api/v1/problems");
    expect(list, 200);
    return (int64_t)jr_count(reply_at(&list, "items"));
}

static void a_package_becomes_a_problem_and_then_a_new_version_of_it(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);

    struct reply first = import_files(f, &admin, "?code=sum", package_files, FILES);
    struct reply second = import_files(f, &admin, "?code=sum", package_files, FILES);
    struct zip_file bare[FILES]; /* no folder around it: the file's name is its code */
    for (int i = 0; i < FILES; i++) {
        bare[i] =
            (struct zip_file){package_files[i].name + strlen("sum/"), package_files[i].content};
    }
    struct reply other = import_files(f, &admin, "?fileName=adding.zip", bare, FILES);

    expect(first, 201);
    assert_true(reply_bool(&first, "created"));
    assert_true(reply_is(&first, "problem.code", "sum"));
    assert_true(reply_is(&first, "problem.title", "Sum of Two"));
    assert_true(reply_str(&first, "report.format").len > 0);
    assert_true(jr_count(reply_at(&first, "report.read")) > 0);
    expect(second, 201);
    assert_false(reply_bool(&second, "created"));
    assert_int_equal(reply_i64(&second, "problem.id"), reply_i64(&first, "problem.id"));
    expect(other, 201);
    assert_true(reply_bool(&other, "created"));
    assert_true(reply_is(&other, "problem.code", "adding"));
    assert_int_equal(problem_count(f, &admin), 2);
}

/* The package with one file replaced, or left out when its content is NULL. */
static struct reply import_changed(struct fixture *f, const struct person *admin, const char *name,
                                   const char *fresh_name, struct str content) {
    struct zip_file files[FILES];
    int count = 0;
    for (int i = 0; i < FILES; i++) {
        bool is_it = strcmp(package_files[i].name, name) == 0;
        if (!is_it) {
            files[count++] = package_files[i];
        } else if (content.ptr != NULL) {
            files[count++] = (struct zip_file){fresh_name, content};
        }
    }
    return import_files(f, admin, "", files, count);
}

static void check_refusal(const struct reply *reply, const char *field, const char *says) {
    expect_error(*reply, 422, "bad_package");
    struct str place = reply_str(reply, "errors.0.field");
    struct str message = reply_str(reply, "errors.0.message");
    if (!str_starts(place, str_from(field)) ||
        memmem(message.ptr, message.len, says, strlen(says)) == NULL) {
        fail_msg("%s, %s: " STR_FMT, field, says, STR_ARG(reply->body));
    }
}

static void a_package_that_is_not_right_leaves_nothing_and_says_where(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);

    struct reply no_yaml = import_changed(f, &admin, "sum/problem.yaml", NULL, (struct str){0});
    struct reply no_answer =
        import_changed(f, &admin, "sum/data/secret/a.ans", NULL, (struct str){0});
    struct reply broken = import_changed(f, &admin, "sum/problem.yaml", "sum/problem.yaml",
                                         STR("name: Sum\nlimits:\n  memory: [256\n"));
    struct reply outside =
        import_changed(f, &admin, "sum/data/secret/a.in", "sum/../../etc/a.in", STR("x"));
    struct reply no_zip =
        import_bytes(f, &admin, "", "application/zip", STR("this is not a zip at all"));
    struct reply empty = import_bytes(f, &admin, "", "application/zip", STR(""));

    check_refusal(&no_yaml, "", "problem.yaml");
    check_refusal(&no_answer, "data/secret/a", "");
    check_refusal(&broken, "problem.yaml:", "");
    check_refusal(&outside, "sum/../../etc/a.in", "");
    check_refusal(&no_zip, "", "zip");
    check_refusal(&empty, "", "empty");
    assert_int_equal(problem_count(f, &admin), 0);
}

static void only_a_zip_is_a_package(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);

    struct reply reply = import_bytes(f, &admin, "", "application/json", STR("{}"));

    expect_error(reply, 415, "wrong_content_type");
}

static void only_administrators_import(void **state) {
    struct fixture *f = *state;
    struct person teacher = new_person(f, "tom", ROLE_TEACHER);

    struct reply reply = import_files(f, &teacher, "", package_files, FILES);

    expect_error(reply, 403, "not_allowed");
}

static void a_user_is_made_with_a_generated_password(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);

    struct reply reply = send_json(
        f, &admin, "POST", "/api/v1/admin/users",
        "{\"username\":\"ann\",\"displayName\":\"Ann \xe5\xae\x89\",\"role\":\"student\"}");

    expect(reply, 201);
    assert_true(reply_is(&reply, "user.username", "ann"));
    assert_true(reply_is(&reply, "user.displayName", "Ann \xe5\xae\x89"));
    assert_true(reply_is(&reply, "user.role", "student"));
    assert_false(reply_bool(&reply, "user.disabled"));
    (void)sign_in(f, "ann", arena_cstr(f->arena, reply_str(&reply, "password")));
    struct reply chosen =
        send_json(f, &admin, "POST", "/api/v1/admin/users",
                  "{\"username\":\"bob\",\"displayName\":\"Bob\",\"role\":\"teacher\","
                  "\"password\":\"%s\"}",
                  PASSWORD);
    expect(chosen, 201);
    assert_null(reply_at(&chosen, "password"));
    (void)sign_in(f, "bob", PASSWORD);
}

static void a_user_that_cannot_be_is_refused(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    static const struct {
        const char *body;
        int status;
        const char *code;
    } rows[] = {
        {"{\"username\":\"EVE\",\"displayName\":\"x\",\"role\":\"student\"}", 409,
         "conflict_username"},
        {"{\"username\":\"\",\"displayName\":\"x\",\"role\":\"student\"}", 400, "bad_field"},
        {"{\"username\":\"a b\",\"displayName\":\"x\",\"role\":\"student\"}", 400, "bad_field"},
        {"{\"username\":\"ann\",\"displayName\":\"x\",\"role\":\"owner\"}", 400, "bad_field"},
        {"{\"username\":\"ann\",\"displayName\":\"x\",\"role\":\"student\",\"password\":\"x\"}",
         400, "bad_field"},
        {"{\"username\":\"ann\",\"displayName\":\"x\"}", 400, "bad_field"},
        {"{\"username\":\"ann\",\"displayName\":\"x\",\"role\":\"student\",\"id\":7}", 400,
         "unknown_field"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct reply reply =
            send_json(f, &admin, "POST", "/api/v1/admin/users", "%s", rows[i].body);
        if (reply.status != rows[i].status) {
            fail_msg("%s: " STR_FMT, rows[i].body, STR_ARG(reply.body));
        }
        expect_error(reply, rows[i].status, rows[i].code);
    }
}

static void users_are_listed_by_pages(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    (void)new_person(f, "ann", ROLE_STUDENT);
    (void)new_person(f, "bob", ROLE_STUDENT);

    struct reply first = get(f, &admin, "/api/v1/admin/users?limit=2");
    expect(first, 200);
    struct reply second = get(f, &admin,
                              arena_printf(f->arena, "/api/v1/admin/users?limit=2&cursor=" STR_FMT,
                                           STR_ARG(reply_str(&first, "next"))));

    assert_int_equal(jr_count(reply_at(&first, "items")), 2);
    assert_true(reply_is(&first, "items.0.username", "eve"));
    expect(second, 200);
    assert_int_equal(jr_count(reply_at(&second, "items")), 1);
    assert_true(reply_is(&second, "items.0.username", "bob"));
    assert_true(reply_is_null(&second, "next"));
    assert_null(memmem(second.body.ptr, second.body.len, "argon2", 6));
}

static struct reply update(struct fixture *f, const struct person *admin, int64_t user,
                           const char *body) {
    return send_json(f, admin, "PATCH",
                     arena_printf(f->arena, "/api/v1/admin/users/%lld", (long long)user), "%s",
                     body);
}

static void a_disabled_user_is_out_at_once(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct person ann = new_person(f, "ann", ROLE_STUDENT);

    struct reply reply = update(f, &admin, ann.id, "{\"disabled\":true}");

    expect(reply, 200);
    assert_true(reply_bool(&reply, "disabled"));
    struct reply again = send_json(f, NULL, "POST", "/api/v1/session",
                                   "{\"username\":\"ann\",\"password\":\"%s\"}", PASSWORD);
    expect_error(again, 401, "bad_credentials");
    fixture_later(f, 6 * 60 * 1000);
    struct reply renewed = get(f, &ann, "/api/v1/session");
    expect_error(renewed, 401, "no_session");
}

static void what_is_not_named_stays_as_it_was(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct person ann = new_person(f, "ann", ROLE_STUDENT);

    struct reply reply = update(f, &admin, ann.id, "{\"displayName\":\"Ann Li\"}");
    struct reply role = update(f, &admin, ann.id, "{\"role\":\"teacher\"}");
    struct reply nothing = update(f, &admin, ann.id, "{}");

    expect(reply, 200);
    assert_true(reply_is(&reply, "displayName", "Ann Li"));
    assert_true(reply_is(&reply, "role", "student"));
    expect(role, 200);
    assert_true(reply_is(&role, "displayName", "Ann Li"));
    assert_true(reply_is(&role, "role", "teacher"));
    assert_int_equal(nothing.status == 200 || nothing.status == 400, 1);
    (void)sign_in(f, "ann", PASSWORD);
}

static void the_last_administrator_stays(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);

    struct reply role = update(f, &admin, admin.id, "{\"role\":\"student\"}");
    struct reply disabled = update(f, &admin, admin.id, "{\"disabled\":true}");
    struct reply unknown = update(f, &admin, 987654, "{\"disabled\":true}");
    struct reply bad = update(f, &admin, admin.id, "{\"disabled\":\"yes\"}");

    expect_error(role, 409, "conflict_last_admin");
    expect_error(disabled, 409, "conflict_last_admin");
    expect_error(unknown, 404, "no_user");
    expect_error(bad, 400, "bad_field");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVER_TEST(a_package_becomes_a_problem_and_then_a_new_version_of_it),
        SERVER_TEST(a_package_that_is_not_right_leaves_nothing_and_says_where),
        SERVER_TEST(only_a_zip_is_a_package),
        SERVER_TEST(only_administrators_import),
        SERVER_TEST(a_user_is_made_with_a_generated_password),
        SERVER_TEST(a_user_that_cannot_be_is_refused),
        SERVER_TEST(users_are_listed_by_pages),
        SERVER_TEST(a_disabled_user_is_out_at_once),
        SERVER_TEST(what_is_not_named_stays_as_it_was),
        SERVER_TEST(the_last_administrator_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
