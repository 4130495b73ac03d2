/* Texts of students and authors, and what the program that runs SQLite printed. The first byte
 * chooses the dialect and the reader.
 *
 * Holds: statements lie in the text in order, are not empty and hold no NUL; what the policy lets
 * pass begins with an allowed verb; results that were read are within their bounds and equal
 * themselves. */
#include "base/check.h"
#include "base/limits.h"
#include "sql/answer.h"
#include "sql/compare.h"
#include "sql/policy.h"

#include <string.h>

#define ARENA_BYTES ((size_t)64 * MIB)
#define ROWS_MAX 100
#define BYTES_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static bool is_inside(struct str text, const char *from, struct str part) {
    return part.len > 0 && part.ptr >= from && part.ptr + part.len <= text.ptr + text.len;
}

static void split(enum sql_dialect dialect, struct str text) {
    own(arena) arena = arena_create(ARENA_BYTES);
    struct sql_script script = {.count = 0};
    struct err err = {0};
    bool code = false;
    const struct sql_policy policy = {
        .dialect = dialect, .verbs = STR("SELECT"), .statements_max = 10};
    if (!sql_script_split(dialect, text, arena, &script, &err)) {
        return;
    }
    const char *from = text.ptr;
    for (int32_t i = 0; i < script.count; i++) {
        struct str one = script.statements[i].text;
        CHECK(is_inside(text, from, one));
        CHECK(!str_has_nul(one));
        from = one.ptr + one.len;
    }
    if (sql_policy_check(&policy, &script, &code, &err)) {
        for (int32_t i = 0; i < script.count; i++) {
            bool with = true;
            const struct sql_verb *verb = sql_verb_of(dialect, script.statements[i].text, &with);
            CHECK(verb != NULL);
            CHECK(strcmp(verb->name, "SELECT") == 0);
            CHECK(!with);
        }
    }
}

static void read_tables(bool answer, struct str text) {
    own(arena) arena = arena_create(ARENA_BYTES);
    own_buf message;
    struct sql_tables tables = {.count = 0};
    struct err err = {0};
    const struct sql_bounds bounds = {.rows_max = ROWS_MAX, .bytes_max = BYTES_MAX};
    const struct sql_compare_options options = {.column_names = true, .show = true};
    buf_init(&message, 64 * KIB);
    if (!(answer ? sql_answer_read(text, &bounds, arena, &tables, &err)
                 : sql_form_read(text, &bounds, arena, &tables, &err))) {
        return;
    }
    int64_t rows = 0;
    for (int32_t i = 0; i < tables.count; i++) {
        rows += tables.items[i].row_count;
    }
    CHECK(rows <= ROWS_MAX);
    if (!answer) { /* a value of an answer has no type, so it need not equal itself */
        CHECK(sql_compare(&tables, &tables, &options, &message));
        CHECK(message.len == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    if (count == 0) {
        return 0;
    }
    struct str text = str_of(bytes + 1, count - 1);
    switch (bytes[0]) {
    case 'm': split(SQL_MYSQL, text); break;
    case 's': split(SQL_SQLITE, text); break;
    case 'a': read_tables(true, text); break;
    default: read_tables(false, text); break;
    }
    return 0;
}
