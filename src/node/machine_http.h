#ifndef NODE_MACHINE_HTTP_H
#define NODE_MACHINE_HTTP_H

#include "base/own.h"
#include "wire/machine_api.h"

/* struct machine_api over HTTP. One connection, used by one thread at a time; a node has several.
 */

struct machine_http;

struct machine_http_options {
    const char *base_url;
    const char *credential; /* NULL: only join works */
    const char *ca_file;    /* NULL: the system's */
};

checked bool machine_http_open(const struct machine_http_options *options,
                               struct machine_http **ret_http, struct err *err);
void machine_http_close(struct machine_http *http); /* accepts NULL */
OWN_DEFINE(machine_http, machine_http_close)

/* Borrowed; lives as long as `http`. */
const struct machine_api *machine_http_api(struct machine_http *http);
/* From any thread: the running call and all later ones end with ERR_CANCELLED. */
void machine_http_abort(void *http);

#endif
