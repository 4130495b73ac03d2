#ifndef STORE_PROBLEM_STORE_H
#define STORE_PROBLEM_STORE_H

#include "base/arena.h"
#include "data/digest.h"
#include "domain/ids.h"
#include "domain/verdict.h"
#include "store/rows.h"

/* Problems: what lists and submissions need of them. Statements, samples and files are in
 * store/problem_part_store.h. Texts of rows live in the arena that was given. */

struct problem_row {
    struct problem_id id;
    struct str code;
    struct str titles;      /* a line each: language, tab, title */
    struct str search_text; /* code and titles, folded, also without spaces; not read back */
    struct digest manifest; /* the current one */
    int64_t time_limit_ms;
    int64_t memory_limit_kib;
    int64_t output_limit_kib;
    int64_t code_limit_kib;
    int64_t job_total_ms;
    int32_t cases_total;
    struct str languages; /* allowed ids separated by a space; empty: all */
    int64_t revision;
    int64_t created_ms;
    int64_t updated_ms;
};

/* Errors: ERR_CONFLICT "duplicate" when the code is taken. */
checked bool problem_store_insert(struct db *db, const struct problem_row *row, struct err *err);
/* All but code and created_ms; makes the revision one larger. The problem must be locked. */
checked bool problem_store_update(struct db *db, const struct problem_row *row, struct err *err);
/* Errors: ERR_MISSING "no_problem". */
checked bool problem_store_find(struct db *db, struct problem_id id, struct arena *arena,
                                struct problem_row *ret_row, struct err *err);
/* Id and revision, by id. */
extern const struct rows_select problem_revision_select;
checked bool problem_store_find_code(struct db *db, struct str code, struct arena *arena,
                                     struct problem_row *ret_row, struct err *err);

#define PROBLEM_QUERY_WORDS_MAX 4
struct problem_query {
    struct user_id user;     /* whose best verdict is shown; 0: nobody's */
    struct problem_id after; /* ids over this */
    /* By text_fold; each must be a part of code or title. None: all problems. */
    struct str words[PROBLEM_QUERY_WORDS_MAX];
    int word_count;
    int limit;
};
struct problem_listed {
    struct problem_row row;
    enum verdict best; /* of the user; VERDICT_NONE before the first judged submission */
};
/* By id. */
checked bool problem_store_list(struct db *db, const struct problem_query *query,
                                struct arena *arena, struct problem_listed **ret_rows,
                                int *ret_count, struct err *err);
/* The best verdict of one user on one problem. */
checked bool problem_store_best(struct db *db, struct user_id user, struct problem_id problem,
                                enum verdict *ret_best, struct err *err);

#endif
