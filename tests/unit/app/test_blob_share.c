/* A database and a file store belong together. */
#include "account_fixture.h"

static void the_first_server_notes_its_store(void **state) {
    struct fixture *f = *state;
    const char *sql = arena_printf(f->arena, "SELECT COUNT(*) FROM setting WHERE text = '%s'",
                                   blob_store_id(f->app->blobs));

    assert_int_equal(fixture_i64(f, sql), 1);
}

static void the_same_folder_again_is_fine(void **state) {
    struct fixture *f = *state;
    app_close(take(f->app));

    fixture_open_app(f);

    assert_non_null(f->app);
}

static void another_folder_is_refused(void **state) {
    struct fixture *f = *state;
    struct app_options options = fixture_options(f);
    options.blob_folder = arena_printf(f->arena, "%s/other", f->folder);
    const char *id = arena_printf(f->arena, "%s", blob_store_id(f->app->blobs));
    app_close(take(f->app));

    assert_false(app_open(&options, &f->app, &f->err));

    assert_int_equal(f->err.kind, ERR_CONFLICT);
    assert_string_equal(f->err.code, "other_blob_folder");
    assert_non_null(strstr(f->err.text, id));
}

int main(void) {
#define WITH_APP(test)                                                                             \
    cmocka_unit_test_setup_teardown(test, fixture_setup_on_disk, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_APP(the_first_server_notes_its_store),
        WITH_APP(the_same_folder_again_is_fine),
        WITH_APP(another_folder_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
