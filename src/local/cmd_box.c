/* assize box: the sandbox alone, for one command; assize box doctor: what it needs. */
#include "base/check.h"
#include "base/file.h"
#include "base/limits.h"
#include "box/box.h"
#include "local/arguments.h"
#include "local/commands.h"
#include "local/rights.h"
#include "local/terminal.h"
#include <stdio.h>
#include <unistd.h>

#define STDIN_BYTES_MAX ((size_t)64 * MIB)
#define OUTPUT_BYTES_MAX ((int64_t)64 * MIB)
#define REQUIREMENTS_MAX 64

static int run_box(const struct command *command, int count, char **args);
static int run_doctor(const struct command *command, int count, char **args);

const struct command command_box = {"box", "run one command in the sandbox", run_box};
const struct command command_box_doctor = {
    "box doctor", "say what the sandbox needs and what is missing", run_doctor};

static const char usage_box[] =
    "Usage: assize box [options] -- COMMAND [ARGUMENT...]\n\n"
    "Runs the command in the sandbox with an empty work folder, the system's read-only folders\n"
    "/usr, /lib, /lib64, /bin and no network. COMMAND is a path such as /usr/bin/python3. "
    "Standard\n"
    "input is passed on, up to 64 MiB. How the run ended is told on standard error.\n\n"
    "Exit status: the command's, or 1 when it was stopped, 2 usage, 3 system failure.";

static const char usage_doctor[] =
    "Usage: assize box doctor\n\n"
    "Prints a line for each thing the sandbox needs of this machine, and what to do about it.\n\n"
    "Exit status: 0 everything needed is there, 1 something is missing.";

/* clang-format off */
static const struct config_row box_rows[] = {
    {.name = "box.cpu", .type = CONFIG_DURATION, .fallback = "10s", .flag = "cpu", .min = 1, .max = TIME_LIMIT_MS_MAX,
     .help = "CPU time of the whole process tree"},
    {.name = "box.wall", .type = CONFIG_DURATION, .fallback = "30s", .flag = "wall", .min = 1, .max = TIME_LIMIT_MS_MAX,
     .help = "time by the clock"},
    {.name = "box.memory", .type = CONFIG_SIZE, .fallback = "256MiB", .flag = "memory", .min = 1 * MIB,
     .max = (int64_t)MEMORY_LIMIT_KIB_MAX * KIB, .help = "memory of the whole tree"},
    {.name = "box.processes", .type = CONFIG_INT, .fallback = "64", .flag = "processes", .min = 1, .max = 4096,
     .help = "processes and threads at a time"},
    {0},
};

static const struct config_row doctor_rows[] = {{0}};
/* clang-format on */

/* Standard input as the plain file the box wants; a terminal counts as empty. */
static bool read_input(int *ret_fd, struct err *err) {
    own_buf input;
    buf_init(&input, STDIN_BYTES_MAX);
    if (isatty(0) != 1 && !file_read_all(0, STDIN_BYTES_MAX, &input, err)) {
        return err_wrap(err, "standard input");
    }
    return file_memory("stdin", buf_str(&input), true, ret_fd, err);
}

static bool pass_on(int from_fd, int to_fd, struct err *err) {
    own_buf text;
    buf_init(&text, (size_t)OUTPUT_BYTES_MAX + KIB);
    return from_fd < 0 || (file_read_all(from_fd, (size_t)OUTPUT_BYTES_MAX + KIB, &text, err) &&
                           file_write_all(to_fd, buf_str(&text), err));
}

static struct box_run_spec spec_of(const struct config *config, const char *const *argv,
                                   int input_fd) {
    static const char *const env[] = {"PATH=/usr/bin:/bin", "HOME=/w", "LC_ALL=C.UTF-8", NULL};
    static const char *const roots[] = {"/usr", "/lib", "/lib64", "/bin", NULL};
    int64_t memory = config_i64(config, "box.memory");
    return (struct box_run_spec){
        .profile = BOX_PROFILE_MANAGED,
        .argv = argv,
        .env = env,
        .roots = roots,
        .streams = {{.kind = BOX_STREAM_FD, .fd = input_fd},
                    {.kind = BOX_STREAM_CAPTURE, .bytes_max = OUTPUT_BYTES_MAX},
                    {.kind = BOX_STREAM_CAPTURE, .bytes_max = MIB}},
        .limits = {.cpu_ms = config_i64(config, "box.cpu"),
                   .wall_ms = config_i64(config, "box.wall"),
                   .memory_bytes = memory,
                   .file_bytes = memory,
                   .work_bytes = memory,
                   .work_inodes = 10000,
                   .pids_max = (int32_t)config_i64(config, "box.processes"),
                   .open_files_max = 256}};
}

static const char *end_text(enum box_end end) {
    static const char *const texts[] = {
        [BOX_END_NONE] = "not at all",
        [BOX_END_EXIT] = "by itself",
        [BOX_END_SIGNAL] = "by a signal",
        [BOX_END_CPU] = "CPU time limit",
        [BOX_END_WALL] = "wall time limit",
        [BOX_END_MEMORY] = "memory limit",
        [BOX_END_OUTPUT] = "output limit",
        [BOX_END_KILLED] = "killed",
        [BOX_END_START] = "it could not be started",
    };
    CHECK(end >= 0 && (size_t)end < sizeof(texts) / sizeof(texts[0]));
    return texts[end];
}

static int tell(const struct box_result *result) {
    (void)fprintf(stderr,
                  "ended: %s, exit code %d, signal %d, CPU %.3f s, wall %.3f s, memory %.1f MiB\n",
                  end_text(result->end), result->exit_code, result->signal,
                  (double)(result->cpu_user_us + result->cpu_system_us) / 1e6,
                  (double)result->wall_us / 1e6, (double)result->memory_peak_bytes / MIB);
    return result->end == BOX_END_EXIT ? result->exit_code : EXIT_STATUS_NEGATIVE;
}

static bool run_command(const struct arguments *arguments, int *ret_status, struct err *err) {
    own(box) box = NULL;
    own_fd input = -1;
    char cgroup[64];
    own_box_result result;
    box_result_init(&result);
    (void)snprintf(cgroup, sizeof(cgroup), "assize-box-%ld", (long)getpid());
    const struct box_options options = {.slots = 1, .cgroup_name = cgroup};
    const char *argv[ARGUMENTS_MAX + 1] = {NULL};
    for (int i = 0; i < arguments->count; i++) {
        argv[i] = arguments->rest[i];
    }
    if (!box_open(&options, &box, err) || !rights_drop(err) || !read_input(&input, err)) {
        return false;
    }
    const struct box_run_spec spec = spec_of(arguments->config, argv, input);
    if (!box_slot_open(box, 0, err) || !box_run(box, 0, &spec, &result, err) ||
        !pass_on(result.stream_fds[1], 1, err) || !pass_on(result.stream_fds[2], 2, err)) {
        return false;
    }
    *ret_status = tell(&result);
    return box_slot_close(box, 0, err);
}

static int run_box(const struct command *command, int count, char **args) {
    struct arguments arguments;
    struct err err = {0};
    int status = EXIT_STATUS_USAGE;
    switch (arguments_read(&arguments, usage_box, box_rows, count, args)) {
    case ARGUMENTS_GO:
        if (arguments.count < 1) {
            status = arguments_refuse(command->name, "it needs a command behind --");
        } else if (!run_command(&arguments, &status, &err)) {
            (void)fprintf(stderr, "assize box: %s\n", err.text);
            status = err.kind == ERR_SYSTEM ? EXIT_STATUS_FAILED : EXIT_STATUS_USAGE;
        }
        break;
    case ARGUMENTS_HELP_SHOWN: status = EXIT_STATUS_OK; break;
    case ARGUMENTS_BAD: break;
    }
    arguments_done(&arguments);
    return status;
}

static int diagnose(void) {
    static struct box_requirement rows[REQUIREMENTS_MAX];
    size_t count = box_doctor(rows, REQUIREMENTS_MAX);
    bool colours = terminal_has_colours(stdout);
    int status = EXIT_STATUS_OK;
    for (size_t i = 0; i < count && i < REQUIREMENTS_MAX; i++) {
        const struct box_requirement *row = &rows[i];
        bool bad = row->needed && !row->found;
        enum verdict colour = bad ? VERDICT_WRONG_ANSWER : VERDICT_ACCEPTED;
        (void)printf("%s%-8s%s %-30s %s\n", terminal_colour(colours, colour),
                     row->found ? "ok"
                     : bad      ? "MISSING"
                                : "absent",
                     terminal_plain(colours), row->name, row->detail);
        if (!row->found && row->remedy[0] != '\0') {
            (void)printf("         what to do: %s\n", row->remedy);
        }
        status = bad ? EXIT_STATUS_NEGATIVE : status;
    }
    return status;
}

static int run_doctor(const struct command *command, int count, char **args) {
    struct arguments arguments;
    int status = EXIT_STATUS_USAGE;
    switch (arguments_read(&arguments, usage_doctor, doctor_rows, count, args)) {
    case ARGUMENTS_GO:
        status = arguments.count > 0 ? arguments_refuse(command->name, "it takes no arguments")
                                     : diagnose();
        break;
    case ARGUMENTS_HELP_SHOWN: status = EXIT_STATUS_OK; break;
    case ARGUMENTS_BAD: break;
    }
    arguments_done(&arguments);
    return status;
}
