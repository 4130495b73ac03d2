/* assize run PACKAGE SOURCE...: judges files of this machine without server or database. */
#include "base/limits.h"
#include "local/arguments.h"
#include "local/commands.h"
#include "local/loaded.h"
#include "local/output.h"
#include "local/session.h"
#include "local/sources.h"
#include "local/terminal.h"
#include <unistd.h>

static int run(const struct command *command, int count, char **args);

const struct command command_run = {"run", "judge local files with a problem package", run};

static const char usage[] =
    "Usage: assize run PACKAGE SOURCE... [options]\n\n"
    "Judges the sources, which are one submission, with the problem package PACKAGE (a folder or\n"
    "a zip in ICPC/Kattis form) and prints the verdict and a table of cases. A source that ends "
    "in\n"
    ".zip holds the answer files of a submit-answer problem.\n\n"
    "The sandbox needs root: run it by sudo. Everything but the sandbox then goes on as the user\n"
    "who called sudo, or, as plain root, as nobody with the right to read files.\n\n"
    "Exit status: 0 accepted, 1 any other verdict, 2 usage or bad input, 3 system failure.";

/* clang-format off */
static const struct config_row rows[] = {
    {.name = "run.language", .type = CONFIG_TEXT, .flag = "language",
     .help = "language id, such as cpp; default: by the names of the files"},
    {.name = "run.all", .type = CONFIG_BOOL, .fallback = "no", .flag = "all",
     .help = "go on after the first case that is not accepted"},
    {.name = "run.json", .type = CONFIG_BOOL, .fallback = "no", .flag = "json",
     .help = "print one JSON object and nothing else on standard output"},
    {.name = "run.quiet", .type = CONFIG_BOOL, .fallback = "no", .flag = "quiet",
     .help = "print the verdict only, and no notes about the package"},
    {.name = "languages", .type = CONFIG_TEXT, .flag = "languages-dir",
     .help = "folder of the language specs; default: the program's own"},
    {0},
};
/* clang-format on */

struct run {
    const struct config *config;
    struct arena *arena;
    struct session *session;
    struct loaded *loaded;
    bool show_progress;
};

static bool show_progress(void *context, const struct judge_progress *progress) {
    const struct run *self = context;
    if (self->show_progress && progress->stage == JUDGE_STAGE_COMPILING) {
        (void)fprintf(stderr, "\rcompiling\x1b[K");
    } else if (self->show_progress) {
        (void)fprintf(stderr, "\rcase %d of %d\x1b[K", progress->case_index + 1,
                      progress->cases_total);
    }
    return true;
}

/* The judge's context is one pointer for both callbacks. */
static bool open_blob(void *context, const struct blob_ref *blob, int *ret_fd, struct err *err) {
    const struct run *self = context;
    return blob_map_open(self->loaded->blobs, blob, ret_fd, err);
}

static bool judge_it(struct run *self, const struct sources *sources,
                     struct judgement *ret_judgement, struct err *err) {
    const struct language *language = NULL;
    struct str id = str_from(config_text(self->config, "run.language"));
    id = id.len > 0 ? id : self->loaded->problem.manifest.sql.dialect; /* none: by file names */
    if (!sources_language(self->session->languages, &self->loaded->problem.manifest, sources, id,
                          &language, err)) {
        return false;
    }
    const struct judge_request request = {.manifest = &self->loaded->problem.manifest,
                                          .language = language,
                                          .sources = sources->items,
                                          .source_count = sources->count,
                                          .all_cases = config_bool(self->config, "run.all"),
                                          .open_blob = open_blob,
                                          .progress = show_progress,
                                          .context = self};
    bool ok = judge_submission(self->session->judge, &request, self->arena, ret_judgement, err);
    if (self->show_progress) {
        (void)fprintf(stderr, "\r\x1b[K");
    }
    return ok;
}

static bool print(const struct run *self, const struct judgement *judgement, struct err *err) {
    own_buf json;
    buf_init(&json, 16 * MIB);
    if (config_bool(self->config, "run.json")) {
        if (!output_json(judgement, &json, err)) {
            return false;
        }
        (void)fwrite(json.ptr, 1, json.len, stdout);
    } else if (config_bool(self->config, "run.quiet")) {
        output_verdict(stdout, judgement, terminal_has_colours(stdout));
    } else {
        output_table(stdout, judgement, terminal_has_colours(stdout));
    }
    if (fflush(stdout) != 0) {
        return err_system(err, "write_failed", "cannot write the result");
    }
    return true;
}

static bool run_all(struct run *self, const struct arguments *arguments,
                    struct judgement *ret_judgement, struct err *err) {
    struct sources sources = {.count = 0};
    bool quiet = config_bool(self->config, "run.quiet") || config_bool(self->config, "run.json");
    if (!session_open(self->session, config_text(self->config, "languages"), 1, err) ||
        !loaded_open(self->loaded, arguments->rest[0], err) ||
        !sources_load(arguments->rest + 1, arguments->count - 1, self->arena, &sources, err)) {
        return false;
    }
    if (!quiet) {
        loaded_print_notes(self->loaded, false);
    }
    self->show_progress = !quiet && terminal_has_colours(stderr);
    return judge_it(self, &sources, ret_judgement, err) && print(self, ret_judgement, err);
}

static int run_command(const struct arguments *arguments) {
    own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
    own_session session = {.box = NULL};
    own_loaded loaded = {.arena = NULL};
    struct run self = {
        .config = arguments->config, .arena = arena, .session = &session, .loaded = &loaded};
    struct judgement judgement = {.verdict = VERDICT_NONE};
    struct err err = {0};
    if (!run_all(&self, arguments, &judgement, &err)) {
        (void)fprintf(stderr, "assize run: ");
        terminal_print(stderr, str_from(err.text));
        (void)fputc('\n', stderr);
        return err.kind == ERR_SYSTEM ? EXIT_STATUS_FAILED : EXIT_STATUS_USAGE;
    }
    return judgement.verdict == VERDICT_ACCEPTED ? EXIT_STATUS_OK : EXIT_STATUS_NEGATIVE;
}

static int run(const struct command *command, int count, char **args) {
    struct arguments arguments;
    int status = EXIT_STATUS_USAGE;
    switch (arguments_read(&arguments, usage, rows, count, args)) {
    case ARGUMENTS_GO:
        status = arguments.count < 2
                     ? arguments_refuse(command->name, "it needs a package and a source")
                     : run_command(&arguments);
        break;
    case ARGUMENTS_HELP_SHOWN: status = EXIT_STATUS_OK; break;
    case ARGUMENTS_BAD: break;
    }
    arguments_done(&arguments);
    return status;
}
