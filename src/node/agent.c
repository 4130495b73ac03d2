/* A node's life: prove the languages, open a session, claim until told to stop, then settle or hand
 * back. */
#include "base/check.h"
#include "base/log.h"
#include "node/check.h"
#include "node/health.h"
#include "node/node_internal.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define FREE_WAIT_MS 1000
#define RETRY_MS_MIN 300
#define RETRY_MS_MAX 10000
#define JITTER_MS 100
#define STOP_GRACE_MS 10000 /* for stopped runs to end and be handed back */
#define NODE_ARENA_BYTES_MAX (16 * MIB)

bool node_error_is_fatal(const struct err *err) {
    return err->kind == ERR_UNAUTHENTICATED ||
           (err->code != NULL && (strcmp(err->code, "session_superseded") == 0 ||
                                  strcmp(err->code, "protocol_unsupported") == 0));
}

bool node_error_is_untrusted(const struct err *err) {
    return err->code != NULL && strcmp(err->code, "untrusted") == 0;
}

static void leave(struct node *node) {
    atomic_store(&node->leaving, true);
    board_leave(node->board);
    node->options->links[0].abort(node->options->links[0].context);
}

void node_leave(struct node *node, const struct err *why) {
    mutex_lock(&node->lock);
    if (node->fatal.kind == ERR_NONE) {
        node->fatal = *why;
    }
    mutex_unlock(&node->lock);
    leave(node);
}

void node_fail(struct node *node, const struct err *why) {
    board_stop_all(node->board, BOARD_STOP_LOST);
    node_leave(node, why);
}

/* ---- starting ---- */

/* Waits, but not when the node is told to stop. False when it was. */
static bool pause_unless_stopped(const struct node_options *options, int64_t ms) {
    struct pollfd stop = {.fd = options->stop_fd, .events = POLLIN};
    int ready = poll(&stop, 1, (int)ms);
    return ready == 0 || (ready < 0 && errno == EINTR);
}

static int64_t backed_off(const struct node_options *options, int64_t *pause_ms) {
    int64_t now_ms = *pause_ms / 2 + random_below(options->random, *pause_ms / 2 + 1);
    *pause_ms = *pause_ms * 2 > RETRY_MS_MAX ? RETRY_MS_MAX : *pause_ms * 2;
    return now_ms;
}

static bool is_too_new(const struct err *err) {
    return err->code != NULL && strcmp(err->code, "protocol_unsupported") == 0;
}

static bool always(void *context, const struct judge_progress *progress) {
    (void)context;
    (void)progress;
    return true;
}

/* A server of the version before believes what the session says, so the self-test comes first. */
static bool prove_before(struct node *node, const struct self_test *test,
                         struct machine_session *request, struct err *err) {
    struct check_report report = {0};
    struct check_options options = {.node = node->options, .go_on = always};
    if (!check_run(&options, test->arena, &report, err)) {
        return false;
    }
    request->self_test_passed = test->passed && report.passed;
    request->self_test_detail = report.passed ? test->detail : report.message;
    return true;
}

static bool open_session(struct node *node, const struct self_test *test, struct err *err) {
    const struct node_options *options = node->options;
    const struct machine_api *api = options->links[0].api;
    struct machine_session request = {.protocol = MACHINE_PROTOCOL,
                                      .version = str_from(ASSIZE_VERSION),
                                      .languages = test->languages,
                                      .language_count = test->language_count,
                                      .slots = options->slots,
                                      .self_test_passed = test->passed,
                                      .self_test_detail = test->detail,
                                      .config = test->config};
    int64_t pause_ms = RETRY_MS_MIN;
    while (!api->session(api->context, &request, &node->session, err)) {
        if (is_too_new(err) && request.protocol > MACHINE_PROTOCOL_MIN) {
            log_warn("session.older_server", LOG_ERR(err));
            request.protocol--;
            if (!prove_before(node, test, &request, err)) {
                return err_wrap(err, "self-test");
            }
            continue;
        }
        bool wait = (err->kind == ERR_BUSY || err->kind == ERR_DEADLINE ||
                     err->kind == ERR_LIMITED || err->kind == ERR_SYSTEM) &&
                    !node_error_is_untrusted(err);
        if (!wait) {
            return err_wrap(err, "open a session");
        }
        log_warn("session.retry", LOG_ERR(err));
        if (!pause_unless_stopped(options, backed_off(options, &pause_ms))) {
            return err_set(err, ERR_CANCELLED, "stopped", "told to stop before a session was open");
        }
    }
    atomic_store(&node->server_slots, options->slots);
    node_want_check(node, node->session.check);
    log_info("session.opened", LOG_STR("node", options->name), LOG_STR("pool", options->pool),
             LOG_I64("epoch", node->session.session_epoch), LOG_I64("slots", options->slots),
             LOG_TEXT("selfTest", test->detail));
    return true;
}

/* ---- failing ---- */

void node_note_result(struct node *node) {
    atomic_store(&node->failures, 0);
}

/* A machine that cannot judge would use up the attempts of one job after the other. An older server
 * has no word for it: there the node goes on, as it always did. */
void node_note_failure(struct node *node, const struct node_link *link, const struct err *why) {
    char reason[MACHINE_REASON_BYTES_MAX];
    struct err err = {0};
    if (atomic_fetch_add(&node->failures, 1) + 1 < NODE_FAILURES_MAX ||
        node->session.protocol < NODE_PROTOCOL_OF_CHECKS || atomic_exchange(&node->is_out, true)) {
        return;
    }
    (void)snprintf(reason, sizeof reason, "%d jobs in a row failed here, the last one so: %.300s",
                   NODE_FAILURES_MAX, why->text);
    struct machine_out message = {.session_epoch = node->session.session_epoch,
                                  .reason = str_utf8_prefix(str_from(reason), sizeof reason - 1)};
    log_error("node.out", LOG_STR("reason", reason));
    if (!link->api->out_of_service(link->api->context, &message, &err)) {
        log_warn("node.out_untold", LOG_ERR(&err));
        atomic_store(&node->is_out, false); /* told with the next failure */
    }
}

/* ---- claiming ---- */

/* 0: none now, after some waiting. */
static int slots_to_ask_for(struct node *node) {
    if (atomic_load(&node->is_out)) {
        (void)pause_unless_stopped(node->options, RETRY_MS_MIN);
        return 0;
    }
    int free_slots = board_wait_free(node->board, FREE_WAIT_MS);
    int allowed = atomic_load(&node->server_slots) - board_busy(node->board);
    if (free_slots > 0 && allowed <= 0) { /* the server allows fewer than there are */
        (void)pause_unless_stopped(node->options, RETRY_MS_MIN);
        return 0;
    }
    return free_slots < allowed ? free_slots : allowed;
}

static void hand_back(struct node *node, const struct machine_api *api,
                      const struct machine_job *job) {
    struct machine_release request = {.session_epoch = node->session.session_epoch,
                                      .leases = &job->lease,
                                      .lease_count = 1,
                                      .reason = STR("no free slot")};
    struct machine_release_answer answer = {0};
    struct err err = {0};
    if (!api->release(api->context, &request, &answer, &err)) {
        log_warn("release.failed", LOG_ERR(&err)); /* its lease runs out */
    }
}

/* Nodes whose waits end together do not all come back in the same moment, and a server that does
 * not let them wait (it is stopping) is not asked without a pause. */
static void rest(struct node *node, int64_t waited_ms) {
    int64_t jitter_ms = random_below(node->options->random, JITTER_MS);
    bool was_quick = waited_ms < RETRY_MS_MIN;
    (void)pause_unless_stopped(node->options, was_quick ? RETRY_MS_MIN + jitter_ms : jitter_ms);
}

struct claim_state {
    uint64_t id; /* kept until an answer came: a lost answer is given again */
    int64_t pause_ms;
};

static bool claim_once(struct node *node, struct claim_state *state, int free_slots,
                       struct err *err) {
    const struct machine_api *api = node->options->links[0].api;
    own(arena) arena = arena_create(NODE_ARENA_BYTES_MAX);
    struct machine_claim_answer answer = {0};
    if (state->id == 0) {
        state->id = random_u64(node->options->random) | 1;
    }
    struct machine_claim request = {.session_epoch = node->session.session_epoch,
                                    .claim_id = state->id,
                                    .free_slots = free_slots,
                                    .wait_ms = node->options->claim_wait_ms};
    int64_t begun_ms = clock_mono_ms(node->options->clock);
    if (!api->claim(api->context, &request, arena, &answer, err)) {
        return false;
    }
    int64_t asked_ms = clock_mono_ms(node->options->clock); /* the server counts from its answer */
    state->id = 0;
    state->pause_ms = RETRY_MS_MIN;
    if (answer.job_count == 0) {
        rest(node, asked_ms - begun_ms);
    }
    for (int32_t i = 0; i < answer.job_count; i++) {
        log_info("job.claimed", LOG_I64("job", answer.jobs[i].lease.job.value),
                 LOG_I64("submission", answer.jobs[i].submission.value),
                 LOG_TEXT("traceId", answer.jobs[i].trace_id));
        if (!board_assign(node->board, &answer.jobs[i], asked_ms)) {
            hand_back(node, api, &answer.jobs[i]); /* more than asked for, or leaving */
        }
    }
    return true;
}

static void *watch_stop(void *argument) {
    struct node *node = argument;
    while (pause_unless_stopped(node->options, 200)) {
        if (atomic_load(&node->leaving)) {
            return NULL;
        }
    }
    leave(node);
    return NULL;
}

/* A claim that was broken off when the node was told to stop may have been granted: asked for again
 * by its id, what comes is handed back, so that it does not wait for its lease to end. With the
 * link of a slot that has ended. */
static void return_lost_claim(struct node *node, const struct claim_state *state) {
    const struct machine_api *api = node->options->links[2].api;
    own(arena) arena = arena_create(NODE_ARENA_BYTES_MAX);
    struct machine_claim_answer answer = {0};
    struct err err = {0};
    struct machine_claim request = {.session_epoch = node->session.session_epoch,
                                    .claim_id = state->id,
                                    .free_slots = node->options->slots};
    if (state->id == 0 || node->fatal.kind != ERR_NONE ||
        !api->claim(api->context, &request, arena, &answer, &err)) {
        return;
    }
    for (int32_t i = 0; i < answer.job_count; i++) {
        hand_back(node, api, &answer.jobs[i]);
    }
}

static void claim_loop(struct node *node, struct claim_state *state) {
    while (!atomic_load(&node->leaving)) {
        struct err err = {0};
        int free_slots = slots_to_ask_for(node);
        if (free_slots <= 0) {
            continue;
        }
        if (claim_once(node, state, free_slots, &err) || err.kind == ERR_CANCELLED) {
            continue;
        }
        if (node_error_is_fatal(&err)) {
            node_fail(node, &err);
            return;
        }
        log_warn("claim.failed", LOG_ERR(&err));
        (void)pause_unless_stopped(node->options, backed_off(node->options, &state->pause_ms));
    }
}

/* ---- the whole ---- */

/* Running jobs may finish within drain_ms; what is left then is stopped and handed back. */
static void drain(struct node *node) {
    if (!board_wait_idle(node->board, node->options->drain_ms)) {
        board_stop_all(node->board, BOARD_STOP_LEAVING);
        if (!board_wait_idle(node->board, STOP_GRACE_MS)) {
            log_warn("node.abandons", LOG_I64("jobs", board_busy(node->board)));
            board_stop_all(node->board, BOARD_STOP_LOST);
            for (int i = 0; i < node->options->slots; i++) {
                node->options->links[2 + i].abort(node->options->links[2 + i].context);
            }
        }
    }
}

static void work(struct node *node) {
    pthread_t slots[NODE_SLOTS_MAX];
    struct slot_thread threads[NODE_SLOTS_MAX];
    struct claim_state state = {.pause_ms = RETRY_MS_MIN};
    pthread_t keeper = thread_start("keeper", keeper_main, node);
    pthread_t watch = thread_start("watch-stop", watch_stop, node);
    for (int i = 0; i < node->options->slots; i++) {
        threads[i] = (struct slot_thread){node, i};
        slots[i] = thread_start("slot", slot_main, &threads[i]);
    }
    bool has_spare = node->options->warm || node->session.protocol >= NODE_PROTOCOL_OF_CHECKS;
    pthread_t spare = has_spare ? thread_start("spare", spare_main, node) : 0;
    claim_loop(node, &state);
    drain(node);
    if (has_spare) {
        thread_join(spare);
    }
    for (int i = 0; i < node->options->slots; i++) {
        thread_join(slots[i]);
    }
    return_lost_claim(node, &state);
    atomic_store(&node->keeper_ends, true);
    thread_join(keeper);
    thread_join(watch);
}

bool node_run(const struct node_options *options, struct err *err) {
    CHECK(options->slots > 0 && options->slots <= NODE_SLOTS_MAX);
    own(arena) arena = arena_create(NODE_ARENA_BYTES_MAX);
    own(board) board = board_create(options->slots, options->clock);
    own(cache) cache = NULL;
    char folder[4096];
    struct self_test test = {0};
    struct node node = {.options = options, .board = board};
    (void)snprintf(folder, sizeof folder, "%s/artifacts", options->workspace);
    if (!cache_open(folder, options->cache_bytes_max, &cache, err) ||
        !self_test_run(options, arena, &test, err)) {
        return false;
    }
    node.cache = cache;
    test.arena = arena;
    node_health_set_config(options->health, &test.config);
    mutex_init(&node.lock);
    bool ok = open_session(&node, &test, err);
    if (ok) {
        work(&node);
        ok = node.fatal.kind == ERR_NONE;
        *err = node.fatal;
    } else if (err->kind == ERR_CANCELLED) {
        ok = true; /* told to stop before there was anything to hand back */
    }
    mutex_done(&node.lock);
    log_info("node.stopped", LOG_STR("node", options->name));
    return ok;
}
