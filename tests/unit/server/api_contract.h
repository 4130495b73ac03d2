#ifndef TESTS_API_CONTRACT_H
#define TESTS_API_CONTRACT_H

/* Holds what the server answers against docs/api: error codes by operation, and schemas. */
#include "api_schema.h"

/* Fails the test when the code is not allowed here, or not with this status. */
static inline void api_error_check(const char *method, const char *target, const char *code,
                                   int status) {
    struct str path = {0};
    struct str query = {0};
    struct str params[CALL_PARAMS_MAX];
    const struct route *route = NULL;
    int64_t documented = 0;
    struct err err = {0};
    const struct yaml *row = yr_get(api_load("errors.yaml"), code);
    if (row == NULL) {
        fail_msg("%s %s answered %s, which is not in errors.yaml", method, target, code);
    }
    assert_true(yr_i64(yr_get(row, "status"), 400, 599, &documented, &err));
    assert_int_equal(status, documented);
    (void)str_cut(str_from(target), '?', &path, &query);
    if (router_match(HTTP_GET, path, &route, params) == MATCH_NONE ||
        api_lists(yr_get(api_load("openapi.yaml"), "x-errors-common"), code)) {
        return;
    }
    const struct yaml *operation = api_operation(route->path, method);
    if (operation == NULL || !api_lists(yr_get(operation, "x-errors"), code)) {
        fail_msg("%s %s answered %s, which is not in its x-errors", method, target, code);
    }
}

/* `name` of schemas/<file>. */
static inline void api_check_schema(const char *file, const char *name, const struct json *json) {
    char path[64];
    (void)snprintf(path, sizeof path, "schemas/%s", file);
    const struct yaml *schema = yr_get(api_load(path), name);
    struct api_value value = {.value = json, .place = name};
    assert_non_null(schema);
    api_check(schema, &value);
}

/* The JSON of an answer, whatever its status. */
static inline void api_check_answer(const char *method, const char *target, int status,
                                    const struct json *json) {
    struct str path = {0};
    struct str query = {0};
    struct str params[CALL_PARAMS_MAX];
    const struct route *route = NULL;
    char number[8];
    (void)snprintf(number, sizeof number, "%d", status);
    (void)str_cut(str_from(target), '?', &path, &query);
    if (router_match(HTTP_GET, path, &route, params) == MATCH_NONE) {
        return;
    }
    const struct yaml *responses = yr_get(api_operation(route->path, method), "responses");
    if (responses == NULL) {
        return; /* a method that the address does not take, or a probe */
    }
    const struct yaml *answer = yr_get(responses, number);
    answer = answer == NULL && status >= 400 ? yr_get(responses, "default") : answer;
    if (answer == NULL) {
        fail_msg("%s %s answered %d, which is not documented", method, target, status);
        return;
    }
    const struct yaml *content = yr_get(api_resolve(answer), "content");
    if (json == NULL || content == NULL) {
        return;
    }
    struct api_value value = {.value = json, .place = route->operation};
    api_check(yr_get(content->first, "schema"), &value);
}

#endif
