#ifndef SERVER_MACHINE_INTERNAL_H
#define SERVER_MACHINE_INTERNAL_H

#include "app/dispatch.h"
#include "server/server_internal.h"
#include "wire/machine_api.h"

/* The JSON text of a machine request. Answers 415 itself. */
checked bool machine_body(struct call *call, struct str *ret_text);

static inline struct lease_ref lease_of(const struct machine_lease *lease) {
    return (struct lease_ref){lease->job, lease->epoch, lease->token};
}

#endif
