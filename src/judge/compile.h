#ifndef JUDGE_COMPILE_H
#define JUDGE_COMPILE_H

#include "judge/work.h"

/* The compile step, of submissions, checkers and the toolchain's proof alike. Private to the judge
 * module. */

struct compile_job {
    const struct language *language;
    const struct fileset *files; /* borrowed */
    struct str entry;            /* the file the program begins in; empty: the usual choice */
    int64_t time_ms;
    int64_t memory_kib;
};

/* Compiles inside the box. The program keeps what the run needs: the compiler's artifacts, or the
 * sources where it leaves none. Names live in `arena`, which may outlive the work's.
 *
 * Returns: true also when the compiler said no: ret_result->ok is false and the program empty.
 * Errors:  ERR_CANCELLED; ERR_SYSTEM with FAULT_NODE. */
checked bool compile_program(struct work *work, const struct compile_job *job, struct arena *arena,
                             struct program *ret_program, struct compile_result *ret_result,
                             struct err *err);
void program_done(struct program *program); /* accepts NULL and a zeroed program */
#define own_program __attribute__((cleanup(program_done))) struct program

#endif
