/* Packages of each kind with each of their files missing, empty, huge, wrongly named or twice: they
 * are read, or refused with a reason; nothing else happens. */
#include "polygon_fixture.h"

#define FILES_MAX 10
#define HUGE_BYTES ((size_t)9 * MIB)

/* What becomes of the package when the file is changed, one letter for missing, empty, huge,
 * wrongly named: r it is read, x it is refused. */
struct file_row {
    const char *name, *content, *outcomes;
};

static const struct kind_row {
    const char *name;
    struct file_row files[FILES_MAX];
} kinds[] = {
    {"icpc",
     {{"problem.yaml", "name: Sum\nlimits: {time_limit: 1}\n", "xrxx"},
      {"problem_statement/problem.en.md", "Add.\n", "rrxr"},
      {"data/sample/1.in", "1 2\n", "rrrr"},
      {"data/sample/1.ans", "3\n", "xrrx"},
      {"data/secret/1.in", "1 2\n", "rrrr"},
      {"data/secret/1.ans", "3\n", "xrrx"},
      {"data/testdata.yaml", "on_reject: break\n", "rrxr"},
      {"submissions/accepted/a.py", "1\n", "rrrr"}}},
    {"polygon",
     {{"problem.xml", POLYGON("", POLYGON_LIMITS POLYGON_TESTS, POLYGON_ASSETS), "xxxx"},
      {"statements/english/problem-properties.json", "{\"name\":\"Sum\",\"legend\":\"Add.\"}",
       "rxxr"},
      {"tests/01", "1 2\n", "xrrx"},
      {"tests/01.a", "3\n", "xrrx"},
      {"tests/02", "1 2\n", "xrrx"},
      {"tests/02.a", "3\n", "xrrx"},
      {"files/check.cpp", "int main(){}\n", "xrrx"},
      {"files/val.cpp", "int main(){}\n", "xrrx"},
      {"solutions/main.cpp", "int main(){}\n", "rrrr"}}},
    {"hydro",
     {{"problem.yaml", "pid: P1\ntitle: Sum\n", "xrxx"},
      {"problem.md", "Add.\n", "rrxr"},
      {"testdata/config.yaml", "time: 1s\nmemory: 64m\n", "rrxr"},
      {"testdata/1.in", "1 2\n", "xrrx"},
      {"testdata/1.out", "3\n", "xrrx"}}},
    {"qduoj",
     {{"1/problem.json",
       "{\"display_id\":\"A\",\"title\":\"Sum\",\"description\":{\"format\":\"html\",\"value\":"
       "\"x\"},\"time_limit\":1000,\"memory_limit\":128,\"samples\":[],\"test_case_score\":["
       "{\"score\":100,\"input_name\":\"1.in\",\"output_name\":\"1.out\"}]}",
       "xxxx"},
      {"1/testcase/1.in", "1 2\n", "xrrx"},
      {"1/testcase/1.out", "3\n", "xrrx"}}},
    {"fps",
     {{"a.xml",
       "<fps version=\"1.2\"><item><title>Sum</title><test_input>1</test_input><test_output>1"
       "</test_output></item></fps>",
       "xxxr"}}},
    {"dmoj",
     {{"init.yml", "test_cases:\n- {in: 1.in, out: 1.out, points: 1}\n", "xxxx"},
      {"1.in", "1 2\n", "xrrx"},
      {"1.out", "3\n", "xrrx"},
      {"statement.md", "Add.\n", "rrxr"}}},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

enum change { MISSING, EMPTY, TOO_LARGE, RENAMED, CHANGES };
static const char *const change_names[] = {"missing", "empty", "huge", "wrongly named"};

static void write_huge(struct fixture *f, const char *name) {
    char *bytes = malloc(HUGE_BYTES);
    assert_non_null(bytes);
    memset(bytes, 'x', HUGE_BYTES);
    fixture_put_bytes(f, name, str_of(bytes, HUGE_BYTES));
    free(bytes);
}

static void write_changed(struct fixture *f, const char *name, enum change change,
                          const char *content) {
    switch (change) {
    case MISSING: break;
    case EMPTY: fixture_put(f, name, ""); break;
    case TOO_LARGE: write_huge(f, name); break;
    case RENAMED: fixture_put(f, arena_printf(f->arena, "%s.bak", name), content); break;
    case CHANGES: fixture_put(f, name, content); break;
    }
}

/* As `put` of a fixture, without keeping what may be large. */
static bool only_digest(void *context, int fd, struct blob_ref *ret_blob, struct err *err) {
    struct digest digest;
    (void)context;
    if (!digest_of_fd(fd, PACKAGE_FILE_BYTES_MAX, &digest, &ret_blob->bytes, err)) {
        return false;
    }
    memcpy(ret_blob->sha256, digest.bytes, sizeof(ret_blob->sha256));
    return true;
}

static void make(struct fixture *f, const struct kind_row *kind, size_t changed,
                 enum change change) {
    fixture_init(f);
    f->options.put = only_digest;
    for (size_t i = 0; i < FILES_MAX && kind->files[i].name != NULL; i++) {
        const struct file_row *file = &kind->files[i];
        write_changed(f, file->name, i == changed ? change : CHANGES, file->content);
    }
}

static int wrong; /* all of a table are shown before the test fails */

static void expect(struct fixture *f, bool read, const char *what) {
    bool ok = fixture_read(f);
    /* Somebody is told what is wrong, and it is never called our failure. */
    bool told = ok || ((f->err.kind == ERR_INVALID || f->err.kind == ERR_TOO_LARGE) &&
                       strlen(f->err.text) > 10 && f->report.refused.count == 1);
    if (ok != read || !told) {
        print_error("%s: %s, but was %s (%d notes)\n", what,
                    read ? "should be read" : "should be refused", ok ? "read" : f->err.text,
                    f->report.refused.count);
        wrong++;
    }
}

static void each_file_of_each_kind_may_be_bad(void **state) {
    (void)state;
    wrong = 0;
    for (size_t k = 0; k < KINDS; k++) {
        struct fixture whole;
        make(&whole, &kinds[k], FILES_MAX, CHANGES);
        expect(&whole, true, kinds[k].name);
        fixture_done(&whole);
        for (size_t i = 0; i < FILES_MAX && kinds[k].files[i].name != NULL; i++) {
            for (int change = 0; change < CHANGES; change++) {
                const struct file_row *file = &kinds[k].files[i];
                struct fixture f;
                make(&f, &kinds[k], i, (enum change)change);
                expect(&f, file->outcomes[change] == 'r',
                       arena_printf(f.arena, "%s: %s %s", kinds[k].name, file->name,
                                    change_names[change]));
                fixture_done(&f);
            }
        }
    }
    assert_int_equal(wrong, 0);
}

static void a_file_that_is_there_twice_is_refused_in_each_kind(void **state) {
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        struct zip_entry rows[FILES_MAX + 1] = {{0}};
        size_t count = 0;
        struct fixture f;
        fixture_init(&f);
        while (count < FILES_MAX && kinds[k].files[count].name != NULL) {
            rows[count].name = kinds[k].files[count].name;
            rows[count].content = kinds[k].files[count].content;
            count++;
        }
        rows[count] = rows[count - 1];
        own_fd fd = zip_of(rows, count + 1);

        assert_false(package_tree_open_zip(fd, &f.tree, &f.err));

        assert_non_null(strstr(f.err.text, "twice"));
        fixture_done(&f);
    }
}

/* Text that names itself again and again. */
static void bombs_of_yaml_and_xml_are_refused(void **state) {
    (void)state;
    wrong = 0;
    static const struct {
        const char *name, *content;
    } rows[] = {
        {"problem.yaml", "a: &a [x, x]\nb: &b [*a, *a]\nname: [*b, *b]\n"},
        {"init.yml", "test_cases: &a [x]\narchive: *a\n"},
        {"testdata/config.yaml", "type: default\na: &a [x]\nb: *a\n"},
        {"problem.xml", "<?xml version='1.0'?><!DOCTYPE p [<!ENTITY a 'x'><!ENTITY b '&a;&a;'>]>"
                        "<problem short-name='x'><names><name value='&b;'/></names></problem>"},
        {"a.xml", "<?xml version='1.0'?><!DOCTYPE fps [<!ENTITY a 'x'><!ENTITY b '&a;&a;'>]>"
                  "<fps version='1.2'><item><title>&b;</title></item></fps>"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        fixture_init(&f);
        if (strcmp(rows[i].name, "testdata/config.yaml") == 0) {
            fixture_put(&f, "problem.yaml", "pid: P1\ntitle: x\n");
            fixture_put(&f, "testdata/1.in", "1");
            fixture_put(&f, "testdata/1.out", "1");
        }
        fixture_put(&f, rows[i].name, rows[i].content);
        expect(&f, false, rows[i].name);
        fixture_done(&f);
    }
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_file_of_each_kind_may_be_bad),
        cmocka_unit_test(a_file_that_is_there_twice_is_refused_in_each_kind),
        cmocka_unit_test(bombs_of_yaml_and_xml_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
