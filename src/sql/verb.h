#ifndef SQL_VERB_H
#define SQL_VERB_H

#include "sql/script.h"

/* What a statement is: its first keyword, and for those that make, change or remove things also
 * what kind of thing: "SELECT", "CREATE_VIEW". The table is all that a problem may allow; a
 * statement that begins otherwise has no verb. */

enum sql_right { /* bits: what a user needs for it */
                 SQL_RIGHT_INSERT = 1,
                 SQL_RIGHT_UPDATE = 2,
                 SQL_RIGHT_DELETE = 4,
                 SQL_RIGHT_TABLES = 8,
                 SQL_RIGHT_INDEX = 16,
                 SQL_RIGHT_VIEWS = 32,
                 SQL_RIGHT_ROUTINES = 64,
                 SQL_RIGHT_TRIGGERS = 128,
                 SQL_RIGHT_CALL = 256,
};

struct sql_verb {
    const char *name;
    uint32_t rights; /* enum sql_right bits, beside reading */
    bool stores_code;
    bool is_mysql_only;
};

/* By name; NULL when there is none. */
const struct sql_verb *sql_verb_find(struct str name);
/* NULL when the statement is none of the table. A SELECT behind WITH or in parentheses is a SELECT;
 * *ret_with says that WITH came first. */
const struct sql_verb *sql_verb_of(enum sql_dialect dialect, struct str statement, bool *ret_with);
/* The statement's first word, for messages; borrowed. */
struct str sql_verb_word(enum sql_dialect dialect, struct str statement);
/* What all the words of `names` together need. */
uint32_t sql_verb_rights(struct str names);

/* Expands the words and groups that authors write ("select dml") to verbs, each once, in the order
 * of the table. ERR_INVALID "bad_sql" names the first unknown word. */
checked bool sql_verb_list(struct str words, struct arena *arena, struct str *ret_names,
                           struct err *err);

#endif
