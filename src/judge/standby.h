#ifndef JUDGE_STANDBY_H
#define JUDGE_STANDBY_H

#include "judge/command.h"
#include "judge/compile.h"

/* A compiler that has started already, waiting in the box for the sources of one submission. It
 * compiles that one and ends, so nothing resident is shared between students; the next one starts
 * while the submission runs. Only a language whose spec has `standby` gets one, a judge one at
 * most, in a slot that judges nothing else. Private to the judge module.
 *
 * The command talks over its standard streams: it writes "ready N\n" (N: microseconds of CPU time
 * that the start took) when it is, and then reads "COUNT\n" and for each source, the entry file
 * first, "BYTES NAME\n" and the bytes. From then on it behaves as the compile command does: exit
 * status, words on stderr, artifacts in the work folder. */

/* Keeps one of the language in `work`'s slot until the work is no longer wanted, and ends it then.
 * Errors: ERR_CANCELLED is the usual end; ERR_SYSTEM: it does not start. */
checked bool standby_keep(struct work *work, const struct language *language, struct err *err);

/* Lets the waiting compiler do the job: `sources` are its files to compile,
 * its entry one of them.
 * *ret_done tells whether it did; if not (none waits, other limits, it failed in any way), the job
 * is as if nobody had tried. Errors: ERR_CANCELLED. */
checked bool standby_compile(struct work *work, const struct compile_job *job,
                             struct command_words sources, struct box_result *ret_box,
                             bool *ret_done, struct err *err);

#endif
