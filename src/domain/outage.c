#include "domain/outage.h"

#define REAPS 3 /* of a server that is a little late */

struct outage_rule outage_rule_of(int64_t lease_ms, int64_t renew_ms, int64_t reap_ms) {
    int64_t half_ms = lease_ms / 2;
    return (struct outage_rule){.silence_ms = half_ms > REAPS * reap_ms ? half_ms : REAPS * reap_ms,
                                .lease_ms = lease_ms,
                                .renew_ms = renew_ms};
}

struct outage outage_note(const struct outage *before, const struct outage_rule *rule,
                          int64_t last_ms, int64_t now_ms) {
    if (last_ms <= 0 || now_ms - last_ms <= rule->silence_ms) {
        return *before;
    }
    bool goes_on = before->until_ms > 0 && last_ms <= before->until_ms + rule->lease_ms;
    return (struct outage){.from_ms = goes_on ? before->from_ms : last_ms, .until_ms = now_ms};
}

bool outage_covers(const struct outage *outage, const struct outage_rule *rule, int64_t until_ms) {
    return outage->until_ms > 0 && until_ms >= outage->from_ms &&
           until_ms <= outage->until_ms + rule->renew_ms;
}
