/* What groups and the whole problem are worth, from what their cases are. An average becomes a sum
 * of parts that are each worth less, split by largest remainder, so that no total loses a point. */
#include "base/check.h"
#include "package/scoring_internal.h"

static void add_part(struct score_node *node, int64_t micro) {
    bool first = node->parts == 0;
    switch (node->set.aggregation) {
    case AGGREGATE_PASS_FAIL: break;
    case AGGREGATE_SUM:
        /* Over the maximum it is refused anyway, and must not overflow before. */
        node->whole_micro += node->whole_micro > SCORE_MICRO_MAX ? 0 : micro;
        break;
    case AGGREGATE_MIN:
        node->whole_micro = first || micro < node->whole_micro ? micro : node->whole_micro;
        break;
    case AGGREGATE_MAX:
        node->whole_micro = micro > node->whole_micro ? micro : node->whole_micro;
        break;
    }
    node->parts++;
}

static bool finish(struct score_node *node, struct err *err) {
    bool too_much = node->whole_micro > SCORE_MICRO_MAX;
    if (node->set.aggregation == AGGREGATE_PASS_FAIL) {
        node->whole_micro = node->cap_micro;
    }
    if (node->set.average && node->parts > 0) {
        node->whole_micro /= node->parts;
    }
    if (node->whole_micro > node->cap_micro) {
        node->whole_micro = node->cap_micro;
    }
    return (!too_much && node->whole_micro < SCORE_MICRO_MAX) ||
           package_refuse(err, STR("data"), 0,
                          "its groups give more points than this judge can count");
}

/* A child's whole is known before its parent's. */
static bool find_wholes(struct score_tree *tree, struct err *err) {
    const struct manifest *manifest = &tree->reader->problem.manifest;
    for (int32_t i = 0; i < manifest->case_count; i++) {
        if (tree->node_of[i] >= 0) {
            struct score_node *node = &tree->nodes[tree->node_of[i]];
            node->cases++;
            add_part(node, node->case_micro);
        }
    }
    for (int32_t n = tree->count - 1; n >= 0; n--) {
        struct score_node *node = &tree->nodes[n];
        if (!finish(node, err)) {
            return false;
        }
        if (node->parent >= 0) {
            add_part(&tree->nodes[node->parent], node->whole_micro);
        }
    }
    return true;
}

/* What all the parts of one node are worth by themselves and in it. */
struct share {
    int64_t *weights;
    int64_t *parts; /* cases first, then groups */
    int32_t count;
};

static int64_t scaled(int64_t value, int64_t over, int64_t under) {
    return under == 0 ? 0 : (int64_t)((__int128)value * over / under);
}

static void share_sum(const struct score_node *node, struct share *share) {
    int64_t sum = 0;
    int64_t divisor = node->set.average ? node->parts : 1;
    for (int32_t i = 0; i < share->count; i++) {
        sum += share->weights[i];
    }
    /* At most half a micro-point a part is lost, where an average has no end. */
    sum = scaled(sum / divisor, node->score_micro, node->whole_micro);
    scoring_split(sum, share->weights, share->count, share->parts);
}

static void share_out(const struct score_node *node, struct share *share) {
    bool as_it_is = node->score_micro == node->whole_micro && !node->set.average;
    if (!as_it_is && node->set.aggregation == AGGREGATE_SUM) {
        share_sum(node, share);
        return;
    }
    for (int32_t i = 0; i < share->count; i++) {
        share->parts[i] = as_it_is
                              ? share->weights[i]
                              : scaled(share->weights[i], node->score_micro, node->whole_micro);
    }
}

/* Cases of the manifest are the reader's until it is done. */
static struct manifest_case *case_at(const struct score_tree *tree, int32_t index) {
    return (struct manifest_case *)(uintptr_t)&tree->reader->problem.manifest.cases[index];
}

/* The parts of node `n` in one order, which both walks below share. */
static void gather(const struct score_tree *tree, int32_t n, struct share *share) {
    const struct score_node *node = &tree->nodes[n];
    share->count = 0;
    while (share->count < node->cases) {
        share->weights[share->count++] = node->case_micro;
    }
    for (int32_t i = n + 1; i < tree->count; i++) {
        if (tree->nodes[i].parent == n) {
            share->weights[share->count++] = tree->nodes[i].whole_micro;
        }
    }
}

static void hand_out(const struct score_tree *tree, int32_t n, const struct share *share) {
    int32_t next = 0;
    int32_t case_count = tree->reader->problem.manifest.case_count;
    for (int32_t i = 0; i < case_count; i++) {
        if (tree->node_of[i] == n) {
            case_at(tree, i)->score_micro = share->parts[next++];
        }
    }
    for (int32_t i = n + 1; i < tree->count; i++) {
        if (tree->nodes[i].parent == n) {
            tree->nodes[i].score_micro = share->parts[next++];
        }
    }
    CHECK(next == share->count);
}

bool scoring_points(struct score_tree *tree, struct err *err) {
    struct manifest *manifest = &tree->reader->problem.manifest;
    size_t room = (size_t)manifest->case_count + SCORE_NODES_MAX;
    struct share share = {.weights =
                              arena_array(tree->reader->arena, room, sizeof(share.weights[0])),
                          .parts = arena_array(tree->reader->arena, room, sizeof(share.parts[0]))};
    if (!find_wholes(tree, err)) {
        return false;
    }
    tree->nodes[0].score_micro = tree->nodes[0].whole_micro;
    for (int32_t n = 0; n < tree->count; n++) {
        gather(tree, n, &share);
        if (share.count > 0) {
            share_out(&tree->nodes[n], &share);
            hand_out(tree, n, &share);
        }
    }
    return true;
}
