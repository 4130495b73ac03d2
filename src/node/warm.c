/* Makes the pool's languages faster while the node already works: compiled headers and the like,
 * one language after the other, in a slot of the box that no job gets; then keeps a compiler
 * waiting there, for the first language that has one to wait. */
#include "base/log.h"
#include "node/node_internal.h"

static bool go_on(void *context, const struct judge_progress *progress) {
    const struct node *node = context;
    (void)progress;
    return !atomic_load(&node->leaving);
}

static void keep_standby(struct node *node, const struct language *language) {
    const struct node_options *options = node->options;
    struct err err = {0};
    if (!judge_keep_standby(options->judge, options->slots, language, go_on, node, &err) &&
        err.kind != ERR_MISSING && err.kind != ERR_CANCELLED) {
        log_warn("compiler.not_kept", LOG_STR("language", language->id), LOG_ERR(&err));
    }
}

void *warm_main(void *argument) {
    struct node *node = argument;
    const struct node_options *options = node->options;
    const struct language *waits = NULL;
    for (size_t i = 0; i < language_count(options->languages); i++) {
        const struct language *language = language_at(options->languages, i);
        struct err err = {0};
        if (!go_on(node, NULL)) {
            break;
        }
        if (!str_eq_c(str_from(language->pool), options->pool)) {
            continue;
        }
        waits = waits == NULL && language->standby.argv != NULL ? language : waits;
        if (!judge_warm_language(options->judge, options->slots, language, go_on, node, &err) &&
            err.kind != ERR_MISSING && err.kind != ERR_CANCELLED) {
            log_warn("language.not_warmed", LOG_STR("language", language->id), LOG_ERR(&err));
        }
    }
    if (waits != NULL && go_on(node, NULL)) {
        keep_standby(node, waits);
    }
    return NULL;
}
