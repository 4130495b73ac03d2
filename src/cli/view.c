/* Submissions for people at a terminal. */
#include "cli/view.h"
#include "base/clock.h"
#include "base/command.h"
#include "base/limits.h"

#include <stdio.h>

#define POLL_MS_MIN 200
#define POLL_MS_MAX 2000

struct str cli_text(const struct json *object, const char *name) {
    struct err err = {0};
    struct str text = {0};
    return jr_opt_str(object, name, 64 * KIB, &text, &err) ? text : (struct str){0};
}

int64_t cli_number(const struct json *object, const char *name) {
    struct err err = {0};
    int64_t value = 0;
    return jr_opt_i64(object, name, 0, ID_MAX, &value, &err) ? value : 0;
}

bool cli_flag(const struct json *object, const char *name) {
    struct err ignored = {0};
    bool value = false;
    return jr_opt_bool(object, name, &value, &ignored) && value;
}

void cli_print_warning(const struct json *warning) {
    (void)printf("%-16.*s  %-8.*s  %-16.*s  " STR_FMT "\n", STR_ARG(cli_text(warning, "code")),
                 STR_ARG(cli_text(warning, "pool")), STR_ARG(cli_text(warning, "subject")),
                 STR_ARG(cli_text(warning, "detail")));
}

static void print_cases(const struct json *cases) {
    for (size_t i = 0; i < jr_count(cases); i++) {
        const struct json *row = jr_at(cases, i);
        struct str message = cli_text(row, "message");
        (void)printf("  %4lld  %-24.*s  %-22.*s  %6lld ms  %8lld KiB%s" STR_FMT "\n",
                     (long long)cli_number(row, "index"), STR_ARG(cli_text(row, "name")),
                     STR_ARG(cli_text(row, "verdict")), (long long)cli_number(row, "cpuMs"),
                     (long long)cli_number(row, "memoryKb"), message.len > 0 ? "  " : "",
                     STR_ARG(message));
    }
}

void cli_print_submission(const struct json *submission) {
    struct str verdict = cli_text(submission, "verdict");
    struct str log = cli_text(jr_get(submission, "compile"), "log");
    (void)printf("submission %lld of " STR_FMT " in " STR_FMT ": " STR_FMT "\n",
                 (long long)cli_number(submission, "id"),
                 STR_ARG(cli_text(submission, "problemCode")),
                 STR_ARG(cli_text(submission, "language")),
                 STR_ARG(verdict.len > 0 ? verdict : cli_text(submission, "state")));
    if (log.len > 0) {
        (void)printf(STR_FMT "%s", STR_ARG(log), str_ends(log, STR("\n")) ? "" : "\n");
    }
    print_cases(jr_get(submission, "cases"));
}

static void say_state(const struct json *submission, char *last, size_t room) {
    char line[256];
    struct str why = cli_text(jr_get(submission, "reason"), "text");
    (void)snprintf(line, sizeof line, STR_FMT "%s" STR_FMT, STR_ARG(cli_text(submission, "state")),
                   why.len > 0 ? ": " : "", STR_ARG(str_utf8_prefix(why, 150)));
    if (!str_eq(str_from(line), str_from(last))) {
        (void)snprintf(last, room, "%s", line);
        (void)fprintf(stderr, "%s\n", line);
    }
}

bool cli_wait_submission(struct client *client, int64_t submission, struct json **ret_submission,
                         struct err *err) {
    char path[64];
    char last[256] = "";
    int64_t pause_ms = POLL_MS_MIN;
    (void)snprintf(path, sizeof path, "/api/v1/submissions/%lld", (long long)submission);
    for (;;) {
        own(json) answer = NULL;
        struct client_call call = {.method = HTTP_GET, .path = path};
        if (!client_call(client, &call, &answer, err)) {
            return false;
        }
        if (str_eq(cli_text(answer, "state"), STR("DONE"))) {
            *ret_submission = take(answer);
            return true;
        }
        say_state(answer, last, sizeof last);
        clock_sleep_ms(&clock_real, pause_ms);
        pause_ms = pause_ms * 2 > POLL_MS_MAX ? POLL_MS_MAX : pause_ms * 2;
    }
}

int cli_verdict_status(const struct json *submission) {
    return str_eq(cli_text(submission, "verdict"), STR("ACCEPTED")) ? EXIT_STATUS_OK
                                                                    : EXIT_STATUS_NEGATIVE;
}
