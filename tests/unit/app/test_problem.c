/* Problems as people see them. */
#include "problem_fixture.h"

static struct problem_page listed(struct fixture *f, const struct actor *actor,
                                  const char *search) {
    struct problem_page page = {0};
    const struct problem_filter filter = {.search = str_from(search), .limit = 50};
    if (!problem_list(f->app, actor, &filter, f->arena, &page, &f->err)) {
        fail_msg("%s", f->err.text);
    }
    return page;
}

static void a_problem_shows_what_its_package_says(void **state) {
    struct fixture *f = *state;
    struct actor student = fixture_user(f, "ada", ROLE_STUDENT);
    struct problem_view problem;
    package_write(f);
    struct problem_id id = package_imported(f, "two");

    assert_true(problem_get(f->app, &student, id, f->arena, &problem, &f->err));

    assert_true(str_eq_c(problem.summary.code, "two"));
    assert_int_equal(problem.summary.title_count, 2);
    assert_int_equal(problem.summary.my_best, VERDICT_NONE);
    assert_int_equal(problem.cases_total, 3);
    assert_int_equal(problem.created_ms, START_MS);
    assert_int_equal(strlen(problem.manifest_id), 64);
    assert_int_equal(problem.statement_count, 2);
    assert_true(str_eq_c(problem.statements[0].language, "en"));
    assert_true(str_eq_c(problem.statements[0].format, "markdown"));
    assert_true(str_starts(problem.statements[0].text, STR("Add them.")));
    assert_int_equal(problem.statements[0].file.len, 0);
    assert_int_equal(problem.sample_count, 1);
    assert_true(str_eq_c(problem.samples[0].input, "1 2\n"));
    assert_true(str_eq_c(problem.samples[0].answer, "3\n"));
    assert_int_equal(problem.languages.len, 0);
}

static void an_unknown_problem_is_missing(void **state) {
    struct fixture *f = *state;
    struct problem_view problem;

    assert_false(
        problem_get(f->app, &f->admin, (struct problem_id){99}, f->arena, &problem, &f->err));

    assert_int_equal(f->err.kind, ERR_MISSING);
    assert_string_equal(f->err.code, "no_problem");
}

static void nobody_sees_problems(void **state) {
    struct fixture *f = *state;
    struct actor nobody = {0};
    const struct problem_filter filter = {.limit = 10};
    struct problem_page page;
    struct problem_view problem;
    int fd = -1;
    package_write(f);
    struct problem_id id = package_imported(f, "two");

    assert_false(problem_list(f->app, &nobody, &filter, f->arena, &page, &f->err));
    assert_string_equal(f->err.code, "no_session");
    assert_false(problem_get(f->app, &nobody, id, f->arena, &problem, &f->err));
    assert_string_equal(f->err.code, "no_session");
    assert_false(problem_file_open(f->app, &nobody, id, STR("plus.png"), &fd, &f->err));

    assert_string_equal(f->err.code, "no_session");
}

static void a_search_finds_code_and_titles_without_case(void **state) {
    struct fixture *f = *state;
    package_write(f);
    (void)package_imported(f, "two");
    package_file(f, "problem.yaml", STR("name: Other\n"));
    (void)package_imported(f, "Zebra.1");

    assert_int_equal(listed(f, &f->admin, "").count, 2);
    assert_int_equal(listed(f, &f->admin, "NUMBERS").count, 1);
    assert_int_equal(listed(f, &f->admin, " zebra ").count, 1);
    assert_int_equal(listed(f, &f->admin, "numbers two").count, 1);
    assert_int_equal(listed(f, &f->admin, "TwoNumbers").count, 1);
    assert_int_equal(listed(f, &f->admin, "numbers zebra").count, 0);
    assert_int_equal(listed(f, &f->admin, "\xe4\xb8\xa4").count, 1);
    assert_int_equal(listed(f, &f->admin, "zh").count, 0);
    assert_int_equal(listed(f, &f->admin, "nothing").count, 0);
}

static void a_list_shows_the_best_of_the_one_who_asks(void **state) {
    struct fixture *f = *state;
    struct actor ada = fixture_user(f, "ada", ROLE_STUDENT);
    struct actor bob = fixture_user(f, "bob", ROLE_STUDENT);
    struct problem_view problem;
    package_write(f);
    struct problem_id id = package_imported(f, "two");
    const char *sql =
        arena_printf(f->arena, "INSERT INTO user_problem VALUES (%lld, %lld, %d, 0, 1)",
                     (long long)ada.user.value, (long long)id.value, VERDICT_ACCEPTED);
    assert_true(db_script(f->app->db, str_from(sql), &f->err));

    assert_int_equal(listed(f, &ada, "").items[0].my_best, VERDICT_ACCEPTED);
    assert_int_equal(listed(f, &bob, "").items[0].my_best, VERDICT_NONE);
    assert_true(problem_get(f->app, &ada, id, f->arena, &problem, &f->err));

    assert_int_equal(problem.summary.my_best, VERDICT_ACCEPTED);
}

static void problems_come_in_pages(void **state) {
    struct fixture *f = *state;
    struct problem_page page;
    struct problem_filter filter = {.search = STR("p"), .limit = 2};
    int seen = 0;
    package_write(f);
    for (int i = 0; i < 5; i++) {
        (void)package_imported(f, arena_printf(f->arena, "p%d", i));
    }

    do {
        assert_true(problem_list(f->app, &f->admin, &filter, f->arena, &page, &f->err));
        assert_true(page.count <= 2);
        seen += page.count;
        filter.cursor = page.next;
    } while (filter.cursor != 0);

    assert_int_equal(seen, 5);
}

static void parameters_out_of_range_are_refused(void **state) {
    struct fixture *f = *state;
    struct problem_page page;
    const struct problem_filter rows[] = {
        {STR(""), 0, 0},
        {STR(""), 0, LIST_LIMIT_MAX + 1},
        {STR("\xff"), 0, 10},
        {{"a\0b", 3}, 0, 10},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_false(problem_list(f->app, &f->admin, &rows[i], f->arena, &page, &f->err));

        assert_string_equal(f->err.code, "bad_parameter");
    }
}

static void a_statements_file_can_be_opened_and_test_data_cannot(void **state) {
    struct fixture *f = *state;
    own_fd fd = -1;
    own_buf content = {0};
    int other = -1;
    buf_init(&content, 1 * KIB);
    package_write(f);
    struct problem_id id = package_imported(f, "two");
    static const char *const secrets[] = {"data/secret/a.ans",    "a.ans", "1.in", "problem.yaml",
                                          "../data/secret/a.ans", ""};

    assert_true(problem_file_open(f->app, &f->admin, id, STR("plus.png"), &fd, &f->err));
    assert_true(file_read_all(fd, 1 * KIB, &content, &f->err));

    assert_true(str_eq_c(buf_str(&content), "\x89PNG not really"));
    for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++) {
        assert_false(
            problem_file_open(f->app, &f->admin, id, str_from(secrets[i]), &other, &f->err));
        assert_string_equal(f->err.code, "no_file");
    }
}

int main(void) {
#define WITH_APP(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_APP(a_problem_shows_what_its_package_says),
        WITH_APP(an_unknown_problem_is_missing),
        WITH_APP(nobody_sees_problems),
        WITH_APP(a_search_finds_code_and_titles_without_case),
        WITH_APP(a_list_shows_the_best_of_the_one_who_asks),
        WITH_APP(problems_come_in_pages),
        WITH_APP(parameters_out_of_range_are_refused),
        WITH_APP(a_statements_file_can_be_opened_and_test_data_cannot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
