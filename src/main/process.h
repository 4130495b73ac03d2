#ifndef MAIN_PROCESS_H
#define MAIN_PROCESS_H

#include "data/config.h"
#include "judge/judge.h"
#include "language/language.h"
#include "main/run_user.h"

/* The two long-running processes. `assize server` and `assize node` are one each; `assize up` forks
 * both kinds. What needs rights or paths that the unprivileged user may not have is opened before
 * the rights go. */

/* A folder as a path that stays reachable after the rights are dropped. "" when it cannot be
 * opened. */
#define PINNED_BYTES 64
void pin_folder(const char *path, char out[PINNED_BYTES]);

struct server_process {
    const struct config *config; /* settings_common, _server, _dispatch */
    const struct run_user *user;
    const struct language_set *languages;
    int listen_fd;  /* taken */
    int machine_fd; /* taken; 0 or less: nodes connect to listen_fd */
    int port;
    const char *web;                /* pinned folder, "" for none */
    const char *demo;               /* pinned folder, "" for none */
    const char *const *local_pools; /* `assize up`: pools to enrol here, NULL-terminated; or NULL */
    int slots;                      /* of each of those nodes, and of their host together */
};
/* Drops the rights, serves until SIGTERM or SIGINT. An exit_status. */
int server_process_run(const struct server_process *process);

struct node_process {
    const struct config *config; /* settings_common */
    const struct run_user *user;
    const struct language_set *languages;
    const char *name;
    const char *pool;
    int slots;
    const char *server_url;
    const char *ca_file; /* "" for the system's */
    const char *workspace;
    const char *credential_file;
    const char *join_code;      /* "" for none */
    const char *join_code_file; /* `assize up`: where the server leaves a code; "" for none */
    int64_t cache_bytes;
    int64_t drain_ms;
    int32_t second_runs;
    int64_t compile_cache_bytes;
    bool warm;
    struct judge_caps caps;
    int health_fd;                  /* taken; 0 or less: no health address */
    const char *health_certificate; /* PEM texts, read with the rights of the start */
    const char *health_key;
    int not_ours_fd; /* `assize up`: closed in the child; else -1 */
};
/* Starts assize-box with the rights it has now, drops them, works until SIGTERM or SIGINT. An
 * exit_status. */
int node_process_run(const struct node_process *process);

/* Blocks SIGTERM and SIGINT in this thread and those it starts; readable once one came. */
checked bool process_stop_fd(int *ret_fd, struct err *err);
/* "user", "data/db/assize.db" below the data folder and so on. */
void process_path(const struct config *config, const char *name, char *out, size_t room);
/* As many open files as the system allows this process. */
void process_raise_files(void);
/* Slots for 0: one for each processor. */
int process_slots(int64_t wanted);

#endif
