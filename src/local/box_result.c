/* The result of `assize box`. */
#include "local/box_result.h"

#include "base/check.h"
#include "base/limits.h"
#include "data/json_write.h"
#include <string.h>

struct end_row {
    const char *word;
    const char *text;
};

static const struct end_row rows[] = {
    [BOX_END_NONE] = {"none", "not at all"},
    [BOX_END_EXIT] = {"exit", "by itself"},
    [BOX_END_SIGNAL] = {"signal", "by a signal"},
    [BOX_END_CPU] = {"cpu", "CPU time limit"},
    [BOX_END_WALL] = {"wall", "wall time limit"},
    [BOX_END_MEMORY] = {"memory", "memory limit"},
    [BOX_END_OUTPUT] = {"output", "output limit"},
    [BOX_END_KILLED] = {"killed", "killed"},
    [BOX_END_START] = {"start", "it could not be started"},
};

static const struct end_row *row_of(enum box_end end) {
    CHECK(end >= 0 && (size_t)end < sizeof(rows) / sizeof(rows[0]));
    return &rows[end];
}

const char *box_result_word(enum box_end end) {
    return row_of(end)->word;
}

void box_result_text(const struct box_result *result, struct buf *out) {
    buf_printf(out, "ended: %s", row_of(result->end)->text);
    if (result->end == BOX_END_START) {
        buf_printf(out, " (%s)", strerrordesc_np(result->exit_code));
    } else if (result->end == BOX_END_SIGNAL) {
        buf_printf(out, " (%s)", strsignal(result->signal));
    }
    buf_printf(out, ", exit code %d, signal %d, CPU %.3f s, wall %.3f s, memory %.1f MiB",
               result->exit_code, result->signal,
               (double)(result->cpu_user_us + result->cpu_system_us) / 1e6,
               (double)result->wall_us / 1e6, (double)result->memory_peak_bytes / MIB);
}

bool box_result_json(const struct box_result *result, bool pinned, struct buf *out,
                     struct err *err) {
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_cstr(&json, "end", box_result_word(result->end));
    jw_key(&json, "exitCode");
    if (result->end == BOX_END_EXIT) {
        jw_i64(&json, result->exit_code);
    } else {
        jw_null(&json);
    }
    const char *name = result->signal > 0 ? sigabbrev_np(result->signal) : NULL;
    jw_put_cstr(&json, "signal", name);
    jw_put_cstr(&json, "startError",
                result->end == BOX_END_START ? strerrorname_np(result->exit_code) : NULL);
    jw_put_decimal(&json, "cpuMs", result->cpu_user_us + result->cpu_system_us, 3);
    jw_put_decimal(&json, "cpuUserMs", result->cpu_user_us, 3);
    jw_put_decimal(&json, "cpuSystemMs", result->cpu_system_us, 3);
    jw_put_decimal(&json, "wallMs", result->wall_us, 3);
    jw_put_i64(&json, "memoryBytes", result->memory_peak_bytes);
    jw_put_i64(&json, "stdoutBytes", result->stream_bytes[1]);
    jw_put_i64(&json, "stderrBytes", result->stream_bytes[2]);
    jw_put_i64(&json, "leftoverProcesses", result->leftover_processes);
    jw_put_decimal(&json, "stealMs", result->steal_us, 3);
    jw_key(&json, "pressureMs");
    if (result->pressure_us >= 0) {
        jw_decimal(&json, result->pressure_us, 3);
    } else {
        jw_null(&json);
    }
    jw_put_bool(&json, "pinned", pinned);
    jw_object_end(&json);
    if (!jw_finish(&json, "the result", err)) {
        return false;
    }
    buf_append_char(out, '\n');
    return true;
}
