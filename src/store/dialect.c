#include "store/dialect.h"

#include <ctype.h>
#include <string.h>

#define MYSQL_TABLE "ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin"

/* clang-format off */
static const struct word {
    const char *name;
    const char *sqlite;
    const char *mysql;
    bool sized; /* "(n)" follows; kept for MySQL, dropped for SQLite, whose types have no length */
} words[] = {
    {"i64",       "INTEGER",              "BIGINT",     false},
    {"i32",       "INTEGER",              "INT",        false},
    {"text",      "TEXT",                 "VARCHAR",    true},
    {"longtext",  "TEXT",                 "MEDIUMTEXT", false},
    {"bytes",     "BLOB",                 "VARBINARY",  true},
    {"blob",      "BLOB",                 "MEDIUMBLOB", false},
    {"table",     "STRICT",               MYSQL_TABLE,  false},
    {"clustered", "STRICT, WITHOUT ROWID", MYSQL_TABLE, false},
};
/* clang-format on */

static const struct word *find_word(struct str name) {
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (str_eq_c(name, words[i].name)) {
            return &words[i];
        }
    }
    return NULL;
}

static struct str take_while(struct str *rest, int (*is)(int)) {
    size_t len = 0;
    while (len < rest->len && is((unsigned char)rest->ptr[len])) {
        len++;
    }
    struct str taken = str_sub(*rest, 0, len);
    *rest = str_sub(*rest, len, rest->len - len);
    return taken;
}

static bool take_char(struct str *rest, char c) {
    if (rest->len == 0 || rest->ptr[0] != c) {
        return false;
    }
    *rest = str_sub(*rest, 1, rest->len - 1);
    return true;
}

static bool expand_word(enum dialect dialect, struct str *rest, struct buf *into, struct err *err) {
    struct str name = take_while(rest, isalnum);
    const struct word *word = find_word(name);
    if (word == NULL) {
        return err_set(err, ERR_INVALID, "bad_migration", "no database word @" STR_FMT,
                       STR_ARG(name));
    }
    buf_append_c(into, dialect == DIALECT_SQLITE ? word->sqlite : word->mysql);
    if (!word->sized) {
        return true;
    }
    if (!take_char(rest, '(')) {
        return err_set(err, ERR_INVALID, "bad_migration", "@" STR_FMT " needs a size: (n)",
                       STR_ARG(name));
    }
    struct str size = take_while(rest, isdigit);
    if (size.len == 0 || !take_char(rest, ')')) {
        return err_set(err, ERR_INVALID, "bad_migration", "the size of @" STR_FMT " is no number",
                       STR_ARG(name));
    }
    if (dialect == DIALECT_MYSQL) {
        buf_printf(into, "(" STR_FMT ")", STR_ARG(size));
    }
    return true;
}

bool dialect_expand(enum dialect dialect, struct str sql, struct buf *into, struct err *err) {
    while (sql.len > 0) {
        const char *at = memchr(sql.ptr, '@', sql.len);
        size_t plain = at == NULL ? sql.len : (size_t)(at - sql.ptr);
        buf_append(into, str_sub(sql, 0, plain));
        sql = str_sub(sql, plain, sql.len - plain);
        if (take_char(&sql, '@') && !expand_word(dialect, &sql, into, err)) {
            return false;
        }
    }
    return buf_ok(into, "migration", err);
}
