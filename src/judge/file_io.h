#ifndef JUDGE_FILE_IO_H
#define JUDGE_FILE_IO_H

#include "judge/run_case.h"

/* Input and output by file name. The standard streams are there all the same: a program may use
 * either, and where it wrote the file, that is its output. Private to the judge module. */

/* Puts the input under its name and asks for the output file. `input_fd` may be -1: nothing. */
checked bool file_io_prepare(struct work *work, const struct manifest *manifest, int input_fd,
                             struct fileset *files, struct box_run_spec *spec, struct err *err);

/* A file that grew too large is OUTPUT_LIMIT_EXCEEDED, also when the program died of it. */
void file_io_outcome(const struct manifest *manifest, const struct box_result *box,
                     struct outcome *outcome);

/* Where the output of an ended program is; borrowed from *box. NULL, or what is wrong with it, for
 * the contestant: a link, a folder or a pipe instead of a file, or nothing anywhere. */
const char *file_io_output(const struct manifest *manifest, const struct box_result *box,
                           struct arena *arena, int *ret_fd);

#endif
