#include "domain/waiting.h"
#include "base/check.h"

#include <stdio.h>

#define DETAIL_BYTES_MAX 200

/* clang-format off */
static const char *const names[WAITING_CODE_COUNT] = {
    [WAITING_QUEUED]     = "queued",
    [WAITING_STARTING]   = "starting",
    [WAITING_NO_NODE]    = "no_node",
    [WAITING_NO_RUNTIME] = "no_runtime",
    [WAITING_DRAINING]   = "draining",
    [WAITING_OFFLINE]    = "offline",
    [WAITING_BACKOFF]    = "backoff",
    [WAITING_HELD]       = "held",
    [WAITING_PROBLEM]    = "problem",
};
/* clang-format on */

enum waiting_code waiting_code_of(const struct waiting_facts *facts) {
    if (facts->running) {
        return WAITING_STARTING;
    }
    if (facts->held) {
        return facts->by_problem ? WAITING_PROBLEM : WAITING_HELD;
    }
    if (facts->due_ms > 0) {
        return WAITING_BACKOFF;
    }
    if (facts->nodes.queue_held) {
        return WAITING_HELD;
    }
    if (facts->nodes.ready > 0) {
        return WAITING_QUEUED;
    }
    if (facts->nodes.silent > 0) {
        return WAITING_OFFLINE;
    }
    if (facts->nodes.draining > 0) {
        return WAITING_DRAINING;
    }
    return facts->nodes.other_spec > 0 ? WAITING_NO_RUNTIME : WAITING_NO_NODE;
}

const char *waiting_code_name(enum waiting_code code) {
    CHECK((int)code >= 0 && code < WAITING_CODE_COUNT);
    return names[code];
}

static void queued_text(const struct waiting_words *words, char out[WAITING_TEXT_BYTES]) {
    if (words->place <= 0) {
        (void)snprintf(out, WAITING_TEXT_BYTES, "waiting for a free judge node");
    } else if (words->place > words->places_max) {
        (void)snprintf(out, WAITING_TEXT_BYTES, "more than %lld submissions are before it",
                       (long long)words->places_max);
    } else {
        int len =
            snprintf(out, WAITING_TEXT_BYTES, "number %lld in the queue", (long long)words->place);
        if (words->estimate_ms > 0) {
            (void)snprintf(out + len, WAITING_TEXT_BYTES - (size_t)len, ", about %lld s",
                           (long long)((words->estimate_ms + 999) / 1000));
        }
    }
}

void waiting_text(const struct waiting_words *words, char out[WAITING_TEXT_BYTES]) {
    int pool_len = (int)(words->pool.len < 64 ? words->pool.len : 64);
    int fault_len = (int)(words->fault.len < 120 ? words->fault.len : 120);
    out[0] = '\0';
    switch (words->code) {
    case WAITING_QUEUED: queued_text(words, out); break;
    case WAITING_STARTING:
        (void)snprintf(out, WAITING_TEXT_BYTES, "a judge node has taken it");
        break;
    case WAITING_NO_NODE:
        (void)snprintf(out, WAITING_TEXT_BYTES, "no judge node of the pool %.*s is enabled",
                       pool_len, words->pool.ptr);
        break;
    case WAITING_NO_RUNTIME:
        (void)snprintf(out, WAITING_TEXT_BYTES,
                       "no judge node of the pool %.*s has the runtime it needs", pool_len,
                       words->pool.ptr);
        break;
    case WAITING_DRAINING:
        (void)snprintf(out, WAITING_TEXT_BYTES,
                       "all judge nodes of the pool %.*s are going out of service", pool_len,
                       words->pool.ptr);
        break;
    case WAITING_OFFLINE:
        (void)snprintf(out, WAITING_TEXT_BYTES, "no judge node of the pool %.*s answers", pool_len,
                       words->pool.ptr);
        break;
    case WAITING_BACKOFF:
        (void)snprintf(out, WAITING_TEXT_BYTES, "tried again in %lld s: %.*s",
                       (long long)((words->wait_ms + 999) / 1000), fault_len, words->fault.ptr);
        break;
    case WAITING_HELD:
        (void)snprintf(out, WAITING_TEXT_BYTES, "held back by an operator%s" STR_FMT,
                       words->detail.len > 0 ? ": " : "",
                       STR_ARG(str_utf8_prefix(words->detail, DETAIL_BYTES_MAX)));
        break;
    case WAITING_PROBLEM:
        (void)snprintf(out, WAITING_TEXT_BYTES,
                       "the problem's own checker or data is broken; it is judged when that is "
                       "mended");
        break;
    case WAITING_NONE:
    case WAITING_CODE_COUNT: break;
    }
}
