#ifndef NODE_HEALTH_H
#define NODE_HEALTH_H

#include "base/own.h"
#include "data/digest.h"

/* The node's own HTTPS address, for a server that looks whether the node can be reached and is who
 * it says (wire/health_json.h). It tells nothing else and takes nothing. */

struct node_health;

struct node_health_options {
    int listen_fd;           /* from http_listen; taken */
    const char *certificate; /* PEM texts */
    const char *key;
    const char *name;      /* copied */
    struct str credential; /* only its digest is kept */
};
checked bool node_health_open(const struct node_health_options *options,
                              struct node_health **ret_health, struct err *err);
void node_health_close(struct node_health *health); /* accepts NULL */
OWN_DEFINE(node_health, node_health_close)

/* What the session says of the runtimes. `health` may be NULL. */
void node_health_set_config(struct node_health *health, const struct digest *config);

#endif
