#ifndef TESTS_SIM_WORLD_H
#define TESTS_SIM_WORLD_H

/* One simulated installation: servers on one database, nodes, users and an administrator, the
 * network between them, and what goes wrong. All real but these: threads (fiber.c), HTTP (net.c),
 * the judging of a program (judge.c, node/slot.c asks for it), and the browser (people.c). */
#include "fiber.h"
#include "shadow.h"

#include "app/app_internal.h"
#include "app/dispatch.h"
#include "app/judger.h"
#include "app/submission.h"
#include "node/node.h"

#define SERVERS_MAX 3
#define NODES_MAX 4
#define USERS_MAX 3
#define SLOTS_MAX 4
#define CASES 3
#define PROBLEMS 2
#define SUBMISSIONS_MAX 256

/* What goes wrong; each can be left out, which makes a failing history easier to read. */
enum trouble {
    TROUBLE_LOST,     /* requests and answers that never arrive */
    TROUBLE_LATE,     /* and that arrive after the caller has given up */
    TROUBLE_DOUBLED,  /* and twice */
    TROUBLE_CUT,      /* a node that reaches no server for a while */
    TROUBLE_OUTAGE,   /* no server can write for longer than a lease */
    TROUBLE_DATABASE, /* statements and commits that fail, commits whose outcome is unknown */
    TROUBLE_SLOW,     /* time passes between statements and while waiting for locks */
    TROUBLE_SERVER,   /* killed between two statements */
    TROUBLE_NODE,     /* killed */
    TROUBLE_PAUSE,    /* stopped and continued */
    TROUBLE_CLOCK,    /* of nodes and of the database: jumps, wrong speed */
    TROUBLE_JUDGE,    /* sandbox and checker failures, programs that hang */
    TROUBLE_TAKEOVER, /* two processes with one node's credential */
    TROUBLE_JOBS,     /* cancelled, deleted, held, released and requeued at any moment */
    TROUBLE_REJUDGE,  /* one or many judged anew, applied, undone, cancelled at any moment */
    TROUBLE_KEEP,     /* what is kept for a time goes at any moment */
    TROUBLE_ADMIN,    /* drain, disable, enable, other slots at any moment */
    TROUBLE_COUNT,
};
extern const char *const trouble_names[TROUBLE_COUNT];

struct world;

struct server {
    struct process process;
    struct world *world;
    int number;
    struct app *app; /* NULL: down */
    bool up;         /* takes requests */
    bool stop;       /* asked to stop in good order */
    int busy;        /* requests inside */
    int64_t lock_ms; /* when its running transaction got the database's lock */
    bool wrote;      /* its running transaction, something that the rules are about */
    struct random_seeded random;
};

struct link {
    struct sim_node *node;
    bool aborted;
    const void *waits_for; /* its running call */
};

/* The name `struct node` is the real one's. */
struct sim_node {
    struct process process;
    struct world *world;
    int number;
    char name[16];
    char folder[128];
    char credential_file[160];
    char join_code[JOIN_CODE_BYTES];
    char credential[CREDENTIAL_BYTES];
    struct node_id id;
    int32_t slots;
    bool stop; /* told to stop in good order */
    int64_t cut_until_ms;
    struct link links[SLOTS_MAX + 2];
    struct machine_api apis[SLOTS_MAX + 2];
    struct random_seeded random;
};

/* What somebody was promised. */
struct accepted {
    struct submission_id submission;
    int user;
    char key[32];       /* empty: none */
    enum verdict truth; /* what its program deserves */
    bool withdrawn;     /* somebody asked for that; it may have been too late */
};

struct world_options {
    uint64_t seed;
    int64_t acts_max; /* of the administrator and the fates; -1: all */
    bool without[TROUBLE_COUNT];
    bool trace;
    const char *folder; /* of this run of the simulator */
    const struct language_set *languages;
};

struct world {
    struct world_options options;
    struct random_seeded dice;
    struct db *db; /* the observer's: sets up, looks, and keeps the database alive */
    struct shadow shadow;
    struct app_settings settings;
    bool stormy; /* things go wrong */
    bool over;   /* everybody goes home */
    int64_t acts;
    int64_t away_until_ms; /* nobody can write */
    int64_t jumped_ms;     /* the database's clock, last */
    int64_t db_offset_ms;  /* of the database's clock against the true time */
    uint8_t manifest_id[32];
    struct server servers[SERVERS_MAX];
    int server_count;
    struct sim_node nodes[NODES_MAX];
    int node_count;
    struct sim_node twin; /* a second process with the credential of one of them */
    bool twin_runs;
    int group_slots;
    int users_busy;
    int requests; /* of users: numbers their programs */
    struct accepted accepted[SUBMISSIONS_MAX];
    int accepted_count;
    char failed[512]; /* why this history is wrong; empty: it is not */
};

/* ---- world.c ---- */
/* Plays one history; false when something that must hold did not, and world_failure says what. */
bool world_play(const struct world_options *options, struct db *db);
const char *world_failure(void);
int64_t roll(struct world *world, int64_t limit);
/* True once in `n` times while things go wrong in that way. */
bool strikes(struct world *world, enum trouble trouble, int64_t n);
void trace(struct world *world, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Says that something is wrong, and ends the history. */
void world_fail(struct world *world, const char *format, ...) __attribute__((format(printf, 2, 3)));
int64_t world_db_ms(const struct world *world);            /* the database's clock */
int64_t world_query(struct world *world, const char *sql); /* one number */
void world_exec(struct world *world, const char *sql);

/* ---- server.c ---- */
void server_start(struct world *world, int number);
void server_kill(struct server *server, const char *why);
void server_stop(struct server *server);
/* One that takes requests, by the dice; NULL: none. */
struct server *server_any(struct world *world);
/* In and out of a server, for the fiber of a request. False: it was killed meanwhile. */
void server_enter(struct server *server);
bool server_leave(struct server *server);

/* ---- net.c ---- */
void net_api(struct sim_node *node, int link, struct machine_api *ret_api);
void net_abort(void *link);
void net_delay(struct world *world);

/* ---- node.c ---- */
void node_set_up(struct world *world, int number);
void node_start(struct sim_node *node);
void node_kill(struct sim_node *node, const char *why);
void node_start_twin(struct world *world);

/* ---- people.c ---- */
void user_start(struct world *world, int number, int count);
void people_calm(struct world *world); /* every node enabled, nothing held */
void admin_act(struct world *world);   /* one change, by the dice */

void jobs_act(struct world *world); /* likewise, of a submission */
void rejudge_act(struct world *world);
void keep_act(struct world *world);

/* ---- judge.c ---- */
struct str judge_program(struct world *world, char out[64], enum verdict *ret_truth);

#endif
