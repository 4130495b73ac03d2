/* assize box: the sandbox alone, for one command; assize box doctor: what it needs. */
#include "base/file.h"
#include "base/limits.h"
#include "box/box.h"
#include "box_client/doctor.h"
#include "local/arguments.h"
#include "local/box_result.h"
#include "local/commands.h"
#include "local/rights.h"
#include "local/terminal.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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
    "input is passed on, up to 64 MiB. How the run ended is told on standard error, or with\n"
    "--json as one object on standard output.\n\n"
    "Exit status: 0 the sandbox worked, whatever the command did; 2 usage; 3 system failure.";

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
    {.name = "box.stack", .type = CONFIG_SIZE, .fallback = "0", .flag = "stack", .min = 0,
     .max = (int64_t)MEMORY_LIMIT_KIB_MAX * KIB, .help = "stack of the first thread, 0: as the memory"},
    {.name = "box.work", .type = CONFIG_SIZE, .fallback = "64MiB", .flag = "work", .min = 64 * KIB,
     .max = (int64_t)MEMORY_LIMIT_KIB_MAX * KIB, .help = "size of /w, /tmp and a file; they count as memory"},
    {.name = "box.output", .type = CONFIG_SIZE, .fallback = "64MiB", .flag = "output", .min = 1,
     .max = OUTPUT_BYTES_MAX, .help = "bytes written to standard output"},
    {.name = "box.open_files", .type = CONFIG_INT, .fallback = "256", .flag = "open-files", .min = 4, .max = 65536,
     .help = "open descriptors of a process"},
    {.name = "box.profile", .type = CONFIG_TEXT, .fallback = "managed", .flag = "profile",
     .choices = "native managed compile", .help = "which system calls are allowed"},
    {.name = "box.pin", .type = CONFIG_BOOL, .fallback = "no", .flag = "pin",
     .help = "run on one processor, the first that this process may use"},
    {.name = "box.stdout", .type = CONFIG_TEXT, .fallback = "", .flag = "stdout",
     .help = "file for the command's standard output"},
    {.name = "box.stderr", .type = CONFIG_TEXT, .fallback = "", .flag = "stderr",
     .help = "file for the command's standard error, of which 1 MiB is kept"},
    {.name = "box.json", .type = CONFIG_BOOL, .fallback = "no", .flag = "json",
     .help = "print the result as one JSON object; output goes to --stdout and --stderr alone"},
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
    return from_fd < 0 || to_fd < 0 ||
           (file_read_all(from_fd, (size_t)OUTPUT_BYTES_MAX + KIB, &text, err) &&
            file_write_all(to_fd, buf_str(&text), err));
}

static enum box_profile profile_of(const char *name) {
    return strcmp(name, "native") == 0    ? BOX_PROFILE_NATIVE
           : strcmp(name, "compile") == 0 ? BOX_PROFILE_COMPILE
                                          : BOX_PROFILE_MANAGED;
}

static struct box_run_spec spec_of(const struct config *config, const char *const *argv,
                                   int input_fd) {
    static const char *const env[] = {"PATH=/usr/bin:/bin", "HOME=/w", "LC_ALL=C.UTF-8", NULL};
    static const char *const roots[] = {"/usr", "/lib", "/lib64", "/bin", NULL};
    int64_t memory = config_i64(config, "box.memory");
    int64_t work = config_i64(config, "box.work");
    return (struct box_run_spec){
        .profile = profile_of(config_text(config, "box.profile")),
        .argv = argv,
        .env = env,
        .roots = roots,
        .streams = {{.kind = BOX_STREAM_FD, .fd = input_fd},
                    {.kind = BOX_STREAM_CAPTURE, .bytes_max = config_i64(config, "box.output")},
                    {.kind = BOX_STREAM_CAPTURE, .bytes_max = MIB}},
        .limits = {.cpu_ms = config_i64(config, "box.cpu"),
                   .wall_ms = config_i64(config, "box.wall"),
                   .memory_bytes = memory,
                   .file_bytes = work,
                   .work_bytes = work,
                   .stack_bytes = config_i64(config, "box.stack"),
                   .work_inodes = 10000,
                   .pids_max = (int32_t)config_i64(config, "box.processes"),
                   .open_files_max = (int32_t)config_i64(config, "box.open_files")}};
}

/* Where the command's output goes; -1: nowhere. */
struct sinks {
    int out;
    int errors;
    int files[2]; /* owned */
};

static void sinks_done(struct sinks *sinks) {
    fd_cleanup(&sinks->files[0]);
    fd_cleanup(&sinks->files[1]);
}

/* With the rights of the caller, which are given up later. */
static bool open_sink(const char *path, int otherwise, int *ret_sink, int *ret_file,
                      struct err *err) {
    *ret_file = -1;
    *ret_sink = otherwise;
    if (path[0] == '\0') {
        return true;
    }
    *ret_file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    *ret_sink = *ret_file;
    return *ret_file >= 0 ? true : err_system(err, "no_file", "open %s", path);
}

static bool open_sinks(const struct config *config, struct sinks *ret_sinks, struct err *err) {
    bool json = config_bool(config, "box.json");
    *ret_sinks = (struct sinks){.files = {-1, -1}};
    return open_sink(config_text(config, "box.stdout"), json ? -1 : 1, &ret_sinks->out,
                     &ret_sinks->files[0], err) &&
           open_sink(config_text(config, "box.stderr"), json ? -1 : 2, &ret_sinks->errors,
                     &ret_sinks->files[1], err);
}

static bool tell(const struct config *config, const struct box_result *result, struct err *err) {
    own_buf text;
    buf_init(&text, 4 * KIB);
    if (config_bool(config, "box.json")) {
        return box_result_json(result, config_bool(config, "box.pin"), &text, err) &&
               file_write_all(1, buf_str(&text), err);
    }
    box_result_text(result, &text);
    (void)fprintf(stderr, STR_FMT "\n", STR_ARG(buf_str(&text)));
    return true;
}

static bool run_in(struct box *box, const struct arguments *arguments, const struct sinks *sinks,
                   struct err *err) {
    own_fd input = -1;
    own_box_result result;
    box_result_init(&result);
    const char *argv[ARGUMENTS_MAX + 1] = {NULL};
    for (int i = 0; i < arguments->count; i++) {
        argv[i] = arguments->rest[i];
    }
    if (!read_input(&input, err)) {
        return false;
    }
    const struct box_run_spec spec = spec_of(arguments->config, argv, input);
    return box_slot_open(box, 0, err) && box_run(box, 0, &spec, &result, err) &&
           pass_on(result.stream_fds[1], sinks->out, err) &&
           pass_on(result.stream_fds[2], sinks->errors, err) &&
           tell(arguments->config, &result, err) && box_slot_close(box, 0, err);
}

static bool run_command(const struct arguments *arguments, struct err *err) {
    own(box) box = NULL;
    struct sinks sinks = {.files = {-1, -1}};
    char cgroup[64];
    (void)snprintf(cgroup, sizeof(cgroup), "assize-box-%ld", (long)getpid());
    const struct box_options options = {
        .slots = 1, .cgroup_name = cgroup, .pin = config_bool(arguments->config, "box.pin")};
    bool done = open_sinks(arguments->config, &sinks, err) && box_open(&options, &box, err) &&
                rights_drop(err) && run_in(box, arguments, &sinks, err);
    sinks_done(&sinks);
    return done;
}

static int run_box(const struct command *command, int count, char **args) {
    struct arguments arguments;
    struct err err = {0};
    int status = EXIT_STATUS_USAGE;
    switch (arguments_read(&arguments, usage_box, box_rows, count, args)) {
    case ARGUMENTS_GO:
        if (arguments.count < 1) {
            status = arguments_refuse(command->name, "it needs a command behind --");
        } else if (run_command(&arguments, &err)) {
            status = EXIT_STATUS_OK;
        } else {
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
