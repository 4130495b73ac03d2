#include "data/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct arena *arena;

static int make_arena(void **state) {
    (void)state;
    arena = arena_create(YR_ARENA_BYTES);
    return 0;
}

static int free_arena(void **state) {
    (void)state;
    arena_free(arena);
    return 0;
}

static const struct yaml *parsed(const char *text) {
    const struct yaml *root = NULL;
    struct err err = {0};
    if (!yr_parse(arena, "problem.yaml", str_from(text), &root, &err)) {
        fail_msg("%s", err.text);
    }
    return root;
}

static void a_document_becomes_a_tree_with_lines(void **state) {
    (void)state;
    const struct yaml *root = parsed("# a comment\n"
                                     "name: Hello World\n"
                                     "limits:\n"
                                     "  time: 1.5\n"
                                     "  memory: 256\n"
                                     "keywords: [graph, 'two words']\n"
                                     "list:\n"
                                     "  - one\n"
                                     "  - {a: 1}\n");

    assert_int_equal(root->kind, YR_MAP);
    assert_int_equal(root->count, 4);
    const struct yaml *limits = yr_get(root, "limits");
    assert_int_equal(limits->kind, YR_MAP);
    assert_int_equal(yr_get(limits, "memory")->line, 5);
    assert_true(str_eq(yr_get(limits, "memory")->key, STR("memory")));
    const struct yaml *keywords = yr_get(root, "keywords");
    assert_int_equal(keywords->count, 2);
    assert_false(keywords->first->quoted);
    assert_true(keywords->first->next->quoted);
    assert_true(str_eq(keywords->first->next->text, STR("two words")));
    const struct yaml *second = yr_get(root, "list")->first->next;
    assert_int_equal(second->kind, YR_MAP);
    assert_int_equal(second->line, 9);
    assert_null(yr_get(root, "nothing"));
    assert_null(yr_get(keywords, "graph"));
}

static void an_empty_document_is_an_empty_map(void **state) {
    (void)state;
    static const char *const texts[] = {"",        "\n\n", "# only a comment\n", "---\n",
                                        "--- ~\n", "null", "\xef\xbb\xbf"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        const struct yaml *root = parsed(texts[i]);
        assert_int_equal(root->kind, YR_MAP);
        assert_int_equal(root->count, 0);
    }
}

static void bad_documents_are_refused_with_file_and_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"a: 1\nb: [1, 2\nc: 3\n", "problem.yaml:3: "},
        {"a: b: c\n", "problem.yaml:1: mapping values are not allowed in this context"},
        {"a: 1\n  b: 2\n", "problem.yaml:2: "},
        {"a:\n\t- 1\n", "problem.yaml:2: found character that cannot start any token"},
        {"a: 'x\n", "problem.yaml:2: "},
        {"a: &x 1\n", "problem.yaml:1: anchors (&name) are not allowed: write the value out"},
        {"a: 1\nb: *x\n", "problem.yaml:2: aliases (*name) are not allowed: write the value out"},
        {"a: 1\nb: !python/object:os.system x\n",
         "problem.yaml:2: tags (!name) are not allowed here: leave the tag out"},
        {"a: !!binary aGk=\n",
         "problem.yaml:1: tags (!name) are not allowed here: leave the tag out"},
        {"a: !!str [1]\n", "problem.yaml:1: tags (!name) are not allowed here: leave the tag out"},
        {"a: 1\n---\nb: 2\n", "problem.yaml:2: there is a second document"},
        {"--- ~\n---\nb: 2\n", "problem.yaml:2: there is a second document"},
        {"a: 1\nb: 2\na: 3\n", "problem.yaml:3: key `a` is given twice"},
        {"a: 1\n\"a\": 3\n", "problem.yaml:2: key `a` is given twice"},
        {"x: {b: 1, b: 1}\n", "problem.yaml:1: key `b` is given twice"},
        {"[a]: 1\n", "problem.yaml:1: a key must be plain text"},
        {"? {a: 1}\n: 2\n", "problem.yaml:1: a key must be plain text"},
        {"?\n: 1\n", "problem.yaml:1: a key is missing before the colon"},
        {"a: 1\nb: \xff\n", "problem.yaml:2: this is not UTF-8"},
        {"a: 1\nb: \x01\n", "problem.yaml:2: control characters are not allowed"},
        {"%YAML 9.0\n---\na: 1\n", "problem.yaml:1: found incompatible YAML document"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct yaml *root = NULL;
        struct err err = {0};
        assert_false(yr_parse(arena, "problem.yaml", str_from(cases[i].text), &root, &err));
        assert_int_equal(err.kind, ERR_INVALID);
        assert_string_equal(err.code, "bad_yaml");
        if (!str_starts(str_from(err.text), str_from(cases[i].error))) {
            fail_msg("case %zu: \"%s\" instead of \"%s\"", i, err.text, cases[i].error);
        }
        assert_null(root);
    }
}

static void core_tags_are_fine(void **state) {
    (void)state;
    const struct yaml *root = parsed("a: !!str 12\nb: !!int 3\nc: !!seq [1]\nd: !!map {x: 1}\n");

    assert_true(yr_get(root, "a")->quoted);
    assert_false(yr_get(root, "b")->quoted);
}

static void append_times(struct buf *out, const char *text, int times) {
    for (int i = 0; i < times; i++) {
        assert_true(buf_append_c(out, text));
    }
}

static bool parses(struct str text, struct err *err) {
    const struct yaml *root = NULL;
    own(arena) own_arena = arena_create(YR_ARENA_BYTES);
    return yr_parse(own_arena, "x.yaml", text, &root, err);
}

static void depth_size_and_number_are_bounded(void **state) {
    (void)state;
    own_buf text;
    buf_init(&text, 4 * MIB);
    struct err err = {0};

    append_times(&text, "[", YAML_DEPTH_MAX);
    append_times(&text, "]", YAML_DEPTH_MAX);
    assert_true(parses(buf_str(&text), &err));

    buf_clear(&text);
    append_times(&text, "[", YAML_DEPTH_MAX + 1);
    append_times(&text, "]", YAML_DEPTH_MAX + 1);
    assert_false(parses(buf_str(&text), &err));
    assert_string_equal(err.text, "x.yaml:1: the value is nested too deeply");

    buf_clear(&text);
    append_times(&text, "- x\n", YAML_NODES_MAX - 1);
    assert_true(parses(buf_str(&text), &err));
    append_times(&text, "- x\n", 1);
    assert_false(parses(buf_str(&text), &err));
    assert_string_equal(err.text, "x.yaml:20000: there are too many values");

    buf_clear(&text);
    append_times(&text, "#", YAML_BYTES_MAX);
    assert_true(parses(buf_str(&text), &err));
    append_times(&text, "#", 1);
    assert_false(parses(buf_str(&text), &err));
    assert_string_equal(err.text, "x.yaml has 1048577 bytes; at most 1048576 are allowed");
}

static void the_largest_documents_fit_the_promised_arena(void **state) {
    (void)state;
    own_buf text;
    buf_init(&text, 4 * MIB);
    struct err err = {0};

    for (int i = 0; i < YAML_NODES_MAX / 2 - 1; i++) { /* many keys, all of them different */
        buf_printf(&text, "key%dxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: \"%050d\"\n", i, i);
    }
    assert_true(text.len < YAML_BYTES_MAX);
    assert_true(parses(buf_str(&text), &err));

    buf_clear(&text);
    buf_append_char(&text, '"');
    append_times(&text, "\\L", YAML_BYTES_MAX / 2 - 2); /* each grows from two bytes to three */
    buf_append_char(&text, '"');
    assert_true(parses(buf_str(&text), &err));
}

static void scalars_are_read_by_type(void **state) {
    (void)state;
    const struct yaml *root = parsed("n: 12\nq: '12'\nb: true\ny: Yes\noff: off\nd: 1.50\ns: a b\n"
                                     "block: |\n  two\n  lines\nempty: ''\n");
    struct err err = {0};
    int64_t n = 0;
    bool b = false;
    struct str s = STR("");

    assert_true(yr_i64(yr_get(root, "n"), 0, 12, &n, &err));
    assert_int_equal(n, 12);
    assert_true(yr_i64(yr_get(root, "q"), 0, 12, &n, &err));
    assert_true(yr_bool(yr_get(root, "b"), &b, &err));
    assert_true(b);
    assert_true(yr_bool(yr_get(root, "off"), &b, &err));
    assert_false(b);
    assert_true(yr_bool(yr_get(root, "y"), &b, &err));
    assert_true(b);
    assert_true(yr_scaled(yr_get(root, "d"), 3, 5000, &n, &err));
    assert_int_equal(n, 1500);
    assert_true(yr_str(yr_get(root, "s"), 3, &s, &err));
    assert_true(str_eq(s, STR("a b")));
    assert_true(yr_str(yr_get(root, "block"), 99, &s, &err));
    assert_true(str_eq(s, STR("two\nlines\n")));
    assert_true(yr_str(yr_get(root, "empty"), 0, &s, &err));
    assert_int_equal(s.len, 0);
    assert_true(yr_str(yr_get(root, "n"), 9, &s, &err)); /* a number is text where text is wanted */
}

/* Reads `f` of the map in one of the ways. */
static bool read_f(const struct yaml *root, const char *way, struct err *err) {
    const struct yaml *node = NULL;
    int64_t n = 0;
    bool b = false;
    struct str s = STR("");
    if (strcmp(way, "i64") == 0) {
        return yr_opt_i64(root, "f", 0, 9, &n, err);
    }
    if (strcmp(way, "bool") == 0) {
        return yr_opt_bool(root, "f", &b, err);
    }
    if (strcmp(way, "str") == 0) {
        return yr_opt_str(root, "f", 3, &s, err);
    }
    if (strcmp(way, "scaled") == 0) {
        return yr_opt_scaled(root, "f", 2, 500, &n, err);
    }
    if (strcmp(way, "list") == 0) {
        return yr_opt_list(root, "f", 2, &node, err);
    }
    return yr_need(root, "f", &node, err);
}

static void errors_name_file_line_and_key(void **state) {
    (void)state;
    static const struct {
        const char *text, *way, *error;
    } cases[] = {
        {"\nf: x", "i64", "p.yaml:2: f: \"x\" is not a whole number from 0 to 9"},
        {"f: 10", "i64", "p.yaml:1: f: \"10\" is not a whole number from 0 to 9"},
        {"f: [1]", "i64", "p.yaml:1: `f` must be a whole number"},
        {"f: maybe", "bool", "p.yaml:1: `f` must be true or false"},
        {"f: {}", "str", "p.yaml:1: `f` must be text"},
        {"f: abcd", "str", "p.yaml:1: `f` must be at most 3 bytes long"},
        {"f: \"a\\0\"", "str", "p.yaml:1: `f` must be text without the character U+0000"},
        {"f: 1e3", "scaled",
         "p.yaml:1: f: \"1e3\" is not a decimal number such as 1.5 with at most 2 decimals"},
        {"f: x", "list", "p.yaml:1: `f` must be a list"},
        {"f: [1,2,3]", "list", "p.yaml:1: `f` must be a list of at most 2 items"},
        {"x: 1", "need", "p.yaml:1: `f` is missing"},
        {"x: 1\nf:\n", "need", "p.yaml:2: `f` is missing"},
        {"- 1", "i64", "p.yaml:1: the value must be a map (`name: value` lines)"},
        {"text", "need", "p.yaml:1: the value must be a map (`name: value` lines)"},
        {"f:", "i64", ""},
        {"f: ~", "bool", ""},
        {"f: null", "str", ""},
        {"x: 1", "list", ""},
        {"f:", "scaled", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct yaml *root = NULL;
        struct err err = {0};
        assert_true(yr_parse(arena, "p.yaml", str_from(cases[i].text), &root, &err));

        bool fine = read_f(root, cases[i].way, &err);

        assert_int_equal(fine, cases[i].error[0] == '\0');
        assert_string_equal(err.text, cases[i].error);
    }
}

static void a_null_is_no_value_unless_it_is_quoted(void **state) {
    (void)state;
    const struct yaml *root = parsed("a:\nb: ~\nc: null\nd: 'null'\ne: ''\nf: []\n");
    struct err err = {0};
    struct str s = STR("kept");

    assert_true(yr_is_null(yr_get(root, "a")));
    assert_true(yr_is_null(yr_get(root, "b")));
    assert_true(yr_is_null(yr_get(root, "c")));
    assert_false(yr_is_null(yr_get(root, "d")));
    assert_false(yr_is_null(yr_get(root, "e")));
    assert_false(yr_is_null(yr_get(root, "f")));
    assert_true(yr_is_null(NULL));
    assert_false(yr_str(yr_get(root, "a"), 9, &s, &err));
    assert_string_equal(err.text, "problem.yaml:1: `a` must be text");
    assert_false(yr_i64(yr_get(root, "c"), 0, 9, &(int64_t){0}, &err));
    assert_false(yr_scaled(yr_get(root, "c"), 2, 9, &(int64_t){0}, &err));
    assert_true(yr_opt_str(root, "b", 9, &s, &err));
    assert_true(str_eq(s, STR("kept")));
}

static void items_without_a_key_are_called_the_value(void **state) {
    (void)state;
    const struct yaml *root = parsed("- 1\n- x\n");
    struct err err = {0};
    int64_t n = 0;
    int count = 0;

    for (YR_EACH(item, root)) {
        count++;
        if (count == 2) {
            assert_false(yr_i64(item, 0, 9, &n, &err));
        }
    }

    assert_int_equal(count, 2);
    assert_string_equal(err.text, "problem.yaml:2: \"x\" is not a whole number from 0 to 9");
    for (YR_EACH(item, yr_get(root, "nothing"))) {
        fail_msg("%d", item->line);
    }
}

static void unknown_keys_are_refused_with_the_nearest_known(void **state) {
    (void)state;
    static const char *const known[] = {"validation", "limits", NULL};
    const struct yaml *root = parsed("limits: 1\nvaldiation: default\n");
    struct err err = {0};

    assert_false(yr_refuse_unknown(root, known, &err));
    assert_string_equal(err.text, "problem.yaml:2: `valdiation` is not known here (did you mean "
                                  "`validation`?)");
    assert_true(yr_refuse_unknown(parsed("limits: 1\n"), known, &err));
    assert_false(yr_refuse_unknown(parsed("[1]"), known, &err));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_arena, free_arena)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_document_becomes_a_tree_with_lines),
        TEST(an_empty_document_is_an_empty_map),
        TEST(bad_documents_are_refused_with_file_and_line),
        TEST(core_tags_are_fine),
        TEST(depth_size_and_number_are_bounded),
        TEST(the_largest_documents_fit_the_promised_arena),
        TEST(scalars_are_read_by_type),
        TEST(errors_name_file_line_and_key),
        TEST(a_null_is_no_value_unless_it_is_quoted),
        TEST(items_without_a_key_are_called_the_value),
        TEST(unknown_keys_are_refused_with_the_nearest_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
