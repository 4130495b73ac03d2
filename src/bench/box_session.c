/* Opening and closing what a bench of the sandbox needs. */
#include "bench/box_session.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/limits.h"
#include "bench/program.h"
#include "local/rights.h"
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUSY_SLOT_FIRST 2
#define HOUR_MS ((int64_t)60 * 60 * 1000)

static bool open_box(struct box_session *session, struct err *err) {
    char cgroup[64];
    (void)snprintf(cgroup, sizeof(cgroup), "assize-bench-%ld", (long)getpid());
    const char *const allowed[] = {session->folder, NULL};
    const struct box_options options = {
        .cgroup_name = cgroup, .slots = session->slots, .allowed_roots = allowed};
    if (box_open(&options, &session->box, err)) {
        return true;
    }
    if (geteuid() != 0) {
        (void)err_wrap(err, "the sandbox needs root on this machine, run it by sudo");
    }
    return false;
}

static bool make_folder(struct box_session *session, struct err *err) {
    if (mkdir(session->folder, 0755) != 0 || chmod(session->folder, 0755) != 0) {
        return err_system(err, "bench_failed", "make the folder %s", session->folder);
    }
    (void)snprintf(session->empty, sizeof(session->empty), "%s/empty", session->folder);
    (void)snprintf(session->known, sizeof(session->known), "%s/known", session->folder);
    session->roots[0] = session->folder;
    return program_write(session->folder, "empty", program_empty(), err) &&
           program_write(session->folder, "known", program_known(), err);
}

bool box_session_open(struct box_session *session, struct err *err) {
    *session = (struct box_session){.processors = (int32_t)sysconf(_SC_NPROCESSORS_ONLN)};
    if (session->processors > BOX_SLOTS_MAX - BUSY_SLOT_FIRST) {
        session->processors = BOX_SLOTS_MAX - BUSY_SLOT_FIRST;
    }
    session->slots = BUSY_SLOT_FIRST + session->processors;
    /* Not below /tmp, which is a run's own. */
    (void)snprintf(session->folder, sizeof(session->folder), "/var/tmp/assize-bench-%ld",
                   (long)getpid());
    return open_box(session, err) && rights_drop(err) && make_folder(session, err) &&
           box_slot_open(session->box, 0, err) && box_slot_open(session->box, 1, err);
}

void box_session_close(struct box_session *session) {
    if (session != NULL && session->processors > 0) {
        struct err ignored = {0};
        box_close(session->box);
        if (session->empty[0] != '\0') { /* the folder is ours */
            (void)!file_remove_tree(session->folder, &ignored);
        }
        *session = (struct box_session){.box = NULL};
    }
}

struct box_run_spec box_session_spec(const struct box_session *session, const char *const *argv) {
    static const char *const env[] = {NULL};
    return (struct box_run_spec){.profile = BOX_PROFILE_NATIVE,
                                 .argv = argv,
                                 .env = env,
                                 .roots = session->roots,
                                 .streams = {{.kind = BOX_STREAM_NULL},
                                             {.kind = BOX_STREAM_CAPTURE, .bytes_max = MIB},
                                             {.kind = BOX_STREAM_CAPTURE, .bytes_max = 64 * KIB}},
                                 .limits = {.cpu_ms = 60000,
                                            .wall_ms = 600000,
                                            .memory_bytes = (int64_t)1024 * MIB,
                                            .file_bytes = (int64_t)1024 * MIB,
                                            .work_bytes = (int64_t)1024 * MIB,
                                            .work_inodes = 1000,
                                            .pids_max = 64,
                                            .open_files_max = 64}};
}

bool box_session_run(struct box_session *session, int slot, const struct box_run_spec *spec,
                     int64_t *ret_ns, struct box_result *ret_result, struct err *err) {
    int64_t before_ns = clock_real_mono_ns();
    if (!box_run(session->box, slot, spec, ret_result, err)) {
        return false;
    }
    *ret_ns = clock_real_mono_ns() - before_ns;
    return (ret_result->end == BOX_END_EXIT && ret_result->exit_code == 0) ||
           err_set(err, ERR_SYSTEM, "bench_failed",
                   "%s did not end as it should: end %d, exit code %d, signal %d", spec->argv[0],
                   (int)ret_result->end, ret_result->exit_code, ret_result->signal);
}

static bool start_spinning(struct box_session *session, int slot, struct err *err) {
    const char *const argv[] = {session->known, "spin", NULL};
    struct box_run_spec spec = box_session_spec(session, argv);
    uint32_t run = 0;
    spec.limits.cpu_ms = spec.limits.wall_ms = 24 * HOUR_MS;
    return box_slot_open(session->box, slot, err) &&
           box_start(session->box, slot, &spec, &run, err);
}

bool box_session_set_busy(struct box_session *session, bool busy, struct err *err) {
    if (busy == session->busy) {
        return true;
    }
    for (int i = 0; i < session->processors; i++) {
        int slot = BUSY_SLOT_FIRST + i;
        if (!(busy ? start_spinning(session, slot, err)
                   : box_slot_close(session->box, slot, err))) {
            return false;
        }
    }
    session->busy = busy;
    return true;
}
