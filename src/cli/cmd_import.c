/* assize problem import PACKAGE... */
#include "base/file.h"
#include "base/limits.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "package/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define IMPORT_MS 600000

static int run(const struct command *command, int count, char **args);

const struct command command_problem_import = {
    "problem import", "send problem packages (folders or zips) to a server", run};

/* clang-format off */
static const struct config_row rows[] = {
    {.name = "code", .type = CONFIG_TEXT, .flag = "code",
     .help = "short name of the problem; default: the package's own"},
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

static void print_notes(const struct json *report, const char *name, const char *label) {
    const struct json *notes = jr_get(report, name);
    for (size_t i = 0; i < jr_count(notes); i++) {
        struct err err = {0};
        struct str text = {0};
        struct str file = {0};
        const struct json *note = jr_at(notes, i);
        if (jr_opt_str(note, "text", 4096, &text, &err) &&
            jr_opt_str(note, "file", 4096, &file, &err)) {
            (void)printf("  %s: " STR_FMT "%s" STR_FMT "\n", label, STR_ARG(file),
                         file.len > 0 ? ": " : "", STR_ARG(text));
        }
    }
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
    print_notes(report, "warnings", "warning");
    print_notes(report, "guessed", "guessed");
    print_notes(report, "dropped", "not used");
}

static bool import(struct client *client, const char *path, const char *code, struct err *err) {
    own(arena) arena = arena_create(1 * MIB);
    own(json) answer = NULL;
    own_fd fd = -1;
    struct client_call call = {
        .method = HTTP_POST, .content_type = "application/zip", .timeout_ms = IMPORT_MS};
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
    print_result(path, answer);
    return true;
}

static int run(const struct command *command, int count, char **args) {
    (void)command;
    struct cli cli;
    own(client) client = NULL;
    int status = cli_read(&cli, "assize problem import PACKAGE... [--server URL] [--user NAME]",
                          rows, count, args);
    if (status < 0 && cli.count == 0) {
        (void)fprintf(stderr, "assize problem import: name a package\n");
        status = EXIT_STATUS_USAGE;
    }
    if (status < 0 && !cli_connect(&cli, &client)) {
        status = EXIT_STATUS_FAILED;
    }
    if (status < 0) {
        status = EXIT_STATUS_OK;
        for (int i = 0; i < cli.count; i++) {
            struct err err = {0};
            if (!import(client, cli.arguments[i], config_text(cli.config, "code"), &err)) {
                status = cli_fail(&err);
            }
        }
    }
    cli_done(&cli);
    return status;
}
