#ifndef BOX_FILTER_FILTER_H
#define BOX_FILTER_FILTER_H

#include "base/buf.h"
#include "box_filter/table.h"
#include <linux/filter.h>

/* From the lists of table.c to programs of the kernel's filter machine (docs/decisions/
 * 0007-sandbox-separate-process.md says why this way):
 *
 *   - a call of another architecture or of the x32 numbers kills the process;
 *   - a number that no list names is answered ENOSYS, as by an older kernel, so a newer C library
 *     falls back instead of dying;
 *   - a call that programs try and expect to be refused is answered EPERM;
 *   - some calls are allowed by their arguments only.
 *
 * libseccomp gives the numbers of the names; the program is ours, because a binary search over
 * merged ranges is a quarter of the length of what the library makes, and the kernel walks a new
 * filter once for each system call that exists. */

#define FILTER_LENGTH_MAX 512

struct filter_program {
    unsigned short length;
    struct sock_filter code[FILTER_LENGTH_MAX];
};

void filter_build(enum filter_profile profile, struct filter_program *ret_program);

/* The C file that src/box is built with: one program a profile. */
void filter_print(struct buf *out);

#endif
