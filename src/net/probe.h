#ifndef NET_PROBE_H
#define NET_PROBE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#include <sys/socket.h>

/* One HTTPS GET to an address that somebody typed, without becoming a way into networks that this
 * machine can reach and he cannot. Invariants: (1) only allowed ports, and only when every address
 * that the name has now is in an allowed network; (2) the address that was checked is the one that
 * is dialled; (3) no redirect is followed, no proxy asked; (4) the certificate is verified; (5)
 * bytes and time of the answer are bounded. */

#define PROBE_RULES_MAX 64
#define PROBE_ADDRESSES_MAX 16

struct probe_network {
    uint8_t bytes[16]; /* IPv4 as ::ffff:a.b.c.d */
    int bits;
};
struct probe_rules {
    struct probe_network networks[PROBE_RULES_MAX];
    int network_count;
    int ports[PROBE_RULES_MAX];
    int port_count;
};
/* "10.0.0.0/8 fd00::/8 192.168.1.7" and "443 8443". ERR_INVALID "bad_probe_rule" names the word. */
checked bool probe_rules_parse(struct str networks, struct str ports, struct probe_rules *ret_rules,
                               struct err *err);
bool probe_allows(const struct probe_rules *rules, const struct sockaddr *address);

struct probe_addresses {
    struct sockaddr_storage items[PROBE_ADDRESSES_MAX];
    int count;
};
/* In tests another than the system's. Errors: ERR_MISSING "no_address", ERR_DEADLINE. */
typedef bool probe_resolve_fn(void *context, const char *host, int64_t timeout_ms,
                              struct probe_addresses *ret_addresses, struct err *err);

enum probe_step {
    PROBE_RESOLVE = 1,
    PROBE_NETWORK,
    PROBE_CONNECT,
    PROBE_TLS,
    PROBE_ANSWER,
    PROBE_STEP_END, /* further steps are the caller's */
};

struct probe_options {
    const struct probe_rules *rules;
    const char *host; /* a name or an address, without brackets */
    int port;
    const char *path;
    const char *header;  /* "Name: value" */
    const char *ca_file; /* "" for the system's */
    int64_t timeout_ms;  /* of the whole */
    int64_t answer_bytes_max;
    probe_resolve_fn *resolve; /* NULL: the system's */
    void *resolve_context;
};

struct probe_result {
    enum probe_step failed; /* the step that did not work; PROBE_STEP_END: all did */
    struct str address;     /* the one that was dialled, as text; empty: none was */
    struct str text;        /* what went wrong, in plain words */
    struct str body;        /* of the answer */
};

/* Blocks for at most timeout_ms and a little. Texts live in `arena`. */
void probe_run(const struct probe_options *options, struct arena *arena,
               struct probe_result *ret_result);

#endif
