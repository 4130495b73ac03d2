/* assize.manifest in a package. */
#include "package/outcome.h"

#include "fixture.h"

static void it_counts_only_while_its_files_are_there(void **state) {
    (void)state;
    struct fixture f;
    own_buf text;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_must_read(&f);
    struct manifest manifest = f.problem.manifest;
    manifest.limits.memory_kib = 12345;
    buf_init(&text, MIB);
    assert_true(manifest_write(&manifest, &text, &f.err));
    fixture_put_bytes(&f, "assize.manifest", buf_str(&text));

    fixture_must_read(&f);
    assert_int_equal(f.problem.manifest.limits.memory_kib, 12345);

    fixture_put(&f, "data/secret/1.ans", "12\n");
    fixture_must_read(&f);
    assert_int_not_equal(f.problem.manifest.limits.memory_kib, 12345);
    assert_true(notes_have(&f.report.warnings, "assize.manifest:0: files were changed"));

    fixture_put(&f, "assize.manifest", "no manifest\n");
    fixture_must_read(&f);
    assert_true(notes_have(&f.report.warnings, "assize.manifest:0: it is not understood"));
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_counts_only_while_its_files_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
