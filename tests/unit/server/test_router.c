/* The route tables against the OpenAPI document, both ways, and finding rows. */
#include "base/file.h"
#include "data/yaml.h"
#include "server/server_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OPERATIONS_MAX 200

struct operation {
    const char *path;
    enum http_method method;
    const char *id;
    const char *access;
    const char *rate;
    int64_t body_bytes_max;
};

static struct arena *arena;
static struct operation operations[OPERATIONS_MAX];
static int operation_count;

static const struct yaml *load(const char *name) {
    struct err err = {0};
    struct buf content = {0};
    const struct yaml *root = NULL;
    const char *path = arena_printf(arena, "%s/docs/api/%s", getenv("ASSIZE_SOURCE_ROOT"), name);
    buf_init(&content, YAML_BYTES_MAX);
    if (!file_load(path, YAML_BYTES_MAX, &content, &err) ||
        !yr_parse(arena, name, arena_str(arena, buf_str(&content)), &root, &err)) {
        fail_msg("%s", err.text);
    }
    buf_done(&content);
    return root;
}

static const char *text_of(const struct yaml *map, const char *name) {
    const struct yaml *node = yr_get(map, name);
    assert_non_null(node);
    return arena_cstr(arena, node->text);
}

static enum http_method method_of(struct str name) {
    for (int method = HTTP_GET; method < HTTP_METHOD_COUNT; method++) {
        if (str_eq_nocase(name, str_from(http_method_name((enum http_method)method)))) {
            return (enum http_method)method;
        }
    }
    return HTTP_NONE;
}

/* The value of a path is {"$ref": "paths/admin.yaml#/users"}. */
static void add_path(const struct yaml *path) {
    struct str file = {0};
    struct str name = {0};
    struct err err = {0};
    assert_true(str_cut(yr_get(path, "$ref")->text, '#', &file, &name));
    const struct yaml *item =
        yr_get(load(arena_cstr(arena, file)), arena_cstr(arena, str_sub(name, 1, name.len)));
    assert_non_null(item);
    for (YR_EACH(row, item)) {
        if (method_of(row->key) == HTTP_NONE) {
            continue;
        }
        assert_true(operation_count < OPERATIONS_MAX);
        struct operation *operation = &operations[operation_count++];
        *operation = (struct operation){.path = arena_cstr(arena, path->key),
                                        .method = method_of(row->key),
                                        .id = text_of(row, "operationId"),
                                        .access = text_of(row, "x-access"),
                                        .rate = text_of(row, "x-rate")};
        assert_true(
            yr_opt_i64(row, "x-body-limit-bytes", 0, INT64_MAX, &operation->body_bytes_max, &err));
    }
}

static int set_up(void **state) {
    (void)state;
    arena = arena_create((size_t)256 * MIB);
    for (YR_EACH(path, yr_get(load("openapi.yaml"), "paths"))) {
        add_path(path);
    }
    return operation_count > 20 ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    arena_free(arena);
    return 0;
}

static const char *access_name(enum access access) {
    static const char *const names[] = {"none", "user", "teacher", "admin", "node"};
    return names[access];
}

static const char *rate_name(enum rate_class rate) {
    static const char *const names[] = {"read", "write", "login", "machine"};
    return names[rate];
}

static const struct route *row_of(const struct operation *operation) {
    for (size_t table = 0; table < route_table_count; table++) {
        for (const struct route *row = route_tables[table]; row->path != NULL; row++) {
            if (strcmp(row->operation, operation->id) == 0) {
                return row;
            }
        }
    }
    return NULL;
}

static void each_documented_operation_has_its_row(void **state) {
    (void)state;
    for (int i = 0; i < operation_count; i++) {
        const struct operation *operation = &operations[i];
        const struct route *row = row_of(operation);
        if (row == NULL) {
            fail_msg("%s is documented and has no route", operation->id);
            return;
        }
        assert_string_equal(row->path, operation->path);
        assert_int_equal(row->method, operation->method);
        if (strcmp(access_name(row->access), operation->access) != 0) {
            fail_msg("%s: access %s, documented %s", operation->id, access_name(row->access),
                     operation->access);
        }
        if (strcmp(rate_name(row->rate), operation->rate) != 0) {
            fail_msg("%s: rate %s, documented %s", operation->id, rate_name(row->rate),
                     operation->rate);
        }
        if (row->body_bytes_max != operation->body_bytes_max) {
            fail_msg("%s: body limit %lld, documented %lld", operation->id,
                     (long long)row->body_bytes_max, (long long)operation->body_bytes_max);
        }
    }
}

static void each_row_is_documented(void **state) {
    (void)state;
    for (size_t table = 0; table < route_table_count; table++) {
        for (const struct route *row = route_tables[table]; row->path != NULL; row++) {
            bool documented = (row->flags & ROUTE_INTERNAL) != 0;
            for (int i = 0; i < operation_count && !documented; i++) {
                documented = strcmp(operations[i].id, row->operation) == 0;
            }
            if (!documented) {
                fail_msg("%s is not in docs/api/openapi.yaml", row->operation);
            }
        }
    }
}

static void a_path_finds_its_row_and_its_parts(void **state) {
    (void)state;
    const struct route *row = NULL;
    struct str params[CALL_PARAMS_MAX] = {0};

    assert_int_equal(router_match(HTTP_GET, STR("/api/v1/problems/7/files/a.png"), &row, params),
                     MATCH_FOUND);

    assert_string_equal(row->operation, "problemFileGet");
    assert_true(str_eq(params[0], STR("7")));
    assert_true(str_eq(params[1], STR("a.png")));
}

static void another_method_is_told_from_another_path(void **state) {
    (void)state;
    const struct route *row = NULL;
    struct str params[CALL_PARAMS_MAX] = {0};

    assert_int_equal(router_match(HTTP_DELETE, STR("/api/v1/problems"), &row, params),
                     MATCH_OTHER_METHOD);
    assert_int_equal(router_match(HTTP_GET, STR("/api/v1/problem"), &row, params), MATCH_NONE);
    assert_int_equal(router_match(HTTP_GET, STR("/api/v1/problems/"), &row, params), MATCH_NONE);
    assert_int_equal(router_match(HTTP_GET, STR("/api/v1/problems/1/"), &row, params), MATCH_NONE);
    assert_int_equal(router_match(HTTP_GET, STR("/"), &row, params), MATCH_NONE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_documented_operation_has_its_row),
        cmocka_unit_test(each_row_is_documented),
        cmocka_unit_test(a_path_finds_its_row_and_its_parts),
        cmocka_unit_test(another_method_is_told_from_another_path),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
