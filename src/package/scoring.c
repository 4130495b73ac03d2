/* Scoring problems: which groups there are, what their cases are worth, what groups make of it.
 *
 * Legacy: every folder of data/secret is a group; testdata.yaml says what an accepted case gives
 * (accept_score) and, as flags of the default grader, how a group sums up; all is inherited.
 * 2025-09: groups are the folders of data/secret with a test_group.yaml, each with max_score.
 * Drafts between them had `scoring: {score, aggregation, require_pass}` in testdata.yaml. */
#include "base/check.h"
#include "base/path.h"
#include "package/scoring_internal.h"

#define PROBLEM_FILE STR("problem.yaml")
#define WORD_BYTES_MAX 64
#define DEFAULT_MICRO INT64_C(1000000) /* accept_score where nobody says it: one point */
#define DEFAULT_MAX_MICRO INT64_C(100000000)
#define SECRET STR("secret")
#define SAMPLE STR("sample")

/* ---- what a file says ---- */

static bool points_of(const struct yaml *node, int64_t *ret_micro, struct err *err) {
    return yr_scaled(node, POINT_DIGITS, SCORE_MICRO_MAX - 1, ret_micro, err);
}

static bool read_accept(const struct yaml *map, struct score_settings *set, struct err *err) {
    const struct yaml *accept = yr_get(map, "accept_score");
    const struct yaml *reject = yr_get(map, "reject_score");
    int64_t rejected = 0;
    if (!yr_is_null(reject) && !points_of(reject, &rejected, err)) {
        return false;
    }
    if (rejected != 0) {
        return package_refuse_kind(err, str_from(reject->file), reject->line,
                                   "points for rejected cases (`reject_score`) are not given here");
    }
    if (yr_is_null(accept)) {
        return true;
    }
    set->has_accept = true;
    return points_of(accept, &set->accept_micro, err);
}

static bool is_infinite(struct str word) {
    if (word.len > 0 && (word.ptr[0] == '+' || word.ptr[0] == '-')) {
        word = str_sub(word, 1, SIZE_MAX);
    }
    return str_eq_nocase(word, STR("inf")) || str_eq_nocase(word, STR("infinity"));
}

/* "0 100", "-inf +inf" */
static bool read_range(const struct yaml *map, struct score_settings *set, struct err *err) {
    const struct yaml *node = yr_get(map, "range");
    struct str text = STR("");
    struct str low = STR("");
    struct str high = STR("");
    struct err ignored = {0};
    if (yr_is_null(node)) {
        return true;
    }
    if (!yr_str(node, WORD_BYTES_MAX, &text, err)) {
        return false;
    }
    if (!str_next_word(&text, &low) || !str_next_word(&text, &high) || str_trim(text).len > 0) {
        return yr_error(node, err, "`range` is two numbers with a space between them");
    }
    set->has_range = true;
    set->range_micro = SCORE_MICRO_MAX;
    if (str_starts(low, STR("-")) && !is_infinite(low)) {
        return package_refuse_kind(err, str_from(node->file), node->line,
                                   "scores below 0 (`range`) are not supported");
    }
    if (is_infinite(high)) {
        return true;
    }
    return str_to_scaled(high, POINT_DIGITS, SCORE_MICRO_MAX - 1, &set->range_micro, &ignored) ||
           yr_error(node, err, "`range` ends with a number of 0 or more, or inf");
}

static bool take_flag(const struct yaml *node, struct str flag, struct score_settings *set,
                      struct err *err) {
    static const struct {
        const char *name;
        enum score_aggregation aggregation;
        bool average;
    } modes[] = {{"sum", AGGREGATE_SUM, false},
                 {"avg", AGGREGATE_SUM, true},
                 {"min", AGGREGATE_MIN, false},
                 {"max", AGGREGATE_MAX, false}};
    /* They say which verdict a group has. Here points have none, and the verdict of the whole is
     * that of its points. */
    static const char *const verdicts[] = {"worst_error", "first_error", "no_errors",
                                           "always_accept", "accept_if_any_accepted"};
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (str_eq_c(flag, modes[i].name)) {
            set->aggregation = modes[i].aggregation;
            set->average = modes[i].average;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
        if (str_eq_c(flag, verdicts[i])) {
            return true;
        }
    }
    if (str_eq_c(flag, "ignore_sample")) {
        set->ignore_sample = true;
        return true;
    }
    return package_refuse_kind(err, str_from(node->file), node->line,
                               "the default grader has no flag `" STR_FMT "`", STR_ARG(flag));
}

static bool read_grader(struct package_reader *reader, const struct yaml *map,
                        struct score_settings *set, struct err *err) {
    const struct yaml *grading = yr_get(map, "grading");
    const struct yaml *flags = yr_get(map, "grader_flags");
    struct str words = STR("");
    struct str word = STR("");
    if (!yr_is_null(grading) && !str_eq_c(grading->text, "default")) {
        return package_refuse_kind(err, str_from(grading->file), grading->line,
                                   "a grader program of its own is not run here: say what it does "
                                   "by grader_flags (sum, avg, min, max)");
    }
    if (yr_is_null(flags)) {
        return true;
    }
    set->aggregation = AGGREGATE_SUM;
    set->average = false;
    if (!yaml_words(reader, flags, &words, err)) {
        return false;
    }
    while (str_next_word(&words, &word)) {
        if (!take_flag(flags, word, set, err)) {
            return false;
        }
    }
    return true;
}

static bool read_reject(const struct yaml *map, struct score_settings *set, struct err *err) {
    const struct yaml *node = yr_get(map, "on_reject");
    if (yr_is_null(node)) {
        return true;
    }
    set->stop = str_eq_c(node->text, "break");
    return set->stop || str_eq_c(node->text, "continue") ||
           yr_error(node, err, "`on_reject` is break or continue");
}

static bool read_aggregation(const struct yaml *node, struct score_settings *set, struct err *err) {
    static const struct {
        const char *name;
        enum score_aggregation aggregation;
    } rows[] = {{"pass-fail", AGGREGATE_PASS_FAIL}, {"sum", AGGREGATE_SUM}, {"min", AGGREGATE_MIN}};
    if (yr_is_null(node)) {
        return true;
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (node->kind == YR_SCALAR && str_eq_c(node->text, rows[i].name)) {
            set->aggregation = rows[i].aggregation;
            return true;
        }
    }
    return yr_error(node, err, "`%.*s` is pass-fail, sum or min", (int)node->key.len,
                    node->key.ptr);
}

static bool read_maximum(const struct yaml *node, struct score_settings *set, struct err *err) {
    if (yr_is_null(node)) {
        return true;
    }
    set->has_max = true;
    if (node->kind == YR_SCALAR && str_eq_c(node->text, "unbounded")) {
        return package_refuse_kind(err, str_from(node->file), node->line,
                                   "scores without a maximum are not supported: give a number");
    }
    return points_of(node, &set->max_micro, err);
}

/* The keys of 2025-09, or the map `scoring` of the drafts before it. */
static bool read_new(struct package_reader *reader, const struct yaml *map,
                     struct score_settings *set, struct err *err) {
    const struct yaml *draft = yr_get(map, "scoring");
    const struct yaml *fixed = yr_get(map, "static_validation_score");
    if (!yr_is_null(fixed)) {
        return package_refuse_kind(err, str_from(fixed->file), fixed->line,
                                   "static validators are not run here");
    }
    bool is_draft = !yr_is_null(draft);
    const struct yaml *from = is_draft ? draft : map;
    return read_maximum(yr_get(from, is_draft ? "score" : "max_score"), set, err) &&
           read_aggregation(yr_get(from, is_draft ? "aggregation" : "score_aggregation"), set,
                            err) &&
           yaml_words(reader, yr_get(from, "require_pass"), &set->needs, err);
}

static struct str settings_file(const struct package_reader *reader, struct str folder,
                                const char *name) {
    return str_from(arena_printf(reader->arena, "data%s" STR_FMT "/%s", folder.len > 0 ? "/" : "",
                                 STR_ARG(folder), name));
}

/* ---- the tree ---- */

static int32_t find_node(const struct score_tree *tree, struct str folder) {
    for (int32_t i = tree->count - 1; i >= 0; i--) { /* neighbours come one after the other */
        if (str_eq(tree->nodes[i].folder, folder)) {
            return i;
        }
    }
    return -1;
}

static bool add_node(struct score_tree *tree, struct str folder, int32_t parent, struct err *err) {
    if (tree->count == SCORE_NODES_MAX) {
        return package_refuse(err, STR("data"), 0, "there are more than %d test groups",
                              MANIFEST_GROUPS_MAX);
    }
    struct score_node *node = &tree->nodes[tree->count++];
    *node = (struct score_node){.folder = folder, .parent = parent, .cap_micro = SCORE_MICRO_MAX};
    node->set.aggregation = AGGREGATE_SUM;
    node->set.needs = STR("");
    return true;
}

static struct str folder_of(struct str name) {
    struct str folder = STR("");
    struct str base = STR("");
    return str_cut_last(name, '/', &folder, &base) ? folder : STR("");
}

static bool is_scoring(const struct package_reader *reader) {
    return (reader->problem.manifest.kinds & PROBLEM_SCORING) != 0;
}

static bool has_own_program(const struct package_reader *reader) {
    const struct manifest *manifest = &reader->problem.manifest;
    return manifest->checker.kind == CHECKER_PROGRAM || manifest->interactor.language.len > 0;
}

/* ---- legacy ---- */

static bool read_legacy(struct package_reader *reader, struct str file, struct score_settings *set,
                        struct err *err) {
    const struct yaml *root = NULL;
    own(arena) arena = arena_create(YAML_ARENA_BYTES);
    return yaml_file_again(reader, file, arena, &root, err) &&
           (root == NULL || (read_accept(root, set, err) && read_range(root, set, err) &&
                             read_grader(reader, root, set, err) && read_reject(root, set, err)));
}

/* `grading` of problem.yaml holds the objective, and in old packages what the root's file may. */
static bool read_grading(struct package_reader *reader, struct score_settings *set,
                         struct err *err) {
    const struct yaml *root = NULL;
    own(arena) arena = arena_create(YAML_ARENA_BYTES);
    if (!yaml_file_again(reader, PROBLEM_FILE, arena, &root, err)) {
        return false;
    }
    const struct yaml *grading = yr_get(root, "grading");
    const struct yaml *objective = yr_get(grading, "objective");
    if (!yr_is_null(objective) && !str_eq_c(objective->text, "max")) {
        return package_refuse_kind(err, PROBLEM_FILE, objective->line,
                                   "problems where less is better (`objective: min`) are not "
                                   "supported");
    }
    return yr_is_null(grading) || (read_accept(grading, set, err) && read_range(grading, set, err));
}

/* Every folder with cases below it, and the folders around it. Each begins with what the one around
 * it says. */
static bool ensure_legacy(struct score_tree *tree, struct str folder, int32_t *ret_node,
                          struct err *err) {
    struct str path[PACKAGE_PATH_BYTES_MAX / 2];
    size_t depth = 0;
    int32_t parent = -1;
    for (struct str at = folder; parent < 0; at = folder_of(at)) {
        parent = find_node(tree, at);
        if (parent < 0) {
            CHECK(depth < sizeof(path) / sizeof(path[0]));
            path[depth++] = at;
        }
    }
    while (depth > 0) {
        struct str name = path[--depth];
        if (!add_node(tree, name, parent, err)) {
            return false;
        }
        struct score_node *node = &tree->nodes[tree->count - 1];
        node->set = tree->nodes[parent].set;
        struct str file = settings_file(tree->reader, name, "testdata.yaml");
        if (!read_legacy(tree->reader, file, &node->set, err)) {
            return false;
        }
        parent = tree->count - 1;
    }
    *ret_node = parent;
    return true;
}

/* Samples count where the package gives them points by name. */
static bool samples_count(struct score_tree *tree, bool *ret_count, struct err *err) {
    struct score_settings set = tree->nodes[0].set;
    bool ignored = set.ignore_sample;
    if (!read_legacy(tree->reader, settings_file(tree->reader, SAMPLE, "testdata.yaml"), &set,
                     err)) {
        return false;
    }
    *ret_count = !ignored && set.has_accept && set.accept_micro > 0;
    if (!ignored && !set.has_accept) {
        note_guessed(tree->reader, "samples give no points, since no accept_score is theirs");
    }
    return true;
}

/* Without counting samples the problem is what secret makes of it; but only a group can stop early.
 */
static bool begin_legacy(struct score_tree *tree, bool samples, struct err *err) {
    struct score_settings set = tree->nodes[0].set;
    if (samples) {
        return true;
    }
    if (!read_legacy(tree->reader, settings_file(tree->reader, SECRET, "testdata.yaml"), &set,
                     err)) {
        return false;
    }
    if (!set.stop) {
        tree->nodes[0].folder = SECRET;
        tree->nodes[0].set = set;
    }
    return true;
}

/* DOMjudge gives a group's accept_score once, Kattis for each case; the mark of its own tells. */
static bool as_domjudge(const struct package_reader *reader) {
    return reader->score_marks ||
           package_tree_find(reader->tree, STR("domjudge-problem.ini")) != NULL;
}

static bool has_children(const struct score_tree *tree, int32_t n) {
    for (int32_t i = n + 1; i < tree->count; i++) {
        if (tree->nodes[i].parent == n) {
            return true;
        }
    }
    return false;
}

static bool has_cases(const struct score_tree *tree, int32_t n) {
    for (int32_t i = 0; i < tree->reader->problem.manifest.case_count; i++) {
        if (tree->node_of[i] == n) {
            return true;
        }
    }
    return false;
}

static bool value_legacy(struct score_tree *tree, int32_t n, bool *noted, struct err *err) {
    struct package_reader *reader = tree->reader;
    struct score_node *node = &tree->nodes[n];
    struct score_settings *set = &node->set;
    bool own = has_own_program(reader);
    node->cap_micro = set->has_range ? set->range_micro : SCORE_MICRO_MAX;
    node->case_micro = set->has_accept ? set->accept_micro : DEFAULT_MICRO;
    bool scores = own && (reader->validator_scores || reader->format != FORMAT_LEGACY);
    if (scores && !set->has_accept && node->cap_micro < SCORE_MICRO_MAX) {
        node->case_micro = node->cap_micro; /* what score.txt may say */
    } else if (reader->validator_scores && !set->has_accept && has_cases(tree, n)) {
        return package_refuse_kind(err, settings_file(reader, node->folder, "testdata.yaml"), 0,
                                   "the validator scores, and nothing says how much at most: give "
                                   "`range: 0 MAXIMUM` or accept_score");
    }
    if ((own && !set->has_accept) || has_children(tree, n) || !as_domjudge(reader)) {
        return true;
    }
    set->aggregation = AGGREGATE_PASS_FAIL;
    set->average = false;
    node->case_micro = 0;
    int64_t once = set->has_accept ? set->accept_micro : 0;
    node->cap_micro = once < node->cap_micro ? once : node->cap_micro;
    if (!*noted) {
        note_guessed(reader, "accept_score counts once for all cases of a group, as in DOMjudge");
    }
    *noted = true;
    return true;
}

static bool build_legacy(struct score_tree *tree, struct err *err) {
    const struct manifest *manifest = &tree->reader->problem.manifest;
    struct score_settings *root = &tree->nodes[0].set;
    bool samples = false;
    bool noted = false;
    root->stop = true; /* the format's default */
    if (!read_grading(tree->reader, root, err) ||
        !read_legacy(tree->reader, STR("data/testdata.yaml"), root, err) ||
        !samples_count(tree, &samples, err) || !begin_legacy(tree, samples, err)) {
        return false;
    }
    for (int32_t i = 0; i < manifest->case_count; i++) {
        bool counts = !manifest->cases[i].sample || samples;
        struct str folder = folder_of(manifest->cases[i].name);
        if (counts && !ensure_legacy(tree, folder, &tree->node_of[i], err)) {
            return false;
        }
    }
    for (int32_t n = 0; n < tree->count; n++) {
        if (!value_legacy(tree, n, &noted, err)) {
            return false;
        }
    }
    return true;
}

/* ---- 2025-09 and its drafts ---- */

/* *ret_any: the folder has such a file. */
static bool read_settings(struct score_tree *tree, struct str folder, struct score_settings *set,
                          bool *ret_any, struct err *err) {
    static const char *const names[] = {"test_group.yaml", "testdata.yaml"};
    struct package_reader *reader = tree->reader;
    *ret_any = false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !*ret_any; i++) {
        const struct yaml *root = NULL;
        own(arena) arena = arena_create(YAML_ARENA_BYTES);
        if (!yaml_file_again(reader, settings_file(reader, folder, names[i]), arena, &root, err) ||
            (root != NULL && !read_new(reader, root, set, err))) {
            return false;
        }
        *ret_any = root != NULL;
    }
    return true;
}

/* A folder directly in secret is a group when it has such a file. */
static struct str group_folder(struct str case_name) {
    struct str secret = STR("");
    struct str rest = STR("");
    struct str head = STR("");
    struct str tail = STR("");
    bool inside = str_cut(case_name, '/', &secret, &rest) && str_cut(rest, '/', &head, &tail);
    return inside ? str_sub(case_name, 0, secret.len + 1 + head.len) : STR("");
}

static bool new_group(struct score_tree *tree, struct str folder, int32_t *ret_node,
                      struct err *err) {
    struct score_settings set = {.aggregation = AGGREGATE_PASS_FAIL, .needs = STR("")};
    bool any = false;
    *ret_node = find_node(tree, folder);
    if (*ret_node >= 0) {
        return true;
    }
    if (folder.len == 0 || !read_settings(tree, folder, &set, &any, err) || !any) {
        *ret_node = 0;
        return err->kind == ERR_NONE;
    }
    if (!set.has_max) {
        return package_refuse_kind(err, settings_file(tree->reader, folder, "test_group.yaml"), 0,
                                   "max_score is missing: scores without a maximum are not "
                                   "supported");
    }
    *ret_node = tree->count;
    if (!add_node(tree, folder, 0, err)) {
        return false;
    }
    tree->nodes[*ret_node].set = set;
    tree->nodes[*ret_node].cap_micro = set.max_micro;
    return true;
}

/* What each case of a group can give: all of it in a minimum, its share of a sum. */
static void value_new(struct score_tree *tree) {
    for (int32_t n = 0; n < tree->count; n++) {
        struct score_node *node = &tree->nodes[n];
        int32_t cases = 0;
        for (int32_t i = 0; i < tree->reader->problem.manifest.case_count; i++) {
            cases += tree->node_of[i] == n ? 1 : 0;
        }
        node->case_micro = node->set.aggregation == AGGREGATE_PASS_FAIL ? 0 : node->set.max_micro;
        /* A sum of equal shares is an average of the whole. */
        node->set.average = node->set.aggregation == AGGREGATE_SUM && cases > 0;
    }
}

static bool has_word(struct str words, struct str wanted) {
    struct str word = STR("");
    while (str_next_word(&words, &word)) {
        if (str_eq(word, wanted)) {
            return true;
        }
    }
    return false;
}

static bool needs_samples(const struct score_tree *tree) {
    for (int32_t n = 0; n < tree->count; n++) {
        if (has_word(tree->nodes[n].set.needs, SAMPLE)) {
            return true;
        }
    }
    return false;
}

/* *ret_loose: some secret cases are in no group. */
static bool place_cases(struct score_tree *tree, bool samples, bool *ret_loose, struct err *err) {
    const struct manifest *manifest = &tree->reader->problem.manifest;
    struct score_node root = tree->nodes[0];
    bool loose = false;
    tree->count = 1;
    if (samples && !add_node(tree, SAMPLE, 0, err)) {
        return false;
    }
    if (samples) {
        tree->nodes[1].set.aggregation = AGGREGATE_PASS_FAIL; /* of no points */
        tree->nodes[1].cap_micro = 0;
    }
    for (int32_t i = 0; i < manifest->case_count; i++) {
        struct str folder = group_folder(manifest->cases[i].name);
        if (manifest->cases[i].sample) {
            tree->node_of[i] = samples ? 1 : -1;
        } else if (!new_group(tree, folder, &tree->node_of[i], err)) {
            return false;
        }
        loose = loose || tree->node_of[i] == 0;
    }
    tree->nodes[0] = root;
    *ret_loose = loose;
    return true;
}

/* What secret needs, each of its groups does. */
static bool check_new(struct score_tree *tree, bool loose, struct err *err) {
    const struct score_settings *root = &tree->nodes[0].set;
    struct str file = settings_file(tree->reader, SECRET, "test_group.yaml");
    if (root->needs.len > 0 && (loose || root->aggregation == AGGREGATE_MIN)) {
        return package_refuse_kind(err, file, 0,
                                   "require_pass is supported for groups: put the cases of secret "
                                   "into one");
    }
    for (int32_t n = 1; root->needs.len > 0 && n < tree->count; n++) {
        struct score_node *node = &tree->nodes[n];
        if (!str_eq(node->folder, SAMPLE)) {
            node->set.needs =
                str_from(arena_printf(tree->reader->arena, STR_FMT " " STR_FMT,
                                      STR_ARG(root->needs), STR_ARG(node->set.needs)));
        }
    }
    if (root->aggregation == AGGREGATE_MIN && needs_samples(tree)) {
        return package_refuse_kind(err, file, 0,
                                   "groups that need the samples do not go with a minimum of all");
    }
    return true;
}

static bool build_new(struct score_tree *tree, struct err *err) {
    struct score_settings *root = &tree->nodes[0].set;
    bool any = false;
    bool loose = false;
    root->max_micro = DEFAULT_MAX_MICRO;
    if (!read_settings(tree, SECRET, root, &any, err)) {
        return false;
    }
    tree->nodes[0].folder = SECRET;
    tree->nodes[0].cap_micro = root->max_micro;
    if (!place_cases(tree, false, &loose, err) || !check_new(tree, loose, err)) {
        return false;
    }
    if (loose && tree->count > 1) {
        return package_refuse(err, STR("data/secret"), 0,
                              "some cases are in groups (folders with test_group.yaml) and others "
                              "are not: it is all or none");
    }
    if (needs_samples(tree) &&
        (!place_cases(tree, true, &loose, err) || !check_new(tree, loose, err))) {
        return false;
    }
    value_new(tree);
    return true;
}

/* ---- into the manifest ---- */

/* "group1", "secret/group1", "sample" */
static bool find_needed(const struct score_tree *tree, struct str name, int32_t before,
                        int32_t *ret_node) {
    for (int32_t i = 1; i < before; i++) {
        struct str folder = tree->nodes[i].folder;
        if (str_eq(folder, name) || str_eq(path_base(folder), name)) {
            *ret_node = i;
            return true;
        }
    }
    return false;
}

/* Ascending, each once. */
static bool read_needs(const struct score_tree *tree, int32_t n, struct manifest_group *group,
                       struct err *err) {
    struct str words = tree->nodes[n].set.needs;
    struct str word = STR("");
    bool *wanted = arena_array(tree->reader->arena, SCORE_NODES_MAX, sizeof(wanted[0]));
    int32_t *depends = arena_array(tree->reader->arena, (size_t)n, sizeof(depends[0]));
    while (str_next_word(&words, &word)) {
        int32_t needed = 0;
        if (!find_needed(tree, word, n, &needed)) {
            return package_refuse(
                err, settings_file(tree->reader, tree->nodes[n].folder, "test_group.yaml"), 0,
                "require_pass names `" STR_FMT "`, which is no group before this one",
                STR_ARG(word));
        }
        wanted[needed] = true;
    }
    group->depends = depends;
    for (int32_t i = 1; i < n; i++) {
        if (wanted[i]) {
            depends[group->depend_count++] = i - 1;
        }
    }
    return true;
}

static bool write_group(const struct score_tree *tree, int32_t n, struct manifest_group *group,
                        struct err *err) {
    const struct score_node *node = &tree->nodes[n];
    *group = (struct manifest_group){.name = arena_str(tree->reader->arena, node->folder),
                                     .parent = node->parent - 1,
                                     .aggregation = node->set.aggregation,
                                     .score_micro = node->score_micro,
                                     .stop_on_reject = node->set.stop,
                                     .checker_args = STR("")};
    return read_needs(tree, n, group, err);
}

static bool write_all(struct score_tree *tree, struct err *err) {
    struct manifest *manifest = &tree->reader->problem.manifest;
    struct manifest_case *cases = (struct manifest_case *)(uintptr_t)manifest->cases;
    size_t room = (size_t)tree->count;
    struct manifest_group *groups = arena_array(tree->reader->arena, room, sizeof(groups[0]));
    for (int32_t n = 1; n < tree->count; n++) {
        if (!write_group(tree, n, &groups[n - 1], err)) {
            return false;
        }
    }
    for (int32_t i = 0; i < manifest->case_count; i++) {
        cases[i].group = tree->node_of[i] - (tree->node_of[i] >= 0 ? 1 : 0);
    }
    manifest->groups = groups;
    manifest->group_count = tree->count - 1;
    manifest->aggregation = tree->nodes[0].set.aggregation;
    manifest->score_micro = tree->nodes[0].score_micro;
    return true;
}

/* Which of the two it is, by what the files of groups hold; else by the version. */
static bool find_style(struct package_reader *reader, bool *ret_new, struct err *err) {
    size_t from = 0;
    size_t to = 0;
    bool is_old = false;
    bool is_new = false;
    package_tree_below(reader->tree, STR("data"), &from, &to);
    for (size_t i = from; i < to; i++) {
        struct str name = package_tree_at(reader->tree, i)->name;
        const struct yaml *root = NULL;
        if (str_eq_c(path_base(name), "test_group.yaml")) {
            is_new = true;
        }
        if (!str_eq_c(path_base(name), "testdata.yaml")) {
            continue;
        }
        own(arena) arena = arena_create(YAML_ARENA_BYTES);
        if (!yaml_file_again(reader, name, arena, &root, err)) {
            return false;
        }
        is_new = is_new || !yr_is_null(yr_get(root, "scoring"));
        is_old = true;
    }
    *ret_new = is_new || (!is_old && reader->format != FORMAT_LEGACY);
    return true;
}

bool scoring_read(struct package_reader *reader, struct err *err) {
    struct score_tree tree = {.reader = reader};
    bool is_new = false;
    if (!is_scoring(reader)) {
        return true;
    }
    if ((reader->problem.manifest.kinds & PROBLEM_SQL) != 0) {
        return package_refuse(err, PROBLEM_FILE, 0, "an SQL problem is pass-fail");
    }
    size_t cases = (size_t)reader->problem.manifest.case_count;
    tree.nodes = arena_array(reader->arena, SCORE_NODES_MAX, sizeof(tree.nodes[0]));
    tree.node_of = arena_array(reader->arena, cases, sizeof(tree.node_of[0]));
    for (size_t i = 0; i < cases; i++) {
        tree.node_of[i] = -1;
    }
    if (!add_node(&tree, STR(""), -1, err) || !find_style(reader, &is_new, err) ||
        !(is_new ? build_new(&tree, err) : build_legacy(&tree, err)) ||
        !scoring_points(&tree, err) || !write_all(&tree, err)) {
        return false;
    }
    if (reader->problem.manifest.score_micro == 0) {
        note_warning(reader, STR("data"), 0, "nothing in it gives a point");
    }
    return true;
}
