#include "bench/queue_client.h"
#include "base/check.h"
#include "base/limits.h"
#include "data/digest.h"

#include <stdio.h>
#include <string.h>

#define SOURCE_BYTES 1024
#define ARENA_BYTES_MAX (4 * MIB)

void queue_client_init(struct queue_client *client, struct queue_world *world, int64_t index) {
    *client = (struct queue_client){
        .world = world,
        .node = &world->nodes[index % world->plan->nodes],
        .salt = (uint64_t)index << 40,
        .arena = arena_create(ARENA_BYTES_MAX),
    };
}

void queue_client_done(struct queue_client *client) {
    arena_free(client->arena);
    client->arena = NULL;
}

static uint64_t next_number(struct queue_client *client) {
    return client->salt + ++client->turn;
}

/* Looks like a program to the compressor: words and numbers, about a third is left of it. */
static struct str make_source(struct queue_client *client, uint64_t number) {
    char *text = arena_alloc(client->arena, SOURCE_BYTES + 64);
    uint64_t mixed = number;
    size_t len = 0;
    while (len < SOURCE_BYTES) {
        mixed = mixed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        int more = snprintf(text + len, 64, "for (int i%u = 0; i%u < n; i%u++) s += a[%u];\n",
                            (unsigned)(mixed >> 40) & 0xfff, (unsigned)(mixed >> 32) & 0xfff,
                            (unsigned)(mixed >> 24) & 0xfff, (unsigned)(mixed >> 16));
        len += (size_t)more;
    }
    return str_of(text, SOURCE_BYTES);
}

static void begin_submit(struct queue_client *client) {
    arena_free(client->arena); /* of the lifecycle before */
    client->arena = arena_create(ARENA_BYTES_MAX);
    uint64_t number = next_number(client);
    client->submit = (struct submit_request){
        .item = client->submit.item,
        .actor = {.kind = ACTOR_USER,
                  .role = ROLE_STUDENT,
                  .user = {(int64_t)(number * UINT64_C(0x9E3779B97F4A7C15) % QUEUE_USERS) + 1}},
        .problem = {1},
        .language = STR("cpp"),
        .source = make_source(client, number),
    };
    submission_submit(client->world->app, &client->submit);
}

static void begin_claim(struct queue_client *client) {
    client->claim = (struct claim_request){
        .item = client->claim.item,
        .actor = client->node->actor,
        .session_epoch = client->node->session_epoch,
        .claim_id = next_number(client),
        .free_slots = 1,
        .arena = client->arena,
    };
    dispatch_claim(client->world->app, &client->claim);
}

static void begin_settle(struct queue_client *client) {
    struct queue_world *world = client->world;
    client->settle = (struct settle_request){
        .item = client->settle.item,
        .actor = client->node->actor,
        .session_epoch = client->node->session_epoch,
        .lease = client->claim.jobs[0].lease,
        .result = world->result,
        .judgement = &world->judgement,
    };
    struct digest digest = digest_of(world->result);
    memcpy(client->settle.digest, digest.bytes, 32);
    dispatch_settle(world->app, &client->settle);
}

struct write_item *queue_client_item(struct queue_client *client) {
    switch (client->stage) {
    case QUEUE_SUBMIT: return &client->submit.item;
    case QUEUE_CLAIM: return &client->claim.item;
    case QUEUE_SETTLE: return &client->settle.item;
    case QUEUE_STAGES: break;
    }
    CHECK(false);
}

void queue_client_begin(struct queue_client *client, void (*done)(struct write_item *item),
                        void *context) {
    static void (*const begin[QUEUE_STAGES])(struct queue_client *) = {
        [QUEUE_SUBMIT] = begin_submit, [QUEUE_CLAIM] = begin_claim, [QUEUE_SETTLE] = begin_settle};
    *queue_client_item(client) = (struct write_item){.done = done, .context = context};
    begin[client->stage](client);
}

bool queue_client_next(struct queue_client *client, bool *ret_finished, struct err *err) {
    static const char *const names[QUEUE_STAGES] = {"submit", "claim", "settle"};
    const struct write_item *item = queue_client_item(client);
    *ret_finished = false;
    if (!item->ok) {
        *err = item->err;
        return err_wrap(err, "%s", names[client->stage]);
    }
    if (client->stage == QUEUE_CLAIM && client->claim.job_count == 0) {
        return true; /* somebody else was quicker */
    }
    *ret_finished = client->stage == QUEUE_SETTLE;
    client->stage = *ret_finished ? QUEUE_SUBMIT : (enum queue_stage)(client->stage + 1);
    return true;
}
