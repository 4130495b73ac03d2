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

/* From the second start on: files are found in the database, and their absence is noticed. */
static void rows_of_the_database_are_a_store_too(void **state) {
    struct fixture *f = *state;
    struct app_options options = fixture_options(f);
    struct blob_source source = {.bytes = STR("hello"), .fd = -1, .bytes_max = 5};
    struct blob_info info;
    options.blob_folder = NULL;
    options.blob_database = true;
    options.spool_folder = arena_printf(f->arena, "%s/spool", f->folder);
    app_close(take(f->app));
    assert_true(app_open(&options, &f->app, &f->err));
    assert_true(blob_put(f->app->blobs, &source, &info, &f->err));
    const char *id = arena_printf(f->arena, "%s", blob_store_id(f->app->blobs));
    app_close(take(f->app));

    assert_true(app_open(&options, &f->app, &f->err));

    bool stored = false;
    assert_true(blob_keep(f->app->blobs, &info.digest, &stored, &f->err));
    assert_true(stored);
    assert_string_equal(blob_store_id(f->app->blobs), id);
}

static void files_that_are_elsewhere_are_missed_at_the_start(void **state) {
    struct fixture *f = *state;
    struct app_options options = fixture_options(f);
    options.blob_folder = NULL;
    options.blob_database = true;
    options.spool_folder = arena_printf(f->arena, "%s/spool", f->folder);
    assert_true(db_script(
        f->app->db,
        STR("INSERT INTO blob_file (sha256, bytes, created_ms) VALUES "
            "(x'0000000000000000000000000000000000000000000000000000000000000000', 1, 1)"),
        &f->err));
    app_close(take(f->app));

    assert_false(app_open(&options, &f->app, &f->err));

    assert_int_equal(f->err.kind, ERR_CONFLICT);
    assert_string_equal(f->err.code, "other_blob_store");
}

int main(void) {
#define WITH_APP(test)                                                                             \
    cmocka_unit_test_setup_teardown(test, fixture_setup_on_disk, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_APP(the_first_server_notes_its_store),
        WITH_APP(the_same_folder_again_is_fine),
        WITH_APP(another_folder_is_refused),
        WITH_APP(rows_of_the_database_are_a_store_too),
        WITH_APP(files_that_are_elsewhere_are_missed_at_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
