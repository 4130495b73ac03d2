#ifndef SERVER_MACHINE_INTERNAL_H
#define SERVER_MACHINE_INTERNAL_H

#include "app/dispatch.h"
#include "server/server_internal.h"
#include "wire/machine_api.h"

/* The JSON text of a machine request. Answers 415 itself. */
checked bool machine_body(struct call *call, struct str *ret_text);

/* call_fail, and the node's events say what was refused: "claim.refused". `job` 0: none. */
void machine_refuse(struct call *call, const char *event, int64_t job, const struct err *err);
/* Into the node's events alone. */
void machine_note(const struct call *call, const char *event, int64_t job, const struct err *err);

static inline struct lease_ref lease_of(const struct machine_lease *lease) {
    return (struct lease_ref){lease->job, lease->epoch, lease->token};
}

#endif
