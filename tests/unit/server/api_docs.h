#ifndef TESTS_API_DOCS_H
#define TESTS_API_DOCS_H

/* The files of docs/api, read once, and their operations. */
#include "base/file.h"
#include "data/yaml.h"
#include "server/server_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct {
    struct arena *arena;
    const struct yaml *root;   /* openapi.yaml */
    const struct yaml *errors; /* errors.yaml */
    const struct yaml *files[32];
    const char *names[32];
    int file_count;
} api_docs;

static inline void api_docs_free(void) {
    arena_free(api_docs.arena);
    api_docs.arena = NULL;
}

static inline const struct yaml *api_load(const char *name) {
    struct err err = {0};
    own_buf content;
    buf_init(&content, YAML_BYTES_MAX);
    if (api_docs.arena == NULL) {
        api_docs.arena = arena_create((size_t)512 * MIB);
        (void)atexit(api_docs_free);
    }
    for (int i = 0; i < api_docs.file_count; i++) {
        if (strcmp(api_docs.names[i], name) == 0) {
            return api_docs.files[i];
        }
    }
    const char *path =
        arena_printf(api_docs.arena, "%s/docs/api/%s", getenv("ASSIZE_SOURCE_ROOT"), name);
    assert_true(api_docs.file_count < 32);
    int slot = api_docs.file_count++;
    api_docs.names[slot] = arena_printf(api_docs.arena, "%s", name);
    if (!file_load(path, YAML_BYTES_MAX, &content, &err) ||
        !yr_parse(api_docs.arena, api_docs.names[slot],
                  arena_str(api_docs.arena, buf_str(&content)), &api_docs.files[slot], &err)) {
        fail_msg("%s", err.text);
    }
    return api_docs.files[slot];
}

static inline bool api_lists(const struct yaml *list, const char *code) {
    for (YR_EACH(item, list)) {
        if (str_eq_c(item->text, code)) {
            return true;
        }
    }
    return false;
}

/* The operation's description: the value of its path is {"$ref": "paths/admin.yaml#/users"}. */
static inline const struct yaml *api_operation(const char *path, const char *method) {
    struct str file = {0};
    struct str name = {0};
    char lower[16];
    const struct yaml *row = yr_get(yr_get(api_load("openapi.yaml"), "paths"), path);
    if (row == NULL) {
        return NULL;
    }
    assert_true(str_cut(yr_get(row, "$ref")->text, '#', &file, &name));
    (void)snprintf(lower, sizeof lower, "%s", method);
    for (char *at = lower; *at != '\0'; at++) {
        *at = (char)(*at | 0x20);
    }
    return yr_get(yr_get(api_load(arena_cstr(api_docs.arena, file)),
                         arena_cstr(api_docs.arena, str_sub(name, 1, name.len))),
                  lower);
}

#endif
