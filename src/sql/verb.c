/* The statements that problems may allow. */
#include "sql/verb.h"
#include "base/buf.h"

#include <string.h>

#define NAMES_BYTES_MAX 1024
#define WORD_BYTES_MAX 32

/* clang-format off */
/* In byte order, which a manifest wants of words. */
static const struct sql_verb verbs[] = {
    {"ALTER_TABLE",      SQL_RIGHT_TABLES | SQL_RIGHT_INSERT, false, false},
    {"BEGIN",            0, false, false},
    {"CALL",             SQL_RIGHT_CALL, false, true},
    {"COMMIT",           0, false, false},
    {"CREATE_FUNCTION",  SQL_RIGHT_ROUTINES, true, true},
    {"CREATE_INDEX",     SQL_RIGHT_INDEX, false, false},
    {"CREATE_PROCEDURE", SQL_RIGHT_ROUTINES, true, true},
    {"CREATE_TABLE",     SQL_RIGHT_TABLES | SQL_RIGHT_INSERT, false, false},
    {"CREATE_TRIGGER",   SQL_RIGHT_TRIGGERS, true, false},
    {"CREATE_VIEW",      SQL_RIGHT_VIEWS, false, false},
    {"DELETE",           SQL_RIGHT_DELETE, false, false},
    {"DROP_FUNCTION",    SQL_RIGHT_ROUTINES, true, true},
    {"DROP_INDEX",       SQL_RIGHT_INDEX, false, false},
    {"DROP_PROCEDURE",   SQL_RIGHT_ROUTINES, true, true},
    {"DROP_TABLE",       SQL_RIGHT_TABLES, false, false},
    {"DROP_TRIGGER",     SQL_RIGHT_TRIGGERS, true, false},
    {"DROP_VIEW",        SQL_RIGHT_VIEWS, false, false},
    {"INSERT",           SQL_RIGHT_INSERT, false, false},
    {"REPLACE",          SQL_RIGHT_INSERT | SQL_RIGHT_DELETE, false, false},
    {"ROLLBACK",         0, false, false},
    {"SAVEPOINT",        0, false, false},
    {"SELECT",           0, false, false},
    {"START",            0, false, true},
    {"TRUNCATE",         SQL_RIGHT_TABLES, false, true},
    {"UPDATE",           SQL_RIGHT_UPDATE, false, false},
    {"VALUES",           0, false, false},
    {"WITH",             0, false, false},
};

/* What authors may write instead of the verbs. */
static const struct group {
    const char *name;
    const char *verbs;
} groups[] = {
    {"select",      "SELECT WITH VALUES"},
    {"dml",         "INSERT REPLACE UPDATE DELETE"},
    {"transaction", "START BEGIN COMMIT ROLLBACK SAVEPOINT"},
    {"ddl",         "CREATE_TABLE ALTER_TABLE DROP_TABLE CREATE_INDEX DROP_INDEX TRUNCATE"},
    {"view",        "CREATE_VIEW DROP_VIEW"},
    {"routine",     "CREATE_PROCEDURE CREATE_FUNCTION DROP_PROCEDURE DROP_FUNCTION CALL"},
    {"trigger",     "CREATE_TRIGGER DROP_TRIGGER"},
};
/* clang-format on */

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

const struct sql_verb *sql_verb_find(struct str name) {
    for (size_t i = 0; i < COUNT(verbs); i++) {
        if (str_eq_c(name, verbs[i].name)) {
            return &verbs[i];
        }
    }
    return NULL;
}

uint32_t sql_verb_rights(struct str names) {
    struct str word = STR("");
    uint32_t rights = 0;
    while (str_next_word(&names, &word)) {
        const struct sql_verb *verb = sql_verb_find(word);
        rights |= verb != NULL ? verb->rights : 0;
    }
    return rights;
}

/* ---- of a statement ---- */

/* Between CREATE and what is created. What is not here ends the search: DEFINER, EVENT, USER ... */
static bool is_modifier(const struct sql_token *token) {
    static const char *const words[] = {"OR",        "REPLACE", "TEMPORARY", "TEMP",     "UNIQUE",
                                        "ALGORITHM", "MERGE",   "TEMPTABLE", "UNDEFINED"};
    for (size_t i = 0; i < COUNT(words); i++) {
        if (sql_token_is(token, words[i])) {
            return true;
        }
    }
    return sql_token_is_symbol(token, '=');
}

static const struct sql_verb *verb_of_words(const char *first, struct str second) {
    char name[WORD_BYTES_MAX];
    size_t length = strlen(first);
    if (second.len + length + 1 >= sizeof name) {
        return NULL;
    }
    memcpy(name, first, length);
    name[length++] = '_';
    for (size_t i = 0; i < second.len; i++) {
        char c = second.ptr[i];
        name[length++] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    }
    return sql_verb_find(str_of(name, length));
}

/* CREATE, ALTER, DROP: of what? */
static const struct sql_verb *verb_of_object(struct sql_lexer *lexer, const char *first) {
    struct sql_token token = sql_lexer_next(lexer);
    while (is_modifier(&token)) {
        token = sql_lexer_next(lexer);
    }
    return token.kind == SQL_TOKEN_WORD ? verb_of_words(first, token.text) : NULL;
}

/* Behind WITH: the first of these words that no parenthesis holds. */
static const struct sql_verb *verb_behind_with(struct sql_lexer *lexer) {
    static const char *const words[] = {"SELECT",  "VALUES", "INSERT",
                                        "REPLACE", "UPDATE", "DELETE"};
    int depth = 0;
    for (;;) {
        struct sql_token token = sql_lexer_next(lexer);
        if (token.kind == SQL_TOKEN_END || token.kind == SQL_TOKEN_BROKEN) {
            return NULL;
        }
        depth += sql_token_is_symbol(&token, '(') ? 1 : 0;
        depth -= sql_token_is_symbol(&token, ')') ? 1 : 0;
        for (size_t i = 0; depth == 0 && i < COUNT(words); i++) {
            if (sql_token_is(&token, words[i])) {
                return sql_verb_find(str_from(words[i]));
            }
        }
    }
}

static bool ends_here(struct sql_lexer lexer, const char *allowed) {
    struct sql_token token = sql_lexer_next(&lexer);
    if (sql_token_is(&token, allowed)) {
        token = sql_lexer_next(&lexer);
    }
    return token.kind == SQL_TOKEN_END;
}

const struct sql_verb *sql_verb_of(enum sql_dialect dialect, struct str statement, bool *ret_with) {
    static const char *const objects[] = {"CREATE", "ALTER", "DROP"};
    struct sql_lexer lexer = {.dialect = dialect, .text = statement};
    struct sql_token token = sql_lexer_next(&lexer);
    while (sql_token_is_symbol(&token, '(')) {
        token = sql_lexer_next(&lexer);
    }
    *ret_with = sql_token_is(&token, "WITH");
    if (*ret_with) {
        return verb_behind_with(&lexer);
    }
    for (size_t i = 0; i < COUNT(objects); i++) {
        if (sql_token_is(&token, objects[i])) {
            return verb_of_object(&lexer, objects[i]);
        }
    }
    /* BEGIN NOT ATOMIC is a program of its own. */
    if (sql_token_is(&token, "BEGIN") &&
        !ends_here(lexer, dialect == SQL_MYSQL ? "WORK" : "TRANSACTION")) {
        return NULL;
    }
    for (size_t i = 0; i < COUNT(verbs); i++) {
        if (sql_token_is(&token, verbs[i].name)) {
            return &verbs[i];
        }
    }
    return NULL;
}

struct str sql_verb_word(enum sql_dialect dialect, struct str statement) {
    struct sql_lexer lexer = {.dialect = dialect, .text = statement};
    return str_utf8_prefix(sql_lexer_next(&lexer).text, WORD_BYTES_MAX);
}

/* ---- what authors write ---- */

static bool is_in(struct str words, struct str word) {
    struct str one = STR("");
    while (str_next_word(&words, &one)) {
        if (str_eq_nocase(one, word)) {
            return true;
        }
    }
    return false;
}

static const struct group *group_of(struct str word) {
    for (size_t i = 0; i < COUNT(groups); i++) {
        if (str_eq_nocase(word, str_from(groups[i].name))) {
            return &groups[i];
        }
    }
    return NULL;
}

static bool is_wanted(struct str words, const struct sql_verb *verb) {
    struct str word = STR("");
    while (str_next_word(&words, &word)) {
        const struct group *group = group_of(word);
        bool by_group = group != NULL && is_in(str_from(group->verbs), str_from(verb->name));
        if (by_group || (group == NULL && str_eq_nocase(word, str_from(verb->name)))) {
            return true;
        }
    }
    return false;
}

static bool is_known(struct str word) {
    for (size_t i = 0; i < COUNT(verbs); i++) {
        if (str_eq_nocase(word, str_from(verbs[i].name))) {
            return true;
        }
    }
    return group_of(word) != NULL;
}

bool sql_verb_list(struct str words, struct arena *arena, struct str *ret_names, struct err *err) {
    struct str rest = words;
    struct str word = STR("");
    own_buf names;
    buf_init(&names, NAMES_BYTES_MAX);
    while (str_next_word(&rest, &word)) {
        if (!is_known(word)) {
            return err_set(err, ERR_INVALID, "bad_sql",
                           "there is no statement or group " STR_FMT
                           " (groups: select dml transaction ddl view routine trigger)",
                           STR_ARG(str_utf8_prefix(word, WORD_BYTES_MAX)));
        }
    }
    for (size_t i = 0; i < COUNT(verbs); i++) {
        if (is_wanted(words, &verbs[i])) {
            (void)buf_printf(&names, "%s%s", names.len > 0 ? " " : "", verbs[i].name);
        }
    }
    *ret_names = arena_str(arena, buf_str(&names));
    return true;
}
