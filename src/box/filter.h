#ifndef BOX_FILTER_H
#define BOX_FILTER_H

#include "box/box.h"
#include <linux/filter.h>

/* The system calls that a program may make, one allow-list a profile (docs/decisions/
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

#define FILTER_LENGTH_MAX 1024

struct filter {
    struct sock_filter code[FILTER_LENGTH_MAX];
    unsigned short length;
};

checked bool filter_build(enum box_profile profile, struct filter *ret_filter, struct err *err);

#endif
