/* Refusals, in words that name the setting. */
#include "judge/caps.h"

#include <inttypes.h>

int64_t caps_lower(int64_t cap, int64_t wanted) {
    return cap > 0 && cap < wanted ? cap : wanted;
}

struct asked {
    const char *what;
    const char *setting;
    int64_t wanted;
    int64_t cap;
};

static bool allows(const struct asked *asked, const char *who, struct err *err) {
    return asked->cap == 0 || asked->wanted <= asked->cap ||
           err_fault(err, FAULT_NODE, ERR_SYSTEM, "node_limit",
                     "%s needs %" PRId64 " %s, and this node gives %" PRId64 " (%s)", who,
                     asked->wanted, asked->what, asked->cap, asked->setting);
}

bool caps_check_problem(const struct judge_caps *caps, const struct judge_request *request,
                        struct err *err) {
    struct asked time = {"ms of time", "judge.run_time", 0, caps->run_ms};
    struct asked memory = {"KiB of memory", "judge.run_memory", 0, caps->run_memory_kib};
    struct str language = str_from(request->language->id);
    for (int32_t i = 0; i < request->manifest->case_count; i++) {
        int64_t time_ms = manifest_time_ms(request->manifest, i, language);
        int64_t memory_kib = manifest_memory_kib(request->manifest, i, language);
        time.wanted = time_ms > time.wanted ? time_ms : time.wanted;
        memory.wanted = memory_kib > memory.wanted ? memory_kib : memory.wanted;
    }
    return allows(&time, "the problem", err) && allows(&memory, "the problem", err);
}

bool caps_check_run(const struct judge_caps *caps, const struct language *language,
                    int64_t work_bytes, struct err *err) {
    const struct asked processes = {"processes", "judge.processes", language->pids_max,
                                    caps->processes};
    const struct asked scratch = {"bytes of scratch space", "judge.scratch", work_bytes,
                                  caps->scratch_bytes};
    return allows(&processes, language->name, err) && allows(&scratch, language->name, err);
}
