/* Before the box is handed to its caller it has shown that it works: one whole run, with everything
 * that a run gets, of a program that is not there. Only the execve may fail. */
#include "box_client/prove.h"

#include "base/limits.h"
#include "box/message.h"
#include <errno.h>

static bool unavailable(struct err *err) {
    err->code = message_codes[CODE_UNAVAILABLE];
    return false;
}

static bool run_nothing(struct box *box, struct box_result *ret_result, struct err *err) {
    static const char *const none[] = {NULL};
    static const char *const argv[] = {"/nothing", NULL};
    const struct box_run_spec nothing = {
        .profile = BOX_PROFILE_NATIVE,
        .argv = argv,
        .env = none,
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
    };
    return box_slot_open(box, 0, err) && box_run(box, 0, &nothing, ret_result, err) &&
           box_slot_close(box, 0, err);
}

bool prove_box(struct box *box, struct err *err) {
    own_box_result result;
    box_result_init(&result);
    if (!run_nothing(box, &result, err)) {
        return unavailable(err);
    }
    return (result.end == BOX_END_START && result.exit_code == ENOENT) ||
           err_set(err, ERR_SYSTEM, message_codes[CODE_UNAVAILABLE],
                   "a run to prove the box ended as %d, %d", (int)result.end, result.exit_code);
}
