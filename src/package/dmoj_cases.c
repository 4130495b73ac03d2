/* The test cases of a DMOJ package: a list of cases and batches, or patterns of names. */
#include "package/dmoj_internal.h"

#include "base/path.h"
#include "package/hydro_internal.h"
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define MICRO_MAX INT64_C(1000000000000)
#define PATTERN_BYTES_MAX 256
#define GROUPS_MAX 16
#define NAME_BYTES_MAX 256

/* ---- one case ---- */

static bool points_of(struct dmoj *dmoj, const struct yaml *node, int64_t *ret_micro,
                      struct err *err) {
    const struct yaml *points = dmoj_get(dmoj, node, "points");
    *ret_micro = 0;
    return yr_is_null(points) || yr_scaled(points, 6, MICRO_MAX, ret_micro, err);
}

/* With a generator, an input that is not there is what it prints, and the answer what it prints on
 * standard error. */
static bool add_recipe(struct dmoj *dmoj, const struct yaml *node, bool has_answer,
                       struct err *err) {
    const struct yaml *input = yr_get(node, "generator_in");
    struct package_recipe recipe = {
        .generator = dmoj->generator, .input = {.bytes = -1}, .answer_from_errors = !has_answer};
    if (!yaml_words(dmoj->builder->reader, yr_get(node, "generator_args"), &recipe.args, err) ||
        (!yr_is_null(input) && !dmoj_put(dmoj, input, &recipe.input, err))) {
        return false;
    }
    return build_recipe(dmoj->builder, &recipe, err);
}

static bool put_data(struct dmoj *dmoj, const struct yaml *node, struct manifest_case *row,
                     struct err *err) {
    const struct yaml *in = yr_get(node, "in");
    const struct yaml *out = yr_get(node, "out");
    struct package_reader *reader = dmoj->builder->reader;
    bool has_in = !yr_is_null(in);
    bool has_out = !yr_is_null(out);
    if ((has_in && !dmoj_put(dmoj, in, &row->input, err)) ||
        (has_out && !dmoj_put(dmoj, out, &row->answer, err))) {
        return false;
    }
    if (dmoj->generator != NULL && (!has_in || !yr_is_null(yr_get(node, "generator_args")))) {
        return add_recipe(dmoj, node, has_out, err);
    }
    /* What is not named is empty. */
    return (has_in || content_put_text(reader, STR(""), false, &row->input, err)) &&
           (has_out || content_put_text(reader, STR(""), false, &row->answer, err));
}

static bool add_case(struct dmoj *dmoj, const struct yaml *node, struct str name, int32_t group,
                     int64_t micro, struct err *err) {
    struct manifest_case *row = NULL;
    if (!yr_map(node, err) || !build_case(dmoj->builder, name, false, &row, err)) {
        return false;
    }
    row->group = group;
    row->score_micro = micro;
    return put_data(dmoj, node, row, err);
}

static struct str number_name(struct dmoj *dmoj, int a, int b) {
    struct arena *arena = dmoj->builder->reader->arena;
    return str_from(a > 0 ? arena_printf(arena, "%d.%d", a, b) : arena_printf(arena, "%d", b));
}

/* ---- batches ---- */

/* A batch's points count only when all of its cases pass; what a checker gives each of them bounds
 * the whole. */
static bool open_batch(struct dmoj *dmoj, int64_t micro, int32_t *ret_group, struct err *err) {
    struct manifest_group *group = NULL;
    const char *name = arena_printf(dmoj->builder->reader->arena, "batch%d", dmoj->batches + 1);
    *ret_group = dmoj->builder->group_count;
    if (!build_group(dmoj->builder, str_from(name), AGGREGATE_MIN, &group, err)) {
        return false;
    }
    group->score_micro = micro;
    dmoj->batch_groups[dmoj->batches++] = *ret_group;
    return true;
}

static bool read_dependencies(struct dmoj *dmoj, const struct yaml *node, int32_t index,
                              struct err *err) {
    const struct yaml *list = NULL;
    struct manifest_group *group = &dmoj->builder->groups[index];
    bool *wanted = arena_array(dmoj->builder->reader->arena, (size_t)index + 1, sizeof(wanted[0]));
    int32_t *depends =
        arena_array(dmoj->builder->reader->arena, (size_t)index + 1, sizeof(depends[0]));
    if (!yr_opt_list(node, "dependencies", MANIFEST_GROUPS_MAX, &list, err)) {
        return false;
    }
    for (YR_EACH(item, list)) {
        int64_t number = 0;
        if (!yr_i64(item, 1, MANIFEST_GROUPS_MAX, &number, err)) {
            return false;
        }
        if (number >= dmoj->batches) {
            return yr_error(item, err, "a batch depends on batches that stand before it");
        }
        wanted[dmoj->batch_groups[number - 1]] = true;
    }
    for (int32_t i = 0; i < index; i++) {
        if (wanted[i]) {
            depends[group->depend_count++] = i;
        }
    }
    group->depends = depends;
    return true;
}

static bool read_batch(struct dmoj *dmoj, const struct yaml *node, int number, struct err *err) {
    const struct yaml *list = yr_get(node, "batched");
    int64_t micro = 0;
    int32_t group = 0;
    int inner = 0;
    if (!points_of(dmoj, node, &micro, err) || !yr_list(list, MANIFEST_CASES_MAX, err) ||
        !open_batch(dmoj, micro, &group, err) || !read_dependencies(dmoj, node, group, err)) {
        return false;
    }
    for (YR_EACH(item, list)) {
        if (!add_case(dmoj, item, number_name(dmoj, number, ++inner), group, micro, err)) {
            return false;
        }
    }
    return inner > 0 || yr_error(node, err, "this batch has no cases");
}

static bool read_list(struct dmoj *dmoj, const struct yaml *list, struct err *err) {
    int number = 0;
    for (YR_EACH(item, list)) {
        int64_t micro = 0;
        number++;
        if (!yr_map(item, err)) {
            return false;
        }
        if (!yr_is_null(yr_get(item, "batched"))) {
            if (!read_batch(dmoj, item, number, err)) {
                return false;
            }
            continue;
        }
        if (!points_of(dmoj, item, &micro, err) ||
            !add_case(dmoj, item, number_name(dmoj, 0, number), -1, micro, err)) {
            return false;
        }
    }
    return true;
}

/* ---- by patterns ---- */

struct pattern {
    regex_t regex;
    int batch; /* number of the group with this name; 0: none */
    int number;
};

static const struct piece {
    const char *python, *posix;
} pieces[] = {{"(?P<batch>", "("},
              {"(?P<case>", "("},
              {"(?:", "("},
              {"\\d", "[0-9]"},
              {"\\w", "[A-Za-z0-9_]"}};

/* One of the pieces above at the front of `text`; its length, else 0. */
static size_t take_piece(struct str text, struct buf *out, struct pattern *pattern, int *groups) {
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        if (!str_starts(text, str_from(pieces[i].python))) {
            continue;
        }
        *groups += pieces[i].posix[0] == '(' ? 1 : 0;
        pattern->batch = i == 0 ? *groups : pattern->batch;
        pattern->number = i == 1 ? *groups : pattern->number;
        buf_append_c(out, pieces[i].posix);
        return strlen(pieces[i].python);
    }
    return 0;
}

/* What POSIX reads as Python does: one character, or one behind a backslash; 0 for what it would
 * not. Braces and back references are refused: they can cost more than any list of names is worth.
 */
static size_t take_plain(struct str text, int *groups) {
    bool escaped = text.ptr[0] == '\\';
    if (text.ptr[0] == '{' || str_starts(text, STR("(?")) ||
        (escaped && (text.len < 2 || (text.ptr[1] >= '0' && text.ptr[1] <= '9')))) {
        return 0;
    }
    *groups += text.ptr[0] == '(' ? 1 : 0;
    return escaped ? 2 : 1;
}

/* Python's spelling into POSIX'. */
static bool translate(struct str text, struct buf *out, struct pattern *pattern) {
    int groups = 0;
    while (text.len > 0) {
        size_t taken = take_piece(text, out, pattern, &groups);
        if (taken == 0) {
            taken = take_plain(text, &groups);
            buf_append(out, str_sub(text, 0, taken));
        }
        if (taken == 0) {
            return false;
        }
        text = str_sub(text, taken, text.len);
    }
    return groups < GROUPS_MAX;
}

static bool compile(const struct yaml *map, const char *key, struct pattern *pattern,
                    struct err *err) {
    const struct yaml *node = NULL;
    struct str text = STR("");
    own_buf posix;
    buf_init(&posix, KIB * 4);
    if (!yr_need(map, key, &node, err) || !yr_str(node, PATTERN_BYTES_MAX, &text, err)) {
        return false;
    }
    bool anchored = str_starts(text, STR("^"));
    buf_append_c(&posix, anchored ? "" : "^");
    if (!translate(text, &posix, pattern) || pattern->number == 0) {
        return yr_error(node, err,
                        "this pattern is not understood: it needs a group (?P<case>...), and may "
                        "have no braces or back references");
    }
    if (!str_ends(text, STR("$"))) {
        buf_append_char(&posix, '$');
    }
    if (regcomp(&pattern->regex, buf_c(&posix), REG_EXTENDED) != 0) {
        return yr_error(node, err, "this pattern is not understood");
    }
    return true;
}

struct found {
    const struct package_file *file;
    struct str batch;
    struct str number;
};

static struct str group_text(struct str name, const regmatch_t *match, int index) {
    if (index == 0 || match[index].rm_so < 0) {
        return STR("");
    }
    return str_sub(name, (size_t)match[index].rm_so,
                   (size_t)(match[index].rm_eo - match[index].rm_so));
}

static int compare_found(const void *a, const void *b) {
    const struct found *first = a;
    const struct found *second = b;
    int order = build_compare_natural(first->batch, second->batch);
    return order != 0 ? order : build_compare_natural(first->number, second->number);
}

static size_t find_all(const struct package_tree *tree, const struct pattern *pattern,
                       struct found *found) {
    size_t count = 0;
    for (size_t i = 0; i < package_tree_count(tree); i++) {
        const struct package_file *file = package_tree_at(tree, i);
        regmatch_t match[GROUPS_MAX + 1];
        char name[NAME_BYTES_MAX];
        struct err ignored = {0};
        if (!str_to_c(file->name, name, sizeof(name), &ignored) ||
            regexec(&pattern->regex, name, GROUPS_MAX + 1, match, 0) != 0) {
            continue;
        }
        found[count++] = (struct found){.file = file,
                                        .batch = group_text(file->name, match, pattern->batch),
                                        .number = group_text(file->name, match, pattern->number)};
    }
    if (count > 0) {
        qsort(found, count, sizeof(found[0]), compare_found);
    }
    return count;
}

static bool put_found(struct dmoj *dmoj, const struct package_tree *tree,
                      const struct package_file *file, struct blob_ref *ret_blob, struct err *err) {
    struct package_reader *reader = dmoj->builder->reader;
    const struct package_tree *before = reader->tree;
    note_read(reader, file->name);
    reader->tree = tree;
    bool ok = content_put_data(reader, file, ret_blob, err);
    reader->tree = before;
    return ok;
}

struct matched {
    const struct package_tree *tree;
    struct found *inputs;
    size_t input_count;
    struct found *outputs;
    size_t output_count;
    const struct yaml *points; /* list, one for each batch or loose case */
};

static bool next_points(struct matched *matched, int64_t *ret_micro, struct err *err) {
    *ret_micro = 1000000;
    if (matched->points == NULL) {
        return true;
    }
    const struct yaml *node = matched->points;
    matched->points = node->next != NULL ? node->next : node;
    return yr_scaled(node, 6, MICRO_MAX, ret_micro, err);
}

static bool add_found(struct dmoj *dmoj, const struct matched *matched, const struct found *input,
                      int32_t group, int64_t micro, struct err *err) {
    struct manifest_case *row = NULL;
    struct str name = input->number;
    if (group >= 0) {
        name = str_from(arena_printf(dmoj->builder->reader->arena, STR_FMT "." STR_FMT,
                                     STR_ARG(input->batch), STR_ARG(input->number)));
    }
    if (!build_case(dmoj->builder, name, false, &row, err)) {
        return false;
    }
    row->group = group;
    row->score_micro = micro;
    for (size_t i = 0; i < matched->output_count; i++) {
        const struct found *output = &matched->outputs[i];
        if (compare_found(input, output) == 0) {
            return put_found(dmoj, matched->tree, input->file, &row->input, err) &&
                   put_found(dmoj, matched->tree, output->file, &row->answer, err);
        }
    }
    return package_refuse(err, input->file->name, 0,
                          "its answer is missing: no name fits `output_format`");
}

static bool add_all(struct dmoj *dmoj, struct matched *matched, struct err *err) {
    struct str batch = STR("");
    int32_t group = -1;
    int64_t micro = 0;
    for (size_t i = 0; i < matched->input_count; i++) {
        const struct found *input = &matched->inputs[i];
        bool batched = input->batch.len > 0;
        bool begins = batched && !str_eq(input->batch, batch);
        if ((begins || !batched) && !next_points(matched, &micro, err)) {
            return false;
        }
        if (begins && !open_batch(dmoj, micro, &group, err)) {
            return false;
        }
        batch = input->batch;
        if (!add_found(dmoj, matched, input, batched ? group : -1, micro, err)) {
            return false;
        }
    }
    return true;
}

static bool read_matched(struct dmoj *dmoj, const struct yaml *map, struct pattern *input,
                         struct pattern *output, struct err *err) {
    struct arena *arena = dmoj->builder->reader->arena;
    struct matched matched = {.tree = dmoj->archive != NULL ? dmoj->archive
                                                            : dmoj->builder->reader->tree};
    const struct yaml *points = NULL;
    size_t room = package_tree_count(matched.tree);
    matched.inputs = arena_array(arena, room, sizeof(struct found));
    matched.outputs = arena_array(arena, room, sizeof(struct found));
    if (!yr_opt_list(map, "case_points", MANIFEST_CASES_MAX, &points, err)) {
        return false;
    }
    matched.points = points == NULL ? NULL : points->first;
    matched.input_count = find_all(matched.tree, input, matched.inputs);
    matched.output_count = find_all(matched.tree, output, matched.outputs);
    return add_all(dmoj, &matched, err);
}

static bool read_patterns(struct dmoj *dmoj, const struct yaml *map, struct err *err) {
    struct pattern input = {.batch = 0};
    struct pattern output = {.batch = 0};
    if (!compile(map, "input_format", &input, err)) {
        return false;
    }
    bool ok = compile(map, "output_format", &output, err);
    if (ok) {
        ok = read_matched(dmoj, map, &input, &output, err);
        regfree(&output.regex);
    }
    regfree(&input.regex);
    return ok;
}

/* ---- by names ---- */

static bool read_names(struct dmoj *dmoj, struct err *err) {
    struct package_reader *reader = dmoj->builder->reader;
    const struct package_tree *tree = dmoj->archive != NULL ? dmoj->archive : reader->tree;
    struct hydro_pair *pairs = NULL;
    size_t count = 0;
    hydro_pairs(tree, STR(""), reader->arena, &pairs, &count);
    note_guessed(reader, "cases, from the names of files: %zu, one point each", count);
    for (size_t i = 0; i < count; i++) {
        struct manifest_case *row = NULL;
        if (!build_case(dmoj->builder, number_name(dmoj, 0, (int)i + 1), false, &row, err)) {
            return false;
        }
        row->score_micro = 1000000;
        if (pairs[i].answer == NULL) {
            return package_refuse(err, pairs[i].input->name, 0, "its answer is missing");
        }
        if (!put_found(dmoj, tree, pairs[i].input, &row->input, err) ||
            !put_found(dmoj, tree, pairs[i].answer, &row->answer, err)) {
            return false;
        }
    }
    return true;
}

bool dmoj_cases_read(struct dmoj *dmoj, struct err *err) {
    const struct yaml *node = yr_get(dmoj->root, "test_cases");
    build_scoring(dmoj->builder);
    if (yr_is_null(node)) {
        return read_names(dmoj, err);
    }
    if (node->kind == YR_MAP) {
        return read_patterns(dmoj, node, err);
    }
    return yr_list(node, MANIFEST_CASES_MAX, err) && read_list(dmoj, node, err);
}
