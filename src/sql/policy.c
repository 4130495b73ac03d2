/* Refuses what no problem needs. */
#include "sql/policy.h"

#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Refused where they are called: they wait, hold locks that outlive a statement, reach files, or
 * keep a processor busy while the server's clock does not look. */
static const char *const mysql_functions[] = {
    "SLEEP",
    "BENCHMARK",
    "GET_LOCK",
    "RELEASE_LOCK",
    "RELEASE_ALL_LOCKS",
    "IS_FREE_LOCK",
    "IS_USED_LOCK",
    "LOAD_FILE",
    "MASTER_POS_WAIT",
    "SOURCE_POS_WAIT",
    "MASTER_GTID_WAIT",
    "WAIT_FOR_EXECUTED_GTID_SET",
    "WAIT_UNTIL_SQL_THREAD_AFTER_GTIDS",
    "SYS_EXEC",
    "SYS_EVAL",
    "SETVAL",
};

static const char *const sqlite_functions[] = {
    "LOAD_EXTENSION", "READFILE", "WRITEFILE", "FTS3_TOKENIZER", "SQLITE_LOG",
};

/* Refused wherever they stand outside strings and quoted names. */
static const char *const mysql_words[] = {
    "OUTFILE", "DUMPFILE", "INFILE",    "XA",         "PREPARE",   "EXECUTE", "DEALLOCATE",
    "HANDLER", "KILL",     "SHUTDOWN",  "INSTALL",    "GRANT",     "REVOKE",  "DEFINER",
    "PLUGIN",  "SONAME",   "FLUSH",     "BINLOG",     "BACKUP",    "PURGE",   "SUPER",
    "GLOBAL",  "PERSIST",  "UNINSTALL", "TABLESPACE", "DIRECTORY",
};

static const char *const sqlite_words[] = {"ATTACH", "DETACH", "PRAGMA", "VACUUM", "VIRTUAL"};

/* Schemas of the server itself, before a dot. */
static const char *const system_schemas[] = {"mysql", "information_schema", "performance_schema",
                                             "sys"};
static const char *const sqlite_schemas[] = {"sqlite_temp_master"};

struct lists {
    const char *const *functions;
    size_t function_count;
    const char *const *words;
    size_t word_count;
    const char *const *schemas;
    size_t schema_count;
};

static const struct lists lists_of[] = {
    [SQL_MYSQL] = {mysql_functions, COUNT(mysql_functions), mysql_words, COUNT(mysql_words),
                   system_schemas, COUNT(system_schemas)},
    [SQL_SQLITE] = {sqlite_functions, COUNT(sqlite_functions), sqlite_words, COUNT(sqlite_words),
                    sqlite_schemas, COUNT(sqlite_schemas)},
};

static bool has(const char *const *list, size_t count, struct str word) {
    for (size_t i = 0; i < count; i++) {
        if (str_eq_nocase(word, str_from(list[i]))) {
            return true;
        }
    }
    return false;
}

static bool refuse(const struct sql_statement *statement, const char *what, struct str word,
                   struct err *err) {
    return err_set(err, ERR_INVALID, "sql_refused", "line %d: " STR_FMT " %s", statement->line,
                   STR_ARG(str_utf8_prefix(word, 40)), what);
}

/* One token with its neighbours. */
static bool check_token(const struct sql_policy *policy, const struct sql_statement *statement,
                        const struct sql_token tokens[3], struct err *err) {
    const struct lists *lists = &lists_of[policy->dialect];
    const struct sql_token *token = &tokens[1];
    bool is_name = token->kind == SQL_TOKEN_WORD || token->kind == SQL_TOKEN_QUOTED;
    bool after_dot = sql_token_is_symbol(&tokens[0], '.');
    if (sql_token_is_symbol(token, '@') && sql_token_is_symbol(&tokens[2], '@')) {
        return refuse(statement, "(system variables) is not allowed here", STR("@@"), err);
    }
    if (is_name && sql_token_is_symbol(&tokens[2], '(') &&
        has(lists->functions, lists->function_count, token->text)) {
        return refuse(statement, "may not be called here", token->text, err);
    }
    if (is_name && sql_token_is_symbol(&tokens[2], '.') &&
        has(lists->schemas, lists->schema_count, token->text)) {
        return refuse(statement, "is a schema of the server itself", token->text, err);
    }
    if (token->kind == SQL_TOKEN_WORD && !after_dot &&
        has(lists->words, lists->word_count, token->text)) {
        return refuse(statement, "is not allowed here (a column of that name needs quotes)",
                      token->text, err);
    }
    return true;
}

static bool check_tokens(const struct sql_policy *policy, const struct sql_statement *statement,
                         struct err *err) {
    struct sql_lexer lexer = {.dialect = policy->dialect, .text = statement->text};
    struct sql_token tokens[3] = {{.kind = SQL_TOKEN_END}};
    tokens[2] = sql_lexer_next(&lexer);
    while (tokens[2].kind != SQL_TOKEN_END) {
        tokens[0] = tokens[1];
        tokens[1] = tokens[2];
        tokens[2] = sql_lexer_next(&lexer);
        if (!check_token(policy, statement, tokens, err)) {
            return false;
        }
    }
    return true;
}

static bool check_verb(const struct sql_policy *policy, const struct sql_statement *statement,
                       bool *stores_code, struct err *err) {
    bool with = false;
    const struct sql_verb *verb = sql_verb_of(policy->dialect, statement->text, &with);
    bool allowed = verb != NULL && str_has_word(policy->verbs, verb->name) &&
                   (!with || str_has_word(policy->verbs, "WITH"));
    if (!allowed) {
        return err_set(err, ERR_INVALID, "sql_refused",
                       "line %d: a statement may not begin with " STR_FMT
                       " in this problem; it takes: " STR_FMT,
                       statement->line, STR_ARG(sql_verb_word(policy->dialect, statement->text)),
                       STR_ARG(policy->verbs));
    }
    *stores_code = *stores_code || verb->stores_code;
    return true;
}

bool sql_policy_check(const struct sql_policy *policy, const struct sql_script *script,
                      bool *ret_stores_code, struct err *err) {
    *ret_stores_code = false;
    if (script->count == 0) {
        return err_set(err, ERR_INVALID, "sql_refused", "there is no statement");
    }
    if (script->count > policy->statements_max) {
        return err_set(err, ERR_INVALID, "sql_refused", "there are more than %d statements",
                       policy->statements_max);
    }
    for (int32_t i = 0; i < script->count; i++) {
        if (!check_verb(policy, &script->statements[i], ret_stores_code, err) ||
            !check_tokens(policy, &script->statements[i], err)) {
            return false;
        }
    }
    return true;
}
