/* Users who hand in programs until they hear "received", and an administrator who changes nodes at
 * the worst moments. */
#include "base/check.h"
#include "world.h"

#include "app/job.h"
#include "app/rejudge.h"
#include "app/retention_internal.h"

#include <stdio.h>
#include <string.h>

#define TRIES_MAX 40

struct user {
    struct world *world;
    int number;
    int count;
};

/* ---- handing in ---- */

struct hand_in {
    struct submit_request request;
    bool done;
};

static void hand_in_done(struct write_item *item) {
    struct hand_in *hand_in = item->context;
    hand_in->done = true;
    fiber_wake(hand_in);
}

/* One request and its answer. False when no answer arrives. */
static bool ask(struct world *world, struct hand_in *hand_in) {
    net_delay(world);
    struct server *server = server_any(world);
    if (server == NULL || strikes(world, TROUBLE_LOST, 25)) {
        return false;
    }
    server_enter(server);
    submission_submit(server->app, &hand_in->request);
    while (!hand_in->done) {
        (void)fiber_wait(hand_in, -1);
    }
    bool alive = server_leave(server);
    net_delay(world);
    return alive && !strikes(world, TROUBLE_LOST, 25);
}

static struct actor actor_of(int user) {
    return (struct actor){.kind = ACTOR_USER, .role = ROLE_STUDENT, .user = {1 + user}};
}

static bool try_once(const struct user *user, const struct accepted *wish, struct str program,
                     struct submit_request *ret_request) {
    struct hand_in hand_in = {.request = {.item = {.done = hand_in_done, .context = &hand_in},
                                          .actor = actor_of(user->number),
                                          .problem = {1 + user->number % PROBLEMS},
                                          .language = STR("cpp"),
                                          .source = program,
                                          .request_id = str_from(wish->key)}};
    bool answered = ask(user->world, &hand_in);
    *ret_request = hand_in.request;
    return answered;
}

/* The same key must be answered by the same submission, however often it is asked. */
static void note_accepted(struct world *world, const struct accepted *accepted) {
    for (int i = 0; i < world->accepted_count; i++) {
        const struct accepted *before = &world->accepted[i];
        bool same_key = accepted->key[0] != '\0' && before->user == accepted->user &&
                        strcmp(before->key, accepted->key) == 0;
        if (same_key != (before->submission.value == accepted->submission.value)) {
            world_fail(world, "user %d's key %s was answered by submission %lld, then by %lld",
                       accepted->user, accepted->key, (long long)before->submission.value,
                       (long long)accepted->submission.value);
        }
        if (same_key) {
            return;
        }
    }
    CHECK(world->accepted_count < SUBMISSIONS_MAX);
    world->accepted[world->accepted_count++] = *accepted;
}

static bool is_in_doubt(const struct write_item *item) {
    return !item->ok && strcmp(item->err.code, "outcome_unknown") == 0;
}

/* Whoever was refused, and never left in doubt, may do something else: nothing may have been kept.
 */
static void check_refused(const struct user *user, struct str program, bool doubtful,
                          const struct err *err) {
    struct world *world = user->world;
    own(db_stmt) stmt = NULL;
    struct err ignored = {0};
    bool found = false;
    struct digest digest = digest_of(program);
    CHECK(
        db_prepare(world->db, "SELECT 1 FROM submission_source WHERE sha256 = ?", &stmt, &ignored));
    db_bind_sha256(stmt, 1, digest.bytes);
    CHECK(db_find(stmt, &found, &ignored));
    if (found && !doubtful) {
        world_fail(world, "(S12) user %d was refused (%s), and the program is there", user->number,
                   err->code);
    }
}

static void hand_in_one(struct user *user, int number) {
    struct world *world = user->world;
    char text[64];
    struct accepted wish = {.user = user->number};
    struct str program = judge_program(world, text, &wish.truth);
    bool keyed = roll(world, 4) != 0;
    if (keyed) {
        (void)snprintf(wish.key, sizeof wish.key, "u%d-%d", user->number, number);
    }
    bool doubtful = false;                   /* it may be there */
    int again = roll(world, 8) == 0 ? 2 : 1; /* asked once more although it was answered */
    for (int i = 0; i < TRIES_MAX && again > 0 && !world->over; i++) {
        struct submit_request request = {0};
        bool answered = try_once(user, &wish, program, &request);
        if (answered && request.item.ok) {
            trace(world, "user %d: submission %lld is received%s", user->number,
                  (long long)request.submission.value, request.repeated ? " (again)" : "");
            wish.submission = request.submission;
            note_accepted(world, &wish);
            again = keyed ? again - 1 : 0;
        } else if (answered) {
            trace(world, "user %d: refused: %s", user->number, request.item.err.code);
        }
        /* After an unknown commit the database may be away for longer than it is asked. */
        bool unsure = !answered || is_in_doubt(&request.item);
        doubtful = doubtful || unsure || request.item.ok;
        check_refused(user, program, doubtful, &request.item.err);
        if (unsure && !keyed) {
            return; /* nobody can tell whether it was received, and nobody was told so */
        }
        fiber_sleep_ms(roll(world, 500));
    }
}

static void user_main(void *argument) {
    struct user *user = argument;
    for (int i = 0; i < user->count && !user->world->over; i++) {
        hand_in_one(user, i);
        fiber_sleep_ms(roll(user->world, 4000));
    }
    user->world->users_busy--;
}

void user_start(struct world *world, int number, int count) {
    static struct user users[USERS_MAX];
    users[number] = (struct user){.world = world, .number = number, .count = count};
    world->users_busy++;
    (void)fiber_start(NULL, "user", user_main, &users[number]);
}

/* ---- the administrator ---- */

static const struct actor administrator = {.kind = ACTOR_USER, .role = ROLE_ADMIN, .user = {900}};

static bool configure(struct world *world, struct sim_node *node, const enum node_config *config,
                      const int32_t *slots) {
    own(arena) arena = arena_create(MIB);
    struct node_view view = {0};
    struct err err = {0};
    struct server *server = server_any(world);
    if (server == NULL) {
        return false;
    }
    server_enter(server);
    bool ok = judger_get(server->app, &administrator, node->id, arena, &view, &err);
    if (ok) {
        struct judger_update_request request = {
            .id = node->id, .revision = view.revision, .config = config, .slots = slots};
        ok = judger_update(server->app, &administrator, &request, arena, &view, &err);
    }
    bool alive = server_leave(server);
    return ok && alive;
}

void admin_act(struct world *world) {
    static const enum node_config configs[] = {NODE_ENABLED, NODE_DRAINING, NODE_DISABLED};
    static const char *const words[] = {"enables", "drains", "disables"};
    struct sim_node *node = &world->nodes[roll(world, world->node_count)];
    int64_t what = roll(world, 4);
    int32_t slots = 1 + (int32_t)roll(world, node->slots);
    if (what == 3) {
        bool ok = configure(world, node, NULL, &slots);
        trace(world, "administrator gives %s %d slots: %s", node->name, slots, ok ? "ok" : "no");
        return;
    }
    bool ok = configure(world, node, &configs[what], NULL);
    trace(world, "administrator %s %s: %s", words[what], node->name, ok ? "ok" : "no");
}

static bool change(struct world *world, const struct actor *actor, enum job_action action,
                   struct submission_id id) {
    struct err err = {0};
    struct server *server = server_any(world);
    if (server == NULL) {
        return false;
    }
    server_enter(server);
    bool ok = job_change_one(server->app, actor, action, id, STR("because"), &err);
    bool alive = server_leave(server);
    trace(world, "%s of submission %lld: %s", job_action_name(action), (long long)id.value,
          ok ? "ok" : err.code);
    return ok && alive;
}

/* Of any submission there is, received or on its way. */
void jobs_act(struct world *world) {
    static const enum job_action actions[] = {ACTION_CANCEL, ACTION_DELETE, ACTION_REQUEUE,
                                              ACTION_HOLD, ACTION_RELEASE};
    if (world->accepted_count == 0) {
        return;
    }
    struct accepted *accepted = &world->accepted[roll(world, world->accepted_count)];
    enum job_action action = actions[roll(world, sizeof actions / sizeof actions[0])];
    struct actor owner = actor_of(accepted->user);
    accepted->withdrawn |= action == ACTION_CANCEL || action == ACTION_DELETE;
    (void)change(world, roll(world, 2) == 0 ? &owner : &administrator, action,
                 accepted->submission);
}

/* ---- judging anew ---- */

#define REJUDGED_JOBS_MAX 600 /* the shadow follows a limited number of jobs */

static bool create_rejudging(struct world *world, struct app *app, struct err *err) {
    static const uint32_t options[] = {0, REJUDGING_SUPERSEDE, REJUDGING_AUTO_APPLY,
                                       REJUDGING_OLD_MANIFEST | REJUDGING_SUPERSEDE};
    struct rejudging_id id = {0};
    struct selection selection = {.problem = {1 + roll(world, PROBLEMS)}};
    struct rejudging_create_request request = {
        .selection = &selection,
        .reason = STR("new tests"),
        .options = options[roll(world, sizeof options / sizeof options[0])]};
    return rejudging_create(app, &administrator, &request, &id, err);
}

/* Whatever its state allows, and what it does not. */
static bool change_rejudging(struct world *world, struct app *app, int64_t id,
                             enum rejudging_event event, struct err *err) {
    trace(world, "administrator: event %d for rejudging %lld", (int)event, (long long)id);
    return rejudging_change(app, &administrator, (struct rejudging_id){id}, event, err);
}

static bool do_rejudge(struct world *world, struct app *app, struct err *err) {
    static const enum rejudging_event events[] = {REJUDGING_APPLY, REJUDGING_APPLY, REJUDGING_UNDO,
                                                  REJUDGING_CANCEL};
    int64_t newest = world_query(world, "SELECT coalesce(max(id), 0) FROM rejudging");
    int64_t oldest = world_query(world, "SELECT coalesce(min(id), 0) FROM rejudging");
    int64_t what = roll(world, 5);
    if (what >= 2 && newest > 0) {
        return change_rejudging(world, app, oldest + roll(world, newest - oldest + 1),
                                events[roll(world, sizeof events / sizeof events[0])], err);
    }
    if (what == 0 || world_query(world, "SELECT count(*) FROM job") > REJUDGED_JOBS_MAX) {
        struct rejudging_id id = {0};
        struct submission_id one = world->accepted[roll(world, world->accepted_count)].submission;
        return submission_rejudge(app, &administrator, one, STR("one"), &id, err);
    }
    return create_rejudging(world, app, err);
}

void rejudge_act(struct world *world) {
    struct err err = {0};
    struct server *server = server_any(world);
    if (server == NULL || world->accepted_count == 0) {
        return;
    }
    server_enter(server);
    bool ok = do_rejudge(world, server->app, &err);
    (void)server_leave(server);
    trace(world, "administrator judges anew: %s", ok ? "ok" : err.code);
}

/* Those that wait to be looked at are applied, so that each comes to an end. */
static void end_rejudgings(struct world *world) {
    int64_t id = world_query(world, "SELECT coalesce(min(id), 0) FROM rejudging WHERE state = 3");
    struct err err = {0};
    struct server *server = id > 0 ? server_any(world) : NULL;
    if (server != NULL) {
        server_enter(server);
        (void)!change_rejudging(world, server->app, id, REJUDGING_APPLY, &err);
        (void)server_leave(server);
    }
}

/* As the maintenance does it every minute, at a moment of its own. */
void keep_act(struct world *world) {
    struct server *server = server_any(world);
    if (server != NULL) {
        server_enter(server);
        bool some = retention_pass(server->app);
        (void)server_leave(server);
        trace(world, "what was kept long enough goes: %s", some ? "some" : "nothing");
    }
}

static void release_held(struct world *world) {
    bool some = world_query(world, "SELECT count(*) FROM job_delayed WHERE reason = 2") > 0;
    for (int i = 0; some && i < world->accepted_count; i++) {
        (void)change(world, &administrator, ACTION_RELEASE, world->accepted[i].submission);
    }
}

/* A disabled node may not even connect: it is let in first, and enabled when it is well. */
void people_calm(struct world *world) {
    enum node_config enabled = NODE_ENABLED;
    enum node_config draining = NODE_DRAINING;
    release_held(world);
    end_rejudgings(world);
    for (int i = 0; i < world->node_count; i++) {
        struct sim_node *node = &world->nodes[i];
        if (!configure(world, node, &enabled, &node->slots)) {
            (void)configure(world, node, &draining, NULL);
        }
    }
}
