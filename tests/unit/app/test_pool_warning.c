/* What administrators are warned of. */
#include "app/app_fixture.h"
#include "app/pool.h"

static const struct pool_warning *find(struct fixture *f, enum pool_warning_kind kind,
                                       const char *subject) {
    struct pool_warning *warnings = NULL;
    int count = 0;
    must(f, pool_warnings(f->app, &administrator, f->arena, &warnings, &count, &f->err));
    for (int i = 0; i < count; i++) {
        if (warnings[i].kind == kind && str_eq_c(warnings[i].subject, subject)) {
            return &warnings[i];
        }
    }
    return NULL;
}

static void a_language_that_no_node_runs_is_named(void **state) {
    struct fixture *f = *state;
    assert_non_null(find(f, WARN_NO_NODE, "cpp"));

    (void)make_node(f, "n1", 1, NULL);

    assert_null(find(f, WARN_NO_NODE, "cpp"));
}

static void a_language_that_only_an_older_runtime_spec_runs_is_named(void **state) {
    struct fixture *f = *state;
    struct pool_update_request request = {.name = STR("cpp"), .revision = 1};
    struct str spec = STR("cpp-r3");
    struct pool_view pool = {0};
    (void)make_node(f, "n1", 1, NULL);
    assert_null(find(f, WARN_OTHER_SPEC, "cpp"));

    request.runtime_spec = &spec;
    must(f, pool_update(f->app, &administrator, &request, f->arena, &pool, &f->err));

    const struct pool_warning *warning = find(f, WARN_OTHER_SPEC, "cpp");
    assert_non_null(warning);
    assert_null(find(f, WARN_NO_NODE, "cpp"));
    assert_int_equal(warning->node_count, 1);
    assert_true(str_eq_c(warning->nodes[0].name, "n1"));
    assert_true(str_eq_c(warning->nodes[0].value, "default"));
}

static void nodes_that_would_judge_differently_are_named(void **state) {
    struct fixture *f = *state;
    (void)make_node(f, "n1", 1, NULL);
    (void)make_node(f, "n2", 1, NULL);
    assert_null(find(f, WARN_VERSIONS, "cpp"));

    exec(f, "UPDATE node SET languages = replace(languages, 'g++ 12', 'g++ 13') "
            "WHERE name = 'n2'");

    const struct pool_warning *warning = find(f, WARN_VERSIONS, "cpp");
    assert_non_null(warning);
    assert_non_null(memmem(warning->detail.ptr, warning->detail.len, "g++ 13", 6));
    exec(f, "UPDATE node SET config = 3 WHERE name = 'n2'");
    assert_null(find(f, WARN_VERSIONS, "cpp"));
}

static void students_see_none(void **state) {
    struct fixture *f = *state;
    struct actor student = user_actor(1);
    struct pool_warning *warnings = NULL;
    int count = 0;
    assert_false(pool_warnings(f->app, &student, f->arena, &warnings, &count, &f->err));
    assert_int_equal(f->err.kind, ERR_DENIED);
    assert_string_equal(pool_warning_code(WARN_OUT), "out_of_service");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_language_that_no_node_runs_is_named),
        APP_TEST(a_language_that_only_an_older_runtime_spec_runs_is_named),
        APP_TEST(nodes_that_would_judge_differently_are_named),
        APP_TEST(students_see_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
