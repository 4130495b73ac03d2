/* Options of the commands that talk to a server. */
#include "cli/options.h"
#include "base/command.h"
#include "base/file.h"
#include "base/limits.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#define TOKEN_FILE_BYTES_MAX 512

/* clang-format off */
const struct config_row cli_rows[] = {
    {.name = "server", .type = CONFIG_TEXT, .fallback = "http://127.0.0.1:8080", .flag = "server",
     .help = "address of the server"},
    {.name = "user", .type = CONFIG_TEXT, .fallback = "admin", .flag = "user",
     .help = "user name to sign in with"},
    {.name = "password", .type = CONFIG_TEXT, .secret = true,
     .help = "by ASSIZE_PASSWORD, or a file named by ASSIZE_PASSWORD_FILE; else asked for"},
    {.name = "token_file", .type = CONFIG_TEXT, .flag = "token-file",
     .help = "file with an API token, which only its owner may read; instead of user and password"},
    {.name = "token", .type = CONFIG_TEXT, .help = "the API token itself, by ASSIZE_TOKEN"},
    {0},
};
/* clang-format on */

static bool wants_help(int count, char **args) {
    for (int i = 0; i < count; i++) {
        if (strcmp(args[i], "--help") == 0 || strcmp(args[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

static void print_help(const struct config *config, const char *usage) {
    own_buf text;
    buf_init(&text, 64 * KIB);
    config_help(config, &text);
    (void)printf("usage: %s\n\n" STR_FMT
                 "\nAn API token comes from ASSIZE_TOKEN or a file of mode 0600. "
                 "Else the password comes from ASSIZE_PASSWORD or from the "
                 "file that ASSIZE_PASSWORD_FILE names;\non a terminal it is asked for.\n",
                 usage, STR_ARG(buf_str(&text)));
}

int cli_read(struct cli *cli, const char *usage, const struct config_row *extra, int count,
             char **args) {
    struct err err = {0};
    *cli = (struct cli){.config = config_create()};
    config_add(cli->config, "Options", cli_rows);
    if (extra != NULL) {
        config_add(cli->config, "More options", extra);
    }
    if (wants_help(count, args)) {
        print_help(cli->config, usage);
        return EXIT_STATUS_OK;
    }
    if (count > CLI_ARGUMENTS_MAX) {
        (void)fprintf(stderr, "assize: too many arguments\n");
        return EXIT_STATUS_USAGE;
    }
    if (!config_read_env(cli->config, (const char *const *)environ, &err) ||
        !config_read_args(cli->config, count, (const char *const *)args, cli->arguments,
                          &cli->count, &err)) {
        (void)fprintf(stderr, "assize: %s\nusage: %s\n", err.text, usage);
        return EXIT_STATUS_USAGE;
    }
    return -1;
}

void cli_done(struct cli *cli) {
    config_free(cli->config);
    cli->config = NULL;
}

static bool ask_password(char *out, size_t room) {
    struct termios shown;
    if (!isatty(0) || tcgetattr(0, &shown) != 0) {
        return false;
    }
    struct termios hidden = shown;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    (void)fprintf(stderr, "Password: ");
    (void)tcsetattr(0, TCSAFLUSH, &hidden);
    bool got = fgets(out, (int)room, stdin) != NULL;
    (void)tcsetattr(0, TCSAFLUSH, &shown);
    (void)fprintf(stderr, "\n");
    out[got ? strcspn(out, "\r\n") : 0] = '\0';
    return got;
}

/* From its file, which nobody else may read, or from the environment; empty when there is none. */
static bool load_token(const struct cli *cli, char *out, size_t room, struct err *err) {
    own_fd fd = -1;
    struct stat stat;
    char bytes[TOKEN_FILE_BYTES_MAX];
    const char *path = config_text(cli->config, "token_file");
    if (path[0] == '\0') {
        return str_to_c(str_trim(str_from(config_text(cli->config, "token"))), out, room, err);
    }
    if (!file_open_read(path, &fd, err)) {
        return false;
    }
    if (fstat(fd, &stat) != 0 || (stat.st_mode & 077) != 0) {
        return err_set(err, ERR_INVALID, "bad_argument",
                       "%s is not for you alone: chmod 600 it, and make a new token", path);
    }
    ssize_t got = read(fd, bytes, sizeof bytes);
    if (got < 0) {
        return err_system(err, "read_failed", "cannot read %s", path);
    }
    struct str token = str_trim(str_of(bytes, (size_t)got));
    return token.len > 0 ? str_to_c(token, out, room, err)
                         : err_set(err, ERR_INVALID, "bad_argument", "%s holds no token", path);
}

bool cli_connect(const struct cli *cli, struct client **ret_client) {
    char typed[PASSWORD_BYTES_MAX + 2] = "";
    char token[TOKEN_FILE_BYTES_MAX] = "";
    struct err err = {0};
    if (!load_token(cli, token, sizeof token, &err)) {
        (void)cli_fail(&err);
        return false;
    }
    struct client_options options = {.server = config_text(cli->config, "server"),
                                     .user = config_text(cli->config, "user"),
                                     .password = config_text(cli->config, "password"),
                                     .token = token};
    if (options.password[0] == '\0' && token[0] == '\0') {
        if (!ask_password(typed, sizeof typed)) {
            (void)fprintf(stderr,
                          "assize: set ASSIZE_TOKEN or ASSIZE_PASSWORD, or type the password on a "
                          "terminal\n");
            return false;
        }
        options.password = typed;
    }
    if (!client_open(&options, ret_client, &err)) {
        (void)cli_fail(&err);
        return false;
    }
    return true;
}

int cli_fail(const struct err *err) {
    (void)fprintf(stderr, "assize: %s\n", err->text);
    bool ours = err->kind == ERR_SYSTEM || err->kind == ERR_BUSY || err->kind == ERR_DEADLINE;
    return ours ? EXIT_STATUS_FAILED : EXIT_STATUS_NEGATIVE;
}
