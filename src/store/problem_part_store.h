#ifndef STORE_PROBLEM_PART_STORE_H
#define STORE_PROBLEM_PART_STORE_H

#include "base/arena.h"
#include "domain/ids.h"
#include "domain/manifest.h"
#include "store/db.h"

/* What a problem's page shows: statements, samples, and files that statements refer to. Replaced as
 * a whole by each import; the problem must be locked for that. Texts that are read live in the
 * arena that was given. */

struct statement_row {
    struct str language;
    struct str format;
    struct str body; /* empty when it is a file */
    struct str file_name;
};
struct sample_row {
    struct str name;
    struct str input;
    struct str answer;
};
struct problem_file_row {
    struct str name;
    struct blob_ref blob;
};
struct problem_parts {
    const struct statement_row *statements;
    int statement_count;
    const struct sample_row *samples;
    int sample_count;
    const struct problem_file_row *files;
    int file_count;
};

#define PROBLEM_STATEMENTS_MAX 64
#define PROBLEM_SAMPLES_MAX 100

checked bool problem_part_store_replace(struct db *db, struct problem_id problem,
                                        const struct problem_parts *parts, struct err *err);
checked bool problem_part_store_statements(struct db *db, struct problem_id problem,
                                           struct arena *arena, struct statement_row **ret_rows,
                                           int *ret_count, struct err *err);
checked bool problem_part_store_samples(struct db *db, struct problem_id problem,
                                        struct arena *arena, struct sample_row **ret_rows,
                                        int *ret_count, struct err *err);
/* Errors: ERR_MISSING "no_file". */
checked bool problem_part_store_file(struct db *db, struct problem_id problem, struct str name,
                                     struct blob_ref *ret_blob, struct err *err);

#endif
