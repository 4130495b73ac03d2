/* A node: assize-box with root's rights, then everything else without them. */
#include "base/command.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/log.h"
#include "main/node_caps.h"
#include "main/process.h"
#include "main/settings.h"
#include "node/health.h"
#include "node/machine_http.h"
#include "node/node.h"

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 4096
#define CAPS_TEXT_BYTES 256
#define JOIN_TRIES_A_WARNING 20 /* of half a second */
#define CODE_WAIT_MS 60000
#define NODE_LINKS_MAX (NODE_SLOTS_MAX + 3)

/* ---- the credential ---- */

/* Waits for the server of `assize up` to leave a code. Empty when none came. */
static struct str wait_for_code(const struct node_process *process, int stop_fd,
                                struct arena *arena) {
    struct pollfd stop = {.fd = stop_fd, .events = POLLIN};
    for (int64_t waited_ms = 0; waited_ms < CODE_WAIT_MS; waited_ms += 100) {
        struct err err = {0};
        own_buf code;
        buf_init(&code, 256);
        if (file_load(process->join_code_file, 256, &code, &err)) {
            return arena_str(arena, str_trim(buf_str(&code)));
        }
        if (poll(&stop, 1, 100) != 0) {
            break;
        }
    }
    return (struct str){0};
}

static bool enrol(const struct node_process *process, int stop_fd, struct arena *arena,
                  struct str *ret_credential, struct err *err) {
    struct machine_http_options options = {
        .base_url = process->server_url,
        .ca_file = process->ca_file[0] == '\0' ? NULL : process->ca_file};
    own(machine_http) http = NULL;
    struct enrol_options enrolment = {
        .file = process->credential_file, .join_code = process->join_code, .name = process->name};
    if (!machine_http_open(&options, &http, err)) {
        return false;
    }
    bool by_file =
        process->join_code_file[0] != '\0' && access(process->credential_file, F_OK) != 0;
    if (by_file) {
        enrolment.join_code = arena_cstr(arena, wait_for_code(process, stop_fd, arena));
    }
    enrolment.api = machine_http_api(http);
    int tries = 0;
    for (;;) { /* the server may still be starting */
        if (node_enrol(&enrolment, arena, ret_credential, err)) {
            if (by_file) { /* used up; not before, or a crash would lose it */
                (void)unlink(process->join_code_file);
            }
            return true;
        }
        struct pollfd stop = {.fd = stop_fd, .events = POLLIN};
        bool wait =
            (err->kind == ERR_BUSY || err->kind == ERR_DEADLINE) && !node_error_is_untrusted(err);
        if (wait && tries++ % JOIN_TRIES_A_WARNING == 0) {
            log_warn("join.retry", LOG_ERR(err));
        }
        if (!wait || poll(&stop, 1, 500) != 0) {
            return false;
        }
    }
}

/* ---- working ---- */

struct links {
    struct machine_http *https[NODE_LINKS_MAX];
    struct node_link rows[NODE_LINKS_MAX];
    int count;
};

static void links_close(struct links *links) {
    for (int i = 0; i < links->count; i++) {
        machine_http_close(links->https[i]);
    }
    links->count = 0;
}

static bool links_open(const struct node_process *process, const char *credential,
                       struct links *links, struct err *err) {
    struct machine_http_options options = {
        .base_url = process->server_url,
        .credential = credential,
        .ca_file = process->ca_file[0] == '\0' ? NULL : process->ca_file};
    for (int i = 0; i < process->slots + 3; i++) {
        if (!machine_http_open(&options, &links->https[i], err)) {
            return false;
        }
        links->count = i + 1;
        links->rows[i] = (struct node_link){machine_http_api(links->https[i]), machine_http_abort,
                                            links->https[i]};
    }
    return true;
}

/* Compiled checkers, and what is prepared for the languages: without links, as the box wants it. */
static const char *judge_cache(const struct node_process *process, char path[PATH_BYTES]) {
    char resolved[PATH_MAX];
    const char *workspace =
        realpath(process->workspace, resolved) != NULL ? resolved : process->workspace;
    (void)snprintf(path, PATH_BYTES, "%.*s/checkers", PATH_BYTES - 16, workspace);
    return path;
}

/* Servers of the slots' own unless one is named. `host` lives as long as the judge. */
static bool sql_options(const struct node_process *process, char host[256],
                        struct judge_sql *ret_sql, struct err *err) {
    struct str server = str_from(config_text(process->config, "judge.sql_server"));
    struct str name = STR("");
    struct str port = STR("");
    int64_t number = 3306;
    *ret_sql = (struct judge_sql){.first_slot = process->slots + 1, .node = process->name};
    if (server.len == 0) {
        return true;
    }
    bool is_socket = str_starts(server, STR("unix:"));
    name = is_socket ? str_sub(server, 5, server.len) : server;
    if (!is_socket && str_cut_last(server, ':', &name, &port) &&
        !str_to_i64(port, 1, 65535, &number, err)) {
        return err_wrap(err, "judge.sql_server");
    }
    if (!str_to_c(name, host, 256, err)) {
        return err_wrap(err, "judge.sql_server");
    }
    ret_sql->server =
        (struct judge_sql_server){.socket = is_socket ? host : NULL,
                                  .host = is_socket ? NULL : host,
                                  .port = (unsigned)number,
                                  .user = config_text(process->config, "judge.sql_user"),
                                  .password = config_text(process->config, "judge.sql_password")};
    return true;
}

static bool work(const struct node_process *process, struct box *box, const char *credential,
                 int stop_fd, struct err *err) {
    char cache[PATH_BYTES];
    if (!file_make_dirs(judge_cache(process, cache), 0700, err)) {
        return false;
    }
    char host[256];
    struct judge_sql sql = {.first_slot = 0};
    if (!sql_options(process, host, &sql, err)) {
        return false;
    }
    struct judge_options judge_options = {.box = box,
                                          .sql = &sql,
                                          .languages = process->languages,
                                          .cache_folder = cache,
                                          .caps = process->caps,
                                          .second_runs_max = process->second_runs,
                                          .compile_cache_bytes = process->compile_cache_bytes};
    own(judge) judge = judge_create(&judge_options);
    struct links links = {0};
    char caps[CAPS_TEXT_BYTES];
    node_caps_text(&process->caps, caps, sizeof caps);
    struct node_options options = {.name = process->name,
                                   .pool = process->pool,
                                   .slots = process->slots,
                                   .judge = judge,
                                   .languages = process->languages,
                                   .workspace = process->workspace,
                                   .cache_bytes_max = process->cache_bytes,
                                   .claim_wait_ms = 15000,
                                   .drain_ms = process->drain_ms,
                                   .warm = process->warm,
                                   .limits = caps,
                                   .links = links.rows,
                                   .clock = &clock_real,
                                   .random = &random_real,
                                   .stop_fd = stop_fd};
    own(node_health) health = NULL;
    struct node_health_options address = {.listen_fd = process->health_fd,
                                          .certificate = process->health_certificate,
                                          .key = process->health_key,
                                          .name = process->name,
                                          .credential = str_from(credential)};
    if (process->health_fd > 0 && !node_health_open(&address, &health, err)) {
        return false;
    }
    options.health = health;
    bool ok = links_open(process, credential, &links, err) && node_run(&options, err);
    links_close(&links);
    return ok;
}

/* A credential that the server does not know any more (its database was replaced) is put aside, so
 * that the next start of `assize up` enrols anew. */
static void put_credential_aside(const struct node_process *process, const struct err *err) {
    char aside[PATH_BYTES];
    if (err->kind == ERR_UNAUTHENTICATED && process->join_code_file[0] != '\0') {
        (void)snprintf(aside, sizeof aside, "%s.refused", process->credential_file);
        (void)rename(process->credential_file, aside);
    }
}

/* One for each job and one in which languages are prepared and the node is checked; in the pool of
 * SQL each has a database in a further one. */
static int32_t box_slots(const struct node_process *process) {
    int32_t working = process->slots + 1;
    return strcmp(process->pool, "mysql") == 0 ? 2 * working : working;
}

static bool run(const struct node_process *process, struct err *err) {
    own(arena) arena = arena_create(4 * MIB);
    own(box) box = NULL;
    own_fd stop_fd = -1;
    struct str credential = {0};
    char cgroup[64];
    (void)snprintf(cgroup, sizeof cgroup, "assize-%s", process->pool);
    char cache[PATH_BYTES];
    const char *roots[] = {judge_cache(process, cache), NULL};
    struct box_options options = {

        .slots = box_slots(process), .cgroup_name = cgroup, .allowed_roots = roots};
    if (!box_open(&options, &box, err) || !run_user_become(process->user, err) ||
        !process_stop_fd(&stop_fd, err)) {
        return false;
    }
    if (!enrol(process, stop_fd, arena, &credential, err)) {
        put_credential_aside(process, err);
        return false;
    }
    bool ok = work(process, box, arena_cstr(arena, credential), stop_fd, err);
    if (!ok) {
        put_credential_aside(process, err);
    }
    return ok;
}

/* What box_slots gives must be there. */
#define SQL_SLOTS_MAX (BOX_SLOTS_MAX / 2 - 1)

int node_process_run(const struct node_process *given) {
    struct err err = {0};
    struct node_process capped = *given;
    const struct node_process *process = &capped;
    if (strcmp(given->pool, "mysql") == 0 && given->slots > SQL_SLOTS_MAX) {
        capped.slots = SQL_SLOTS_MAX;
    }
    settings_apply_log(process->config, "node");
    process_raise_files();
    if (!run(process, &err)) {
        log_error("node.failed", LOG_STR("pool", process->pool), LOG_ERR(&err));
        return EXIT_STATUS_FAILED;
    }
    return EXIT_STATUS_OK;
}
