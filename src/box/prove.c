/* Before the box says that it is ready it has shown that it is: one whole run, with everything that
 * a run gets, of a program that is not there. Only the execve may fail. */
#include "box/supervisor.h"

#include "base/limits.h"
#include <errno.h>

static const struct message_start nothing = {
    .profile = BOX_PROFILE_NATIVE,
    .limits = {.cpu_ms = 1000,
               .wall_ms = 10000,
               .memory_bytes = 16 * MIB,
               .file_bytes = MIB,
               .work_bytes = MIB,
               .work_inodes = 64,
               .pids_max = 1,
               .open_files_max = 16},
    .streams = {{.kind = BOX_STREAM_NULL},
                {.kind = BOX_STREAM_CAPTURE, .bytes_max = KIB},
                {.kind = BOX_STREAM_CAPTURE, .bytes_max = KIB}},
    .argc = 1,
    .argv = "/nothing",
};

static bool run_nothing(struct supervisor *box, struct err *err) {
    uint32_t number = 0;
    if (!slot_open(box, 0, err) || !run_start(box, &box->slots[0], &nothing, NULL, &number, err)) {
        return false;
    }
    while (box->kept.kind != ANSWER_ENDED) {
        supervisor_step(box);
    }
    if (box->kept.error_kind != ERR_NONE) {
        return err_set(err, ERR_SYSTEM, message_codes[CODE_UNAVAILABLE], "%.250s",
                       box->kept.error_text);
    }
    const struct box_result *result = &box->kept.result;
    return (result->end == BOX_END_START && result->exit_code == ENOENT) ||
           err_set(err, ERR_SYSTEM, message_codes[CODE_UNAVAILABLE],
                   "a run to prove the box ended as %d, %d", (int)result->end, result->exit_code);
}

bool supervisor_prove(struct supervisor *box, struct err *err) {
    box->proving = true;
    bool proved = run_nothing(box, err);
    if (box->slots[0].state == SLOT_OPEN) {
        slot_close_begin(box, &box->slots[0], 0);
    }
    while (box->slots[0].state != SLOT_CLOSED) {
        supervisor_step(box);
    }
    box->proving = false;
    return proved;
}
