/* YAML as data/yaml.h reads it.
 *
 * Holds: a tree has at most YAML_NODES_MAX nodes and YAML_DEPTH_MAX levels, its counts are right,
 * its lines lie within the text and its keys are unique; it fits the arena that yr_parse promises,
 * and reading again gives the same; a refusal names the file and is UTF-8; no accessor trips over
 * any node. */
#include "base/check.h"
#include "data/yaml.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

struct seen {
    size_t nodes;
    int line_max;
};

static void check_scalar(const struct yaml *node) {
    struct err err = {0};
    int64_t number = 0;
    bool flag = false;
    struct str text = STR("");
    CHECK(node->first == NULL);
    CHECK(str_is_utf8(node->text));
    if (yr_i64(node, INT64_MIN, INT64_MAX, &number, &err)) {
        CHECK(!yr_is_null(node));
    }
    if (yr_scaled(node, 6, INT64_MAX, &number, &err)) {
        CHECK(number >= 0);
    }
    if (yr_str(node, 10, &text, &err)) {
        CHECK(text.len <= 10);
        CHECK(!str_has_nul(text));
    }
    if (yr_bool(node, &flag, &err)) {
        CHECK(node->text.len <= 5);
    }
    CHECK(err.kind == ERR_NONE || str_starts(str_from(err.text), STR("fuzz.yaml:")));
}

/* Recursion is bounded by the reader's limit on depth, which is what is checked here. */
static void check_node(const struct yaml *node, int depth, struct seen *seen) {
    seen->nodes++;
    CHECK(node->line >= 1);
    CHECK(node->line <= seen->line_max);
    if (node->kind == YR_SCALAR) {
        check_scalar(node);
        return;
    }
    CHECK(depth < YAML_DEPTH_MAX);
    size_t children = 0;
    for (YR_EACH(child, node)) {
        children++;
        CHECK(node->kind == YR_MAP || child->key.len == 0);
        /* Looking for the first of its name finds the child itself: there is no second. */
        if (node->kind == YR_MAP && children <= 100 && !str_has_nul(child->key)) {
            CHECK(yr_get(node, child->key.ptr) == child);
        }
        check_node(child, depth + 1, seen);
    }
    CHECK(children == node->count);
}

static bool same(const struct yaml *a, const struct yaml *b) {
    if (a->kind != b->kind || a->count != b->count || a->line != b->line ||
        a->quoted != b->quoted || !str_eq(a->text, b->text) || !str_eq(a->key, b->key)) {
        return false;
    }
    const struct yaml *other = b->first;
    for (YR_EACH(child, a)) {
        if (!same(child, other)) {
            return false;
        }
        other = other->next;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct str text = str_of(bytes, count);
    own(arena) arena = arena_create(YR_ARENA_BYTES);
    own(arena) other = arena_create(YR_ARENA_BYTES);
    const struct yaml *root = NULL;
    const struct yaml *again = NULL;
    struct err err = {0};
    if (!yr_parse(arena, "fuzz.yaml", text, &root, &err)) {
        CHECK(err.kind == ERR_INVALID);
        CHECK(strcmp(err.code, "bad_yaml") == 0);
        CHECK(str_is_utf8(str_from(err.text)));
        CHECK(str_starts(str_from(err.text), STR("fuzz.yaml")));
        return 0;
    }
    struct seen seen = {.line_max = 2};
    for (size_t i = 0; i < text.len; i++) {
        /* Every byte that may belong to one of YAML's line breaks. */
        unsigned char c = (unsigned char)text.ptr[i];
        seen.line_max += c == '\n' || c == '\r' || c == 0x85 || c == 0xa8 || c == 0xa9 ? 1 : 0;
    }
    check_node(root, 0, &seen);
    CHECK(seen.nodes <= YAML_NODES_MAX);
    CHECK(yr_parse(other, "fuzz.yaml", text, &again, &err));
    CHECK(same(root, again));
    return 0;
}
