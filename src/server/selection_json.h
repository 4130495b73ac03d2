#ifndef SERVER_SELECTION_JSON_H
#define SERVER_SELECTION_JSON_H

#include "app/job.h"
#include "server/call.h"

/* Which submissions an operator means, as the parameters of a list and as the object `selection`
 * of a body. Texts and ids live in the call. */

/* False: answered. */
checked bool selection_of_query(struct call *call, struct selection *ret_selection);
/* The member `selection` of `body`, which must name something: {"all": true} names everything.
 * Errors: ERR_INVALID. */
checked bool selection_of_body(struct call *call, const struct json *body,
                               struct selection *ret_selection, struct err *err);
void view_selection(struct jw *json, const struct selection *selection);

const char *fault_word(enum fault fault); /* "PROBLEM"; FAULT_NONE: NULL */

#endif
