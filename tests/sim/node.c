/* A node process: the real node, all of it but the box and the judging of a program (judge.c). */
#include "base/check.h"
#include "base/file.h"
#include "world.h"

#include <stdio.h>
#include <string.h>

#define WAIT_MS 5000
#define DRAIN_MS 2000

struct judge {
    struct sim_node *node;
};

static void make_links(struct sim_node *node, struct node_link *links) {
    for (int i = 0; i < node->slots + 2; i++) {
        net_api(node, i, &node->apis[i]);
        links[i] = (struct node_link){
            .api = &node->apis[i], .abort = net_abort, .context = &node->links[i]};
    }
}

static bool enrol(struct sim_node *node, struct arena *arena, struct err *err) {
    struct str credential = {0};
    struct enrol_options options = {.api = &node->apis[0],
                                    .file = node->credential_file,
                                    .join_code = node->join_code,
                                    .name = node->name};
    return node_enrol(&options, arena, &credential, err) &&
           str_to_c(credential, node->credential, sizeof node->credential, err);
}

static void run_node(struct sim_node *node) {
    struct world *world = node->world;
    struct node_link links[SLOTS_MAX + 2];
    struct err err = {0};
    struct judge judge = {.node = node};
    own(arena) arena = arena_create(MIB);
    make_links(node, links);
    int stop_fd = fiber_stop_fd(&node->stop);
    struct node_options options = {.name = node->name,
                                   .pool = "cpp",
                                   .slots = node->slots,
                                   .judge = &judge,
                                   .languages = world->options.languages,
                                   .workspace = node->folder,
                                   .cache_bytes_max = 64 * MIB,
                                   .claim_wait_ms = WAIT_MS,
                                   .drain_ms = DRAIN_MS,
                                   .links = links,
                                   .clock = &node->process.clock,
                                   .random = &node->random.random,
                                   .stop_fd = stop_fd};
    if (enrol(node, arena, &err) && node_run(&options, &err)) {
        trace(world, "%s has ended in good order", node->name);
    } else {
        trace(world, "%s has ended: %s: %s", node->name, err.code, err.text);
    }
    fiber_stop_fd_free(stop_fd);
}

static void node_main(void *argument) {
    struct sim_node *node = argument;
    struct world *world = node->world;
    while (!world->over) {
        node->process.dying = false;
        node->stop = false;
        run_node(node);
        node->process.dying = false;
        if (!world->over) {
            fiber_sleep_ms(100 + roll(world, world->stormy ? 8000 : 1000));
        }
    }
}

static void twin_main(void *argument) {
    struct sim_node *twin = argument;
    run_node(twin);
    twin->world->twin_runs = false;
}

/* By mistake, two machines were given the same credential: the newest session acts. */
void node_start_twin(struct world *world) {
    const struct sim_node *node = &world->nodes[roll(world, world->node_count)];
    struct sim_node *twin = &world->twin;
    if (world->twin_runs || node->credential[0] == '\0') {
        return;
    }
    *twin = *node;
    twin->stop = false;
    twin->cut_until_ms = 0;
    (void)snprintf(twin->name, sizeof twin->name, "twin%d", node->number);
    (void)snprintf(twin->folder, sizeof twin->folder, "%s/twin", world->options.folder);
    trace(world, "%s starts beside %s", twin->name, node->name);
    world->twin_runs = true;
    process_init(&twin->process, twin->name);
    random_seeded_init(&twin->random, world->options.seed * 41 + (uint64_t)world->acts);
    (void)fiber_start(&twin->process, twin->name, twin_main, twin);
}

void node_set_up(struct world *world, int number) {
    struct sim_node *node = &world->nodes[number];
    struct node_register_request request = {.pool = STR("cpp"), .enable = true};
    struct node_registered registered = {0};
    struct err err = {0};
    static const struct actor the_system = {.kind = ACTOR_SYSTEM};
    own(arena) arena = arena_create(MIB);
    *node = (struct sim_node){.world = world, .number = number};
    node->slots = 1 + (int32_t)roll(world, SLOTS_MAX - 1);
    (void)snprintf(node->name, sizeof node->name, "node%d", number);
    (void)snprintf(node->folder, sizeof node->folder, "%s/node%d", world->options.folder, number);
    (void)snprintf(node->credential_file, sizeof node->credential_file, "%s/node%d/credential",
                   world->options.folder, number);
    CHECK(file_remove_tree(node->folder, &err) || err.kind == ERR_MISSING);
    CHECK(file_make_dirs(node->folder, 0700, &err));
    request.name = str_from(node->name);
    request.slots = node->slots;
    request.host_group = number < 2 ? STR("g1") : (struct str){0};
    request.host_group_slots = number < 2 ? world->group_slots : 0;
    struct server *server = &world->servers[0];
    server_enter(server);
    CHECK(judger_register(server->app, &the_system, &request, arena, &registered, &err));
    CHECK(server_leave(server));
    node->id = registered.node.id;
    memcpy(node->join_code, registered.join_code, sizeof node->join_code);
}

void node_start(struct sim_node *node) {
    process_init(&node->process, node->name);
    random_seeded_init(&node->random, node->world->options.seed * 37 + (uint64_t)node->number + 11);
    (void)fiber_start(&node->process, node->name, node_main, node);
}

void node_kill(struct sim_node *node, const char *why) {
    if (!node->process.dying) {
        trace(node->world, "%s is killed: %s", node->name, why);
        node->process.dying = true;
        node->stop = true; /* what is said from now on reaches nobody */
        fiber_wake(&node->stop);
        for (int i = 0; i < node->slots + 2; i++) {
            net_abort(&node->links[i]);
        }
    }
}
