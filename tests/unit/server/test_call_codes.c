/* Every error that the modules behind the routes can make, by reading their source: the code that a
 * client sees is one of errors.yaml, with the status that stands there. */
#include "api_docs.h"
#include "base/file.h"
#include "wire/problem_json.h"

#include <dirent.h>

#define SOURCE_BYTES (1 * MIB)

static const char *const modules[] = {"app",     "blob",   "data",  "domain", "language", "net",
                                      "package", "server", "store", "wake",   "wire"};

static const struct {
    const char *name;
    enum err_kind kind;
} kinds[] = {{"ERR_INVALID", ERR_INVALID},     {"ERR_UNAUTHENTICATED", ERR_UNAUTHENTICATED},
             {"ERR_DENIED", ERR_DENIED},       {"ERR_MISSING", ERR_MISSING},
             {"ERR_CONFLICT", ERR_CONFLICT},   {"ERR_STALE", ERR_STALE},
             {"ERR_TOO_LARGE", ERR_TOO_LARGE}, {"ERR_LIMITED", ERR_LIMITED},
             {"ERR_BUSY", ERR_BUSY},           {"ERR_SYSTEM", ERR_SYSTEM}};

/* Made while a server starts; and "duplicate", which is what the database says of a row that its
 * one writer has looked for before. */
static const char *const not_of_requests[] = {
    "address_in_use",    "database_in_use", "database_newer",
    "migration_changed", "no_blob_folder",  "other_blob_folder",
    "other_blob_store",  "duplicate",       "schema_done",
};

static int found;

static bool is_of_requests(const char *code) {
    for (size_t i = 0; i < sizeof not_of_requests / sizeof not_of_requests[0]; i++) {
        if (strcmp(code, not_of_requests[i]) == 0) {
            return false;
        }
    }
    return true;
}

static void check_error(const char *file, enum err_kind kind, const char *code) {
    struct err err = {.kind = kind, .code = code};
    struct err parse_err = {0};
    int64_t documented = 0;
    const char *shown = problem_code(&err);
    const struct yaml *row = yr_get(api_load("errors.yaml"), shown);
    found++;
    if (row == NULL) {
        fail_msg("%s makes %s, which clients see as %s: not in errors.yaml", file, code, shown);
    }
    assert_true(yr_i64(yr_get(row, "status"), 400, 599, &documented, &parse_err));
    if (problem_status(&err) != documented) {
        fail_msg("%s makes %s with status %d; errors.yaml says %lld for %s", file, code,
                 problem_status(&err), (long long)documented, shown);
    }
}

/* `at` stands behind the kind's name: `, "code"` must follow, else it is no error that is made. */
static const char *code_after(const char *at) {
    at += strspn(at, " \n");
    if (*at != ',') {
        return NULL;
    }
    at += 1 + strspn(at + 1, " \n");
    size_t len = *at == '"' ? strspn(at + 1, "abcdefghijklmnopqrstuvwxyz_") : 0;
    return len > 0 && at[1 + len] == '"' ? arena_printf(api_docs.arena, "%.*s", (int)len, at + 1)
                                         : NULL;
}

static void check_file(const char *path) {
    struct err err = {0};
    own_buf text;
    buf_init(&text, SOURCE_BYTES);
    assert_true(file_load(path, SOURCE_BYTES, &text, &err));
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t len = strlen(kinds[i].name);
        for (const char *at = strstr(buf_c(&text), kinds[i].name); at != NULL;
             at = strstr(at + len, kinds[i].name)) {
            const char *code = code_after(at + len);
            if (code != NULL && is_of_requests(code)) {
                check_error(path, kinds[i].kind, code);
            }
        }
    }
}

static void every_error_of_a_request_is_documented(void **state) {
    (void)state;
    (void)api_load("errors.yaml");
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {
        const char *folder =
            arena_printf(api_docs.arena, "%s/src/%s", getenv("ASSIZE_SOURCE_ROOT"), modules[i]);
        DIR *entries = opendir(folder);
        assert_non_null(entries);
        for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
            if (str_ends(str_from(entry->d_name), STR(".c"))) {
                check_file(arena_printf(api_docs.arena, "%s/%s", folder, entry->d_name));
            }
        }
        closedir(entries);
    }
    assert_true(found > 100); /* the search still finds them */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_of_a_request_is_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
