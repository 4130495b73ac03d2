#ifndef MAIN_SUPERVISOR_H
#define MAIN_SUPERVISOR_H

#include "base/err.h"
#include <stdint.h>

/* Keeps child processes running: one that ends is started again, later each time it ends soon.
 * Single-threaded, touches no network and no file of others; it may keep root's rights, which
 * assize-box needs when a node starts again. */

struct supervised {
    const char *name;          /* shown in the log */
    int (*run)(void *context); /* in the child; its value is the exit status */
    void *context;
    bool essential; /* its first start failing ends everything: a taken port, a broken database */
    /* the supervisor's */
    int pid;
    int64_t started_ms;
    int64_t start_at_ms;
    int64_t pause_ms;
    int starts;
};

/* Starts the children in order, waits for SIGTERM or SIGINT, then ends them in reverse order, each
 * with `stop_ms` to do so in good order. Returns an exit_status. */
int supervisor_run(struct supervised *children, int count, int64_t stop_ms);

#endif
