/* A server process: the real app with its writer and maintenance threads, opened, killed between
 * any two statements, and opened again. */
#include "base/check.h"
#include "store/db_fault.h"
#include "world.h"

#include <stdio.h>
#include <string.h>

#define DATABASE_NAME "assize-sim"

/* ---- what can happen at a point of a transaction ---- */

static bool fail_here(struct world *world, enum db_point point, struct err *err) {
    if (point != DB_POINT_COMMITTED && sched_now_ms() < world->away_until_ms) {
        return err_set(err, ERR_SYSTEM, "database_failed", "the disk is full");
    }
    if (!strikes(world, TROUBLE_DATABASE, point == DB_POINT_COMMITTED ? 60 : 400)) {
        return true;
    }
    if (point == DB_POINT_COMMITTED || (point == DB_POINT_COMMIT && roll(world, 2) == 0)) {
        return err_set(err, ERR_SYSTEM, "commit_unknown", "the connection broke at the commit");
    }
    return roll(world, 2) == 0 ? err_set(err, ERR_BUSY, "database_busy", "a deadlock")
                               : err_set(err, ERR_SYSTEM, "database_failed", "the disk is full");
}

/* Others go first: whoever waits for the database's lock sees an older time than he gets. */
static void wait_for_lock(struct server *server) {
    struct world *world = server->world;
    if (strikes(world, TROUBLE_SLOW, 20)) {
        fiber_sleep_ms(roll(world, world->settings.lease_ms));
    } else if (roll(world, 3) == 0) {
        fiber_sleep_ms(roll(world, 5));
    }
    server->lock_ms = world_db_ms(world);
}

static void look(struct server *server) {
    struct world *world = server->world;
    char why[400];
    struct shadow_step step = {.db = world->db,
                               .lock_ms = server->lock_ms,
                               .offline_ms = world->settings.offline_ms,
                               .attempts_max = world->settings.attempts_max,
                               .group_slots = world->group_slots};
    if (server->wrote && world->failed[0] == '\0' &&
        !shadow_commit(&world->shadow, &step, why, sizeof why)) {
        world_fail(world, "after a commit of server %d: %s", server->number, why);
    }
}

/* What most transactions write, and no rule is about. */
static bool is_of_interest(const char *sql) {
    static const char *const dull[] = {"node_beat", "clock_guard", "id_block", "UPDATE queue "};
    if (sql == NULL || sql[0] == 'S') { /* SELECT */
        return false;
    }
    for (size_t i = 0; i < sizeof dull / sizeof dull[0]; i++) {
        if (strstr(sql, dull[i]) != NULL) {
            return false;
        }
    }
    return true;
}

static bool on_point(void *context, enum db_point point, const char *sql, struct err *err) {
    struct server *server = context;
    struct world *world = server->world;
    server->wrote = point != DB_POINT_BEGIN && (server->wrote || is_of_interest(sql));
    if (server->process.dying) {
        return err_set(err, ERR_SYSTEM, "killed", "this process is no more");
    }
    if (point == DB_POINT_BEGIN) {
        wait_for_lock(server);
    } else if (point == DB_POINT_COMMITTED) {
        look(server);
    } else if (strikes(world, TROUBLE_SLOW, 300)) {
        sched_pass_ms(roll(world, 50));
    }
    if (strikes(world, TROUBLE_SERVER, 6000)) {
        static const char *const where[] = {"nowhere", "before a transaction", "at a statement",
                                            "before a commit", "after a commit"};
        server_kill(server, where[point]);
    }
    if (server->process.dying) {
        return err_set(err, ERR_SYSTEM, "killed", "this process is no more");
    }
    return fail_here(world, point, err);
}

/* ---- its life ---- */

static void open_server(struct server *server) {
    struct world *world = server->world;
    struct err err = {0};
    char blobs[256];
    (void)snprintf(blobs, sizeof blobs, "%s/blobs", world->options.folder);
    struct app_options options = {.database_path = ":memory:",
                                  .memory_name = DATABASE_NAME,
                                  .blob_folder = blobs,
                                  .languages = world->options.languages,
                                  .clock = &server->process.clock,
                                  .random = &server->random.random,
                                  .holder = "sim",
                                  .settings = world->settings,
                                  .threads = true};
    if (roll(world, 3) == 0) { /* each server may have been started with other settings */
        options.settings.lease_ms *= 2;
        options.settings.reap_ms *= 2;
    }
    options.claims = roll(world, 3) == 0 ? DB_CLAIMS_OWNED : DB_CLAIMS_AUTO;
    if (!app_open(&options, &server->app, &err)) {
        world_fail(world, "server %d does not open: %s: %s", server->number, err.code, err.text);
        return;
    }
    db_set_fault(server->app->db, on_point, server);
    server->up = true;
    trace(world, "server %d is up", server->number);
}

static void close_server(struct server *server) {
    if (server->app == NULL) {
        return;
    }
    server->up = false;
    app_stop(server->app);
    while (server->busy > 0) {
        (void)fiber_wait(&server->busy, -1);
    }
    app_close(server->app);
    server->app = NULL;
    trace(server->world, "server %d is down", server->number);
}

static void server_main(void *argument) {
    struct server *server = argument;
    struct world *world = server->world;
    while (!world->over) {
        server->process.dying = false;
        server->stop = false;
        open_server(server);
        while (!server->stop && !server->process.dying && !world->over) {
            (void)fiber_wait(server, -1);
        }
        close_server(server);
        server->process.dying = false;
        if (!world->over) {
            fiber_sleep_ms(roll(world, world->stormy ? 4000 : 500));
        }
    }
}

void server_start(struct world *world, int number) {
    static const char *const names[SERVERS_MAX] = {"server0", "server1", "server2"};
    struct server *server = &world->servers[number];
    *server = (struct server){.world = world, .number = number};
    process_init(&server->process, names[number]);
    random_seeded_init(&server->random, world->options.seed * 31 + (uint64_t)number + 7);
    (void)fiber_start(&server->process, names[number], server_main, server);
}

void server_kill(struct server *server, const char *why) {
    if (server->up && !server->process.dying) {
        trace(server->world, "server %d is killed: %s", server->number, why);
        server->up = false;
        server->process.dying = true;
        fiber_wake(server);
    }
}

void server_stop(struct server *server) {
    if (server->up) {
        trace(server->world, "server %d is told to stop", server->number);
        server->up = false;
        server->stop = true;
        fiber_wake(server);
    }
}

struct server *server_any(struct world *world) {
    struct server *up[SERVERS_MAX];
    int count = 0;
    for (int i = 0; i < world->server_count; i++) {
        if (world->servers[i].up) {
            up[count++] = &world->servers[i];
        }
    }
    return count > 0 ? up[roll(world, count)] : NULL;
}

void server_enter(struct server *server) {
    server->busy++;
    fiber_enter(&server->process);
}

bool server_leave(struct server *server) {
    bool alive = !server->process.dying;
    fiber_enter(NULL);
    server->busy--;
    fiber_wake(&server->busy);
    return alive;
}
