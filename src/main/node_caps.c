/* Limits of a node, and what would make no sense as one. */
#include "main/node_caps.h"
#include "base/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* clang-format off */
static const struct cap {
    const char *setting;
    int64_t least; /* but 0, which is no limit: the self-tests fit into it */
    const char *least_text;
    bool is_memory;
} caps[] = {
    {"judge.compile_time",   5000,              "5s",     false},
    {"judge.compile_memory", 256 * (int64_t)MIB, "256MiB", true},
    {"judge.run_time",       10000,             "10s",    false},
    {"judge.run_memory",     64 * (int64_t)MIB,  "64MiB",  true},
    {"judge.scratch",        256 * (int64_t)MIB, "256MiB", true},
    {"judge.processes",      8,                 "8",      false},
};
/* clang-format on */

static int64_t machine_bytes(void) {
    int64_t pages = sysconf(_SC_PHYS_PAGES);
    int64_t page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? pages * page_bytes : INT64_MAX;
}

static bool check(const struct cap *cap, int64_t value, struct err *err) {
    if (value > 0 && value < cap->least) {
        return err_set(err, ERR_INVALID, "senseless_limit",
                       "%s: nothing could be judged with less than %s; 0 leaves it to the problems",
                       cap->setting, cap->least_text);
    }
    if (cap->is_memory && value > machine_bytes()) {
        return err_set(err, ERR_INVALID, "senseless_limit",
                       "%s: this machine has %" PRId64
                       " MiB of memory; 0 leaves it to the problems",
                       cap->setting, machine_bytes() / (int64_t)MIB);
    }
    return true;
}

bool node_caps_read(const struct config *config, struct judge_caps *ret_caps, struct err *err) {
    int64_t values[sizeof caps / sizeof caps[0]];
    for (size_t i = 0; i < sizeof caps / sizeof caps[0]; i++) {
        values[i] = config_i64(config, caps[i].setting);
        if (!check(&caps[i], values[i], err)) {
            return false;
        }
    }
    *ret_caps = (struct judge_caps){.compile_ms = values[0],
                                    .compile_memory_kib = values[1] / (int64_t)KIB,
                                    .run_ms = values[2],
                                    .run_memory_kib = values[3] / (int64_t)KIB,
                                    .scratch_bytes = values[4],
                                    .processes = (int32_t)values[5]};
    return true;
}

void node_caps_text(const struct judge_caps *set, char *out, size_t room) {
    bool any = set->compile_ms != 0 || set->compile_memory_kib != 0 || set->run_ms != 0 ||
               set->run_memory_kib != 0 || set->scratch_bytes != 0 || set->processes != 0;
    out[0] = '\0';
    if (any) {
        (void)snprintf(out, room,
                       "compile %" PRId64 " ms %" PRId64 " KiB, run %" PRId64 " ms %" PRId64
                       " KiB, scratch %" PRId64 ", processes %d",
                       set->compile_ms, set->compile_memory_kib, set->run_ms, set->run_memory_kib,
                       set->scratch_bytes, (int)set->processes);
    }
}
