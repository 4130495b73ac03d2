/* The server: database, use cases, HTTP. Order of the end: no new connections, then the app answers
 * what it holds, then the connections close. */
#include "app/auth.h"
#include "app/judger.h"
#include "app/problem.h"
#include "base/command.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/log.h"
#include "main/process.h"
#include "main/settings.h"
#include "net/http.h"
#include "server/server.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define PATH_BYTES 4096
#define BOOT_ARENA_BYTES_MAX (256 * MIB)
#define DEMO_PACKAGES_MAX 50

static const struct actor system_actor = {.kind = ACTOR_SYSTEM};

struct places {
    char database[PATH_BYTES];
    char blobs[PATH_BYTES];
    char spool[PATH_BYTES];
    struct s3_options s3;
    struct mydb_target mysql;
};

/* Where files are kept: `places` holds what the options point to. */
static void choose_blobs(const struct config *config, struct places *places,
                         struct app_options *options) {
    const char *kind = config_text(config, "blobs.kind");
    process_path(config, "spool", places->spool, sizeof places->spool);
    process_path(config, "blobs", places->blobs, sizeof places->blobs);
    bool given = config_text(config, "blobs.folder")[0] != '\0';
    /* With MySQL there are several servers, and no folder that they surely share. */
    bool in_database = strcmp(kind, "database") == 0 ||
                       (strcmp(kind, "auto") == 0 && options->mysql != NULL && !given);
    options->spool_folder = places->spool;
    options->blob_database = in_database;
    if (settings_s3(config, &places->s3)) {
        options->blob_s3 = &places->s3;
    } else if (!in_database) {
        options->blob_folder = given ? config_text(config, "blobs.folder") : places->blobs;
    }
}

static bool open_app(const struct server_process *process, struct app **ret_app, struct err *err) {
    struct places places = {0};
    char holder[160];
    struct utsname host;
    process_path(process->config, "assize.db", places.database, sizeof places.database);
    (void)uname(&host);
    (void)snprintf(holder, sizeof holder, "assize server, pid %d on %s", getpid(), host.nodename);
    struct redis_link_options redis = {0};
    struct app_options options = {.database_path = places.database,
                                  .languages = process->languages,
                                  .clock = &clock_real,
                                  .random = &random_real,
                                  .holder = holder,
                                  .redis_channel = config_text(process->config, "redis.channel"),
                                  .claims = settings_claims(process->config),
                                  .threads = true};
    bool is_mysql = false;
    if (!settings_mysql(process->config, &places.mysql, &is_mysql, err)) {
        return false;
    }
    options.mysql = is_mysql ? &places.mysql : NULL;
    choose_blobs(process->config, &places, &options);
    options.redis = settings_redis_link(process->config, &redis) ? &redis : NULL;
    settings_fill_app(process->config, &options.settings);
    return app_open(&options, ret_app, err);
}

/* ---- an empty database ---- */

static int compare_names(const void *a, const void *b) {
    const char *const *left = a;
    const char *const *right = b;
    return strcmp(*left, *right);
}

static void import_demo_problem(struct app *app, const char *folder, const char *name) {
    own(arena) arena = arena_create(BOOT_ARENA_BYTES_MAX);
    struct problem_import_list result = {0};
    struct err err = {0};
    struct problem_import_request request = {.fd = -1,
                                             .folder = arena_printf(arena, "%s/%s", folder, name),
                                             .file_name = str_from(name)};
    if (problem_import(app, &system_actor, &request, arena, &result, &err)) {
        log_info("problem.imported", LOG_STR("code", name),
                 LOG_I64("id", result.items[0].problem.id.value));
    } else {
        log_warn("problem.refused", LOG_STR("code", name), LOG_ERR(&err));
    }
}

static bool is_empty(struct app *app) {
    own(arena) arena = arena_create(1 * MIB);
    struct problem_page page = {0};
    struct err err = {0};
    const struct problem_filter any = {.limit = 1};
    return problem_list(app, &system_actor, &any, arena, &page, &err) && page.count == 0;
}

/* Only what an empty database gets: a school's own problems are never mixed with ours. */
static void import_demo(struct app *app, const char *folder) {
    DIR *entries = folder[0] == '\0' || !is_empty(app) ? NULL : opendir(folder);
    char *names[DEMO_PACKAGES_MAX];
    size_t count = 0;
    if (entries == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(entries); entry != NULL && count < DEMO_PACKAGES_MAX;
         entry = readdir(entries)) {
        if (entry->d_name[0] != '.' && entry->d_type == DT_DIR) {
            names[count++] = strdup(entry->d_name);
        }
    }
    closedir(entries);
    qsort(names, count, sizeof names[0], compare_names);
    for (size_t i = 0; i < count; i++) {
        import_demo_problem(app, folder, names[i]);
        free(names[i]);
    }
}

/* ---- nodes of this machine ---- */

/* A code for each pool's node, left where only this user can read it; the node takes it when it has
 * no credential yet. */
static bool enrol_pool(struct app *app, const struct server_process *process, const char *pool,
                       struct err *err) {
    own(arena) arena = arena_create(1 * MIB);
    struct node_registered registered = {0};
    char file[PATH_BYTES];
    struct node_register_request request = {.name = str_from(arena_printf(arena, "local-%s", pool)),
                                            .pool = str_from(pool),
                                            .slots = process->slots,
                                            .host_group = STR("local"),
                                            .host_group_slots = process->slots,
                                            .enable = true};
    if (!judger_register(app, &system_actor, &request, arena, &registered, err)) {
        return err_wrap(err, "register the local node of pool %s", pool);
    }
    process_path(process->config, arena_printf(arena, "node-%s/join-code", pool), file,
                 sizeof file);
    return file_save_atomic(file, str_from(registered.join_code), 0600, err);
}

static bool enrol_pools(struct app *app, const struct server_process *process, struct err *err) {
    for (const char *const *pool = process->local_pools; pool != NULL && *pool != NULL; pool++) {
        if (!enrol_pool(app, process, *pool, err)) {
            return false;
        }
    }
    return true;
}

/* ---- telling people ---- */

/* The password goes to the terminal, never into the log. */
static bool ensure_admin(struct app *app, struct err *err) {
    own(arena) arena = arena_create(1 * MIB);
    bool created = false;
    struct str password = {0};
    if (!auth_ensure_admin(app, arena, &created, &password, err)) {
        return false;
    }
    if (created) {
        (void)printf(
            "Administrator: user name admin, password " STR_FMT "\n"
            "               (shown only now; `assize admin reset-password --local` makes a "
            "new one)\n",
            STR_ARG(password));
        (void)fflush(stdout);
    }
    return true;
}

static void say_address(const struct server_process *process) {
    const char *listen = config_text(process->config, "server.listen");
    if (strncmp(listen, "unix:", 5) == 0) {
        (void)printf("Assize is ready: %s\n", listen);
    } else {
        struct str host = {0};
        struct str port = {0};
        (void)str_cut_last(str_from(listen), ':', &host, &port);
        bool all = host.len == 0 || str_eq(host, STR("0.0.0.0")) || str_eq(host, STR("[::]"));
        host = all ? STR("127.0.0.1") : host;
        (void)printf("Assize is ready: http://" STR_FMT ":%d\n", STR_ARG(host), process->port);
        if (!http_listen_is_local(listen)) {
            (void)printf("Warning: anybody on the network can connect, over plain HTTP: passwords "
                         "can be read on the way.\n         Fine for a trusted classroom; "
                         "otherwise put a TLS proxy in front.\n");
        }
    }
    (void)fflush(stdout);
}

/* ---- the whole ---- */

static void wait_for_stop(int stop_fd) {
    struct pollfd stop = {.fd = stop_fd, .events = POLLIN};
    while (poll(&stop, 1, -1) < 0 && errno == EINTR) {
    }
}

static bool serve(const struct server_process *process, int stop_fd, struct err *err) {
    struct probe_rules rules = {0};
    own_fd listen_fd = process->listen_fd;
    own_fd machine_fd = process->machine_fd > 0 ? process->machine_fd : -1;
    own(app) app = NULL;
    if (!probe_rules_parse(str_from(config_text(process->config, "probe.networks")),
                           str_from(config_text(process->config, "probe.ports")), &rules, err) ||
        !open_app(process, &app, err)) {
        return false;
    }
    struct server_options options = {
        .app = app,
        .random = &random_real,
        .listen_fd = listen_fd,
        .machine_fd = machine_fd,
        .web_folder = process->web[0] == '\0' ? NULL : process->web,
        .trusted_proxies = config_text(process->config, "server.trusted_proxies"),
        .probe_rules = &rules,
        .probe_ca_file = config_text(process->config, "probe.ca_file"),
        .worker_threads = (int)config_i64(process->config, "server.threads")};
    own(server) server = NULL;
    if (!ensure_admin(app, err) || !enrol_pools(app, process, err)) {
        return false;
    }
    import_demo(app, process->demo);
    (void)take_fd(&machine_fd);
    (void)take_fd(&listen_fd); /* the server closes it, also when it cannot start */
    if (!server_open(&options, &server, err)) {
        return false;
    }
    say_address(process);
    log_info("server.started", LOG_STR("listen", config_text(process->config, "server.listen")),
             LOG_I64("port", process->port), LOG_STR("version", ASSIZE_VERSION));
    wait_for_stop(stop_fd);
    log_info("server.stopping");
    server_quiesce(server);
    app_stop(app); /* answers the parked claims; requests on open connections may still come */
    server_close(take(server));
    return true;
}

int server_process_run(const struct server_process *process) {
    struct err err = {0};
    own_fd stop_fd = -1;
    settings_apply_log(process->config, "server");
    process_raise_files();
    if (!run_user_become(process->user, &err) || !process_stop_fd(&stop_fd, &err) ||
        !serve(process, stop_fd, &err)) {
        log_error("server.failed", LOG_ERR(&err));
        (void)fprintf(stderr, "assize: %s\n", err.text);
        return EXIT_STATUS_FAILED;
    }
    return EXIT_STATUS_OK;
}
