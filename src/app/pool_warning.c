/* What administrators should know before students find out: languages on offer that no node can
 * run, nodes of one queue that would judge differently, nodes that gave up. */
#include "app/app_internal.h"
#include "app/node_text.h"
#include "app/pool.h"
#include "app/queues_internal.h"
#include "base/check.h"
#include "domain/node.h"
#include "store/node_store.h"
#include "store/queue_store.h"

struct warnings {
    struct app *app;
    struct arena *arena;
    struct pool_warning *items;
    int count;
    struct node_row *nodes;
    int node_count;
    int64_t now_ms;
};

const char *pool_warning_code(enum pool_warning_kind kind) {
    switch (kind) {
    case WARN_NO_NODE: return "no_node";
    case WARN_OTHER_SPEC: return "other_spec";
    case WARN_VERSIONS: return "versions_differ";
    case WARN_OUT: return "out_of_service";
    }
    CHECK(false);
}

static void add(struct warnings *warnings, struct pool_warning warning) {
    if (warnings->count < POOL_WARNINGS_MAX) {
        warnings->items[warnings->count++] = warning;
    }
}

static struct str version_on(const struct node_row *row, struct str language, struct arena *arena) {
    struct node_language *languages = NULL;
    int count = node_languages_read(row->languages, arena, &languages);
    for (int i = 0; i < count; i++) {
        if (str_eq(languages[i].id, language)) {
            return languages[i].version;
        }
    }
    return (struct str){0};
}

/* Enabled, whether it answers now or not: a node that restarts makes no language vanish. */
static bool counts(const struct node_row *row) {
    return row->node.config == NODE_ENABLED && row->node.session_epoch > 0;
}

static void look_at_versions(struct warnings *warnings, const struct language *language,
                             const struct node_row *first, struct str version) {
    for (int i = 0; i < warnings->node_count; i++) {
        const struct node_row *row = &warnings->nodes[i];
        struct str other = version_on(row, str_from(language->id), warnings->arena);
        if (counts(row) && row->node.queue.value == first->node.queue.value && other.len > 0 &&
            !str_eq(other, version)) {
            add(warnings,
                (struct pool_warning){
                    .kind = WARN_VERSIONS,
                    .pool = first->pool,
                    .subject = str_from(language->id),
                    .nodes = {{first->name, version}, {row->name, other}},
                    .node_count = 2,
                    .detail = str_from(arena_printf(
                        warnings->arena, STR_FMT " has " STR_FMT ", " STR_FMT " has " STR_FMT,
                        STR_ARG(first->name), STR_ARG(version), STR_ARG(row->name),
                        STR_ARG(other)))});
            return;
        }
    }
}

/* Nobody whom new jobs reach can run it; `elsewhere` could, or is NULL. */
static void warn_of_offer(struct warnings *warnings, const struct language *language,
                          const struct queue_info *queue, const struct node_row *elsewhere) {
    struct pool_warning warning = {.kind = elsewhere != NULL ? WARN_OTHER_SPEC : WARN_NO_NODE,
                                   .pool = str_from(language->pool),
                                   .subject = str_from(language->id),
                                   .install = str_from(language->package_hint)};
    if (elsewhere != NULL) {
        warning.nodes[warning.node_count++] =
            (struct pool_warning_node){elsewhere->name, elsewhere->runtime_spec};
        warning.detail = str_from(
            arena_printf(warnings->arena,
                         "%s is offered, and new jobs are for " STR_FMT
                         "; only nodes of another runtime spec run it: " STR_FMT " (" STR_FMT ")",
                         language->name, STR_ARG(queue->runtime_spec), STR_ARG(elsewhere->name),
                         STR_ARG(elsewhere->runtime_spec)));
    } else {
        warning.detail = str_from(arena_printf(warnings->arena,
                                               "%s is offered, and no enabled node can run it (%s)",
                                               language->name, language->package_hint));
    }
    add(warnings, warning);
}

static void look_at_language(struct warnings *warnings, const struct language *language) {
    const struct queue_info *queue = queues_of_pool(warnings->app, str_from(language->pool));
    const struct node_row *elsewhere = NULL;
    bool runs = false;
    int64_t seen_queue = 0;
    for (int i = 0; i < warnings->node_count; i++) {
        const struct node_row *row = &warnings->nodes[i];
        struct str version = version_on(row, str_from(language->id), warnings->arena);
        if (version.len > 0 && counts(row) && row->node.self_test_passed) {
            bool gets_new_jobs = queue == NULL || row->node.queue.value == queue->id.value;
            runs |= gets_new_jobs;
            elsewhere = gets_new_jobs ? elsewhere : row;
        }
        if (version.len > 0 && counts(row) && row->node.queue.value != seen_queue) {
            seen_queue = row->node.queue.value;
            look_at_versions(warnings, language, row, version);
        }
    }
    if (!runs) {
        warn_of_offer(warnings, language, queue, elsewhere);
    }
}

static void look_at_node(struct warnings *warnings, const struct node_row *row) {
    if (row->out_reason.len > 0 && !row->node.self_test_passed &&
        row->node.config == NODE_ENABLED) {
        add(warnings, (struct pool_warning){.kind = WARN_OUT,
                                            .pool = row->pool,
                                            .subject = row->name,
                                            .detail = row->out_reason});
    }
}

bool pool_warnings(struct app *app, const struct actor *actor, struct arena *arena,
                   struct pool_warning **ret_warnings, int *ret_count, struct err *err) {
    own(db_reader) reader = NULL;
    struct warnings warnings = {.app = app, .arena = arena};
    if (!actor_need_role(actor, ROLE_ADMIN, err) || !db_pool_take(app->readers, &reader, err) ||
        !node_store_list(reader->db, arena, &warnings.nodes, &warnings.node_count, err)) {
        return false;
    }
    warnings.items = arena_array(arena, POOL_WARNINGS_MAX, sizeof warnings.items[0]);
    for (int i = 0; i < warnings.node_count; i++) {
        look_at_node(&warnings, &warnings.nodes[i]);
    }
    size_t languages = app->languages != NULL ? language_count(app->languages) : 0;
    for (size_t i = 0; i < languages; i++) {
        look_at_language(&warnings, language_at(app->languages, i));
    }
    *ret_warnings = warnings.items;
    *ret_count = warnings.count;
    return true;
}
