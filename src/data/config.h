#ifndef DATA_CONFIG_H
#define DATA_CONFIG_H

#include "base/buf.h"
#include "base/own.h"

/* Settings as a table. A value comes from the strongest place that names it, whatever the order in
 * which the places are read: default < file < environment < flag.
 *
 *     static const struct config_row rows[] = {
 *         {.name = "server.listen", .type = CONFIG_ADDRESS, .fallback = "127.0.0.1:8080",
 *          .flag = "listen", .help = "address and port of the web server"},
 *         {.name = "judge.pool", .type = CONFIG_TEXT, .fallback = "", .env = "JUDGE_POOL",
 *          .help = "pool that this node serves"},
 *         {0},
 *     };
 *
 * In the file `[server]` and `listen = 0.0.0.0:80`, or `server.listen = ...` outside any section.
 * In the environment ASSIZE_SERVER_LISTEN; for secrets also ASSIZE_..._FILE, a file that holds the
 * value. On the command line --listen X, --listen=X; --flag and --no-flag for CONFIG_BOOL.
 * main casts once: config_read_env(config, (const char *const *)environ, err). */

enum config_type {
    CONFIG_TEXT,
    CONFIG_INT,
    CONFIG_BOOL,
    CONFIG_DURATION, /* "15s"; milliseconds */
    CONFIG_SIZE,     /* "256MiB"; bytes */
    CONFIG_ADDRESS,  /* "127.0.0.1:8080", "[::1]:80", ":80" (every address) */
};

struct config_row {
    const char *name; /* NULL ends a table */
    enum config_type type;
    const char *fallback; /* the default as text; NULL only for CONFIG_TEXT, which is "" then */
    const char *flag;     /* NULL: cannot be set on the command line */
    const char *env;      /* a further environment name beside the derived one; may be NULL */
    const char *choices;  /* CONFIG_TEXT: the allowed values, separated by spaces; NULL: any */
    const char *help;     /* one line, no full stop */
    int64_t min, max;     /* CONFIG_INT, _DURATION, _SIZE; both 0: from 0, unbounded */
    bool secret;
};

struct config_address {
    char host[256]; /* without brackets; "0.0.0.0" when none was given */
    int port;       /* 0: any free one */
};

struct config;

/* Rows must outlive the config. Mistakes in a table (bad default, a name twice) abort. */
struct config *config_create(void);
void config_free(struct config *config); /* accepts NULL; wipes secrets */
OWN_DEFINE(config, config_free)
void config_add(struct config *config, const char *title, const struct config_row rows[]);

/* Errors of all: ERR_INVALID "bad_config" ("assize.conf:3: ..."), "unknown_setting",
 * "unknown_flag", both with the nearest name; file errors as file_load. */
checked bool config_read_file(struct config *config, const char *path, struct err *err);
checked bool config_read_text(struct config *config, const char *file, struct str text,
                              struct err *err);
checked bool config_read_env(struct config *config, const char *const environment[],
                             struct err *err);
/* Flags may stand between the other arguments; "--" ends them. `ret_rest` has room for `count`
 * pointers and gets the arguments that are no flags. */
checked bool config_read_args(struct config *config, int count, const char *const args[],
                              const char **ret_rest, int *ret_rest_count, struct err *err);
/* One setting as if by a flag: for tests and for `assize up`, which configures its children. */
checked bool config_set(struct config *config, const char *name, struct str value, struct err *err);

/* Getters. A name or type that the table does not have is our own mistake and aborts. */
const char *config_text(const struct config *config, const char *name);
int64_t config_i64(const struct config *config, const char *name); /* INT, DURATION, SIZE */
bool config_bool(const struct config *config, const char *name);
const struct config_address *config_address(const struct config *config, const char *name);
bool config_is_set(const struct config *config, const char *name); /* by anything but the default */
/* Where the value is from: "default", "assize.conf:12", "ASSIZE_SERVER_LISTEN", "--listen". */
const char *config_source(const struct config *config, const char *name);

/* Text for --help: the rows that have a flag, by title. */
void config_help(const struct config *config, struct buf *out);
/* Every setting with its source, secrets masked; reads back as a file. */
void config_print(const struct config *config, struct buf *out);

/* As for a CONFIG_ADDRESS row. ERR_INVALID "bad_address". */
checked bool address_parse(struct str text, struct config_address *ret_address, struct err *err);

#endif
