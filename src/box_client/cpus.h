#ifndef BOX_CLIENT_CPUS_H
#define BOX_CLIENT_CPUS_H

#include "box/box.h"

/* A processor for each slot, of those that this process may use; of each core only the first with
 * idle_siblings. Errors: ERR_INVALID when there are not as many. */
checked bool cpus_choose(const struct box_options *options, int32_t *ret_cpus, struct err *err);

#endif
