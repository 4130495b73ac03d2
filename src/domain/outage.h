#ifndef DOMAIN_OUTAGE_H
#define DOMAIN_OUTAGE_H

#include <stdbool.h>
#include <stdint.h>

/* When nobody could write to the database, no node could renew: a lease that ran out then says
 * nothing about its node or its job (S15). Every server writes the time it sees, again and again;
 * an outage is a long silence of all of them. Times are the database's. */

struct outage {
    int64_t from_ms;
    int64_t until_ms; /* 0: none was seen */
};

struct outage_rule {
    int64_t silence_ms; /* of all servers: longer is an outage */
    int64_t lease_ms;
    int64_t renew_ms;
};
/* Of a server's settings: shorter silences leave a node the time to renew. */
struct outage_rule outage_rule_of(int64_t lease_ms, int64_t renew_ms, int64_t reap_ms);

/* The newest outage, when the last sign of any server was at last_ms. One that began soon after the
 * one before is taken for its continuation, since leases of both may wait to be reaped. */
struct outage outage_note(const struct outage *before, const struct outage_rule *rule,
                          int64_t last_ms, int64_t now_ms);
/* The lease could not be renewed because of it. Also one that ended just afterwards: its node may
 * not have asked again yet. */
bool outage_covers(const struct outage *outage, const struct outage_rule *rule, int64_t until_ms);

#endif
