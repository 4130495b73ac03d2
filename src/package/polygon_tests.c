/* The tests of a Polygon package: files by a pattern of names, groups, points; and for a standard
 * package, by which generator an input is made. */
#include "package/polygon_internal.h"

#include "base/check.h"
#include "base/path.h"
#include <stdio.h>
#include <string.h>

#define MARK STR("problem.xml")

static const struct xml *find_testset(const struct xml *root) {
    const struct xml *first = xml_path(root, "judging/testset");
    for (const struct xml *set = first; set != NULL; set = xml_next(set)) {
        if (str_eq_c(xml_attribute(set, "name"), "tests")) {
            return set;
        }
    }
    return first;
}

static bool number_of(const struct xml *set, const char *name, int64_t min, int64_t max,
                      int64_t *ret_value, struct err *err) {
    const struct xml *node = xml_child(set, name);
    struct err ignored = {0};
    if (node == NULL) {
        return package_refuse(err, MARK, set->line, "<%s> is missing", name);
    }
    if (!str_to_i64(node->text, min, max, ret_value, &ignored)) {
        return package_refuse(err, MARK, node->line, "<%s> is no number from %lld to %lld", name,
                              (long long)min, (long long)max);
    }
    return true;
}

static bool read_limits(struct builder *builder, const struct xml *set, struct err *err) {
    struct manifest_limits *limits = &builder->reader->problem.manifest.limits;
    int64_t bytes = 0;
    if (!number_of(set, "time-limit", TIME_LIMIT_MS_MIN, TIME_LIMIT_MS_MAX, &limits->time_ms,
                   err) ||
        !number_of(set, "memory-limit", (int64_t)MEMORY_LIMIT_KIB_MIN * KIB,
                   (int64_t)MEMORY_LIMIT_KIB_MAX * KIB, &bytes, err)) {
        return false;
    }
    limits->memory_kib = bytes / KIB;
    builder->reader->problem.time_limit_given = true;
    return true;
}

/* "tests/%02d.a": only such patterns, so that no format of a package is ever printed by. */
static bool name_by(struct builder *builder, const struct xml *set, const char *key, int number,
                    struct str *ret_name, struct err *err) {
    const struct xml *node = xml_child(set, key);
    struct str head = STR("");
    struct str tail = STR("");
    int64_t width = 0;
    struct err ignored = {0};
    if (node == NULL) {
        return package_refuse(err, MARK, set->line, "<%s> is missing", key);
    }
    bool ok = str_cut(node->text, '%', &head, &tail);
    size_t digits = 0;
    while (digits < tail.len && tail.ptr[digits] >= '0' && tail.ptr[digits] <= '9') {
        digits++;
    }
    ok = ok && digits < tail.len && tail.ptr[digits] == 'd' &&
         (digits == 0 || str_to_i64(str_sub(tail, 0, digits), 0, 9, &width, &ignored));
    if (!ok) {
        return package_refuse(err, MARK, node->line, "expected a pattern such as tests/%%02d");
    }
    *ret_name =
        str_from(arena_printf(builder->reader->arena, STR_FMT "%0*d" STR_FMT, STR_ARG(head),
                              (int)width, number, STR_ARG(str_sub(tail, digits + 1, tail.len))));
    return true;
}

/* ---- groups ---- */

static int32_t find_group(const struct builder *builder, struct str name) {
    for (int32_t i = 0; i < builder->group_count; i++) {
        if (str_eq(builder->groups[i].name, name)) {
            return i;
        }
    }
    return -1;
}

static bool points_of(const struct xml *node, int64_t *ret_micro, struct err *err) {
    struct str text = xml_attribute(node, "points");
    struct err ignored = {0};
    *ret_micro = 0;
    if (text.len == 0 || build_points(text, ret_micro, &ignored)) {
        return true;
    }
    return package_refuse(err, MARK, node->line, "`points` is no number of at least 0");
}

static bool read_dependencies(struct builder *builder, const struct xml *node,
                              struct manifest_group *group, struct err *err) {
    const struct xml *row = xml_path(node, "dependencies/dependency");
    int32_t index = builder->group_count - 1;
    bool *wanted = arena_array(builder->reader->arena, (size_t)index + 1, sizeof(wanted[0]));
    int32_t *depends = arena_array(builder->reader->arena, (size_t)index + 1, sizeof(depends[0]));
    for (; row != NULL; row = xml_next(row)) {
        int32_t other = find_group(builder, xml_attribute(row, "group"));
        if (other < 0 || other >= index) {
            return polygon_refuse(row, err, "a group depends on groups that stand before it");
        }
        wanted[other] = true;
    }
    for (int32_t i = 0; i < index; i++) {
        if (wanted[i]) {
            depends[group->depend_count++] = i;
        }
    }
    group->depends = depends;
    return true;
}

static bool read_group(struct builder *builder, const struct xml *node, struct err *err) {
    struct manifest_group *group = NULL;
    struct str name = xml_attribute(node, "name");
    bool whole = str_eq_c(xml_attribute(node, "points-policy"), "complete-group");
    if (find_group(builder, name) >= 0) {
        return polygon_refuse(node, err, "two groups have this name");
    }
    return build_group(builder, name, whole ? AGGREGATE_PASS_FAIL : AGGREGATE_SUM, &group, err) &&
           points_of(node, &group->score_micro, err) &&
           read_dependencies(builder, node, group, err);
}

/* Groups that tests name, but that nothing describes: each test has its points. */
static bool add_named_groups(struct builder *builder, const struct xml *set, struct err *err) {
    const struct xml *test = xml_path(set, "tests/test");
    for (; test != NULL; test = xml_next(test)) {
        struct manifest_group *group = NULL;
        struct str name = xml_attribute(test, "group");
        if (name.len > 0 && find_group(builder, name) < 0 &&
            !build_group(builder, name, AGGREGATE_SUM, &group, err)) {
            return false;
        }
    }
    return true;
}

static bool has_points(const struct xml *set) {
    const struct xml *test = xml_path(set, "tests/test");
    const struct xml *group = xml_path(set, "groups/group");
    struct err ignored = {0};
    int64_t micro = 0;
    for (; test != NULL; test = xml_next(test)) {
        if (points_of(test, &micro, &ignored) && micro > 0) {
            return true;
        }
    }
    for (; group != NULL; group = xml_next(group)) {
        if (points_of(group, &micro, &ignored) && micro > 0) {
            return true;
        }
    }
    return false;
}

static bool read_groups(struct builder *builder, const struct xml *set, struct err *err) {
    const struct xml *node = xml_path(set, "groups/group");
    build_scoring(builder);
    for (; node != NULL; node = xml_next(node)) {
        if (!read_group(builder, node, err)) {
            return false;
        }
    }
    return add_named_groups(builder, set, err);
}

/* A group is worth what its tests are worth together, however that is given out. */
static void sum_groups(struct builder *builder) {
    for (int32_t g = 0; g < builder->group_count; g++) {
        int64_t sum = 0;
        for (int32_t i = 0; i < builder->case_count; i++) {
            sum += builder->cases[i].group == g ? builder->cases[i].score_micro : 0;
        }
        struct manifest_group *group = &builder->groups[g];
        group->score_micro = sum > 0 ? sum : group->score_micro;
        for (int32_t i = 0; i < builder->case_count; i++) {
            bool whole = builder->cases[i].group == g && group->aggregation == AGGREGATE_PASS_FAIL;
            builder->cases[i].score_micro = whole ? 0 : builder->cases[i].score_micro;
        }
    }
}

/* ---- tests ---- */

struct generator {
    struct str name;
    struct manifest_program program;
};

struct tests {
    struct builder *builder;
    const struct xml *root;
    const struct xml *set;
    struct generator *generators;
    size_t generator_count;
};

#define GENERATORS_MAX 200

/* By the name of its source without folder and extension, as scripts call it. */
static bool find_generator(struct tests *tests, const struct xml *test, struct str name,
                           const struct manifest_program **ret_program, struct err *err) {
    const struct xml *node = xml_path(tests->root, "files/executables/executable");
    for (size_t i = 0; i < tests->generator_count; i++) {
        if (str_eq(tests->generators[i].name, name)) {
            *ret_program = &tests->generators[i].program;
            return true;
        }
    }
    for (; node != NULL; node = xml_next(node)) {
        struct str base = path_base(xml_attribute(xml_child(node, "source"), "path"));
        struct str stem = str_sub(base, 0, base.len - path_extension(base).len);
        if (!str_eq(stem, name) || tests->generator_count == GENERATORS_MAX) {
            continue;
        }
        struct generator *generator = &tests->generators[tests->generator_count++];
        generator->name = name;
        *ret_program = &generator->program;
        return polygon_program(tests->builder, node, &generator->program, err);
    }
    return package_refuse(err, MARK, test->line, "there is no generator `" STR_FMT "`",
                          STR_ARG(name));
}

static bool add_recipe(struct tests *tests, const struct xml *test, bool input, struct err *err) {
    struct package_recipe recipe = {.answer = true, .args = STR(""), .input = {.bytes = -1}};
    struct str args = xml_attribute(test, "cmd");
    struct str name = STR("");
    if (input) {
        if (!str_next_word(&args, &name)) {
            return polygon_refuse(test, err,
                                  "the input of this test is missing, and no generator makes it");
        }
        if (!find_generator(tests, test, name, &recipe.generator, err)) {
            return false;
        }
        recipe.args = str_trim(args);
    }
    return build_recipe(tests->builder, &recipe, err);
}

static bool put_files(struct tests *tests, const struct xml *test, int number,
                      struct manifest_case *row, struct err *err) {
    struct package_reader *reader = tests->builder->reader;
    struct str name = STR("");
    struct str answer_name = STR("");
    if (!name_by(tests->builder, tests->set, "input-path-pattern", number, &name, err) ||
        !name_by(tests->builder, tests->set, "answer-path-pattern", number, &answer_name, err)) {
        return false;
    }
    const struct package_file *input = package_tree_find(reader->tree, name);
    const struct package_file *answer = package_tree_find(reader->tree, answer_name);
    if ((input != NULL && !content_put_data(reader, input, &row->input, err)) ||
        (answer != NULL && !content_put_data(reader, answer, &row->answer, err))) {
        return false;
    }
    if (row->sample && input != NULL && answer != NULL &&
        !build_sample_files(tests->builder, input, answer, err)) {
        return false;
    }
    if (input != NULL && answer != NULL) {
        note_read(reader, name);
        return true;
    }
    return add_recipe(tests, test, input == NULL, err);
}

static bool read_test(struct tests *tests, const struct xml *test, int number, struct err *err) {
    struct builder *builder = tests->builder;
    struct manifest_case *row = NULL;
    bool scored = (builder->reader->problem.manifest.kinds & PROBLEM_SCORING) != 0;
    bool sample = str_eq_c(xml_attribute(test, "sample"), "true");
    const char *name = arena_printf(builder->reader->arena, "%02d", number);
    if (!build_case(builder, str_from(name), sample, &row, err)) {
        return false;
    }
    if (scored) {
        row->group = find_group(builder, xml_attribute(test, "group"));
        if (!points_of(test, &row->score_micro, err)) {
            return false;
        }
    }
    return put_files(tests, test, number, row, err);
}

static bool check_count(struct tests *tests, int count, struct err *err) {
    int64_t declared = count;
    if (xml_child(tests->set, "test-count") != NULL &&
        !number_of(tests->set, "test-count", 0, MANIFEST_CASES_MAX, &declared, err)) {
        return false;
    }
    if (declared != count) {
        note_warning(tests->builder->reader, MARK, tests->set->line,
                     "<test-count> says %lld, but %d tests are described", (long long)declared,
                     count);
    }
    return true;
}

bool polygon_tests_read(struct builder *builder, const struct xml *root, struct err *err) {
    struct tests tests = {.builder = builder, .root = root, .set = find_testset(root)};
    int number = 0;
    if (tests.set == NULL) {
        return polygon_refuse(root, err, "there is no <testset>");
    }
    tests.generators =
        arena_array(builder->reader->arena, GENERATORS_MAX, sizeof(struct generator));
    if (!read_limits(builder, tests.set, err) ||
        (has_points(tests.set) && !read_groups(builder, tests.set, err))) {
        return false;
    }
    const struct xml *test = xml_path(tests.set, "tests/test");
    for (; test != NULL; test = xml_next(test)) {
        if (!read_test(&tests, test, ++number, err)) {
            return false;
        }
    }
    sum_groups(builder);
    if (builder->recipe_count > 0) {
        note_guessed(builder->reader,
                     "%d of %d tests are made by the package's generators and main solution",
                     builder->recipe_count, builder->case_count);
    }
    return check_count(&tests, number, err);
}
