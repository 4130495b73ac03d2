#ifndef PROBLEM_FIXTURE_H
#define PROBLEM_FIXTURE_H

/* A small package on disk that tests change and import. */
#include "account_fixture.h"

#include "app/problem.h"

static inline const char *package_path(struct fixture *f, const char *name) {
    return arena_printf(f->arena, "%s/package/%s", f->folder, name);
}

static inline void package_file(struct fixture *f, const char *name, struct str content) {
    const char *path = package_path(f, name);
    struct str folder;
    struct str base;
    assert_true(str_cut_last(str_from(path), '/', &folder, &base));
    assert_true(file_make_dirs(arena_cstr(f->arena, folder), 0755, &f->err));
    if (!file_save_atomic(path, content, 0644, &f->err)) {
        fail_msg("%s", f->err.text);
    }
}

static inline void package_write(struct fixture *f) {
    package_file(f, "problem.yaml",
                 STR("name:\n  en: Two Numbers\n  zh: \xe4\xb8\xa4\xe6\x95\xb0\n"
                     "limits:\n  memory: 256\n"));
    package_file(f, ".timelimit", STR("2"));
    package_file(f, "problem_statement/problem.en.md", STR("Add them. ![p](plus.png)\n"));
    package_file(f, "problem_statement/problem.zh.md", STR("\xe5\x8a\xa0\n"));
    package_file(f, "problem_statement/plus.png", STR("\x89PNG not really"));
    package_file(f, "data/sample/1.in", STR("1 2\n"));
    package_file(f, "data/sample/1.ans", STR("3\n"));
    package_file(f, "data/secret/a.in", STR("20 22\n"));
    package_file(f, "data/secret/a.ans", STR("42\n"));
    package_file(f, "data/secret/b.in", STR("5 -5\n"));
    package_file(f, "data/secret/b.ans", STR("0\n"));
}

static inline bool package_import(struct fixture *f, const struct actor *actor, const char *code,
                                  struct problem_import_result *ret_result) {
    struct problem_import_request request = {
        .fd = -1, .folder = package_path(f, ""), .code = str_from(code)};
    struct problem_import_list list = {0};
    bool ok = problem_import(f->app, actor, &request, f->arena, &list, &f->err);
    *ret_result = list.count > 0 ? list.items[0] : (struct problem_import_result){0};
    return ok;
}

static inline struct problem_id package_imported(struct fixture *f, const char *code) {
    struct problem_import_result result;
    if (!package_import(f, &f->admin, code, &result)) {
        fail_msg("%s", f->err.text);
    }
    return result.problem.id;
}

#endif
