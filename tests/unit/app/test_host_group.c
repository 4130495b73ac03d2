/* Machines that several nodes share. */
#include "app/app_fixture.h"
#include "app/host_group.h"

static struct host_group_row write_group(struct fixture *f, struct host_group_change change) {
    struct host_group_row row = {0};
    must(f, host_group_write(f->app, &administrator, &change, f->arena, &row, &f->err));
    return row;
}

static void a_group_is_made_used_and_changed(void **state) {
    struct fixture *f = *state;
    struct host_group_row group =
        write_group(f, (struct host_group_change){.name = STR("rack-1"), .slots = 3});
    assert_int_equal(group.slots, 3);
    struct test_node first = make_node(f, "a", 2, "rack-1");
    struct test_node second = make_node(f, "b", 2, "rack-1");
    for (int i = 0; i < 4; i++) {
        (void)submit(f, 1);
    }
    assert_int_equal(claim(f, &first, 2).job_count, 2);
    struct claim_request limited = claim(f, &second, 2);
    assert_int_equal(limited.job_count, 1); /* of the machine's three */

    group = write_group(
        f, (struct host_group_change){.id = group.id, .revision = group.revision, .slots = 1});

    assert_int_equal(group.slots, 1);
    assert_int_equal(group.busy, 3); /* what runs goes on */
    assert_int_equal(group.nodes, 2);
    assert_int_equal(renew(f, &second, &limited.jobs[0].lease).answer, RENEW_GO);
    assert_true(settle(f, &second, &limited.jobs[0].lease, VERDICT_ACCEPTED).item.ok);
    assert_int_equal(claim(f, &second, 2).job_count, 0);
    assert_int_equal(query(f, "SELECT count(*) FROM audit_log WHERE object_kind = 'host_group'"),
                     2);
}

static void what_is_wrong_is_refused(void **state) {
    struct fixture *f = *state;
    struct host_group_row made =
        write_group(f, (struct host_group_change){.name = STR("rack-1"), .slots = 3});
    const struct {
        struct host_group_change change;
        const char *code;
    } rows[] = {
        {{.name = STR("rack-1"), .slots = 1}, "conflict_host_group_name"},
        {{.name = STR(""), .slots = 1}, "bad_field"},
        {{.name = STR("x\n"), .slots = 1}, "bad_field"},
        {{.name = STR("x"), .slots = 0}, "bad_field"},
        {{.name = STR("x"), .slots = HOST_SLOTS_MAX + 1}, "bad_field"},
        {{.id = made.id, .revision = made.revision + 1, .slots = 1}, "stale_revision"},
        {{.id = {77}, .revision = 1, .slots = 1}, "no_host_group"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct host_group_row row = {0};

        assert_false(
            host_group_write(f->app, &administrator, &rows[i].change, f->arena, &row, &f->err));

        assert_string_equal(f->err.code, rows[i].code);
    }
    struct host_group_row *groups = NULL;
    struct actor student = user_actor(1);
    int count = 0;
    assert_false(host_group_list(f->app, &student, f->arena, &groups, &count, &f->err));
    must(f, host_group_list(f->app, &administrator, f->arena, &groups, &count, &f->err));
    assert_int_equal(count, 1);
    assert_int_equal(groups[0].slots, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_group_is_made_used_and_changed),
        APP_TEST(what_is_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
