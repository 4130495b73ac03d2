/* Opening, closing, and who may have the file. */
#include "app/app_fixture.h"

static bool try_open(struct fixture *f, const char *holder, struct app **ret_app) {
    char blobs[96];
    (void)snprintf(blobs, sizeof blobs, "%s/blobs", f->folder);
    struct app_options options = {
        .database_path = f->path,
        .mysql = test_db(),
        .blob_folder = blobs,
        .languages = f->languages,
        .clock = &f->clock.clock,
        .random = &f->random.random,
        .holder = holder,
        .settings = f->settings,
    };
    return app_open(&options, ret_app, &f->err);
}

static void a_second_server_is_refused_by_the_firsts_name(void **state) {
    struct fixture *f = *state;
    struct app *second = NULL;
    if (test_db_is_mysql()) {
        skip();
    }

    assert_false(try_open(f, "assize server, pid 2", &second));

    assert_int_equal(f->err.kind, ERR_CONFLICT);
    assert_string_equal(f->err.code, "database_in_use");
    assert_non_null(strstr(f->err.text, "in use by test, host "));
}

static void several_servers_share_a_mysql_database(void **state) {
    struct fixture *f = *state;
    own(app) second = NULL;
    if (!test_db_is_mysql()) {
        skip();
    }
    struct submission_id id = submit(f, 1);
    struct submission_view shown = {0};

    must(f, try_open(f, "assize server, pid 2", &second));

    must(f, submission_get(second, &administrator, id, f->arena, &shown, &f->err));
    assert_int_equal(shown.id.value, id.value);
}

static void a_visitor_may_look_beside_a_server(void **state) {
    struct fixture *f = *state;
    own(app) visitor = NULL;
    struct submission_id id = submit(f, 1);
    struct submission_view shown = {0};

    must(f, try_open(f, NULL, &visitor));

    must(f, submission_get(visitor, &administrator, id, f->arena, &shown, &f->err));
    assert_int_equal(shown.id.value, id.value);
}

static void everything_is_there_after_a_restart(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    struct claimed_job job = claim_one(f, &node);

    app_close(take(f->app));
    open_app(f);

    struct actor actor = {0};
    must(f, dispatch_authenticate(f->app, str_from(node.credential), &actor, &f->err));
    assert_int_equal(renew(f, &node, &job.lease).answer, RENEW_GO);
    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    assert_int_equal(view(f, id).verdict, VERDICT_ACCEPTED);
    assert_int_equal(submit(f, 1).value, id.value + 1); /* no ids are lost by an orderly end */
}

static void what_was_queued_is_finished_when_the_app_closes(void **state) {
    struct fixture *f = *state;
    bool done = false;
    struct submit_request request = {.item = {.done = note_done, .context = &done},
                                     .actor = user_actor(1),
                                     .problem = {1},
                                     .language = STR("cpp"),
                                     .source = STR("x")};
    submission_submit(f->app, &request);

    app_close(take(f->app));

    assert_true(done && request.item.ok);
    open_app(f);
    assert_int_equal(query(f, "SELECT count(*) FROM submission"), 1);
}

static void settings_that_cannot_work_are_refused(void **state) {
    struct fixture *f = *state;
    struct app *app = NULL;
    app_close(take(f->app));
    struct app_settings good = f->settings;

    f->settings.lease_ms = 2 * f->settings.renew_ms;
    assert_false(try_open(f, "test", &app));
    assert_string_equal(f->err.code, "bad_setting");
    f->settings = good;
    f->settings.reap_ms = 0;
    assert_false(try_open(f, "test", &app));
    f->settings = good;

    open_app(f);
    assert_int_equal(app_settings_of(f->app)->lease_ms, good.lease_ms);
    assert_ptr_equal(app_languages(f->app), f->languages);
    assert_ptr_equal(app_clock(f->app), &f->clock.clock);
}

static void a_folder_that_is_not_there_is_an_error_and_no_leak(void **state) {
    struct fixture *f = *state;
    struct app *app = NULL;
    char path[96];
    if (test_db_is_mysql()) {
        skip();
    }
    memcpy(path, f->path, sizeof path);
    (void)snprintf(f->path, sizeof f->path, "/nonexistent/assize.db");

    assert_false(try_open(f, NULL, &app));
    assert_string_equal(f->err.code, "database_unavailable");
    assert_null(app);
    memcpy(f->path, path, sizeof path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST_ON_DISK(a_second_server_is_refused_by_the_firsts_name),
        APP_TEST_ON_DISK(several_servers_share_a_mysql_database),
        APP_TEST_ON_DISK(a_visitor_may_look_beside_a_server),
        APP_TEST_ON_DISK(everything_is_there_after_a_restart),
        APP_TEST_ON_DISK(what_was_queued_is_finished_when_the_app_closes),
        APP_TEST_ON_DISK(settings_that_cannot_work_are_refused),
        APP_TEST_ON_DISK(a_folder_that_is_not_there_is_an_error_and_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
