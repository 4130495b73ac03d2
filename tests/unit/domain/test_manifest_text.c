/* The canonical form of a manifest: one manifest, one text. */
#include "domain/manifest.h"

#include "base/limits.h"
#include "base/random.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ARENA_BYTES (64 * (size_t)MIB)
#define SCORE_LIMIT 1000000000

static struct blob_ref blob(uint8_t fill, int64_t bytes) {
    struct blob_ref ref = {.bytes = bytes};
    memset(ref.sha256, fill, sizeof(ref.sha256));
    return ref;
}

static const struct manifest_file checker_files[] = {
    {STR("main.cpp"), {{0xaa, 0xbb}, 120}},
    {STR("sub dir/100%.h"), {{0x01}, 0}},
};
static const int32_t depends[] = {0};
static const struct manifest_group groups[] = {
    {.name = STR("secret/small"),
     .parent = -1,
     .aggregation = AGGREGATE_MIN,
     .score_micro = 40000000,
     .stop_on_reject = true},
    {.name = STR("secret/big"),
     .parent = -1,
     .aggregation = AGGREGATE_SUM,
     .score_micro = 60000000,
     .depends = depends,
     .depend_count = 1,
     .checker_args = STR("big=1")},
};
static const struct manifest_language_limit language_limits[] = {{STR("python"), 3000, 1000}};

/* Uses every field, list and spelling of the form. */
static void full_manifest(struct manifest *manifest, struct manifest_case cases[2],
                          struct manifest_include includes[1]) {
    manifest_defaults(manifest);
    manifest->kinds = PROBLEM_SCORING | PROBLEM_INTERACTIVE | PROBLEM_SQL;
    manifest->limits.languages = language_limits;
    manifest->limits.language_count = 1;
    manifest->checker = (struct manifest_checker){
        .kind = CHECKER_PROGRAM,
        .case_sensitive = true,
        .float_absolute = STR("1e-6"),
        .program = {.language = STR("cpp"),
                    .adapter = ADAPTER_ICPC,
                    .files = checker_files,
                    .file_count = 2,
                    .args = STR("a=1 b=2")},
    };
    manifest->interactor = (struct manifest_program){.language = STR("python"),
                                                     .adapter = ADAPTER_TESTLIB,
                                                     .entry = STR("main.cpp"),
                                                     .files = checker_files,
                                                     .file_count = 1,
                                                     .args = STR("-")};
    manifest->aggregation = AGGREGATE_SUM;
    manifest->run_all_cases = true;
    manifest->output_file = STR("\xe7\xad\x94.txt");
    manifest->languages = STR("c cpp");
    manifest->groups = groups;
    manifest->group_count = 2;
    cases[0] = (struct manifest_case){.name = STR("sample/1"),
                                      .sample = true,
                                      .group = -1,
                                      .input = blob(1, 4),
                                      .answer = blob(2, 2)};
    cases[1] = (struct manifest_case){.name = STR("secret/big/1"),
                                      .group = 1,
                                      .input = blob(3, 40000),
                                      .answer = {.bytes = -1},
                                      .score_micro = 60000000,
                                      .time_limit_ms = 2000,
                                      .memory_limit_kib = 65536,
                                      .args = STR("--n 3"),
                                      .checker_args = STR("x"),
                                      .files = checker_files,
                                      .file_count = 1};
    manifest->cases = cases;
    manifest->case_count = 2;
    includes[0] =
        (struct manifest_include){.language = STR("cpp"), .file = {STR("lib.h"), blob(5, 7)}};
    manifest->includes = includes;
    manifest->include_count = 1;
    manifest->sql.dialect = STR("sqlite");
    manifest->sql.ddl = blob(6, 10);
    manifest->sql.statements = STR("INSERT SELECT");
    manifest->sql.ordered = true;
    manifest->sql.rows_max = 1000;
}

/* clang-format off */
#define B32(byte) byte byte byte byte byte byte byte byte byte byte byte byte byte byte byte byte \
                  byte byte byte byte byte byte byte byte byte byte byte byte byte byte byte byte
#define ZEROS(n30) n30 "000000000000000000000000000000000000000000000000000000000000"
static const char golden[] =
    "assize-manifest 1\n"
    "kinds scoring+interactive+sql\n"
    "limits 1000 2097152 8192 128 60000 2097152 60000 2097152 8192 2 900000 1\n"
    "language-limit python 3000 1000\n"
    "checker program yes no 1e-6 -\n"
    "checker-program cpp icpc - a=1%20b=2 2\n"
    "file main.cpp " ZEROS("aabb") " 120\n"
    "file sub%20dir/100%25.h " ZEROS("0100") " 0\n"
    "interactor python testlib main.cpp %2D 1\n"
    "file main.cpp " ZEROS("aabb") " 120\n"
    "scoring sum 100000000 yes yes\n"
    "streams - %E7%AD%94.txt\n"
    "languages c%20cpp\n"
    "groups 2\n"
    "group secret/small -1 min 40000000 yes - 0\n"
    "group secret/big -1 sum 60000000 no big=1 1\n"
    "depend 0\n"
    "cases 2\n"
    "case sample/1 yes -1 " B32("01") " 4 " B32("02") " 2 0 0 0 - - 0\n"
    "case secret/big/1 no 1 " B32("03") " 40000 - -1 60000000 2000 65536 --n%203 x 1\n"
    "file main.cpp " ZEROS("aabb") " 120\n"
    "includes 1\n"
    "include cpp lib.h " B32("05") " 7\n"
    "sql sqlite " B32("06") " 10 - -1 0 - -1 - -1 yes no INSERT%20SELECT 1000 0\n";
/* clang-format on */

static void the_canonical_form_never_changes(void **state) {
    (void)state;
    struct manifest manifest;
    struct manifest_case cases[2];
    struct manifest_include includes[1];
    struct err err = {0};
    own_buf text;
    buf_init(&text, MANIFEST_BYTES_MAX);
    full_manifest(&manifest, cases, includes);

    assert_true(manifest_write(&manifest, &text, &err));

    assert_string_equal(buf_c(&text), golden);
}

static void what_was_written_is_read_and_written_again(void **state) {
    (void)state;
    struct manifest manifest;
    struct err err = {0};
    own(arena) arena = arena_create(ARENA_BYTES);
    own_buf text;
    buf_init(&text, MANIFEST_BYTES_MAX);

    bool ok = manifest_read(str_of(golden, sizeof(golden) - 1), arena, &manifest, &err);

    assert_string_equal(err.text, "");
    assert_true(ok);
    assert_true(manifest_write(&manifest, &text, &err));
    assert_string_equal(buf_c(&text), golden);
    assert_true(str_eq_c(manifest.interactor.args, "-"));
    assert_true(str_eq_c(manifest.output_file, "\xe7\xad\x94.txt"));
    assert_int_equal(manifest.groups[1].depends[0], 0);
    assert_int_equal(manifest.cases[1].answer.bytes, -1);
    assert_true(str_eq_c(manifest.cases[1].files[0].name, "main.cpp"));
}

/* A change of one byte is refused, or it is another manifest with another text. */
static void each_changed_byte_is_refused_or_means_something_else(void **state) {
    (void)state;
    char changed[sizeof(golden)];
    const char replacements[] = {'0', '9', 'a', 'A', ' ', '\n', '-', '%', '\0', '\xff'};
    int accepted = 0;

    for (size_t i = 0; i + 1 < sizeof(golden); i++) {
        for (size_t k = 0; k < sizeof(replacements); k++) {
            memcpy(changed, golden, sizeof(golden));
            if (changed[i] == replacements[k]) {
                continue;
            }
            changed[i] = replacements[k];
            struct manifest manifest;
            struct err err = {0};
            own(arena) arena = arena_create(ARENA_BYTES);
            own_buf text;
            buf_init(&text, MANIFEST_BYTES_MAX);
            if (manifest_read(str_of(changed, sizeof(golden) - 1), arena, &manifest, &err)) {
                accepted++;
                assert_true(manifest_write(&manifest, &text, &err));
                assert_memory_equal(buf_c(&text), changed, sizeof(golden) - 1);
            } else {
                assert_string_equal(err.code, "bad_manifest");
            }
        }
    }
    assert_true(accepted > 100); /* digits of digests and numbers: the test does test something */
}

static void each_shorter_text_is_refused(void **state) {
    (void)state;
    for (size_t len = 0; len + 1 < sizeof(golden); len++) {
        struct manifest manifest;
        struct err err = {0};
        own(arena) arena = arena_create(ARENA_BYTES);

        assert_false(manifest_read(str_of(golden, len), arena, &manifest, &err));
    }
}

static void mistakes_are_named_with_their_line(void **state) {
    (void)state;
    const struct {
        const char *text;
        const char *message;
    } rows[] = {
        {"", "manifest line 1: expected 'assize-manifest 1'"},
        {"assize-manifest 2\nkinds pass-fail\n", "manifest line 1: expected 'assize-manifest 1'"},
        {"assize-manifest 1\nlimits 1\n", "manifest line 2: expected 'kinds'"},
        {"assize-manifest 1\nkinds fun\n", "manifest line 2: unknown word"},
        {"assize-manifest 1\nkinds pass-fail\nlimits x\n",
         "manifest line 3: a number is missing or out of range"},
        {"assize-manifest 1\nkinds pass-fail 7\n", "manifest line 2: the line is too long"},
        {"assize-manifest 1\nkinds\n", "manifest line 2: a field is missing"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct manifest manifest;
        struct err err = {0};
        own(arena) arena = arena_create(ARENA_BYTES);
        assert_false(manifest_read(str_from(rows[i].text), arena, &manifest, &err));
        assert_string_equal(err.text, rows[i].message);
    }
}

/* The same golden text with one line replaced. */
static void with_line(const char *old, const char *new, struct buf *into) {
    const char *at = strstr(golden, old);
    assert_non_null(at);
    buf_append(into, str_of(golden, (size_t)(at - golden)));
    buf_append_c(into, new);
    buf_append_c(into, at + strlen(old));
}

static void other_spellings_of_the_same_manifest_are_refused(void **state) {
    (void)state;
    const struct {
        const char *old, *new;
    } rows[] = {
        {"kinds scoring+interactive", "kinds interactive+scoring"},
        {"limits 1000", "limits 01000"},
        {"limits 1000", "limits +1000"},
        {"limits 1000", "limits  1000"},
        {"100%25.h", "100%2525.h\n#"},
        {"-1 0 - -1 - -1 yes", "-1 0 - -1 - -01 yes"},
        {" %E7", " %e7"},
        {"main.cpp", "%6Dain.cpp"},
        {"includes 1\n", "includes 1 \n"},
        {" 1000 0\n", " 1000 0"},
        {" 1000 0\n", " 1000 0\n\n"},
        {" 1000 0\n", " 1000 0\r\n"},
        {"aabb", "AABB"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct manifest manifest;
        struct err err = {0};
        own(arena) arena = arena_create(ARENA_BYTES);
        own_buf text;
        buf_init(&text, MANIFEST_BYTES_MAX);
        with_line(rows[i].old, rows[i].new, &text);
        assert_false(manifest_read(buf_str(&text), arena, &manifest, &err));
        assert_string_equal(err.code, "bad_manifest");
    }
}

/* Random manifests */

static struct str random_text(const struct random *random, struct arena *arena) {
    char text[20];
    size_t len = 1 + (size_t)random_below(random, 19);
    for (size_t i = 0; i < len; i++) {
        text[i] = (char)('!' + random_below(random, '~' - '!' + 1));
        text[i] = text[i] == '/' || text[i] == '\\' || text[i] == '.' ? '%' : text[i];
    }
    return arena_str(arena, str_of(text, len));
}

static struct str numbered(struct arena *arena, int32_t index, struct str text) {
    return str_from(arena_printf(arena, "%05d" STR_FMT, index, STR_ARG(text)));
}

static struct blob_ref random_blob(const struct random *random) {
    struct blob_ref ref = {.bytes = random_below(random, 1000000)};
    random_fill(random, ref.sha256, sizeof(ref.sha256));
    return ref;
}

static const struct manifest_file *random_files(const struct random *random, struct arena *arena,
                                                int32_t count) {
    struct manifest_file *files = arena_array(arena, (size_t)count, sizeof(files[0]));
    for (int32_t i = 0; i < count; i++) {
        files[i].name = numbered(arena, i, random_text(random, arena));
        files[i].blob = random_blob(random);
    }
    return files;
}

static void random_groups(const struct random *random, struct arena *arena,
                          struct manifest *manifest) {
    int32_t count = (int32_t)random_below(random, 6);
    struct manifest_group *rows = arena_array(arena, (size_t)count, sizeof(rows[0]));
    for (int32_t i = 0; i < count; i++) {
        int32_t *needs = arena_array(arena, (size_t)i, sizeof(needs[0]));
        for (int32_t k = 0; k < i; k++) {
            needs[k] = k;
        }
        rows[i] = (struct manifest_group){.name = numbered(arena, i, random_text(random, arena)),
                                          .parent = (int32_t)random_below(random, i + 1) - 1,
                                          .aggregation =
                                              (enum score_aggregation)(1 + random_below(random, 4)),
                                          .score_micro = random_below(random, SCORE_LIMIT),
                                          .stop_on_reject = random_below(random, 2) == 1,
                                          .depends = needs,
                                          .depend_count = i,
                                          .checker_args = random_text(random, arena)};
    }
    manifest->groups = rows;
    manifest->group_count = count;
}

static void random_cases(const struct random *random, struct arena *arena,
                         struct manifest *manifest) {
    int32_t count = (int32_t)random_below(random, 30);
    struct manifest_case *rows = arena_array(arena, (size_t)count, sizeof(rows[0]));
    for (int32_t i = 0; i < count; i++) {
        rows[i] = (struct manifest_case){
            .name = numbered(arena, i, random_text(random, arena)),
            .sample = random_below(random, 2) == 1,
            .group = (int32_t)random_below(random, manifest->group_count + 1) - 1,
            .input = random_blob(random),
            .answer = random_blob(random),
            .time_limit_ms = 1000 * random_below(random, 3),
            .args = random_text(random, arena),
            .file_count = (int32_t)random_below(random, 3)};
        rows[i].files = random_files(random, arena, rows[i].file_count);
    }
    manifest->cases = rows;
    manifest->case_count = count;
}

static void random_manifests_survive_the_way_there_and_back(void **state) {
    (void)state;
    struct random_seeded seeded;
    random_seeded_init(&seeded, 20261130);

    for (int round = 0; round < 300; round++) {
        struct manifest manifest;
        struct manifest again;
        struct err err = {0};
        own(arena) arena = arena_create(ARENA_BYTES);
        own_buf first;
        own_buf second;
        buf_init(&first, MANIFEST_BYTES_MAX);
        buf_init(&second, MANIFEST_BYTES_MAX);
        manifest_defaults(&manifest);
        manifest.limits.time_ms = TIME_LIMIT_MS_MIN + random_below(&seeded.random, 500000);
        random_groups(&seeded.random, arena, &manifest);
        random_cases(&seeded.random, arena, &manifest);

        assert_true(manifest_write(&manifest, &first, &err));
        assert_true(manifest_read(buf_str(&first), arena, &again, &err));
        assert_true(manifest_write(&again, &second, &err));

        assert_true(str_eq(buf_str(&first), buf_str(&second)));
        assert_int_equal(again.case_count, manifest.case_count);
        for (int32_t i = 0; i < again.case_count; i++) {
            assert_true(str_eq(again.cases[i].name, manifest.cases[i].name));
            assert_true(str_eq(again.cases[i].args, manifest.cases[i].args));
            assert_int_equal(again.cases[i].group, manifest.cases[i].group);
            assert_memory_equal(again.cases[i].input.sha256, manifest.cases[i].input.sha256, 32);
        }
    }
}

static void a_buffer_that_is_too_small_is_an_error(void **state) {
    (void)state;
    struct manifest manifest;
    struct err err = {0};
    own_buf text;
    buf_init(&text, 100);
    manifest_defaults(&manifest);

    assert_false(manifest_write(&manifest, &text, &err));

    assert_int_equal(err.kind, ERR_TOO_LARGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_canonical_form_never_changes),
        cmocka_unit_test(what_was_written_is_read_and_written_again),
        cmocka_unit_test(each_changed_byte_is_refused_or_means_something_else),
        cmocka_unit_test(each_shorter_text_is_refused),
        cmocka_unit_test(mistakes_are_named_with_their_line),
        cmocka_unit_test(other_spellings_of_the_same_manifest_are_refused),
        cmocka_unit_test(random_manifests_survive_the_way_there_and_back),
        cmocka_unit_test(a_buffer_that_is_too_small_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
