/* assize problem export PACKAGE FOLDER: any package as one in ICPC form. */
#include "base/limits.h"
#include "local/arguments.h"
#include "local/commands.h"
#include "local/export.h"
#include "local/problem_data.h"
#include "local/terminal.h"

static int run(const struct command *command, int count, char **args);

const struct command command_problem_export = {
    "problem export", "write a package of any kind as an ICPC package of 2025-09", run};

static const char usage[] =
    "Usage: assize problem export PACKAGE FOLDER [options]\n\n"
    "Reads the problem package PACKAGE, of any kind that can be imported, and writes it into the "
    "new\n"
    "folder FOLDER in the ICPC form of 2025-09. What that form cannot say stands in "
    "assize.manifest\n"
    "beside it: reading the folder here gives the same problem. Test data that are still to be "
    "made\n"
    "by the package's own programs are made in the sandbox, which needs root.\n\n"
    "Exit status: 0 written, 2 usage or a bad package, 3 system failure.";

/* clang-format off */
static const struct config_row rows[] = {
    {.name = "languages", .type = CONFIG_TEXT, .flag = "languages-dir",
     .help = "folder of the language specs; default: the program's own"},
    {0},
};
/* clang-format on */

static bool export(const struct arguments *arguments, struct err *err) {
    own_session session = {.box = NULL};
    own_loaded loaded = {.arena = NULL};
    const char *languages = config_text(arguments->config, "languages");
    if (!loaded_open(&loaded, arguments->rest[0], err)) {
        return false;
    }
    if (loaded.problem.recipe_count > 0 && (!session_open(&session, languages, 1, err) ||
                                            !problem_data_make(&session, &loaded, err))) {
        return false;
    }
    loaded_print_notes(&loaded, true);
    return export_folder(&loaded, arguments->rest[1], err);
}

static int run(const struct command *command, int count, char **args) {
    struct arguments arguments;
    int status = EXIT_STATUS_USAGE;
    struct err err = {0};
    switch (arguments_read(&arguments, usage, rows, count, args)) {
    case ARGUMENTS_GO:
        if (arguments.count != 2) {
            status = arguments_refuse(command->name, "it needs a package and a new folder");
        } else if (export(&arguments, &err)) {
            status = EXIT_STATUS_OK;
        } else {
            (void)fprintf(stderr, "assize problem export: ");
            terminal_print(stderr, str_from(err.text));
            (void)fputc('\n', stderr);
            status = err.kind == ERR_SYSTEM ? EXIT_STATUS_FAILED : EXIT_STATUS_USAGE;
        }
        break;
    case ARGUMENTS_HELP_SHOWN: status = EXIT_STATUS_OK; break;
    case ARGUMENTS_BAD: break;
    }
    arguments_done(&arguments);
    return status;
}
