#ifndef SERVER_PROBE_H
#define SERVER_PROBE_H

#include "app/judger_check.h"
#include "net/probe.h"
#include "server/server_internal.h"

/* The connection check of a node: the fixed path NODE_HEALTH_PATH at its base URL, step by step:
 * resolve, network, connect, tls, answer, identity, protocol, runtime. Whoever answers must prove
 * that he has the node's credential, by an HMAC of a fresh challenge. */

/* Blocks for at most PROBE_MS. `rules` and `ca_file` are the server's settings. The detail, JSON,
 * lives in `arena`. */
#define PROBE_MS 8000
struct node_probe {
    const struct probe_rules *rules;
    const char *ca_file;
    const struct random *random;
    const struct probe_target *target;
};
void node_probe_run(const struct node_probe *probe, struct arena *arena,
                    struct connection_outcome *ret_outcome);

#endif
