/* One token after the other. */
#include "sql/lexer.h"

#include <string.h>

enum sql_dialect sql_dialect_of(struct str name) {
    if (str_eq_c(name, "mysql")) {
        return SQL_MYSQL;
    }
    return str_eq_c(name, "sqlite") ? SQL_SQLITE : SQL_DIALECT_NONE;
}

static char peek(const struct sql_lexer *lexer, size_t ahead) {
    size_t at = lexer->at + ahead;
    return at < lexer->text.len ? lexer->text.ptr[at] : '\0';
}

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           is_digit(c) || (unsigned char)c >= 0x80;
}

static struct sql_token token_of(struct sql_lexer *lexer, enum sql_token_kind kind, size_t from) {
    return (struct sql_token){.kind = kind,
                              .text = str_sub(lexer->text, from, lexer->at - from),
                              .from = from,
                              .to = lexer->at};
}

static struct sql_token broken(struct sql_lexer *lexer, const char *why) {
    struct sql_token token = token_of(lexer, SQL_TOKEN_BROKEN, lexer->at);
    token.why = why;
    lexer->at = lexer->text.len;
    return token;
}

/* ---- comments ---- */

/* MySQL wants white space or a control character behind "--"; SQLite does not. */
static bool begins_line_comment(const struct sql_lexer *lexer) {
    if (lexer->dialect == SQL_MYSQL && peek(lexer, 0) == '#') {
        return true;
    }
    if (peek(lexer, 0) != '-' || peek(lexer, 1) != '-') {
        return false;
    }
    bool at_end = lexer->at + 2 >= lexer->text.len;
    return lexer->dialect != SQL_MYSQL || at_end || (unsigned char)peek(lexer, 2) <= ' ';
}

static void skip_line(struct sql_lexer *lexer) {
    while (lexer->at < lexer->text.len && peek(lexer, 0) != '\n') {
        lexer->at++;
    }
}

/* NULL when it was skipped. */
static const char *skip_block(struct sql_lexer *lexer) {
    bool runs = peek(lexer, 2) == '!' ||
                ((peek(lexer, 2) == 'M' || peek(lexer, 2) == 'm') && peek(lexer, 3) == '!');
    if (lexer->dialect == SQL_MYSQL && runs) {
        return "comments that the server runs (/*! */) are not allowed";
    }
    for (lexer->at += 2; lexer->at < lexer->text.len; lexer->at++) {
        if (peek(lexer, 0) == '*' && peek(lexer, 1) == '/') {
            lexer->at += 2;
            return NULL;
        }
    }
    return "a comment is not closed";
}

/* Skips white space and comments; says what is wrong, or NULL. */
static const char *skip(struct sql_lexer *lexer) {
    while (lexer->at < lexer->text.len) {
        if (is_space(peek(lexer, 0))) {
            lexer->at++;
        } else if (begins_line_comment(lexer)) {
            skip_line(lexer);
        } else if (peek(lexer, 0) == '/' && peek(lexer, 1) == '*') {
            const char *why = skip_block(lexer);
            if (why != NULL) {
                return why;
            }
        } else {
            break;
        }
    }
    return NULL;
}

/* ---- tokens ---- */

/* Up to the closing quote, which a doubled one does not close, nor one behind a backslash in MySQL
 * strings. */
static struct sql_token quoted(struct sql_lexer *lexer, char close, enum sql_token_kind kind) {
    size_t from = lexer->at;
    bool escapes = lexer->dialect == SQL_MYSQL && kind == SQL_TOKEN_STRING;
    for (lexer->at++; lexer->at < lexer->text.len; lexer->at++) {
        char c = peek(lexer, 0);
        if (escapes && c == '\\') {
            lexer->at++;
        } else if (c == close && close != ']' && peek(lexer, 1) == close) {
            lexer->at++;
        } else if (c == close) {
            lexer->at++;
            struct sql_token token = token_of(lexer, kind, from);
            token.text = str_sub(token.text, 1, token.text.len - 2);
            return token;
        }
    }
    lexer->at = lexer->text.len;
    return broken(lexer, "a quote is not closed");
}

static bool at_stop(const struct sql_lexer *lexer) {
    return lexer->stop.len > 0 &&
           str_starts(str_sub(lexer->text, lexer->at, lexer->stop.len), lexer->stop);
}

static struct sql_token word(struct sql_lexer *lexer) {
    size_t from = lexer->at++;
    while (lexer->at < lexer->text.len && is_word_char(peek(lexer, 0)) && !at_stop(lexer)) {
        lexer->at++;
    }
    return token_of(lexer, SQL_TOKEN_WORD, from);
}

/* "1e5", "0x1F" and "1.5" whole; "1.e" is a number and a word, which harms nothing here. */
static struct sql_token number(struct sql_lexer *lexer) {
    size_t from = lexer->at;
    while (lexer->at < lexer->text.len && !at_stop(lexer) &&
           (is_word_char(peek(lexer, 0)) || peek(lexer, 0) == '.')) {
        lexer->at++;
    }
    return token_of(lexer, SQL_TOKEN_NUMBER, from);
}

static struct sql_token symbol(struct sql_lexer *lexer) {
    size_t from = lexer->at++;
    return token_of(lexer, SQL_TOKEN_SYMBOL, from);
}

struct sql_token sql_lexer_next(struct sql_lexer *lexer) {
    const char *why = skip(lexer);
    if (why != NULL) {
        return broken(lexer, why);
    }
    if (lexer->at >= lexer->text.len) {
        return token_of(lexer, SQL_TOKEN_END, lexer->at);
    }
    char c = peek(lexer, 0);
    switch (c) {
    case '\0': return broken(lexer, "there is a NUL byte in the text");
    case '\'': return quoted(lexer, c, SQL_TOKEN_STRING);
    case '"':
        return quoted(lexer, c, lexer->dialect == SQL_MYSQL ? SQL_TOKEN_STRING : SQL_TOKEN_QUOTED);
    case '`': return quoted(lexer, c, SQL_TOKEN_QUOTED);
    case '[':
        return lexer->dialect == SQL_SQLITE ? quoted(lexer, ']', SQL_TOKEN_QUOTED) : symbol(lexer);
    default: break;
    }
    if (is_digit(c)) {
        return number(lexer);
    }
    return is_word_char(c) ? word(lexer) : symbol(lexer);
}

bool sql_token_is(const struct sql_token *token, const char *keyword) {
    return token->kind == SQL_TOKEN_WORD && str_eq_nocase(token->text, str_from(keyword));
}

bool sql_token_is_symbol(const struct sql_token *token, char wanted) {
    return token->kind == SQL_TOKEN_SYMBOL && token->text.ptr[0] == wanted;
}
