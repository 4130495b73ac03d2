#ifndef NODE_CHECK_H
#define NODE_CHECK_H

#include "node/node.h"

/* The self-test: of each language of the pool one program (languages/<id>/selftest.*) is judged as
 * a submission would be, with inputs that make it right, wrong, slow, greedy, crash, reach for what
 * is forbidden, and work for a known while. The verdicts must be the known ones. A language without
 * the file, and variants of another, are proved by their hello program alone. */

struct check_report {
    struct machine_program *programs;
    int32_t program_count;
    bool passed;
    int64_t
        speed_permille; /* CPU time against the reference: 2000 is a machine of half the speed */
    struct str message; /* the first thing that is wrong */
};

struct check_options {
    const struct node_options *node;
    int slot;   /* of the box */
    bool hello; /* also the hello programs of those that are proved by them alone */
    judge_progress_fn *go_on;
    void *context;
};
/* Texts live in `arena`. Errors: ERR_CANCELLED when `go_on` said stop. */
checked bool check_run(const struct check_options *options, struct arena *arena,
                       struct check_report *ret_report, struct err *err);
/* The content of a language's program; false when it has none. */
bool check_source(const struct language_set *languages, const struct language *language,
                  struct buf *out);

#endif
