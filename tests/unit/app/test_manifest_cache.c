/* Manifests are read once, given to many, and forgotten when there are too many. */
#include "app/app_fixture.h"
#include "app/manifest_cache_internal.h"

static void the_second_reader_gets_the_same_one(void **state) {
    struct fixture *f = *state;
    own(cached_manifest) first = NULL;
    own(cached_manifest) second = NULL;

    must(f, manifest_get(f->app, f->manifest_id, &first, &f->err));
    must(f, manifest_get(f->app, f->manifest_id, &second, &f->err));

    assert_ptr_equal(first, second);
    assert_int_equal(first->manifest.case_count, CASES);
}

static void it_knows_which_files_it_names(void **state) {
    struct fixture *f = *state;
    own(cached_manifest) manifest = NULL;
    uint8_t other[32] = {1};
    must(f, manifest_get(f->app, f->manifest_id, &manifest, &f->err));

    assert_true(cached_manifest_lists(manifest, f->input_sha256));
    for (int i = 0; i < CASES; i++) {
        assert_true(cached_manifest_lists(manifest, manifest->manifest.cases[i].answer.sha256));
    }
    assert_false(cached_manifest_lists(manifest, other));
    assert_false(cached_manifest_lists(manifest, f->manifest_id));
}

static void one_in_use_survives_being_pushed_out(void **state) {
    struct fixture *f = *state;
    own(cached_manifest) kept = NULL;
    must(f, manifest_get(f->app, f->manifest_id, &kept, &f->err));

    for (int i = 0; i < 200; i++) {
        own(cached_manifest) other = NULL;
        make_manifest(f, 1000 + i);
        must(f, manifest_get(f->app, f->manifest_id, &other, &f->err));
        assert_int_equal(other->manifest.limits.job_total_ms, 1000 + i);
    }

    assert_int_equal(kept->manifest.limits.job_total_ms, 600000);
    assert_true(str_eq_c(kept->manifest.cases[0].name, "sample/1"));
}

static void what_is_missing_or_no_manifest_is_an_error(void **state) {
    struct fixture *f = *state;
    struct cached_manifest *manifest = NULL;
    uint8_t missing[32] = {7};
    struct blob_ref nonsense = put_blob(f, STR("no manifest"));

    assert_false(manifest_get(f->app, missing, &manifest, &f->err));
    assert_string_equal(f->err.code, "no_blob");
    assert_false(manifest_get(f->app, nonsense.sha256, &manifest, &f->err));
    assert_string_equal(f->err.code, "bad_manifest");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(the_second_reader_gets_the_same_one),
        APP_TEST(it_knows_which_files_it_names),
        APP_TEST(one_in_use_survives_being_pushed_out),
        APP_TEST(what_is_missing_or_no_manifest_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
