/* Limits and files of a compile step. */
#include "judge/compile_spec.h"

#include "judge/caps.h"
#include "judge/prepare.h"

#define COMPILE_WALL_MS_SPARE 5000
#define COMPILE_FILE_BYTES_MAX (256LL * MIB)
#define COMPILE_WORK_BYTES_MAX (1024LL * MIB)
#define COMPILE_INODES_MAX 4096
#define COMPILE_PIDS_MAX 128
#define COMPILE_OPEN_FILES_MAX 1024

struct run_limits compile_limits(const struct work *work, const struct compile_job *job) {
    const struct judge_caps *caps = &work->judge->caps;
    int64_t cpu_ms = caps_lower(caps->compile_ms, job->time_ms);
    int64_t memory_kib = caps_lower(caps->compile_memory_kib, job->memory_kib);
    return (struct run_limits){.cpu_ms = cpu_ms,
                               .wall_ms = 2 * cpu_ms + COMPILE_WALL_MS_SPARE,
                               .memory_bytes = memory_kib * KIB,
                               .output_bytes = COMPILE_STREAM_BYTES_MAX};
}

void compile_fill_spec(const struct work *work, const struct compile_job *job,
                       const char *const *argv, struct box_run_spec *ret_spec) {
    struct run_limits limits = compile_limits(work, job);
    struct box_stream kept = {
        .kind = BOX_STREAM_CAPTURE, .fd = -1, .bytes_max = COMPILE_STREAM_BYTES_MAX};
    *ret_spec = (struct box_run_spec){
        .profile = BOX_PROFILE_COMPILE,
        .argv = argv,
        .env = job->language->env,
        .roots = prepare_roots(work, job->language, job->language->compile.roots),
        .files = job->files->files,
        .file_count = job->files->count,
        .outputs = job->language->artifacts,
        .output_file_bytes_max = COMPILE_ARTIFACT_BYTES_MAX,
        .streams = {{.kind = BOX_STREAM_NULL, .fd = -1}, kept, kept},
        .limits = {.cpu_ms = limits.cpu_ms,
                   .wall_ms = limits.wall_ms,
                   .memory_bytes = limits.memory_bytes,
                   .file_bytes = COMPILE_FILE_BYTES_MAX,
                   .work_bytes = COMPILE_WORK_BYTES_MAX,
                   .work_inodes = COMPILE_INODES_MAX,
                   .pids_max = COMPILE_PIDS_MAX,
                   .open_files_max = COMPILE_OPEN_FILES_MAX},
    };
}
