/* The thread of the box's slot behind the last, which no job gets: it runs the self-tests that the
 * server asks for, and makes the pool's languages faster while the node already works: compiled
 * headers and the like, one language after the other; then it keeps a compiler waiting. */
#include "base/log.h"
#include "node/check.h"
#include "node/node_internal.h"

#define TICK_MS 100
#define RETRY_MS 1000
#define CHECK_ARENA_BYTES_MAX (64 * MIB)

static bool go_on(void *context, const struct judge_progress *progress) {
    const struct node *node = context;
    (void)progress;
    return !atomic_load(&node->leaving);
}

static bool warm_may_go_on(void *context, const struct judge_progress *progress) {
    const struct node *node = context;
    return go_on(context, progress) && atomic_load(&node->check_wanted) == 0;
}

/* ---- self-tests ---- */

/* Until the server has heard it, or does not want to know any more. */
static void report(struct node *node, const struct machine_check_result *message) {
    const struct machine_api *api = node->options->links[NODE_LINK_SPARE(node->options)].api;
    struct err err = {0};
    while (!atomic_load(&node->leaving) && !api->check_result(api->context, message, &err)) {
        bool again = err.kind == ERR_BUSY || err.kind == ERR_DEADLINE || err.kind == ERR_LIMITED ||
                     err.kind == ERR_SYSTEM;
        log_warn("check.unanswered", LOG_I64("check", message->check), LOG_ERR(&err));
        if (!again) {
            return;
        }
        clock_sleep_ms(node->options->clock, RETRY_MS);
        err = (struct err){0};
    }
}

static void run_check(struct node *node, int64_t check) {
    own(arena) arena = arena_create(CHECK_ARENA_BYTES_MAX);
    struct check_report found = {0};
    struct check_options options = {
        .node = node->options,
        .slot = node->options->slots,
        .hello = check != node->session.check, /* at the start they have just said it */
        .go_on = go_on,
        .context = node};
    struct err err = {0};
    log_info("check.started", LOG_I64("check", check));
    bool whole = check_run(&options, arena, &found, &err);
    judge_rest(node->options->judge, options.slot); /* no job follows here */
    if (!whole) {
        return; /* leaving: the next session is asked anew */
    }
    struct machine_check_result message = {.session_epoch = node->session.session_epoch,
                                           .check = check,
                                           .passed = found.passed,
                                           .speed_permille = found.speed_permille,
                                           .message = found.message,
                                           .programs = found.programs,
                                           .program_count = found.program_count};
    log_info("check.done", LOG_I64("check", check), LOG_I64("passed", found.passed),
             LOG_I64("speedPermille", found.speed_permille), LOG_TEXT("message", found.message));
    if (found.passed) {
        atomic_store(&node->failures, 0);
        atomic_store(&node->is_out, false);
    }
    report(node, &message);
}

void node_want_check(struct node *node, int64_t check) {
    if (check != 0 && check != atomic_exchange(&node->check_seen, check)) {
        atomic_store(&node->check_wanted, check);
    }
}

/* ---- warming ---- */

/* True: the language needs no more of it. */
static bool warm_one(struct node *node, const struct language *language) {
    const struct node_options *options = node->options;
    struct err err = {0};
    if (!str_eq_c(str_from(language->pool), options->pool) ||
        judge_warm_language(options->judge, options->slots, language, warm_may_go_on, node, &err) ||
        err.kind == ERR_MISSING) {
        return true;
    }
    if (err.kind == ERR_CANCELLED) {
        return false;
    }
    log_warn("language.not_warmed", LOG_STR("language", language->id), LOG_ERR(&err));
    return true;
}

/* Keeps a compiler waiting, for the first language that has one to wait. True: until it was told to
 * stop, so that it is worth another time. */
static bool keep_standby(struct node *node) {
    const struct node_options *options = node->options;
    const struct language *waits = NULL;
    struct err err = {0};
    for (size_t i = 0; i < language_count(options->languages) && waits == NULL; i++) {
        const struct language *language = language_at(options->languages, i);
        bool has_one =
            str_eq_c(str_from(language->pool), options->pool) && language->standby.argv != NULL;
        waits = has_one ? language : NULL;
    }
    if (waits == NULL ||
        judge_keep_standby(options->judge, options->slots, waits, warm_may_go_on, node, &err)) {
        return false;
    }
    if (err.kind != ERR_MISSING && err.kind != ERR_CANCELLED) {
        log_warn("compiler.not_kept", LOG_STR("language", waits->id), LOG_ERR(&err));
    }
    return err.kind == ERR_CANCELLED;
}

void *spare_main(void *argument) {
    struct node *node = argument;
    const struct node_options *options = node->options;
    size_t warmed = options->warm ? 0 : language_count(options->languages);
    bool keeps = options->warm;
    while (!atomic_load(&node->leaving)) {
        int64_t check = atomic_exchange(&node->check_wanted, 0);
        if (check != 0) {
            run_check(node, check);
        } else if (warmed < language_count(options->languages)) {
            warmed += warm_one(node, language_at(options->languages, warmed)) ? 1 : 0;
        } else if (keeps) {
            keeps = keep_standby(node);
        } else if (node->session.protocol < NODE_PROTOCOL_OF_CHECKS) {
            break; /* nobody will ask for more */
        } else {
            clock_sleep_ms(options->clock, TICK_MS);
        }
    }
    return NULL;
}
