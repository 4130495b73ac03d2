/* Tables of settings. The names JUDGE_... are those that users of other judges know already. */
#include "main/settings.h"
#include "base/limits.h"
#include "base/log.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
const struct config_row settings_common[] = {
    {.name = "log.level", .type = CONFIG_TEXT, .fallback = "info", .flag = "log-level", .env = "LOG_LEVEL",
     .choices = "debug info warn error", .help = "least level of what is logged"},
    {.name = "log.format", .type = CONFIG_TEXT, .fallback = "auto", .flag = "log-format",
     .choices = "auto json text", .help = "auto is text on a terminal, else JSON lines"},
    {.name = "user", .type = CONFIG_TEXT, .flag = "user",
     .help = "unprivileged user to run as when started by root"},
    {.name = "data", .type = CONFIG_TEXT, .fallback = "var", .flag = "data",
     .help = "folder of database, files and credentials"},
    {.name = "languages", .type = CONFIG_TEXT, .fallback = "languages", .flag = "languages-dir",
     .help = "folder of the language specs"},
    {0},
};

const struct config_row settings_server[] = {
    {.name = "server.listen", .type = CONFIG_TEXT, .fallback = "127.0.0.1:8080", .flag = "listen",
     .help = "host:port, :port, [::]:port or unix:/path"},
    {.name = "server.machine_listen", .type = CONFIG_TEXT, .flag = "machine-listen",
     .help = "another address, for nodes, metrics and readiness alone; default: on the first one"},
    {.name = "server.web", .type = CONFIG_TEXT, .fallback = "web/dist", .flag = "web",
     .help = "folder of the built web pages"},
    {.name = "server.trusted_proxies", .type = CONFIG_TEXT, .flag = "trusted-proxies",
     .help = "addresses whose X-Forwarded-* headers are believed, separated by spaces"},
    {.name = "server.demo", .type = CONFIG_TEXT, .flag = "demo",
     .help = "folder of problem packages to import into an empty database"},
    {.name = "probe.networks", .type = CONFIG_TEXT, .flag = "probe-networks",
     .help = "networks in which the server may look at nodes' health addresses: 10.0.0.0/8 fd00::/8; default: none"},
    {.name = "probe.ports", .type = CONFIG_TEXT, .fallback = "443 8443", .flag = "probe-ports",
     .help = "ports of these"},
    {.name = "probe.ca_file", .type = CONFIG_TEXT, .flag = "probe-ca-file",
     .help = "certificate authorities to trust for these instead of the system's"},
    {.name = "server.threads", .type = CONFIG_INT, .fallback = "8", .flag = "threads", .min = 1, .max = 64,
     .help = "worker threads for requests that read the database"},
    {0},
};

const struct config_row settings_database[] = {
    {.name = "database.address", .type = CONFIG_TEXT, .flag = "database", .env = "ASSIZE_DATABASE",
     .help = "mysql://USER@HOST[:PORT]/NAME[?OPTIONS]; default: SQLite in the data folder"},
    {.name = "database.claims", .type = CONFIG_TEXT, .fallback = "auto", .flag = "database-claims",
     .choices = "auto skip-locked owned",
     .help = "how jobs are claimed; owned: by one server a queue at a time, for databases without SKIP LOCKED"},
    {.name = "database.password", .type = CONFIG_TEXT, .secret = true,
     .help = "its password, when the address names no password_file"},
    {0},
};

const struct config_row settings_blobs[] = {
    {.name = "blobs.kind", .type = CONFIG_TEXT, .fallback = "auto", .flag = "blobs",
     .choices = "auto folder database s3",
     .help = "where files are kept; auto: a folder with SQLite, the database with MySQL"},
    {.name = "blobs.folder", .type = CONFIG_TEXT, .flag = "blobs-dir",
     .help = "the folder; several servers must share it; default: blobs in the data folder"},
    {.name = "blobs.s3_endpoint", .type = CONFIG_TEXT, .flag = "s3-endpoint",
     .help = "http:// or https:// address of an S3-compatible store"},
    {.name = "blobs.s3_bucket", .type = CONFIG_TEXT, .flag = "s3-bucket", .help = "an existing bucket"},
    {.name = "blobs.s3_prefix", .type = CONFIG_TEXT, .fallback = "assize/", .flag = "s3-prefix",
     .help = "begins every key; ends in /"},
    {.name = "blobs.s3_region", .type = CONFIG_TEXT, .fallback = "us-east-1", .flag = "s3-region",
     .help = "region that signatures name"},
    {.name = "blobs.s3_access_key", .type = CONFIG_TEXT, .flag = "s3-access-key", .help = "access key"},
    {.name = "blobs.s3_secret_key", .type = CONFIG_TEXT, .secret = true, .help = "secret key"},
    {.name = "blobs.s3_ca_file", .type = CONFIG_TEXT, .flag = "s3-ca-file",
     .help = "certificate authorities to trust instead of the system's"},
    {0},
};

const struct config_row settings_redis[] = {
    {.name = "redis.url", .type = CONFIG_TEXT, .flag = "redis",
     .help = "redis://host:port, rediss://host:port (TLS) or unix:/path: hints between servers; default: none"},
    {.name = "redis.user", .type = CONFIG_TEXT, .flag = "redis-user", .help = "user name at Redis"},
    {.name = "redis.password", .type = CONFIG_TEXT, .secret = true, .help = "password at Redis"},
    {.name = "redis.ca_file", .type = CONFIG_TEXT, .flag = "redis-ca-file",
     .help = "certificate authorities to trust for rediss:// instead of the system's"},
    {.name = "redis.channel", .type = CONFIG_TEXT, .fallback = "assize", .flag = "redis-channel",
     .help = "channel that the servers of one database share"},
    {0},
};

const struct config_row settings_dispatch[] = {
    {.name = "dispatch.lease", .type = CONFIG_DURATION, .fallback = "60s", .flag = "lease",
     .min = 1000, .max = 3600000,
     .help = "how long a node may judge without renewing"},
    {.name = "dispatch.renew", .type = CONFIG_DURATION, .fallback = "15s", .flag = "renew", .min = 200, .max = 900000,
     .help = "how often nodes renew; at most a quarter of the lease"},
    {.name = "dispatch.heartbeat", .type = CONFIG_DURATION, .fallback = "10s",
     .flag = "heartbeat", .min = 200, .max = 600000,
     .help = "how often nodes say that they live"},
    {.name = "dispatch.offline", .type = CONFIG_DURATION, .fallback = "30s", .flag = "offline",
     .min = 600, .max = 3600000,
     .help = "a node that was silent for this long is offline"},
    {.name = "dispatch.reap", .type = CONFIG_DURATION, .fallback = "2s", .flag = "reap", .min = 100, .max = 60000,
     .help = "how often expired leases are looked for"},
    {.name = "dispatch.attempts", .type = CONFIG_INT, .fallback = "3", .flag = "attempts", .min = 1, .max = 20,
     .help = "judgings of one job before it fails as a system error"},
    {.name = "dispatch.practice_waiting", .type = CONFIG_INT, .fallback = "100000", .flag = "practice-waiting",
     .max = 10000000,
     .help = "practice submissions that may wait in one queue, then 429; 0 is no limit; exams have none"},
    {.name = "dispatch.rejudge_waiting", .type = CONFIG_INT, .fallback = "0", .flag = "rejudge-waiting",
     .max = 10000000,
     .help = "rejudgings that may wait in one queue before more are put there; 0 is no limit"},
    {.name = "retention.runs", .type = CONFIG_DURATION, .fallback = "1h", .flag = "keep-runs",
     .min = 60000, .max = INT64_C(1) << 42,
     .help = "how long runs with own input are kept after their end"},
    {.name = "retention.snapshots", .type = CONFIG_DURATION, .fallback = "90d", .flag = "keep-snapshots",
     .min = 3600000, .max = INT64_C(1) << 42,
     .help = "how long snapshots of judgings that a later one has replaced are kept"},
    {.name = "retention.node_events", .type = CONFIG_DURATION, .fallback = "90d", .flag = "keep-node-events",
     .min = 3600000, .max = INT64_C(1) << 42,
     .help = "how long the nodes' events are kept"},
    {.name = "retention.audit", .type = CONFIG_DURATION, .fallback = "400d", .flag = "keep-audit",
     .min = 86400000, .max = INT64_C(1) << 42,
     .help = "how long the log of who did what is kept"},
    {.name = "retention.sessions", .type = CONFIG_DURATION, .fallback = "30d", .flag = "keep-sessions",
     .min = 3600000, .max = INT64_C(1) << 42,
     .help = "how long sessions of users are kept after their end"},
    {.name = "retention.files", .type = CONFIG_DURATION, .fallback = "1d", .flag = "keep-files",
     .min = 3600000, .max = INT64_C(1) << 42,
     .help = "how long files that nothing refers to are kept; longer than any upload takes"},
    {0},
};

#define COMPILE_CACHE_ROW                                                                         \
    {.name = "judge.compile_cache", .type = CONFIG_SIZE, .fallback = "128MiB",                     \
     .flag = "compile-cache", .max = INT64_C(1) << 40,                                             \
     .help = "compiled submissions kept in memory by each node; 0 keeps none"}
#define WARM_ROW                                                                                   \
    {.name = "judge.warm", .type = CONFIG_BOOL, .fallback = "true", .env = "JUDGE_WARM",           \
     .help = "prepare compiled headers and the like after the start"}

#define CAPS_ROWS                                                                                  \
    {.name = "judge.compile_time", .type = CONFIG_DURATION, .fallback = "0s",                      \
     .flag = "compile-time", .env = "JUDGE_COMPILE_TIME", .max = 3600000,                          \
     .help = "most CPU time of a compiler here; 0 is what the problem says"},                      \
    {.name = "judge.compile_memory", .type = CONFIG_SIZE, .fallback = "0",                         \
     .flag = "compile-memory", .env = "JUDGE_COMPILE_MEMORY", .max = INT64_C(1) << 46,             \
     .help = "most memory of a compiler here; 0 is what the problem says"},                        \
    {.name = "judge.run_time", .type = CONFIG_DURATION, .fallback = "0s", .flag = "run-time",      \
     .env = "JUDGE_RUN_TIME", .max = 3600000,                                                      \
     .help = "largest time limit of a problem that is judged here; 0 is any"},                     \
    {.name = "judge.run_memory", .type = CONFIG_SIZE, .fallback = "0", .flag = "run-memory",       \
     .env = "JUDGE_RUN_MEMORY", .max = INT64_C(1) << 46,                                           \
     .help = "largest memory limit of a problem that is judged here; 0 is any"},                   \
    {.name = "judge.scratch", .type = CONFIG_SIZE, .fallback = "0", .flag = "scratch",             \
     .env = "JUDGE_SCRATCH", .max = INT64_C(1) << 46,                                              \
     .help = "most that one run may write, in memory; 0 is what it needs"},             \
    {.name = "judge.processes", .type = CONFIG_INT, .fallback = "0", .flag = "processes",          \
     .env = "JUDGE_PROCESSES", .max = 4096,                                                        \
     .help = "most processes and threads of one run; 0 is what the language says"}

const struct config_row settings_node[] = {
    {.name = "judge.mode", .type = CONFIG_TEXT, .fallback = "pool", .env = "JUDGE_MODE", .choices = "pool",
     .help = "how the node gets its jobs"},
    {.name = "judge.pool", .type = CONFIG_TEXT, .flag = "pool", .env = "JUDGE_POOL",
     .help = "pool that this node serves: cpp, java, python, mysql, arkts, more"},
    {.name = "judge.control_url", .type = CONFIG_TEXT, .fallback = "http://127.0.0.1:8080", .flag = "server",
     .env = "JUDGE_CONTROL_URL", .help = "address of the server"},
    {.name = "judge.ca_file", .type = CONFIG_TEXT, .flag = "ca-file", .env = "JUDGE_CA_FILE",
     .help = "certificate authorities to trust instead of the system's"},
    {.name = "judge.credential_file", .type = CONFIG_TEXT, .flag = "credential-file", .env = "JUDGE_CREDENTIAL_FILE",
     .help = "where the node's credential is kept; default: in the workspace"},
    {.name = "judge.join_code", .type = CONFIG_TEXT, .flag = "join-code", .env = "JUDGE_JOIN_CODE", .secret = true,
     .help = "code from registering the node, needed once"},
    {.name = "judge.name", .type = CONFIG_TEXT, .flag = "name", .env = "JUDGE_NAME",
     .help = "what the node calls itself; default: host name and pool"},
    {.name = "judge.slots", .type = CONFIG_INT, .fallback = "0", .flag = "slots",
     .env = "JUDGE_LOCAL_SLOTS", .max = NODE_SLOTS_MAX,
     .help = "jobs at a time; 0 is one for each processor"},
    {.name = "judge.workspace", .type = CONFIG_TEXT, .flag = "workspace", .env = "JUDGE_WORKSPACE",
     .help = "folder for cached artifacts; default: node-POOL in the data folder"},
    {.name = "judge.cache", .type = CONFIG_SIZE, .fallback = "4GiB", .flag = "cache-size",
     .min = 1048576, .max = INT64_C(1) << 50,
     .help = "size of the artifact cache"},
    {.name = "judge.second_runs", .type = CONFIG_INT, .fallback = "3", .flag = "second-runs", .max = 100,
     .help = "doubtful runs over the time limit that one judging measures again; 0 is none"},
    {.name = "judge.drain", .type = CONFIG_DURATION, .fallback = "5s", .flag = "drain", .max = 3600000,
     .help = "how long running jobs may take when the node stops"},
    COMPILE_CACHE_ROW,
    {.name = "judge.health_listen", .type = CONFIG_TEXT, .flag = "health-listen", .env = "JUDGE_HEALTH_LISTEN",
     .help = "address of the node's own HTTPS, which the server may look at; default: none"},
    {.name = "judge.health_certificate", .type = CONFIG_TEXT, .flag = "health-certificate",
     .env = "JUDGE_HEALTH_CERTIFICATE", .help = "file of its certificate and chain, PEM"},
    {.name = "judge.health_key", .type = CONFIG_TEXT, .flag = "health-key", .env = "JUDGE_HEALTH_KEY",
     .help = "file of its key, PEM"},
    WARM_ROW,
    CAPS_ROWS,
    {.name = "judge.sql_server", .type = CONFIG_TEXT, .env = "JUDGE_SQL_SERVER",
     .help = "a MySQL to judge with instead of own servers: HOST:PORT or unix:PATH"},
    {.name = "judge.sql_user", .type = CONFIG_TEXT, .env = "JUDGE_SQL_USER",
     .help = "its user, who may make users and schemas"},
    {.name = "judge.sql_password", .type = CONFIG_TEXT, .env = "JUDGE_SQL_PASSWORD", .secret = true,
     .help = "the user's password"},
    {0},
};

const struct config_row settings_up[] = {
    {.name = "up.pools", .type = CONFIG_TEXT, .flag = "pools",
     .help = "pools to serve, separated by spaces; default: every pool whose tools are installed"},
    {.name = "judge.slots", .type = CONFIG_INT, .fallback = "0", .flag = "slots",
     .env = "JUDGE_LOCAL_SLOTS", .max = NODE_SLOTS_MAX,
     .help = "jobs at a time on this machine; 0 is one for each processor"},
    {.name = "judge.second_runs", .type = CONFIG_INT, .fallback = "3", .flag = "second-runs", .max = 100,
     .help = "doubtful runs over the time limit that one judging measures again; 0 is none"},
    {.name = "judge.drain", .type = CONFIG_DURATION, .fallback = "5s", .flag = "drain", .max = 3600000,
     .help = "how long running jobs may take when the nodes stop"},
    COMPILE_CACHE_ROW,
    WARM_ROW,
    CAPS_ROWS,
    {.name = "judge.sql_server", .type = CONFIG_TEXT, .env = "JUDGE_SQL_SERVER",
     .help = "a MySQL to judge with instead of own servers: HOST:PORT or unix:PATH"},
    {.name = "judge.sql_user", .type = CONFIG_TEXT, .env = "JUDGE_SQL_USER",
     .help = "its user, who may make users and schemas"},
    {.name = "judge.sql_password", .type = CONFIG_TEXT, .env = "JUDGE_SQL_PASSWORD", .secret = true,
     .help = "the user's password"},
    {0},
};
/* clang-format on */

static bool wants_help(int count, char **args) {
    for (int i = 0; i < count && strcmp(args[i], "--") != 0; i++) {
        if (strcmp(args[i], "--help") == 0 || strcmp(args[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

static void print_help(const struct config *config, const char *usage) {
    own_buf text;
    buf_init(&text, 256 * KIB);
    config_help(config, &text);
    (void)printf("usage: %s\n\n", usage);
    (void)fwrite(text.ptr, 1, text.len, stdout);
    (void)printf("\n  --config FILE            settings as `name = value` lines\n"
                 "  --print-config           show every setting and where it comes from\n");
}

/* Takes --config FILE and --print-config out of the arguments. */
static bool take_own_flags(int *count, char **args, const char **ret_file, bool *ret_print) {
    int kept = 0;
    for (int i = 0; i < *count; i++) {
        if (strcmp(args[i], "--print-config") == 0) {
            *ret_print = true;
        } else if (strncmp(args[i], "--config=", 9) == 0) {
            *ret_file = args[i] + 9;
        } else if (strcmp(args[i], "--config") == 0) {
            if (i + 1 == *count) {
                return false;
            }
            *ret_file = args[++i];
        } else {
            args[kept++] = args[i];
        }
    }
    *count = kept;
    return true;
}

static bool read_all(struct config *config, const char *file, int count, char **args,
                     struct err *err) {
    const char *rest[64];
    int rest_count = 0;
    if (count > 64) {
        return err_set(err, ERR_INVALID, "too_many_arguments", "too many arguments");
    }
    if ((file != NULL && !config_read_file(config, file, err)) ||
        !config_read_env(config, (const char *const *)environ, err) ||
        !config_read_args(config, count, (const char *const *)args, rest, &rest_count, err)) {
        return false;
    }
    if (rest_count > 0) {
        return err_set(err, ERR_INVALID, "unknown_argument", "unknown argument \"%s\"", rest[0]);
    }
    return true;
}

enum settings_answer settings_read(struct config *config, const char *usage, int count,
                                   char **args) {
    const char *file = NULL;
    bool print = false;
    struct err err = {0};
    if (wants_help(count, args)) {
        print_help(config, usage);
        return SETTINGS_HELP_SHOWN;
    }
    if (!take_own_flags(&count, args, &file, &print)) {
        (void)fprintf(stderr, "assize: --config needs a file\n");
        return SETTINGS_BAD;
    }
    if (!read_all(config, file, count, args, &err)) {
        (void)fprintf(stderr, "assize: %s\n", err.text);
        return SETTINGS_BAD;
    }
    if (print) {
        own_buf text;
        buf_init(&text, 256 * KIB);
        config_print(config, &text);
        (void)fwrite(text.ptr, 1, text.len, stdout);
        return SETTINGS_HELP_SHOWN;
    }
    return SETTINGS_GO;
}

void settings_apply_log(const struct config *config, const char *role) {
    enum log_level level = LOG_INFO;
    const char *format = config_text(config, "log.format");
    bool as_text = strcmp(format, "text") == 0 || (strcmp(format, "auto") == 0 && isatty(2));
    (void)log_level_parse(str_from(config_text(config, "log.level")), &level);
    log_setup(level, as_text ? LOG_FORMAT_TEXT : LOG_FORMAT_JSON, 2, role);
}

bool settings_mysql(const struct config *config, struct mydb_target *ret_target, bool *ret_is_mysql,
                    struct err *err) {
    const char *address = config_text(config, "database.address");
    *ret_is_mysql = address[0] != '\0';
    if (!*ret_is_mysql) {
        return true;
    }
    return mydb_target_parse(str_from(address), ret_target, err) &&
           mydb_target_read_password(ret_target, config_text(config, "database.password"), err);
}

enum db_claims settings_claims(const struct config *config) {
    const char *claims = config_text(config, "database.claims");
    return strcmp(claims, "owned") == 0         ? DB_CLAIMS_OWNED
           : strcmp(claims, "skip-locked") == 0 ? DB_CLAIMS_SKIPPED
                                                : DB_CLAIMS_AUTO;
}

bool settings_s3(const struct config *config, struct s3_options *ret_s3) {
    *ret_s3 = (struct s3_options){.endpoint = config_text(config, "blobs.s3_endpoint"),
                                  .bucket = config_text(config, "blobs.s3_bucket"),
                                  .prefix = config_text(config, "blobs.s3_prefix"),
                                  .region = config_text(config, "blobs.s3_region"),
                                  .access_key = config_text(config, "blobs.s3_access_key"),
                                  .secret_key = config_text(config, "blobs.s3_secret_key"),
                                  .ca_file = config_text(config, "blobs.s3_ca_file"),
                                  .clock = &clock_real};
    return strcmp(config_text(config, "blobs.kind"), "s3") == 0;
}

bool settings_redis_link(const struct config *config, struct redis_link_options *ret_link) {
    *ret_link = (struct redis_link_options){.url = config_text(config, "redis.url"),
                                            .user = config_text(config, "redis.user"),
                                            .password = config_text(config, "redis.password"),
                                            .ca_file = config_text(config, "redis.ca_file")};
    return ret_link->url[0] != '\0';
}

void settings_fill_app(const struct config *config, struct app_settings *settings) {
    app_settings_default(settings);
    settings->lease_ms = config_i64(config, "dispatch.lease");
    settings->renew_ms = config_i64(config, "dispatch.renew");
    settings->heartbeat_ms = config_i64(config, "dispatch.heartbeat");
    settings->offline_ms = config_i64(config, "dispatch.offline");
    settings->reap_ms = config_i64(config, "dispatch.reap");
    settings->attempts_max = (int32_t)config_i64(config, "dispatch.attempts");
    settings->practice_waiting_max = config_i64(config, "dispatch.practice_waiting");
    settings->rejudge_waiting_max = config_i64(config, "dispatch.rejudge_waiting");
    settings->keep_runs_ms = config_i64(config, "retention.runs");
    settings->keep_bodies_ms = config_i64(config, "retention.snapshots");
    settings->keep_node_events_ms = config_i64(config, "retention.node_events");
    settings->keep_audit_ms = config_i64(config, "retention.audit");
    settings->keep_sessions_ms = config_i64(config, "retention.sessions");
    settings->keep_files_ms = config_i64(config, "retention.files");
    if (settings->renew_ms >
        settings->lease_ms / 4) { /* or one lost renewal would lose the lease */
        settings->renew_ms = settings->lease_ms / 4;
    }
}
