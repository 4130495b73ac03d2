/* Renews leases, beats, and reports progress, each in its own rhythm with a little jitter, so that
 * a hundred nodes do not all speak in the same moment. Runs until the last slot is done. */
#include "base/log.h"
#include "node/node_internal.h"

#include <stdlib.h>

#define TICK_MS 50
#define PROGRESS_MS 250 /* at most four reports a second */
#define KEEPER_ARENA_BYTES_MAX (64 * MIB)

struct keeper {
    struct node *node;
    const struct machine_api *api;
    int64_t heartbeat_due_ms;
    int64_t renew_due_ms;
    int64_t progress_due_ms;
};

static int64_t now_ms(const struct keeper *keeper) {
    return clock_mono_ms(keeper->node->options->clock);
}

static int64_t with_jitter(const struct keeper *keeper, int64_t period_ms) {
    return period_ms - random_below(keeper->node->options->random, period_ms / 5 + 1);
}

static void note_error(struct keeper *keeper, const char *event, const struct err *err) {
    if (err->kind == ERR_CANCELLED) {
        return;
    }
    log_warn(event, LOG_ERR(err));
    if (node_error_is_fatal(err)) {
        node_fail(keeper->node, err);
    }
}

static int64_t load_permille(void) {
    double load = 0;
    return getloadavg(&load, 1) == 1 ? (int64_t)(load * 1000) : 0;
}

static void beat(struct keeper *keeper) {
    struct node *node = keeper->node;
    struct machine_heartbeat request = {.session_epoch = node->session.session_epoch,
                                        .busy_slots = board_busy(node->board),
                                        .load_permille = load_permille()};
    struct machine_heartbeat_answer answer = {0};
    struct err err = {0};
    keeper->heartbeat_due_ms = now_ms(keeper) + with_jitter(keeper, node->session.heartbeat_ms);
    if (!keeper->api->heartbeat(keeper->api->context, &request, &answer, &err)) {
        note_error(keeper, "heartbeat.failed", &err);
        return;
    }
    atomic_store(&node->server_slots, answer.slots);
    node_want_check(node, answer.check);
}

/* A lease that the server does not mention is not ours any more. */
static void apply_renewals(struct keeper *keeper, const struct machine_renew *request,
                           const struct machine_renew_answer *answer, int64_t asked_ms) {
    for (int32_t i = 0; i < request->lease_count; i++) {
        struct machine_renewed renewed = {.job = request->leases[i].job,
                                          .answer = MACHINE_CONFLICT};
        bool in_order = i < answer->lease_count && /* as our servers answer */
                        answer->leases[i].job.value == renewed.job.value;
        for (int32_t j = 0; j < answer->lease_count && !in_order; j++) {
            if (answer->leases[j].job.value == renewed.job.value) {
                renewed = answer->leases[j];
            }
        }
        if (in_order) {
            renewed = answer->leases[i];
        }
        board_renewed(keeper->node->board, &request->leases[i], renewed.answer,
                      renewed.lease_remaining_ms, asked_ms);
    }
}

static void renew(struct keeper *keeper) {
    struct node *node = keeper->node;
    struct machine_lease leases[RENEW_JOBS_MAX];
    struct machine_renew request = {.session_epoch = node->session.session_epoch, .leases = leases};
    struct machine_renew_answer answer = {0};
    struct err err = {0};
    int64_t asked_ms = now_ms(keeper);
    keeper->renew_due_ms = asked_ms + with_jitter(keeper, node->session.renew_ms);
    request.lease_count = board_leases(node->board, leases, RENEW_JOBS_MAX);
    if (request.lease_count == 0) {
        return;
    }
    own(arena) arena = arena_create(KEEPER_ARENA_BYTES_MAX);
    if (!keeper->api->renew(keeper->api->context, &request, arena, &answer, &err)) {
        note_error(keeper, "renew.failed", &err);
        keeper->renew_due_ms = now_ms(keeper) + node->session.renew_ms / 10 + 1; /* soon again */
        return;
    }
    apply_renewals(keeper, &request, &answer, asked_ms);
}

static void report(struct keeper *keeper) {
    struct node *node = keeper->node;
    struct machine_progress_item items[RENEW_JOBS_MAX];
    struct machine_progress request = {.session_epoch = node->session.session_epoch,
                                       .items = items};
    struct err err = {0};
    own(arena) arena = arena_create(KEEPER_ARENA_BYTES_MAX);
    request.item_count = board_take_progress(node->board, arena, items, RENEW_JOBS_MAX);
    if (request.item_count == 0) {
        return;
    }
    keeper->progress_due_ms = now_ms(keeper) + PROGRESS_MS;
    if (!keeper->api->progress(keeper->api->context, &request, &err)) {
        note_error(keeper, "progress.failed",
                   &err); /* only watchers miss it: the result says all */
    }
}

void *keeper_main(void *argument) {
    struct node *node = argument;
    struct keeper keeper = {.node = node, .api = node->options->links[1].api};
    keeper.renew_due_ms = now_ms(&keeper) + node->session.renew_ms;
    while (!atomic_load(&node->keeper_ends)) {
        if (now_ms(&keeper) >= keeper.renew_due_ms) {
            renew(&keeper);
        }
        if (now_ms(&keeper) >= keeper.heartbeat_due_ms) {
            beat(&keeper);
        }
        if (now_ms(&keeper) >= keeper.progress_due_ms) {
            report(&keeper);
        }
        clock_sleep_ms(node->options->clock, TICK_MS);
    }
    return NULL;
}
