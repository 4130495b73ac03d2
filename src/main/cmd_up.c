/* assize up: a server, a node for each pool whose tools are installed, and SQLite, as separate
 * processes that talk over HTTP on loopback like on many machines. */
#include "base/limits.h"
#include "base/log.h"
#include "main/commands.h"
#include "main/node_caps.h"
#include "main/process.h"
#include "main/settings.h"
#include "main/supervisor.h"
#include "net/http.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define PATH_BYTES 4096
#define POOLS_MAX 8
#define STOP_MS 25000

static int run(const struct command *command, int count, char **args);

const struct command command_up = {
    "up", "everything on one machine: server, judge nodes and SQLite", run};

struct up {
    struct config *config;
    struct run_user user;
    struct language_set *languages;
    char web[PINNED_BYTES];
    char demo[PINNED_BYTES];
    char languages_folder[PINNED_BYTES];
    char url[256];
    int slots;
    struct judge_caps caps;
    const char *pools[POOLS_MAX + 1];
    int pool_count;
    char pool_names[POOLS_MAX][32];
    struct server_process server;
    struct node_process nodes[POOLS_MAX];
    char workspaces[POOLS_MAX][PATH_BYTES];
    char credentials[POOLS_MAX][PATH_BYTES];
    char code_files[POOLS_MAX][PATH_BYTES];
    char node_names[POOLS_MAX][64];
    struct supervised children[POOLS_MAX + 1];
};

/* ---- which pools ---- */

static bool has_pool(const struct up *up, const char *pool) {
    for (int i = 0; i < up->pool_count; i++) {
        if (strcmp(up->pools[i], pool) == 0) {
            return true;
        }
    }
    return false;
}

static bool add_pool(struct up *up, struct str pool, struct err *err) {
    if (up->pool_count == POOLS_MAX || pool.len >= sizeof up->pool_names[0]) {
        return err_set(err, ERR_INVALID, "too_many_pools", "at most %d pools with short names",
                       POOLS_MAX);
    }
    char *name = up->pool_names[up->pool_count];
    memcpy(name, pool.ptr, pool.len);
    name[pool.len] = '\0';
    if (!has_pool(up, name)) {
        up->pools[up->pool_count++] = name;
    }
    return true;
}

static bool is_installed(const struct language *language) {
    const char *const *argv = language->version.argv;
    bool is_ours = argv != NULL && argv[0] != NULL && strncmp(argv[0], "/w/", 3) == 0;
    return is_ours || (argv != NULL && argv[0] != NULL && access(argv[0], X_OK) == 0);
}

static bool find_pools(struct up *up, struct err *err) {
    struct str rest = str_from(config_text(up->config, "up.pools"));
    struct str word = {0};
    if (rest.len > 0) {
        while (str_next_word(&rest, &word)) {
            if (!add_pool(up, word, err)) {
                return false;
            }
        }
        return true;
    }
    for (size_t i = 0; i < language_count(up->languages); i++) {
        const struct language *language = language_at(up->languages, i);
        if (!is_installed(language)) {
            (void)printf("%s is not installed (%s)\n", language->name, language->package_hint);
        } else if (!add_pool(up, str_from(language->pool), err)) {
            return false;
        }
    }
    if (up->pool_count == 0) {
        return err_set(err, ERR_MISSING, "no_toolchain",
                       "no compiler or interpreter is installed: run script/bootstrap");
    }
    return true;
}

/* ---- the children ---- */

static int run_server(void *context) {
    struct up *up = context;
    (void)prctl(PR_SET_NAME, "assize-server");
    return server_process_run(&up->server);
}

static int run_node(void *context) {
    struct node_process *node = context;
    fd_cleanup(&node->not_ours_fd); /* the server's socket: a node must not keep its port */
    (void)prctl(PR_SET_NAME, "assize-node");
    return node_process_run(node);
}

static bool prepare_node(struct up *up, int index, struct err *err) {
    const char *pool = up->pools[index];
    char folder[64];
    (void)snprintf(folder, sizeof folder, "node-%s", pool);
    process_path(up->config, folder, up->workspaces[index], PATH_BYTES);
    (void)snprintf(folder, sizeof folder, "node-%s/credential", pool);
    process_path(up->config, folder, up->credentials[index], PATH_BYTES);
    (void)snprintf(folder, sizeof folder, "node-%s/join-code", pool);
    process_path(up->config, folder, up->code_files[index], PATH_BYTES);
    (void)snprintf(up->node_names[index], sizeof up->node_names[index], "local-%s", pool);
    up->nodes[index] =
        (struct node_process){.config = up->config,
                              .user = &up->user,
                              .languages = up->languages,
                              .name = up->node_names[index],
                              .pool = pool,
                              .not_ours_fd = up->server.listen_fd,
                              .slots = up->slots,
                              .server_url = up->url,
                              .ca_file = "",
                              .workspace = up->workspaces[index],
                              .credential_file = up->credentials[index],
                              .join_code = "",
                              .join_code_file = up->code_files[index],
                              .cache_bytes = (int64_t)4096 * MIB,
                              .drain_ms = config_i64(up->config, "judge.drain"),
                              .compile_cache_bytes = config_i64(up->config, "judge.compile_cache"),
                              .warm = config_bool(up->config, "judge.warm"),
                              .caps = up->caps,
                              .second_runs = (int32_t)config_i64(up->config, "judge.second_runs")};
    return run_user_own_folder(&up->user, up->workspaces[index], err);
}

/* Nodes connect to where this server listens, by loopback when it listens everywhere. */
static bool server_url(struct up *up, struct err *err) {
    const char *listen = config_text(up->config, "server.listen");
    struct str host = {0};
    struct str port = {0};
    if (strncmp(listen, "unix:", 5) == 0) {
        return err_set(err, ERR_INVALID, "bad_listen_address",
                       "`assize up` needs a TCP address, since its nodes connect to it");
    }
    (void)str_cut_last(str_from(listen), ':', &host, &port);
    bool all = host.len == 0 || str_eq(host, STR("0.0.0.0")) || str_eq(host, STR("[::]"));
    host = all ? STR("127.0.0.1") : host;
    (void)snprintf(up->url, sizeof up->url, "http://" STR_FMT ":%d", STR_ARG(host),
                   up->server.port);
    return true;
}

static bool prepare(struct up *up, struct err *err) {
    const struct config *config = up->config;
    pin_folder(config_text(config, "server.web"), up->web);
    pin_folder(config_text(config, "server.demo"), up->demo);
    pin_folder(config_text(config, "languages"), up->languages_folder);
    up->slots = process_slots(config_i64(config, "judge.slots"));
    const char *data = config_text(config, "data");
    if (!node_caps_read(config, &up->caps, err) ||
        !run_user_choose(config_text(config, "user"), data, &up->user, err) ||
        !language_set_load(up->languages_folder[0] != '\0' ? up->languages_folder
                                                           : config_text(config, "languages"),
                           &up->languages, err) ||
        !find_pools(up, err) || !run_user_own_folder(&up->user, data, err) ||
        !http_listen(config_text(config, "server.listen"), &up->server.listen_fd, &up->server.port,
                     err) ||
        !server_url(up, err)) {
        return false;
    }
    for (int i = 0; i < up->pool_count; i++) {
        if (!prepare_node(up, i, err)) {
            return false;
        }
    }
    return true;
}

static int start(struct up *up) {
    int count = 0;
    up->server.config = up->config;
    up->server.user = &up->user;
    up->server.languages = up->languages;
    up->server.web = up->web;
    up->server.demo = up->demo;
    up->server.local_pools = up->pools;
    up->server.slots = up->slots;
    up->children[count++] =
        (struct supervised){.name = "server", .run = run_server, .context = up, .essential = true};
    for (int i = 0; i < up->pool_count; i++) {
        up->children[count++] = (struct supervised){
            .name = up->node_names[i], .run = run_node, .context = &up->nodes[i]};
    }
    return supervisor_run(up->children, count, STOP_MS);
}

static int run(const struct command *command, int count, char **args) {
    (void)command;
    static struct up up; /* too large for the stack; this runs once */
    own(config) config = config_create();
    config_add(config, "General", settings_common);
    config_add(config, "Server", settings_server);
    config_add(config, "Database", settings_database);
    config_add(config, "Files", settings_blobs);
    config_add(config, "Redis", settings_redis);
    config_add(config, "Nodes", settings_up);
    config_add(config, "Dispatch", settings_dispatch);
    switch (
        settings_read(config, "assize up [--listen HOST:PORT] [--data DIR] [...]", count, args)) {
    case SETTINGS_GO: break;
    case SETTINGS_HELP_SHOWN: return EXIT_STATUS_OK;
    case SETTINGS_BAD: return EXIT_STATUS_USAGE;
    }
    struct err err = {0};
    up.config = config;
    settings_apply_log(config, "up");
    if (!prepare(&up, &err)) {
        (void)fprintf(stderr, "assize up: %s\n", err.text);
        language_set_free(up.languages);
        return err.kind == ERR_INVALID ? EXIT_STATUS_USAGE : EXIT_STATUS_FAILED;
    }
    int status = start(&up);
    language_set_free(up.languages);
    return status;
}
