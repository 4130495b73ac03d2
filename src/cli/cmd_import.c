/* assize problem import PACKAGE... */
#include "base/file.h"
#include "base/limits.h"
#include "cli/commands.h"
#include "cli/dry_run.h"
#include "cli/options.h"
#include "cli/report_text.h"
#include "package/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define IMPORT_MS 600000
#define REPORT_BYTES_MAX ((size_t)64 * MIB)

static int run(const struct command *command, int count, char **args);

const struct command command_problem_import = {
    "problem import", "send problem packages (folders or zips) to a server", run};

/* clang-format off */
static const struct config_row rows[] = {
    {.name = "code", .type = CONFIG_TEXT, .flag = "code",
     .help = "short name of the problem; default: the package's own"},
    {.name = "dry_run", .type = CONFIG_BOOL, .fallback = "no", .flag = "dry-run",
     .help = "only tell what would be read, guessed, dropped and refused; needs no server"},
    {.name = "json", .type = CONFIG_BOOL, .fallback = "no", .flag = "json",
     .help = "print one JSON object for each package and nothing else on standard output"},
    {0},
};
/* clang-format on */

/* A zip as it is; a folder as a zip of it. */
static bool open_package(const char *path, int *ret_fd, int64_t *ret_bytes, struct err *err) {
    struct stat info;
    own_fd fd = -1;
    if (stat(path, &info) != 0) {
        return errno == ENOENT ? err_set(err, ERR_MISSING, "no_file", "there is no %s", path)
                               : err_system(err, "no_file", "cannot look at %s", path);
    }
    if (S_ISDIR(info.st_mode)) {
        fd = memfd_create("package", MFD_CLOEXEC);
        if (fd < 0) {
            return err_system(err, "no_memory", "cannot make a file for the package");
        }
        if (!package_zip_folder(path, fd, err)) {
            return err_wrap(err, "%s", path);
        }
    } else if (!file_open_read(path, &fd, err)) {
        return false;
    }
    if (!file_size(fd, ret_bytes, err)) {
        return false;
    }
    if (*ret_bytes == 0 || *ret_bytes > PACKAGE_BYTES_MAX) {
        return err_set(err, ERR_TOO_LARGE, "package_too_large", "%s is empty or over %d MiB", path,
                       PACKAGE_BYTES_MAX / MIB);
    }
    *ret_fd = take_fd(&fd);
    return true;
}

static void print_result(const char *path, const struct json *answer) {
    const struct json *problem = jr_get(answer, "problem");
    const struct json *report = jr_get(answer, "report");
    struct str code = {0};
    struct str title = {0};
    int64_t id = 0;
    bool created = false;
    struct err err = {0};
    if (jr_i64(problem, "id", 1, ID_MAX, &id, &err) && jr_str(problem, "code", 256, &code, &err) &&
        jr_str(problem, "title", 1024, &title, &err) &&
        jr_bool(answer, "created", &created, &err)) {
        (void)printf("%s: problem %lld " STR_FMT " (" STR_FMT ") %s\n", path, (long long)id,
                     STR_ARG(code), STR_ARG(title), created ? "created" : "updated");
    }
    report_text_print(report);
}

static bool import(struct client *client, const char *path, const struct config *config,
                   struct err *err) {
    const char *code = config_text(config, "code");
    own(arena) arena = arena_create(1 * MIB);
    own(json) answer = NULL;
    own_fd fd = -1;
    own_buf raw;
    struct client_call call = {.method = HTTP_POST,
                               .content_type = "application/zip",
                               .timeout_ms = IMPORT_MS,
                               .raw = &raw};
    buf_init(&raw, REPORT_BYTES_MAX);
    struct str folder = {0};
    struct str name = {0};
    struct str whole = str_from(path);
    while (str_ends(whole, STR("/"))) {
        whole = str_sub(whole, 0, whole.len - 1);
    }
    if (!str_cut_last(whole, '/', &folder, &name)) {
        name = whole;
    }
    if (!open_package(path, &fd, &call.body_fd_bytes, err)) {
        return false;
    }
    call.body_fd = fd;
    call.path =
        arena_printf(arena, "/api/v1/admin/problems?fileName=%s%s%s", client_escape(arena, name),
                     code[0] != '\0' ? "&code=" : "", client_escape(arena, str_from(code)));
    if (!client_call(client, &call, &answer, err)) {
        return err_wrap(err, "%s", path);
    }
    if (config_bool(config, "json")) {
        (void)printf(STR_FMT "\n", STR_ARG(buf_str(&raw)));
    } else {
        print_result(path, answer);
    }
    return true;
}

/* Nothing that can be refused counts as done: the exit status says so too. */
static int dry_run(const char *path, const struct config *config) {
    own_buf text;
    int refused = 0;
    struct err err = {0};
    buf_init(&text, REPORT_BYTES_MAX);
    if (!dry_run_json(path, config_text(config, "code"), &text, &refused, &err)) {
        (void)err_wrap(&err, "%s", path);
        return cli_fail(&err);
    }
    if (config_bool(config, "json")) {
        (void)printf(STR_FMT "\n", STR_ARG(buf_str(&text)));
    } else {
        dry_run_print(buf_str(&text));
    }
    return refused > 0 ? EXIT_STATUS_NEGATIVE : EXIT_STATUS_OK;
}

static int import_all(const struct cli *cli, struct client *client) {
    int status = EXIT_STATUS_OK;
    for (int i = 0; i < cli->count; i++) {
        struct err err = {0};
        if (!import(client, cli->arguments[i], cli->config, &err)) {
            status = cli_fail(&err);
        }
    }
    return status;
}

static int dry_run_all(const struct cli *cli) {
    int status = EXIT_STATUS_OK;
    for (int i = 0; i < cli->count; i++) {
        int one = dry_run(cli->arguments[i], cli->config);
        status = one > status ? one : status;
    }
    return status;
}

static int run(const struct command *command, int count, char **args) {
    (void)command;
    struct cli cli;
    own(client) client = NULL;
    int status = cli_read(&cli,
                          "assize problem import PACKAGE... [--dry-run] [--json] [--server URL] "
                          "[--user NAME]",
                          rows, count, args);
    if (status < 0 && cli.count == 0) {
        (void)fprintf(stderr, "assize problem import: name a package\n");
        status = EXIT_STATUS_USAGE;
    }
    if (status < 0 && config_bool(cli.config, "dry_run")) {
        status = dry_run_all(&cli);
    }
    if (status < 0 && !cli_connect(&cli, &client)) {
        status = EXIT_STATUS_FAILED;
    }
    if (status < 0) {
        status = import_all(&cli, client);
    }
    cli_done(&cli);
    return status;
}
