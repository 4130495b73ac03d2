/* Where statements end. */
#include "sql/script.h"

#include <string.h>

#define DELIMITER_BYTES_MAX 16

struct splitter {
    struct sql_lexer lexer;
    struct sql_statement *statements;
    int32_t count;
    int32_t line; /* of `counted` */
    size_t counted;
};

/* The statement that is being read. */
struct open_statement {
    bool begun;
    size_t from;
    size_t to;    /* end of its last token */
    bool creates; /* CREATE ... of stored code: BEGIN opens a block */
    bool is_code;
    int32_t depth; /* of BEGIN and CASE */
    bool ended;    /* the last word was END: what follows says of what */
};

static bool bad(const struct splitter *splitter, struct err *err, const char *why) {
    return err_set(err, ERR_INVALID, "bad_sql", "line %d: %s", splitter->line, why);
}

static int32_t line_of(struct splitter *splitter, size_t at) {
    for (; splitter->counted < at; splitter->counted++) {
        splitter->line += splitter->lexer.text.ptr[splitter->counted] == '\n';
    }
    return splitter->line;
}

static bool close_statement(struct splitter *splitter, struct open_statement *open,
                            struct err *err) {
    if (open->begun) {
        if (splitter->count == SQL_STATEMENTS_MAX) {
            return bad(splitter, err, "there are too many statements");
        }
        splitter->statements[splitter->count++] = (struct sql_statement){
            .text = str_sub(splitter->lexer.text, open->from, open->to - open->from),
            .line = line_of(splitter, open->from)};
    }
    *open = (struct open_statement){.begun = false};
    return true;
}

/* END IF, END LOOP and the like close what was not counted; END and END CASE what was. */
static void follow_end(struct open_statement *open, const struct sql_token *token) {
    static const char *const uncounted[] = {"IF", "LOOP", "WHILE", "REPEAT"};
    open->ended = false;
    for (size_t i = 0; i < sizeof uncounted / sizeof uncounted[0]; i++) {
        if (sql_token_is(token, uncounted[i])) {
            return;
        }
    }
    open->depth -= open->depth > 0 ? 1 : 0;
}

static bool is_code_word(const struct sql_token *token) {
    return sql_token_is(token, "PROCEDURE") || sql_token_is(token, "FUNCTION") ||
           sql_token_is(token, "TRIGGER");
}

static void follow(struct open_statement *open, const struct sql_token *token) {
    bool closes_case = open->ended && sql_token_is(token, "CASE");
    if (open->ended) {
        follow_end(open, token);
    }
    if (!open->begun) {
        open->begun = true;
        open->from = token->from;
        open->creates = sql_token_is(token, "CREATE");
    }
    open->is_code = open->is_code || (open->creates && is_code_word(token));
    if (open->is_code && !closes_case) {
        open->depth += sql_token_is(token, "BEGIN") || sql_token_is(token, "CASE") ? 1 : 0;
        open->ended = sql_token_is(token, "END");
    }
    open->to = token->to;
}

/* A line of its own for the mysql program and its like; no server knows it. */
static bool read_delimiter(struct splitter *splitter, struct err *err) {
    struct sql_lexer *lexer = &splitter->lexer;
    struct str rest = str_sub(lexer->text, lexer->at, lexer->text.len);
    struct str line = STR("");
    if (!str_next_line(&rest, &line)) {
        line = STR("");
    }
    lexer->at = (size_t)(line.ptr + line.len - lexer->text.ptr);
    line = str_trim(line);
    if (line.len == 0 || line.len > DELIMITER_BYTES_MAX || memchr(line.ptr, '\'', line.len) ||
        memchr(line.ptr, '"', line.len) || memchr(line.ptr, '\\', line.len)) {
        return bad(splitter, err, "DELIMITER needs a short text without quotes");
    }
    splitter->lexer.stop = line;
    return true;
}

/* Does the delimiter stand where this token begins? */
static bool is_delimiter(struct splitter *splitter, const struct open_statement *open,
                         const struct sql_token *token) {
    struct str rest = str_sub(splitter->lexer.text, token->from, splitter->lexer.text.len);
    bool own = !str_eq(splitter->lexer.stop, STR(";"));
    if (token->kind == SQL_TOKEN_STRING || token->kind == SQL_TOKEN_QUOTED ||
        !str_starts(rest, splitter->lexer.stop)) {
        return false;
    }
    int32_t depth = open->ended && open->depth > 0 ? open->depth - 1 : open->depth;
    if (!own && depth > 0) {
        return false;
    }
    splitter->lexer.at = token->from + splitter->lexer.stop.len;
    return true;
}

static bool take_token(struct splitter *splitter, struct open_statement *open,
                       const struct sql_token *token, struct err *err) {
    if (is_delimiter(splitter, open, token)) {
        return close_statement(splitter, open, err);
    }
    if (!open->begun && splitter->lexer.dialect == SQL_MYSQL && sql_token_is(token, "DELIMITER")) {
        return read_delimiter(splitter, err);
    }
    follow(open, token);
    return true;
}

bool sql_script_split(enum sql_dialect dialect, struct str text, struct arena *arena,
                      struct sql_script *ret_script, struct err *err) {
    struct splitter splitter = {.lexer = {.dialect = dialect, .text = text, .stop = STR(";")},
                                .line = 1};
    struct open_statement open = {.begun = false};
    if (!str_is_utf8(text)) {
        return err_set(err, ERR_INVALID, "bad_sql", "the text is not UTF-8");
    }
    if (str_has_nul(text)) { /* in a string too: it ends a statement on the way to SQLite */
        return err_set(err, ERR_INVALID, "bad_sql", "there is a NUL byte in the text");
    }
    splitter.statements = arena_array(arena, SQL_STATEMENTS_MAX, sizeof *splitter.statements);
    for (;;) {
        struct sql_token token = sql_lexer_next(&splitter.lexer);
        if (token.kind == SQL_TOKEN_BROKEN) {
            (void)line_of(&splitter, token.from);
            return bad(&splitter, err, token.why);
        }
        if (token.kind == SQL_TOKEN_END) {
            break;
        }
        if (!take_token(&splitter, &open, &token, err)) {
            return false;
        }
    }
    if (!close_statement(&splitter, &open, err)) {
        return false;
    }
    *ret_script = (struct sql_script){.statements = splitter.statements, .count = splitter.count};
    return true;
}
