/* From case results to verdict and score. Groups form a tree below the problem itself, which is
 * tally 0 here; group i is tally i + 1, and a parent always stands before its children.
 *
 * Pass/fail: the first rejected case decides. Scoring: loose samples never count; a case that did
 * not run has no points and is not accepted; a group one of whose dependencies was not accepted in
 * full has no points. */
#include "domain/scoring.h"
#include "base/check.h"
#include "base/limits.h"

struct tally {
    int32_t parts; /* cases and groups directly inside */
    int32_t full;  /* of them accepted in full, whatever they depend on */
    int32_t known; /* of them scored so far */
    int64_t sum;
    int64_t low; /* meaningful when known > 0 */
    int64_t high;
    bool blocked;    /* a dependency of it, or of a group around it, is not accepted in full */
    bool rejected;   /* a case directly inside got no points */
    bool has_reject; /* a case inside, in whatever group */
};

struct tallies {
    struct tally at[MANIFEST_GROUPS_MAX + 1];
};

static bool is_scoring(const struct manifest *manifest) {
    return (manifest->kinds & PROBLEM_SCORING) != 0;
}

static bool case_counts(const struct manifest *manifest, int32_t index) {
    return !manifest->cases[index].sample || manifest->cases[index].group >= 0;
}

static void tally_add(struct tally *tally, int64_t score) {
    tally->low = tally->known == 0 || score < tally->low ? score : tally->low;
    tally->high = tally->known == 0 || score > tally->high ? score : tally->high;
    tally->sum += score;
    tally->known++;
}

static int64_t at_most(int64_t score, int64_t maximum) {
    return score > maximum ? maximum : score;
}

static int64_t tally_score(const struct tally *tally, enum score_aggregation aggregation,
                           int64_t maximum) {
    if (tally->blocked || tally->known == 0) {
        return 0;
    }
    switch (aggregation) {
    case AGGREGATE_PASS_FAIL: return tally->full == tally->parts ? maximum : 0;
    case AGGREGATE_MIN: return tally->known < tally->parts ? 0 : at_most(tally->low, maximum);
    case AGGREGATE_MAX: return at_most(tally->high, maximum);
    case AGGREGATE_SUM: return at_most(tally->sum, maximum);
    }
    CHECK(false);
}

static void count_parts(const struct manifest *manifest, struct tallies *tallies) {
    for (int32_t i = 0; i < manifest->case_count; i++) {
        if (case_counts(manifest, i)) {
            tallies->at[manifest->cases[i].group + 1].parts++;
        }
    }
    for (int32_t g = 0; g < manifest->group_count; g++) {
        tallies->at[manifest->groups[g].parent + 1].parts++;
    }
}

/* A case of `group`, or of a group in it that is not `from`, was rejected. */
static bool rejected_beside(const struct manifest *manifest, const struct tallies *tallies,
                            int32_t group, int32_t from) {
    bool found = tallies->at[group + 1].rejected;
    for (int32_t g = group + 1; g < manifest->group_count && !found; g++) {
        found = manifest->groups[g].parent == group && g != from && tallies->at[g + 1].has_reject;
    }
    return found;
}

/* In a group that breaks on reject, what ran all the same behind the first rejected part does not
 * count. A part that is a group by itself decides for itself how far it goes. */
static bool is_cut_off(const struct manifest *manifest, int32_t group,
                       const struct tallies *tallies) {
    int32_t from = -1;
    for (int32_t g = group; g >= 0; g = manifest->groups[g].parent) {
        if (manifest->groups[g].stop_on_reject && rejected_beside(manifest, tallies, g, from)) {
            return true;
        }
        from = g;
    }
    return false;
}

/* Points, if not all of them, are no rejection. */
static void note_rejected(const struct manifest *manifest, int32_t group, struct tallies *tallies) {
    tallies->at[group + 1].rejected = true;
    for (int32_t g = group; g >= 0; g = manifest->groups[g].parent) {
        tallies->at[g + 1].has_reject = true;
    }
}

static void add_cases(const struct manifest *manifest, const struct case_result *cases,
                      int32_t count, struct tallies *tallies) {
    for (int32_t i = 0; i < count; i++) {
        CHECK(cases[i].index >= 0 && cases[i].index < manifest->case_count);
        int32_t group = manifest->cases[cases[i].index].group;
        struct tally *tally = &tallies->at[group + 1];
        if (case_counts(manifest, cases[i].index) && !is_cut_off(manifest, group, tallies)) {
            enum verdict verdict = cases[i].verdict;
            tally_add(tally, cases[i].score_micro);
            tally->full += verdict == VERDICT_ACCEPTED ? 1 : 0;
            if (verdict != VERDICT_ACCEPTED && verdict != VERDICT_PARTIAL) {
                note_rejected(manifest, group, tallies);
            }
        }
    }
}

static bool is_full(const struct tallies *tallies, int32_t group) {
    return tallies->at[group + 1].full == tallies->at[group + 1].parts;
}

static void find_full(const struct manifest *manifest, struct tallies *tallies) {
    for (int32_t g = manifest->group_count - 1; g >= 0; g--) {
        tallies->at[manifest->groups[g].parent + 1].full += is_full(tallies, g) ? 1 : 0;
    }
}

static void find_blocked(const struct manifest *manifest, struct tallies *tallies) {
    for (int32_t g = 0; g < manifest->group_count; g++) {
        const struct manifest_group *group = &manifest->groups[g];
        struct tally *tally = &tallies->at[g + 1];
        tally->blocked = tallies->at[group->parent + 1].blocked;
        for (int32_t d = 0; d < group->depend_count; d++) {
            tally->blocked = tally->blocked || !is_full(tallies, group->depends[d]);
        }
    }
}

static int64_t score_all(const struct manifest *manifest, const struct case_result *cases,
                         int32_t count, struct tallies *tallies) {
    CHECK(manifest->group_count <= MANIFEST_GROUPS_MAX);
    count_parts(manifest, tallies);
    add_cases(manifest, cases, count, tallies);
    find_full(manifest, tallies);
    find_blocked(manifest, tallies);
    for (int32_t g = manifest->group_count - 1; g >= 0; g--) {
        const struct manifest_group *group = &manifest->groups[g];
        tally_add(&tallies->at[group->parent + 1],
                  tally_score(&tallies->at[g + 1], group->aggregation, group->score_micro));
    }
    return tally_score(&tallies->at[0], manifest->aggregation, manifest->score_micro);
}

static enum verdict first_rejected(const struct case_result *cases, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (cases[i].verdict != VERDICT_ACCEPTED) {
            return cases[i].verdict;
        }
    }
    return VERDICT_NONE;
}

static void finish_pass_fail(const struct manifest *manifest, struct judgement *judgement) {
    enum verdict rejected = first_rejected(judgement->cases, judgement->case_count);
    /* Accepted is said only when every case has been run. */
    CHECK(rejected != VERDICT_NONE || judgement->case_count == manifest->case_count);
    judgement->verdict = rejected != VERDICT_NONE ? rejected : VERDICT_ACCEPTED;
    judgement->score_micro = rejected != VERDICT_NONE ? 0 : SCORE_FULL_MICRO;
}

static void finish_scoring(const struct manifest *manifest, struct judgement *judgement) {
    struct tallies tallies = {0};
    int64_t score = score_all(manifest, judgement->cases, judgement->case_count, &tallies);
    enum verdict rejected = first_rejected(judgement->cases, judgement->case_count);
    bool full = manifest->score_micro > 0 ? score == manifest->score_micro
                                          : tallies.at[0].full == tallies.at[0].parts;
    judgement->score_micro = score;
    if (full) {
        judgement->verdict = VERDICT_ACCEPTED;
    } else if (score > 0 || rejected == VERDICT_NONE) {
        judgement->verdict = VERDICT_PARTIAL;
    } else {
        judgement->verdict = rejected;
    }
}

void scoring_finish(const struct manifest *manifest, struct judgement *judgement) {
    judgement->cases_total = manifest->case_count;
    judgement->cases_passed = 0;
    for (int32_t i = 0; i < judgement->case_count; i++) {
        judgement->cases_passed += judgement->cases[i].verdict == VERDICT_ACCEPTED ? 1 : 0;
    }
    if (judgement->compile.ran && !judgement->compile.ok) {
        judgement->verdict = VERDICT_COMPILE_ERROR;
        judgement->score_micro = 0;
    } else if (is_scoring(manifest)) {
        finish_scoring(manifest, judgement);
    } else {
        finish_pass_fail(manifest, judgement);
    }
}

/* What is known of `group` and the groups around it: is its score fixed at what it is now? A group
 * that waits for a dependency is not fixed before one of the dependency's cases was rejected. */
static bool group_is_lost(const struct manifest *manifest, int32_t group,
                          const struct tallies *tallies) {
    if (is_cut_off(manifest, group, tallies)) {
        return true;
    }
    for (int32_t g = group; g >= 0; g = manifest->groups[g].parent) {
        const struct manifest_group *row = &manifest->groups[g];
        const struct tally *tally = &tallies->at[g + 1];
        bool lost_by_part =
            (row->aggregation == AGGREGATE_PASS_FAIL && tally->has_reject) ||
            (row->aggregation == AGGREGATE_MIN && tally->known > 0 && tally->low == 0);
        if (lost_by_part) {
            return true;
        }
        for (int32_t d = 0; d < row->depend_count; d++) {
            if (tallies->at[row->depends[d] + 1].has_reject) {
                return true;
            }
        }
    }
    return false;
}

bool scoring_case_matters(const struct manifest *manifest, const struct case_result *cases,
                          int32_t count, int32_t index) {
    CHECK(index >= 0 && index < manifest->case_count);
    if (!is_scoring(manifest)) {
        return first_rejected(cases, count) == VERDICT_NONE;
    }
    if (!case_counts(manifest, index)) {
        return true; /* samples are shown, whatever they are worth */
    }
    struct tallies tallies = {0};
    CHECK(manifest->group_count <= MANIFEST_GROUPS_MAX);
    add_cases(manifest, cases, count, &tallies);
    return !group_is_lost(manifest, manifest->cases[index].group, &tallies);
}

bool scoring_decided(const struct manifest *manifest, const struct case_result *cases,
                     int32_t count) {
    int32_t next = count > 0 ? cases[count - 1].index + 1 : 0;
    for (int32_t i = next; i < manifest->case_count; i++) {
        if (scoring_case_matters(manifest, cases, count, i)) {
            return false;
        }
    }
    return true;
}

/* The remainder that part `weight` leaves, out of `weight_sum`. */
static int64_t split_remainder(int64_t total, int64_t weight, int64_t weight_sum) {
    return (int64_t)((__int128)total * weight % weight_sum);
}

/* How many parts leave a remainder of at least `limit`. */
static int32_t count_remainders(int64_t total, const int64_t *weights, int32_t count,
                                int64_t weight_sum, int64_t limit) {
    int32_t found = 0;
    for (int32_t i = 0; i < count; i++) {
        found += split_remainder(total, weights[i], weight_sum) >= limit ? 1 : 0;
    }
    return found;
}

/* The largest limit that at least `wanted` remainders reach; needs no memory, unlike sorting. */
static int64_t remainder_limit(int64_t total, const int64_t *weights, int32_t count,
                               int64_t weight_sum, int32_t wanted) {
    int64_t low = 0; /* reached by all */
    int64_t high = weight_sum;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (count_remainders(total, weights, count, weight_sum, middle) >= wanted) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void split_equally(int64_t total, int32_t count, int64_t *parts) {
    for (int32_t i = 0; i < count; i++) {
        parts[i] = total / count + (i < total % count ? 1 : 0);
    }
}

void scoring_split(int64_t total_micro, const int64_t *weights, int32_t count, int64_t *ret_parts) {
    CHECK(total_micro >= 0);
    CHECK(count > 0);
    int64_t weight_sum = 0;
    int64_t left = total_micro;
    for (int32_t i = 0; i < count; i++) {
        CHECK(weights[i] >= 0);
        CHECK(!__builtin_add_overflow(weight_sum, weights[i], &weight_sum));
    }
    if (weight_sum == 0) {
        split_equally(total_micro, count, ret_parts);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        ret_parts[i] = (int64_t)((__int128)total_micro * weights[i] / weight_sum);
        left -= ret_parts[i];
    }
    /* Fewer than `count` units are left: the largest remainders get one each, the earlier part
     * first among equals. */
    CHECK(left >= 0 && left < count);
    if (left == 0) {
        return;
    }
    int64_t limit = remainder_limit(total_micro, weights, count, weight_sum, (int32_t)left);
    int64_t above = count_remainders(total_micro, weights, count, weight_sum, limit + 1);
    int64_t at_limit = left - above;
    for (int32_t i = 0; i < count; i++) {
        int64_t remainder = split_remainder(total_micro, weights[i], weight_sum);
        if (remainder > limit || (remainder == limit && at_limit-- > 0)) {
            ret_parts[i]++;
        }
    }
}
