#ifndef JUDGE_COMPILE_SPEC_H
#define JUDGE_COMPILE_SPEC_H

#include "judge/compile.h"

/* What a compile step asks of the box. Private to the judge module. */

#define COMPILE_STREAM_BYTES_MAX (1LL * MIB)
#define COMPILE_ARTIFACT_BYTES_MAX (128LL * MIB)

/* Those of the job, or the machine's own where these are lower. */
struct run_limits compile_limits(const struct work *work, const struct compile_job *job);

/* The run of `argv` on the job's files: everything is borrowed or in the work's arena. */
void compile_fill_spec(const struct work *work, const struct compile_job *job,
                       const char *const *argv, struct box_run_spec *ret_spec);

#endif
