/* Which languages there are, and which can be judged now. */
#include "node_fixture.h"

/* "items.3" of that language. */
static const char *item_of(struct fixture *f, const struct reply *reply, const char *id) {
    for (size_t i = 0; i < jr_count(reply_at(reply, "items")); i++) {
        const char *at = arena_printf(f->arena, "items.%zu", i);
        if (reply_is(reply, arena_printf(f->arena, "%s.id", at), id)) {
            return at;
        }
    }
    fail_msg("%s is not listed", id);
    return NULL;
}

static bool is_available(struct fixture *f, const struct person *who, const char *id) {
    struct reply reply = get(f, who, "/api/v1/languages");
    expect(reply, 200);
    return reply_bool(&reply, arena_printf(f->arena, "%s.available", item_of(f, &reply, id)));
}

static void every_language_is_listed_with_what_an_editor_needs(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);

    struct reply reply = get(f, &ann, "/api/v1/languages");

    expect(reply, 200);
    assert_int_equal(jr_count(reply_at(&reply, "items")), language_count(f->languages));
    assert_true(reply_is_null(&reply, "next"));
    const char *cpp = item_of(f, &reply, "cpp");
    assert_true(reply_is(&reply, arena_printf(f->arena, "%s.pool", cpp), "cpp"));
    assert_true(reply_is(&reply, arena_printf(f->arena, "%s.editorMode", cpp), "cpp"));
    assert_non_null(memmem(reply.body.ptr, reply.body.len, "\".cpp\"", 6));
    assert_true(reply_is_null(&reply, arena_printf(f->arena, "%s.version", cpp)));
    assert_false(reply_bool(&reply, arena_printf(f->arena, "%s.available", cpp)));
}

static void a_language_is_available_while_an_enabled_node_lives(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct fake_node node = node_registered(f, &admin, "n1");
    node_joined(f, &node);
    node_opened(f, &node);
    assert_false(is_available(f, &admin, "cpp")); /* not enabled yet */
    struct reply enabled = node_configure(f, &admin, &node, "ENABLED");
    expect(enabled, 200);
    fixture_later(f, 1100); /* the answer is cached for a second */

    assert_true(is_available(f, &admin, "cpp"));

    assert_false(is_available(f, &admin, "python3"));
    struct reply reply = get(f, &admin, "/api/v1/languages");
    assert_true(reply_is(&reply, arena_printf(f->arena, "%s.version", item_of(f, &reply, "cpp")),
                         "g++ 12.2.0"));
    fixture_later(f, 35000);
    assert_false(is_available(f, &admin, "cpp")); /* silent for too long */
}

static void it_needs_a_session(void **state) {
    struct fixture *f = *state;

    struct reply reply = get(f, NULL, "/api/v1/languages");

    expect_error(reply, 401, "no_session");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVER_TEST(every_language_is_listed_with_what_an_editor_needs),
        SERVER_TEST(a_language_is_available_while_an_enabled_node_lives),
        SERVER_TEST(it_needs_a_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
