#ifndef BOX_FILTER_H
#define BOX_FILTER_H

#include "box/box.h"
#include <linux/filter.h>

/* Which system calls a program may make. The lists and their reasons are in src/box_filter; the
 * programs for the kernel are made from them when assize-box is built, so nothing makes them as
 * root. */
struct filter {
    unsigned short length;
    struct sock_filter code[512];
};

extern const struct filter box_filters[BOX_PROFILE_MANAGED + 1]; /* by enum box_profile */

#endif
