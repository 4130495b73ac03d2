/* The self-test of SQL in the real box: a node's own programs pass, and each of them that gives
 * something else is found and named. SQLite's; those of MariaDB are shown by tests/fault. */
#include "world.h"

#include "node/check.h"

/* clang-format off */
static const struct trial {
    const char *part;
    const char *text; /* what stands there instead */
} trials[] = {
    {"accepted",  "SELECT 4"},
    {"wrong",     "SELECT 3"},
    {"writing",   "INSERT INTO t VALUES (7)"},
    {"again",     "SELECT 4"},
    {"time",      "SELECT 3"},
    {"memory",    "SELECT 3"},
    {"crash",     "SELECT 3"},
    {"forbidden", "SELECT 3"},
    {"speed",     "SELECT 4"},
    {"schema",    "CREATE TABLE other (a INT)"}, /* the problem's own statements */
};
/* clang-format on */
#define PARTS "accepted wrong writing again time memory crash forbidden speed"

static bool go_on(void *context, const struct judge_progress *progress) {
    (void)progress;
    return context == NULL;
}

/* Languages with SQLite alone, whose self-test is `text`. */
static struct language_set *sqlite_with(const char *text, struct arena *arena) {
    static const char *const kept[] = {"language.yaml", "hello.sql"};
    struct language_set *set = NULL;
    struct err err = {0};
    const char *folder = arena_printf(arena, "%s/set/sqlite", world.folder);
    assert_true(file_make_dirs(folder, 0700, &err));
    for (size_t i = 0; i < 2; i++) {
        own_buf content;
        buf_init(&content, MIB);
        const char *from =
            arena_printf(arena, "%s/languages/sqlite/%s", getenv("ASSIZE_SOURCE_ROOT"), kept[i]);
        assert_true(file_load(from, MIB, &content, &err));
        struct str rest = buf_str(&content);
        struct str line = {0};
        own_buf kept_text;
        buf_init(&kept_text, MIB);
        while (str_next_line(&rest, &line)) { /* the language that it varies is not here */
            (void)(str_starts(line, STR("variant_of:")) || buf_append(&kept_text, line));
            (void)buf_append_char(&kept_text, '\n');
        }
        assert_true(file_save_atomic(arena_printf(arena, "%s/%s", folder, kept[i]),
                                     buf_str(&kept_text), 0600, &err));
    }
    assert_true(file_save_atomic(arena_printf(arena, "%s/selftest.sql", folder), str_from(text),
                                 0600, &err));
    if (!language_set_load(arena_printf(arena, "%s/set", world.folder), &set, &err)) {
        fail_msg("%s", err.text);
    }
    return set;
}

static struct check_report run(const char *text, struct arena *arena) {
    own(language_set) languages = sqlite_with(text, arena);
    struct check_report report = {0};
    struct err err = {0};
    struct judge *judge =
        judge_create(&(struct judge_options){.box = world.box, .languages = languages});
    struct node_options node = {.pool = "mysql", .judge = judge, .languages = languages};
    struct check_options options = {.node = &node, .go_on = go_on};
    if (!check_run(&options, arena, &report, &err)) {
        fail_msg("%s", err.text);
    }
    judge_free(judge);
    return report;
}

static const char *shipped(struct arena *arena) {
    own_buf content;
    struct err err = {0};
    buf_init(&content, MIB);
    assert_true(file_load(
        arena_printf(arena, "%s/languages/sqlite/selftest.sql", getenv("ASSIZE_SOURCE_ROOT")), MIB,
        &content, &err));
    return arena_cstr(arena, buf_str(&content));
}

static void the_known_programs_pass_and_are_measured(void **state) {
    (void)state;
    own(arena) arena = arena_create((size_t)64 * MIB);

    struct check_report report = run(shipped(arena), arena);

    if (!report.passed) {
        fail_msg(STR_FMT, STR_ARG(report.message));
    }
    assert_int_equal(report.program_count, 9);
    assert_true(report.speed_permille > 0);
}

/* The text with another content of one part, and only the programs that it may change. */
static const char *changed(const struct trial *trial, struct arena *arena) {
    bool of_all = strcmp(trial->part, "schema") == 0;
    own_buf out;
    buf_init(&out, MIB);
    (void)buf_printf(&out, "-- assize-lacks:");
    struct str words = STR(PARTS);
    struct str word = {0};
    while (str_next_word(&words, &word)) {
        if (!str_eq_c(word, of_all ? "accepted" : trial->part)) {
            (void)buf_printf(&out, " " STR_FMT, STR_ARG(word));
        }
    }
    (void)buf_append_char(&out, '\n');
    const char *mark = arena_printf(arena, "-- assize-part: %s", trial->part);
    struct str rest = str_from(shipped(arena));
    struct str line = {0};
    bool inside = false;
    while (str_next_line(&rest, &line)) {
        inside = str_starts(line, STR("-- assize-part:")) ? str_eq_c(line, mark) : inside;
        (void)(!inside && buf_printf(&out, STR_FMT "\n", STR_ARG(line)));
        if (str_eq_c(line, mark)) {
            (void)buf_printf(&out, "%s\n%s;\n", mark, trial->text);
        }
    }
    assert_false(out.full);
    return arena_cstr(arena, buf_str(&out));
}

static void each_that_differs_is_found_and_named(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
        own(arena) arena = arena_create((size_t)64 * MIB);
        const char *word = strcmp(trials[i].part, "schema") == 0 ? "accepted" : trials[i].part;

        struct check_report report = run(changed(&trials[i], arena), arena);

        const char *named = arena_printf(arena, "sqlite, %s: ", word);
        if (report.passed || report.program_count != 1 ||
            !str_starts(report.message, str_from(named))) {
            fail_msg("%s: %d, " STR_FMT, trials[i].part, (int)report.program_count,
                     STR_ARG(report.message));
        }
    }
}

int main(void) {
    if (geteuid() != 0) {
        (void)printf("1..0 # SKIP the sandbox needs root\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_known_programs_pass_and_are_measured),
        cmocka_unit_test(each_that_differs_is_found_and_named),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
