#ifndef SQL_LEXER_H
#define SQL_LEXER_H

#include "base/str.h"

/* Words, strings and symbols of SQL text, as far as it takes to find where a statement ends and
 * what it is. Never wrong about what is a string or a comment: a server that read the text
 * otherwise could be given statements that nobody looked at. What the dialects disagree on is
 * SQL_TOKEN_BROKEN or asked of the dialect. */

enum sql_dialect { SQL_DIALECT_NONE, SQL_MYSQL, SQL_SQLITE };

/* "mysql", "sqlite"; SQL_DIALECT_NONE for any other name. */
enum sql_dialect sql_dialect_of(struct str name);

enum sql_token_kind {
    SQL_TOKEN_END,
    SQL_TOKEN_WORD,   /* a keyword or a name without quotes */
    SQL_TOKEN_QUOTED, /* a name in quotes; text without them */
    SQL_TOKEN_STRING,
    SQL_TOKEN_NUMBER,
    SQL_TOKEN_SYMBOL, /* one character */
    SQL_TOKEN_BROKEN, /* what is wrong: `why` */
};

struct sql_token {
    enum sql_token_kind kind;
    struct str text; /* of the source */
    size_t from;     /* where it begins, quotes included */
    size_t to;
    const char *why; /* SQL_TOKEN_BROKEN: a sentence for the student */
};

struct sql_lexer {
    enum sql_dialect dialect;
    struct str text;
    size_t at;
    struct str stop; /* words end where this begins; empty: nowhere */
};

/* The next token; comments and white space are skipped. Comments that a server runs are
 * SQL_TOKEN_BROKEN. */
struct sql_token sql_lexer_next(struct sql_lexer *lexer);
/* Is it this keyword (capital letters)? A quoted name never is. */
bool sql_token_is(const struct sql_token *token, const char *word);
bool sql_token_is_symbol(const struct sql_token *token, char symbol);

#endif
