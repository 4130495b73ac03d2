#ifndef BOX_CLIENT_SPAWN_H
#define BOX_CLIENT_SPAWN_H

#include "box/message.h"

/* Starts assize-box with `socket` as its descriptor 3: as root with the rights this process has;
 * else as root of a user namespace of its own, which holds this user and a part of its subordinate
 * ids.
 *
 * Errors: ERR_SYSTEM "box_unavailable", with the remedy. */
checked bool spawn_box(const struct box_options *options, int socket, pid_t *ret_pid,
                       struct err *err);

/* What assize-box is told first. ERR_INVALID what it would refuse. */
checked bool spawn_setup(const struct box_options *options, struct box_setup *ret_setup,
                         struct err *err);

/* Without root: where the subordinate ids of this user begin, and how many; false with the remedy
 * in *err when there are none, or the programs that hand them out are missing. `kind`: 'u' or 'g'.
 */
checked bool spawn_ids(char kind, int64_t *ret_first, int64_t *ret_count, struct err *err);

#endif
