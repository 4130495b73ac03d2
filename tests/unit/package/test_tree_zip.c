/* Packages from zips, honest and hostile. */
#include "fixture.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static bool open_zip(struct fixture *f, const struct zip_entry *rows, size_t count) {
    own_fd fd = zip_of(rows, count);
    return package_tree_open_zip(fd, &f->tree, &f->err);
}

static void refuse_zip(const struct zip_entry *rows, size_t count, const char *text) {
    struct fixture f;
    fixture_init(&f);

    assert_false(open_zip(&f, rows, count));

    if (strstr(f.err.text, text) == NULL) {
        print_error("message: %s\n", f.err.text);
    }
    assert_non_null(strstr(f.err.text, text));
    assert_string_equal(f.err.code, "bad_package");
    assert_null(f.tree);
    fixture_done(&f);
}

static void expect_text(struct fixture *f, const char *name, const char *content) {
    struct str text = STR("");
    const struct package_file *file = package_tree_find(f->tree, str_from(name));
    assert_non_null(file);
    assert_int_equal(file->bytes, strlen(content));
    assert_true(package_tree_text(f->tree, file, MIB, f->arena, &text, &f->err));
    assert_true(str_eq_c(text, content));
}

static void a_zip_is_read_like_a_folder(void **state) {
    (void)state;
    const struct zip_entry rows[] = {{"data/", NULL, AE_IFDIR, NULL},
                                     {"data/b.in", "second", 0, NULL},
                                     {"data/a.in", "first", 0, NULL},
                                     {"./problem.yaml", "name: x\n", 0, NULL},
                                     {"empty", "", 0, NULL}};
    struct fixture f;
    fixture_init(&f);

    assert_true(open_zip(&f, rows, COUNT(rows)));

    assert_int_equal(package_tree_count(f.tree), 4);
    expect_text(&f, "data/a.in", "first");
    expect_text(&f, "data/b.in", "second");
    expect_text(&f, "problem.yaml", "name: x\n");
    expect_text(&f, "empty", "");
    fixture_done(&f);
}

static void one_top_folder_and_what_macos_adds_are_taken_off(void **state) {
    (void)state;
    const struct zip_entry rows[] = {{"sum/problem.yaml", "name: x\n", 0, NULL},
                                     {"sum/data/1.in", "1", 0, NULL},
                                     {"__MACOSX/sum/._problem.yaml", "junk", 0, NULL},
                                     {"sum/.DS_Store", "junk", 0, NULL}};
    struct fixture f;
    fixture_init(&f);

    assert_true(open_zip(&f, rows, COUNT(rows)));

    assert_true(str_eq_c(package_tree_name(f.tree), "sum"));
    assert_int_equal(package_tree_count(f.tree), 2);
    assert_int_equal(package_tree_ignored(f.tree), 2);
    expect_text(&f, "data/1.in", "1");
    fixture_done(&f);
}

static void names_that_lead_elsewhere_are_refused(void **state) {
    (void)state;
    static const char *const names[] = {
        "../evil", "a/../../evil", "/etc/passwd", "..",        "a/..",   "..\\evil", "\\evil",
        "a//b",    "C:\\..\\x",    "a/./b",       "new\nline", "bell\a", "a/b/../c",
    };
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct zip_entry rows[] = {{"problem.yaml", "name: x\n", 0, NULL},
                                         {names[i], "evil", 0, NULL}};
        refuse_zip(rows, COUNT(rows), "this name is not allowed in a package");
    }
}

static void links_and_devices_are_refused(void **state) {
    (void)state;
    const struct zip_entry link[] = {{"link", NULL, AE_IFLNK, "/etc/passwd"}};
    const struct zip_entry inner[] = {{"a", "x", 0, NULL}, {"link", NULL, AE_IFLNK, "a"}};

    refuse_zip(link, 1, "link: it is a link or a special file");
    refuse_zip(inner, 2, "link: it is a link or a special file");
}

static void names_that_clash_are_refused(void **state) {
    (void)state;
    const struct zip_entry twice[] = {
        {"a", "1", 0, NULL}, {"b", "x", 0, NULL}, {"a", "2", 0, NULL}};
    const struct zip_entry folded[] = {{"Data/a.in", "1", 0, NULL}, {"data/A.in", "2", 0, NULL}};
    const struct zip_entry both[] = {
        {"a", "1", 0, NULL}, {"a-b", "1", 0, NULL}, {"a/b", "2", 0, NULL}};

    refuse_zip(twice, COUNT(twice), "a: the zip holds this name twice");
    refuse_zip(folded, COUNT(folded), "differs only in case");
    refuse_zip(both, COUNT(both), "a: the zip holds this as a file and as a folder");
}

static void backslashes_between_folders_are_understood(void **state) {
    (void)state;
    const struct zip_entry rows[] = {{"data\\secret\\1.in", "x", 0, NULL}};
    struct fixture f;
    fixture_init(&f);

    assert_true(open_zip(&f, rows, COUNT(rows)));

    expect_text(&f, "data/secret/1.in", "x");
    fixture_done(&f);
}

static void names_in_other_character_sets_are_read(void **state) {
    (void)state;
    const struct zip_entry utf8[] = {{"\xe6\xa0\xb7\xe4\xbe\x8b.in", "x", 0, NULL}};
    const struct zip_entry gbk[] = {{"\xd1\xf9\xc0\xfd.in", "x", 0, NULL}};
    const struct zip_entry cp437[] = {{"r\x82sum\x82.in", "x", 0, NULL}};
    struct fixture f;
    fixture_init(&f);

    assert_true(open_zip(&f, utf8, 1));
    expect_text(&f, "\xe6\xa0\xb7\xe4\xbe\x8b.in", "x");
    assert_true(str_eq_c(package_tree_charset(f.tree), ""));
    package_tree_close(f.tree);

    assert_true(open_zip(&f, gbk, 1));
    expect_text(&f, "\xe6\xa0\xb7\xe4\xbe\x8b.in", "x");
    assert_true(str_eq_c(package_tree_charset(f.tree), "GBK"));
    package_tree_close(f.tree);

    assert_true(open_zip(&f, cp437, 1));
    assert_int_equal(package_tree_count(f.tree), 1);
    assert_true(package_tree_charset(f.tree).len > 0);
    fixture_done(&f);
}

static void a_bomb_is_refused_while_it_unpacks(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    size_t bytes = 40 * (size_t)MIB;
    char *zeros = malloc(bytes + 1);
    assert_non_null(zeros);
    memset(zeros, '0', bytes);
    zeros[bytes] = '\0';
    const struct zip_entry rows[] = {{"bomb", zeros, 0, NULL}};

    assert_false(open_zip(&f, rows, 1));

    assert_int_equal(f.err.kind, ERR_TOO_LARGE);
    assert_non_null(strstr(f.err.text, "bomb: the zip unpacks to far more than it may"));
    free(zeros);
    fixture_done(&f);
}

static void too_many_entries_are_refused(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    size_t count = PACKAGE_ENTRIES_MAX + 1;
    struct zip_entry *rows = calloc(count, sizeof(rows[0]));
    assert_non_null(rows);
    for (size_t i = 0; i < count; i++) {
        rows[i].name = arena_printf(f.arena, "%zu", i);
    }

    assert_false(open_zip(&f, rows, count));

    assert_int_equal(f.err.kind, ERR_TOO_LARGE);
    free(rows);
    fixture_done(&f);
}

static void what_is_no_zip_is_refused(void **state) {
    (void)state;
    static const char *const contents[] = {"", "hello", "PK\x03\x04", "\x1f\x8b\x08", "PK\x05\x06"};
    for (size_t i = 0; i < COUNT(contents); i++) {
        struct fixture f;
        int fd = -1;
        fixture_init(&f);
        assert_true(file_memory("zip", str_from(contents[i]), false, &fd, &f.err));

        assert_false(package_tree_open_zip(fd, &f.tree, &f.err));

        assert_string_equal(f.err.code, "bad_package");
        close(fd);
        fixture_done(&f);
    }
}

/* Cut anywhere, or with a byte changed, a zip is refused or reads as what it was: never a crash,
 * never wrong content. */
static void damaged_zips_never_give_wrong_content(void **state) {
    (void)state;
    const struct zip_entry rows[] = {{"a.in", "some content that is there", 0, NULL}};
    struct err err = {0};
    own_buf zip;
    buf_init(&zip, MIB);
    own_fd fd = zip_of(rows, 1);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_true(file_read_all(fd, MIB, &zip, &err));

    for (size_t i = 0; i < zip.len; i++) {
        struct fixture f;
        int changed = -1;
        fixture_init(&f);
        assert_true(file_memory("zip", buf_str(&zip), false, &changed, &f.err));
        char byte = (char)(zip.ptr[i] ^ 0x40);
        assert_int_equal(pwrite(changed, &byte, 1, (off_t)i), 1);

        if (package_tree_open_zip(changed, &f.tree, &f.err) && package_tree_count(f.tree) == 1) {
            struct str text = STR("");
            assert_true(
                package_tree_text(f.tree, package_tree_at(f.tree, 0), MIB, f.arena, &text, &f.err));
            assert_true(str_eq_c(text, rows[0].content));
        }
        close(changed);
        fixture_done(&f);
    }
}

static void a_zip_is_opened_by_its_path(void **state) {
    (void)state;
    const struct zip_entry rows[] = {{"problem.yaml", "name: x\n", 0, NULL}};
    struct fixture f;
    own_buf zip;
    fixture_init(&f);
    buf_init(&zip, MIB);
    own_fd fd = zip_of(rows, 1);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_true(file_read_all(fd, MIB, &zip, &f.err));
    fixture_put_bytes(&f, "x.zip", buf_str(&zip));

    assert_true(package_tree_open(fixture_path(&f, "x.zip"), &f.tree, &f.err));

    expect_text(&f, "problem.yaml", "name: x\n");
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zip_is_read_like_a_folder),
        cmocka_unit_test(one_top_folder_and_what_macos_adds_are_taken_off),
        cmocka_unit_test(names_that_lead_elsewhere_are_refused),
        cmocka_unit_test(links_and_devices_are_refused),
        cmocka_unit_test(names_that_clash_are_refused),
        cmocka_unit_test(backslashes_between_folders_are_understood),
        cmocka_unit_test(names_in_other_character_sets_are_read),
        cmocka_unit_test(a_bomb_is_refused_while_it_unpacks),
        cmocka_unit_test(too_many_entries_are_refused),
        cmocka_unit_test(what_is_no_zip_is_refused),
        cmocka_unit_test(damaged_zips_never_give_wrong_content),
        cmocka_unit_test(a_zip_is_opened_by_its_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
