#ifndef BOX_CLIENT_PACK_H
#define BOX_CLIENT_PACK_H

#include "box/message.h"

/* Between the interface and the messages. */

/* Packs a spec for sending and fills its descriptors in the order that message.h names
 * (MESSAGE_FDS_MAX fit); ERR_INVALID what does not fit. */
checked bool pack_run(const struct box_run_spec *spec, struct box_request *ret_request,
                      int *ret_fds, size_t *ret_fd_count, struct err *err);
/* True when the answer carries no error; else *err is it. */
checked bool pack_error(const struct box_answer *answer, struct err *err);

#endif
