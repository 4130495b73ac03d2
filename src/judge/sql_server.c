/* Servers and their lives. The socket is made and listened on here and handed to the server by the
 * rules of systemd, so a connection waits until the server is up, and nothing is polled for. */
#include "judge/sql_server.h"
#include "base/check.h"
#include "base/file.h"
#include "base/log.h"
#include "judge/prepare.h"
#include "judge/sql_names.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LIFE_MS (INT64_C(7) * 24 * 3600 * 1000)
#define MEMORY_BYTES (1024LL * MIB) /* its files are in memory too */
#define WORK_BYTES (384LL * MIB)
#define INODES_MAX 20000
#define PIDS_MAX 200
#define OPEN_FILES_MAX 4096
#define LOG_BYTES_MAX (16LL * KIB)
#define JOBS_MAX 300 /* then its files have grown: see docs/how-to/judge-sql.md */
#define BACKLOG 16
#define END_MS 2000
#define PATH_BYTES 64

struct sql_server {
    const struct judge_sql *options;
    int slot;     /* of jobs */
    int box_slot; /* where an own one runs */
    bool is_own;
    bool runs;
    bool cleaned; /* a configured one: leftovers are removed */
    uint32_t run;
    int jobs;
    int socket_fd; /* O_PATH: what to connect to; -1: none yet */
    const struct language *language;
    struct sql_link *admin;
};

struct sql_pool {
    struct judge_sql options;
    struct sql_server servers[BOX_SLOTS_MAX];
};

struct sql_pool *sql_pool_create(const struct judge_sql *options) {
    struct sql_pool *pool = calloc(1, sizeof *pool);
    CHECK(pool != NULL);
    pool->options = *options;
    for (int i = 0; i < BOX_SLOTS_MAX; i++) {
        pool->servers[i] = (struct sql_server){.options = &pool->options,
                                               .slot = i,
                                               .box_slot = options->first_slot + i,
                                               .is_own = options->server.user == NULL,
                                               .socket_fd = -1};
    }
    return pool;
}

const struct judge_sql *sql_pool_options(const struct sql_pool *pool) {
    return &pool->options;
}

/* ---- the socket ---- */

/* Bound under a name for a moment; then only this process can reach it, by its descriptor. */
static bool bind_nameless(struct sql_server *server, int fd, const char *folder, struct err *err) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%.90s/s", folder);
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        return err_system(err, "sql_server_failed", "bind a socket in %s", folder);
    }
    fd_cleanup(&server->socket_fd);
    server->socket_fd = open(address.sun_path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
    bool good = server->socket_fd >= 0 && listen(fd, BACKLOG) == 0;
    if (!good) {
        (void)err_system(err, "sql_server_failed", "listen on %s", address.sun_path);
    }
    (void)unlink(address.sun_path);
    return good;
}

static bool make_socket(struct sql_server *server, int *ret_fd, struct err *err) {
    char folder[] = "/tmp/assize-sql-XXXXXX";
    own_fd fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || mkdtemp(folder) == NULL) {
        return err_system(err, "sql_server_failed", "make a socket in /tmp");
    }
    bool good = bind_nameless(server, fd, folder, err);
    (void)rmdir(folder);
    *ret_fd = good ? fd : -1;
    fd = good ? -1 : fd;
    return good;
}

/* ---- an own server ---- */

static bool start_own(struct work *work, struct sql_server *server, const struct language *language,
                      struct err *err) {
    own_fd listening = -1;
    static const char *const no_outputs[] = {NULL};
    const struct program program = {.language = language, .entry = ""};
    const struct fileset no_files = {.count = 0};
    struct run_ask ask = {.program = &program,
                          .files = &no_files,
                          .limits = {.cpu_ms = LIFE_MS,
                                     .wall_ms = LIFE_MS,
                                     .memory_bytes = MEMORY_BYTES,
                                     .output_bytes = WORK_BYTES}};
    struct box_run_spec spec = {0};
    if (!prepare_language(work, language, true, err) || !make_socket(server, &listening, err) ||
        !work_fill_run(work, &ask, &spec, err) ||
        !box_slot_open(work->judge->box, server->box_slot, err)) {
        return work_node_fault(err);
    }
    spec.profile = BOX_PROFILE_SERVER;
    spec.service = true;
    spec.outputs = no_outputs;
    spec.streams[2] =
        (struct box_stream){.kind = BOX_STREAM_CAPTURE, .fd = -1, .bytes_max = LOG_BYTES_MAX};
    spec.service_fds = &listening;
    spec.service_fd_count = 1;
    spec.limits.cpu_ms = LIFE_MS;
    spec.limits.work_bytes = WORK_BYTES;
    spec.limits.work_inodes = INODES_MAX;
    spec.limits.pids_max = PIDS_MAX;
    spec.limits.open_files_max = OPEN_FILES_MAX;
    if (!box_start(work->judge->box, server->box_slot, &spec, &server->run, err)) {
        struct err ignored = {0};
        if (!box_slot_close(work->judge->box, server->box_slot, &ignored)) {
            log_debug("slot.not_closed", LOG_STR("error", ignored.text));
        }
        return work_node_fault(err);
    }
    server->runs = true;
    server->jobs = 0;
    server->language = language;
    return true;
}

/* Its last words go to the log at debug level: the reason of a start that failed is in them. */
static void log_end(const struct sql_server *server, const struct box_result *result) {
    char words[1024] = "";
    ssize_t length =
        result->stream_fds[2] < 0
            ? 0
            : pread(result->stream_fds[2], words, sizeof words - 1,
                    result->stream_bytes[2] > 1000 ? result->stream_bytes[2] - 1000 : 0);
    words[length > 0 ? length : 0] = '\0';
    log_debug("sql.server_ended", LOG_I64("slot", server->slot), LOG_I64("end", result->end),
              LOG_I64("exit", result->exit_code), LOG_I64("signal", result->signal),
              LOG_STR("words", words));
}

/* Takes the end of a server that is over, or false within `ms`. */
static bool take_end(struct judge *judge, struct sql_server *server, int64_t ms, bool *memory) {
    own_box_result result;
    struct err ignored = {0};
    box_result_init(&result);
    if (!server->runs || !box_wait(judge->box, server->box_slot, ms, &result, &ignored)) {
        return !server->runs;
    }
    server->runs = false;
    *memory = result.end == BOX_END_MEMORY;
    log_end(server, &result);
    if (!box_slot_close(judge->box, server->box_slot, &ignored)) {
        log_debug("slot.not_closed", LOG_STR("error", ignored.text));
    }
    return true;
}

static void end_own(struct judge *judge, struct sql_server *server, bool *memory) {
    struct err ignored = {0};
    if (!server->runs) {
        return;
    }
    if (!take_end(judge, server, 0, memory)) {
        if (!box_kill(judge->box, server->box_slot, server->run, &ignored)) {
            log_debug("sql.not_killed", LOG_STR("error", ignored.text));
        }
        bool ignored_memory = false;
        (void)take_end(judge, server, END_MS, &ignored_memory);
    }
    server->runs = false;
}

/* ---- for jobs ---- */

bool sql_server_is_own(const struct sql_server *server) {
    return server->is_own;
}

struct sql_link *sql_server_admin(const struct sql_server *server) {
    return server->admin;
}

bool sql_server_connect(struct sql_server *server, const char *user, const char *password,
                        const char *schema, struct sql_link **ret_link, struct err *err) {
    char path[PATH_BYTES];
    struct judge_sql_server target = server->options->server;
    if (server->is_own) {
        (void)snprintf(path, sizeof path, "/proc/self/fd/%d", server->socket_fd);
        target = (struct judge_sql_server){.socket = path};
    }
    target.user = user;
    target.password = password;
    target.schema = schema;
    return sql_link_open(&target, ret_link, err);
}

static bool open_admin(struct sql_server *server, struct err *err) {
    const struct judge_sql_server *configured = &server->options->server;
    if (server->admin != NULL) {
        return true;
    }
    const char *user = server->is_own ? "root" : configured->user;
    const char *password = server->is_own ? "" : configured->password;
    return sql_server_connect(server, user, password, NULL, &server->admin, err);
}

bool sql_server_acquire(struct work *work, const struct language *language,
                        struct sql_server **ret_server, struct err *err) {
    struct sql_pool *pool = work->judge->sql;
    bool memory = false;
    if (pool == NULL || work->slot < 0 || work->slot >= BOX_SLOTS_MAX) {
        return err_fault(err, FAULT_NODE, ERR_SYSTEM, "no_sql_server",
                         "this node has no database server to judge SQL with");
    }
    struct sql_server *server = &pool->servers[work->slot];
    if (server->is_own && server->runs && take_end(work->judge, server, 0, &memory)) {
        log_debug("sql.server_lost", LOG_I64("slot", server->slot));
        sql_link_close(server->admin);
        server->admin = NULL;
    }
    if (server->is_own && !server->runs && !start_own(work, server, language, err)) {
        return false;
    }
    if (!open_admin(server, err)) {
        sql_server_retire(work, server, NULL);
        return false;
    }
    if (!server->is_own && !server->cleaned) {
        if (!sql_names_clean(server->admin, server->options->node, err)) {
            return false;
        }
        server->cleaned = true;
    }
    *ret_server = server;
    return true;
}

void sql_server_retire(struct work *work, struct sql_server *server, bool *ret_memory) {
    bool memory = false;
    sql_link_close(server->admin);
    server->admin = NULL;
    if (server->is_own) {
        end_own(work->judge, server, &memory);
    }
    if (ret_memory != NULL) {
        *ret_memory = memory;
    }
}

/* The next one starts while nobody waits; what is wrong with it the next job will hear. */
static void renew(struct work *work, struct sql_server *server) {
    struct err why = {0};
    sql_server_retire(work, server, NULL);
    if (server->is_own && !start_own(work, server, server->language, &why)) {
        log_debug("sql.server_not_started", LOG_ERR(&why));
    }
}

void sql_server_release(struct work *work, struct sql_server *server, bool trusted) {
    if (!trusted || (server->is_own && ++server->jobs >= JOBS_MAX)) {
        renew(work, server);
    }
}

void sql_pool_rest(struct judge *judge, int slot) {
    struct sql_server *server = &judge->sql->servers[slot];
    bool memory = false;
    if (server->is_own) {
        sql_link_close(server->admin);
        server->admin = NULL;
        end_own(judge, server, &memory);
    }
}

void sql_pool_free(struct judge *judge, struct sql_pool *pool) {
    if (pool == NULL) {
        return;
    }
    for (int i = 0; i < BOX_SLOTS_MAX; i++) {
        bool memory = false;
        sql_link_close(pool->servers[i].admin);
        end_own(judge, &pool->servers[i], &memory);
        fd_cleanup(&pool->servers[i].socket_fd);
    }
    free(pool);
}
