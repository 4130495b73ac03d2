#ifndef TESTS_PEOPLE_H
#define TESTS_PEOPLE_H

/* People who use the server, and a problem for them. */
#include "server_fixture.h"

/* ---- people ---- */

static inline struct person sign_in(struct fixture *f, const char *name, const char *password) {
    struct person person = {0};
    struct reply reply = send_json(f, NULL, "POST", "/api/v1/session",
                                   "{\"username\":\"%s\",\"password\":\"%s\"}", name, password);
    expect(reply, 200);
    person.id = reply_i64(&reply, "user.id");
    person.token = arena_cstr(f->arena, reply_str(&reply, "accessToken"));
    person.session = cookie_value(f, &reply, "assize_session");
    person.headers = arena_printf(f->arena, "Cookie: assize_session=%s; assize_token=%s\r\n",
                                  person.session, cookie_value(f, &reply, "assize_token"));
    return person;
}

static inline struct person new_person(struct fixture *f, const char *name, enum role role) {
    struct user_create_request request = {.username = str_from(name),
                                          .display_name = str_from(name),
                                          .role = role,
                                          .password = STR(PASSWORD)};
    static const struct actor system_actor = {.kind = ACTOR_SYSTEM};
    struct user_created created = {0};
    if (!user_create(f->app, &system_actor, &request, f->arena, &created, &f->err)) {
        fail_msg("%s", f->err.text);
    }
    return sign_in(f, name, PASSWORD);
}

/* ---- problems and submissions ---- */

static inline void put_file(struct fixture *f, const char *name, struct str content) {
    const char *path = arena_printf(f->arena, "%s/%s", f->folder, name);
    struct str folder = {0};
    struct str base = {0};
    assert_true(str_cut_last(str_from(path), '/', &folder, &base));
    assert_true(file_make_dirs(arena_cstr(f->arena, folder), 0755, &f->err));
    assert_true(file_save_atomic(path, content, 0644, &f->err));
}

/* Two cases: a sample and a secret one. */
static inline int64_t new_problem(struct fixture *f, const char *code) {
    static const struct actor system_actor = {.kind = ACTOR_SYSTEM};
    struct problem_import_list result = {0};
    put_file(f, "package/problem.yaml", STR("name:\n  en: Sum\n  zh: \xe5\x92\x8c\n"));
    put_file(f, "package/problem_statement/problem.en.md", STR("Add. ![p](plus.png)\n"));
    put_file(f, "package/problem_statement/plus.png", STR("\x89PNG not really"));
    put_file(f, "package/data/sample/1.in", STR("1 2\n"));
    put_file(f, "package/data/sample/1.ans", STR("3\n"));
    put_file(f, "package/data/secret/a.in", STR("20 22\n"));
    put_file(f, "package/data/secret/a.ans", STR("42\n"));
    struct problem_import_request request = {.fd = -1,
                                             .folder =
                                                 arena_printf(f->arena, "%s/package", f->folder),
                                             .code = str_from(code)};
    if (!problem_import(f->app, &system_actor, &request, f->arena, &result, &f->err)) {
        fail_msg("%s", f->err.text);
    }
    return result.items[0].problem.id.value;
}

static inline struct reply submit(struct fixture *f, const struct person *who, int64_t problem,
                                  const char *source) {
    return send_json(f, who, "POST", "/api/v1/submissions",
                     "{\"problemId\":%lld,\"language\":\"cpp\",\"source\":\"%s\"}",
                     (long long)problem, source);
}

static inline int64_t submitted(struct fixture *f, const struct person *who, int64_t problem) {
    struct reply reply = submit(f, who, problem, "int main(){}");
    expect(reply, 201);
    return reply_i64(&reply, "id");
}

#endif
