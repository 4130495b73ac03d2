/* assize submit FILE --problem CODE [--language ID] */
#include "base/file.h"
#include "base/limits.h"
#include "base/random.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/view.h"
#include "data/json_write.h"
#include "package/answers.h"

#include <stdio.h>
#include <string.h>

static int run(const struct command *command, int count, char **args);

const struct command command_submit = {
    "submit", "hand in a program, or a zip of answers, and wait for its verdict", run};

/* clang-format off */
static const struct config_row rows[] = {
    {.name = "problem", .type = CONFIG_TEXT, .flag = "problem",
     .help = "code or number of the problem; default: the file's name without its ending"},
    {.name = "language", .type = CONFIG_TEXT, .flag = "language",
     .help = "language id; default: by the file's ending"},
    {.name = "wait", .type = CONFIG_BOOL, .fallback = "yes", .flag = "wait",
     .help = "wait for the verdict"},
    {0},
};
/* clang-format on */

#define ANSWERS_ARENA_BYTES ((size_t)16 * MIB) /* each file is read before the sum is known */

struct submission {
    struct str file_name;
    struct buf source;
    int64_t problem;
    char language[LANGUAGE_ID_BYTES_MAX + 1];
};

static struct str file_of(const char *path) {
    struct str folder = {0};
    struct str name = {0};
    return str_cut_last(str_from(path), '/', &folder, &name) ? name : str_from(path);
}

/* A zip of answer files becomes the text that a server takes. */
static bool load_answers(const char *path, struct buf *into, struct err *err) {
    own(arena) arena = arena_create(ANSWERS_ARENA_BYTES);
    own_fd fd = -1;
    struct str text = {0};
    return file_open_read(path, &fd, err) && package_answers_read(fd, arena, &text, err) &&
           (buf_append(into, text) || buf_ok(into, "the answers", err));
}

/* The one whose extension fits; the server knows which languages there are. */
static bool find_language(struct client *client, struct submission *submission, struct err *err) {
    own(json) list = NULL;
    struct client_call call = {.method = HTTP_GET, .path = "/api/v1/languages"};
    if (!client_call(client, &call, &list, err)) {
        return false;
    }
    const struct json *items = jr_get(list, "items");
    for (size_t i = 0; i < jr_count(items); i++) {
        const struct json *extensions = jr_get(jr_at(items, i), "extensions");
        for (size_t j = 0; j < jr_count(extensions); j++) {
            struct str extension = {0};
            struct str id = {0};
            if (jr_item_str(extensions, j, 32, &extension, err) &&
                str_ends(submission->file_name, extension) &&
                jr_str(jr_at(items, i), "id", LANGUAGE_ID_BYTES_MAX, &id, err)) {
                return str_to_c(id, submission->language, sizeof submission->language, err);
            }
        }
    }
    return err_set(err, ERR_INVALID, "unknown_language",
                   "no language has the ending of " STR_FMT ": say --language",
                   STR_ARG(submission->file_name));
}

static bool find_problem(struct client *client, struct str code, int64_t *ret_problem,
                         struct err *err) {
    own(arena) arena = arena_create(1 * MIB);
    own(json) list = NULL;
    struct err unused = {0};
    if (str_to_i64(code, 1, ID_MAX, ret_problem, &unused)) {
        return true;
    }
    struct client_call call = {.method = HTTP_GET,
                               .path = arena_printf(arena, "/api/v1/problems?limit=200&search=%s",
                                                    client_escape(arena, code))};
    if (!client_call(client, &call, &list, err)) {
        return false;
    }
    const struct json *items = jr_get(list, "items");
    for (size_t i = 0; i < jr_count(items); i++) {
        struct str found = {0};
        if (jr_str(jr_at(items, i), "code", 256, &found, err) && str_eq(found, code)) {
            return jr_i64(jr_at(items, i), "id", 1, ID_MAX, ret_problem, err);
        }
    }
    return err_set(err, ERR_MISSING, "no_problem", "there is no problem \"" STR_FMT "\"",
                   STR_ARG(code));
}

static bool post(struct client *client, const struct submission *submission, int64_t *ret_id,
                 struct err *err) {
    own_buf body;
    own(json) answer = NULL;
    struct jw json;
    char key[64];
    buf_init(&body, SUBMISSION_BODY_BYTES_MAX);
    jw_init(&json, &body);
    jw_object_begin(&json);
    jw_put_i64(&json, "problemId", submission->problem);
    jw_put_cstr(&json, "language", submission->language);
    jw_put_str(&json, "source", buf_str(&submission->source));
    jw_object_end(&json);
    (void)snprintf(key, sizeof key, "Idempotency-Key: %016llx%016llx",
                   (unsigned long long)random_u64(&random_real),
                   (unsigned long long)random_u64(&random_real));
    const char *const headers[] = {key, NULL};
    struct client_call call = {.method = HTTP_POST,
                               .path = "/api/v1/submissions",
                               .content_type = "application/json",
                               .body = buf_str(&body),
                               .headers = headers};
    return jw_finish(&json, "the submission", err) && client_call(client, &call, &answer, err) &&
           jr_i64(answer, "id", 1, ID_MAX, ret_id, err);
}

static bool submit(struct client *client, const struct cli *cli, int64_t *ret_id, struct err *err) {
    struct submission submission = {.file_name = file_of(cli->arguments[0])};
    const char *language = config_text(cli->config, "language");
    struct str code = str_from(config_text(cli->config, "problem"));
    struct str ending = {0};
    if (code.len == 0) {
        (void)str_cut_last(submission.file_name, '.', &code, &ending);
    }
    buf_init(&submission.source, SOURCE_BYTES_MAX);
    (void)snprintf(submission.language, sizeof submission.language, "%s", language);
    bool zip = str_ends(submission.file_name, STR(".zip"));
    if (zip && language[0] == '\0') {
        (void)snprintf(submission.language, sizeof submission.language, "text");
    }
    bool ok = (zip ? load_answers(cli->arguments[0], &submission.source, err)
                   : file_load(cli->arguments[0], SOURCE_BYTES_MAX, &submission.source, err)) &&
              (submission.language[0] != '\0' || find_language(client, &submission, err)) &&
              find_problem(client, code, &submission.problem, err) &&
              post(client, &submission, ret_id, err);
    buf_done(&submission.source);
    return ok;
}

static int finish(struct client *client, const struct cli *cli, int64_t id) {
    struct err err = {0};
    own(json) submission = NULL;
    (void)fprintf(stderr, "submission %lld received\n", (long long)id);
    if (!config_bool(cli->config, "wait")) {
        return EXIT_STATUS_OK;
    }
    if (!cli_wait_submission(client, id, &submission, &err)) {
        return cli_fail(&err);
    }
    cli_print_submission(submission);
    return cli_verdict_status(submission);
}

static int run(const struct command *command, int count, char **args) {
    (void)command;
    struct cli cli;
    struct err err = {0};
    int64_t id = 0;
    own(client) client = NULL;
    int status = cli_read(
        &cli, "assize submit FILE [--problem CODE] [--language ID] [--server URL] [--user NAME]",
        rows, count, args);
    if (status < 0 && cli.count != 1) {
        (void)fprintf(stderr, "assize submit: name one file\n");
        status = EXIT_STATUS_USAGE;
    }
    if (status < 0 && !cli_connect(&cli, &client)) {
        status = EXIT_STATUS_FAILED;
    }
    if (status < 0) {
        status = submit(client, &cli, &id, &err) ? finish(client, &cli, id) : cli_fail(&err);
    }
    cli_done(&cli);
    return status;
}
