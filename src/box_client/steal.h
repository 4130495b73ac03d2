#ifndef BOX_CLIENT_STEAL_H
#define BOX_CLIENT_STEAL_H

#include <stdint.h>

/* What the host of a virtual machine has taken from its processors, from /proc/stat. The kernel
 * counts it by ticks, so a figure serves for a tick: to read it takes the time of a dozen system
 * calls. */
struct steal {
    int64_t us;
    int64_t read_ms; /* monotonic; 0: not yet */
};

int64_t steal_us(struct steal *steal);

#endif
