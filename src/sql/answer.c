/* Answers that somebody wrote. */
#include "sql/answer.h"
#include "base/limits.h"

#include <string.h>

struct answer {
    struct arena *arena;
    struct sql_bounds left;
    struct sql_tables tables;
    struct sql_table *table; /* NULL: the next line names columns */
    int line;
};

static bool bad(const struct answer *answer, struct err *err, const char *why) {
    return err_set(err, ERR_INVALID, "bad_answer", "line %d of the answer: %s", answer->line, why);
}

static char unescaped(char c) {
    switch (c) {
    case 't': return '\t';
    case 'n': return '\n';
    case 'r': return '\r';
    default: return c;
    }
}

static struct str plain(struct answer *answer, struct str text) {
    if (memchr(text.ptr, '\\', text.len) == NULL) {
        return arena_str(answer->arena, text);
    }
    char *out = arena_alloc(answer->arena, text.len);
    size_t length = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool escape = text.ptr[i] == '\\' && i + 1 < text.len;
        out[length++] = escape ? unescaped(text.ptr[++i]) : text.ptr[i];
    }
    return str_of(out, length);
}

static int32_t count_fields(struct str line) {
    int32_t count = 1;
    for (size_t i = 0; i < line.len; i++) {
        count += line.ptr[i] == '\t';
    }
    return count;
}

static bool add_names(struct answer *answer, struct str line, struct err *err) {
    int32_t count = count_fields(line);
    struct str *names = arena_array(answer->arena, (size_t)count, sizeof *names);
    for (int32_t i = 0; i < count; i++) {
        struct str field = STR("");
        (void)str_cut(line, '\t', &field, &line);
        names[i] = plain(answer, field);
    }
    answer->table = sql_tables_add(&answer->tables, answer->arena, names, count);
    return answer->table != NULL || bad(answer, err, "too many tables or columns");
}

static bool add_row(struct answer *answer, struct str line, struct err *err) {
    if (count_fields(line) != answer->table->column_count) {
        return bad(answer, err, "it has not as many values as there are columns");
    }
    answer->left.bytes_max -= (int64_t)line.len;
    if (answer->left.rows_max-- <= 0 || answer->left.bytes_max < 0) {
        return err_set(err, ERR_TOO_LARGE, "result_too_large", "the answer is too large");
    }
    struct sql_value *values = sql_table_add_row(answer->table, answer->arena);
    for (int32_t i = 0; i < answer->table->column_count; i++) {
        struct str field = STR("");
        (void)str_cut(line, '\t', &field, &line);
        bool null = str_eq(field, STR("\\N"));
        values[i] = (struct sql_value){.class = null ? SQL_CLASS_NULL : SQL_CLASS_ANY,
                                       .text = null ? STR("") : plain(answer, field)};
    }
    return true;
}

bool sql_answer_read(struct str text, const struct sql_bounds *bounds, struct arena *arena,
                     struct sql_tables *ret_tables, struct err *err) {
    struct answer answer = {.arena = arena, .left = *bounds};
    struct str line = STR("");
    while (str_next_line(&text, &line)) {
        answer.line++;
        if (str_eq(line, STR("--"))) {
            answer.table = NULL;
        } else if (answer.table == NULL ? !add_names(&answer, line, err)
                                        : !add_row(&answer, line, err)) {
            return false;
        }
    }
    *ret_tables = answer.tables;
    return true;
}
