/* Handing in over HTTP: what is refused, what a repetition gets, who sees what. */
#include "node_fixture.h"
#include "zip_fixture.h"

static struct reply submit_body(struct fixture *f, const struct person *who, const char *key,
                                struct str body) {
    const char *headers =
        key == NULL ? who->headers
                    : arena_printf(f->arena, "%sIdempotency-Key: %s\r\n", who->headers, key);
    return fixture_ask(f, &(struct ask){.method = "POST",
                                        .path = "/api/v1/submissions",
                                        .headers = headers,
                                        .type = "application/json",
                                        .body = body});
}

static struct str body_of(struct fixture *f, int64_t problem, const char *language,
                          const char *source) {
    return str_from(arena_printf(f->arena,
                                 "{\"problemId\":%lld,\"language\":\"%s\",\"source\":\"%s\"}",
                                 (long long)problem, language, source));
}

static char *letters(struct fixture *f, size_t count) {
    char *text = arena_array(f->arena, count + 1, 1);
    memset(text, 'x', count);
    return text;
}

static int64_t stored(struct fixture *f, const struct person *who) {
    struct reply list = get(f, who, "/api/v1/submissions");
    expect(list, 200);
    return (int64_t)jr_count(reply_at(&list, "items"));
}

static void a_submission_is_received_with_its_place(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    int64_t problem = new_problem(f, "sum");

    struct reply reply = submit(f, &ann, problem, "int main(){}");

    expect(reply, 201);
    int64_t id = reply_i64(&reply, "id");
    assert_string_equal(header_of(f, &reply, "Location"),
                        arena_printf(f->arena, "/api/v1/submissions/%lld", (long long)id));
    assert_true(reply_is(&reply, "state", "PENDING"));
    assert_true(reply_str(&reply, "reason.code").len > 0);
    assert_true(reply_str(&reply, "reason.text").len > 0); /* never waiting without a reason */
    assert_true(reply_is_null(&reply, "verdict"));
    assert_true(reply_is(&reply, "problemCode", "sum"));
    assert_true(reply_is(&reply, "problemTitle", "Sum"));
    assert_true(reply_is(&reply, "username", "ann"));
    assert_true(reply_is(&reply, "source", "int main(){}"));
    assert_true(reply_is_null(&reply, "judgedAt"));
    assert_int_equal(reply_i64(&reply, "casesTotal"), 2);
    struct reply again = get(f, &ann, header_of(f, &reply, "Location"));
    expect(again, 200);
    assert_int_equal(reply_i64(&again, "id"), id);
}

static void bad_input_is_refused_and_nothing_is_stored(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    int64_t problem = new_problem(f, "sum");
    const struct {
        struct str body;
        int status;
        const char *code;
    } rows[] = {
        {body_of(f, problem, "cpp", ""), 400, "empty_source"},
        {body_of(f, problem, "cobol-2099", "x"), 400, "unknown_language"},
        {body_of(f, 999999, "cpp", "x"), 404, "no_problem"},
        {body_of(f, 0, "cpp", "x"), 400, "bad_field"},
        {body_of(f, problem, "cpp", letters(f, SOURCE_BYTES_MAX + 1)), 413, "source_too_large"},
        {STR("{\"problemId\":1,"), 400, "bad_json"},
        {STR("{\"problemId\":\"1\",\"language\":\"cpp\",\"source\":\"x\"}"), 400, "bad_field"},
        {STR("{\"problemId\":1,\"language\":\"cpp\"}"), 400, "bad_field"},
        {STR("{\"problemId\":1,\"language\":\"cpp\",\"source\":\"x\",\"grade\":5}"), 400,
         "unknown_field"},
        {STR("{\"problemId\":1,\"language\":\"cpp\",\"source\":\"\\u0000\"}"), 400, "bad_field"},
        {STR("{\"problemId\":1,\"language\":\"cpp\",\"source\":\"\xff\"}"), 400, "bad_json"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct reply reply = submit_body(f, &ann, NULL, rows[i].body);
        if (reply.status != rows[i].status) {
            fail_msg("row %zu: " STR_FMT, i, STR_ARG(reply.body));
        }
        expect_error(reply, rows[i].status, rows[i].code);
    }
    struct reply type = fixture_ask(f, &(struct ask){.method = "POST",
                                                     .path = "/api/v1/submissions",
                                                     .headers = ann.headers,
                                                     .type = "text/plain",
                                                     .body = body_of(f, problem, "cpp", "x")});
    expect_error(type, 415, "wrong_content_type");
    struct reply nobody =
        send_json(f, NULL, "POST", "/api/v1/submissions",
                  "{\"problemId\":%lld,\"language\":\"cpp\",\"source\":\"x\"}", (long long)problem);
    expect_error(nobody, 401, "no_session");
    assert_int_equal(stored(f, &ann), 0);
}

static void a_source_of_just_the_limit_is_taken_whole(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    int64_t problem = new_problem(f, "sum");
    char *source = letters(f, SOURCE_BYTES_MAX);

    struct reply reply = submit_body(f, &ann, NULL, body_of(f, problem, "cpp", source));

    expect(reply, 201);
    assert_true(str_eq_c(reply_str(&reply, "source"), source));
}

static void a_body_over_a_mebibyte_is_not_even_read(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);

    struct reply reply = submit_body(f, &ann, NULL, str_from(letters(f, MIB + 1)));

    expect(reply, 413);
    assert_true(reply_is(&reply, "code", "too_large"));
}

static void the_same_key_gets_the_first_answer_again(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    struct person bob = new_person(f, "bob", ROLE_STUDENT);
    int64_t problem = new_problem(f, "sum");
    struct str body = body_of(f, problem, "cpp", "int main(){}");

    struct reply first = submit_body(f, &ann, "k-1", body);
    struct reply second = submit_body(f, &ann, "k-1", body);
    struct reply other_body = submit_body(f, &ann, "k-1", body_of(f, problem, "cpp", "other"));
    struct reply other_user = submit_body(f, &bob, "k-1", body);

    expect(first, 201);
    expect(second, 201);
    assert_int_equal(reply_i64(&first, "id"), reply_i64(&second, "id"));
    expect_error(other_body, 422, "idempotency_mismatch");
    expect(other_user, 201);
    assert_int_not_equal(reply_i64(&other_user, "id"), reply_i64(&first, "id"));
    assert_int_equal(stored(f, &ann), 1);
}

static void a_key_in_the_body_is_the_same_key(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    int64_t problem = new_problem(f, "sum");

    struct reply first = submit_body(f, &ann, "k-2", body_of(f, problem, "cpp", "x"));
    struct reply second = send_json(
        f, &ann, "POST", "/api/v1/submissions",
        "{\"problemId\":%lld,\"language\":\"cpp\",\"source\":\"x\",\"request_id\":\"k-2\"}",
        (long long)problem);

    expect(second, 201);
    assert_int_equal(reply_i64(&first, "id"), reply_i64(&second, "id"));
}

static void a_key_that_is_none_is_refused(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    int64_t problem = new_problem(f, "sum");
    const char *const keys[] = {"", letters(f, IDEMPOTENCY_KEY_BYTES_MAX + 1), "\xff\xfe"};
    for (size_t i = 0; i < 3; i++) {
        struct reply reply = submit_body(f, &ann, keys[i], body_of(f, problem, "cpp", "x"));
        expect_error(reply, 400, "bad_parameter");
    }
    assert_int_equal(stored(f, &ann), 0);
}

static void fifty_at_once_with_one_key_are_one_submission(void **state) {
    struct fixture *f = *state;
    enum { COUNT = 50 };
    int fds[COUNT];
    int64_t first = 0;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    int64_t problem = new_problem(f, "sum");
    struct ask ask = {.method = "POST",
                      .path = "/api/v1/submissions",
                      .headers = arena_printf(f->arena, "%sIdempotency-Key: one\r\n", ann.headers),
                      .type = "application/json",
                      .body = body_of(f, problem, "cpp", "int main(){}")};
    for (int i = 0; i < COUNT; i++) {
        fds[i] = ask_connect(f->port);
    }
    for (int i = 0; i < COUNT; i++) {
        ask_begin(fds[i], &ask, f->arena);
    }

    for (int i = 0; i < COUNT; i++) {
        struct reply reply = fixture_finish(f, fds[i], &ask);
        expect(reply, 201);
        first = first == 0 ? reply_i64(&reply, "id") : first;
        assert_int_equal(reply_i64(&reply, "id"), first);
    }

    assert_int_equal(stored(f, &ann), 1);
}

static void what_belongs_to_another_is_not_there(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    struct person bob = new_person(f, "bob", ROLE_STUDENT);
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    int64_t id = submitted(f, &ann, new_problem(f, "sum"));
    const char *path = arena_printf(f->arena, "/api/v1/submissions/%lld", (long long)id);
    const char *events = arena_printf(f->arena, "%s/events", path);

    struct reply theirs = get(f, &bob, path);
    struct reply their_events = get(f, &bob, events);
    struct reply unknown = get(f, &bob, "/api/v1/submissions/999999");
    struct reply word = get(f, &bob, "/api/v1/submissions/latest");
    struct reply by_admin = get(f, &admin, path);

    expect_error(theirs, 404, "no_submission");
    expect_error(their_events, 404, "no_submission");
    expect_error(unknown, 404, "no_submission");
    expect_error(word, 404, "no_submission");
    expect(by_admin, 200);
    assert_true(reply_is(&by_admin, "source", "int main(){}"));
}

static void the_list_is_ones_own_newest_first_by_pages(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    struct person bob = new_person(f, "bob", ROLE_STUDENT);
    int64_t problem = new_problem(f, "sum");
    int64_t ids[3];
    for (int i = 0; i < 3; i++) {
        ids[i] = submitted(f, &ann, problem);
    }
    (void)submitted(f, &bob, problem);

    struct reply first = get(f, &ann, "/api/v1/submissions?limit=2");
    expect(first, 200);
    struct reply second = get(f, &ann,
                              arena_printf(f->arena, "/api/v1/submissions?limit=2&cursor=" STR_FMT,
                                           STR_ARG(reply_str(&first, "next"))));

    assert_int_equal(jr_count(reply_at(&first, "items")), 2);
    assert_int_equal(reply_i64(&first, "items.0.id"), ids[2]);
    assert_int_equal(reply_i64(&first, "items.1.id"), ids[1]);
    assert_null(reply_at(&first, "items.0.source"));
    expect(second, 200);
    assert_int_equal(jr_count(reply_at(&second, "items")), 1);
    assert_int_equal(reply_i64(&second, "items.0.id"), ids[0]);
    assert_true(reply_is_null(&second, "next"));
}

static void the_list_can_be_narrowed_to_a_problem(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    int64_t one = new_problem(f, "one");
    int64_t two = new_problem(f, "two");
    int64_t of_one = submitted(f, &ann, one);
    (void)submitted(f, &ann, two);

    struct reply list =
        get(f, &ann, arena_printf(f->arena, "/api/v1/submissions?problemId=%lld", (long long)one));

    expect(list, 200);
    assert_int_equal(jr_count(reply_at(&list, "items")), 1);
    assert_int_equal(reply_i64(&list, "items.0.id"), of_one);
}

static void everybodys_are_for_staff(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    (void)submitted(f, &ann, new_problem(f, "sum"));

    struct reply by_student = get(f, &ann, "/api/v1/submissions?user=all");
    struct reply by_admin = get(f, &admin, "/api/v1/submissions?user=all");
    struct person tom = new_person(f, "tom", ROLE_TEACHER);
    expect(get(f, &tom, "/api/v1/submissions?user=all"), 200);
    struct reply own = get(f, &admin, "/api/v1/submissions");
    struct reply other = get(f, &admin, "/api/v1/submissions?user=ann");

    expect_error(by_student, 403, "not_allowed");
    expect(by_admin, 200);
    assert_int_equal(jr_count(reply_at(&by_admin, "items")), 1);
    assert_true(reply_is(&by_admin, "items.0.username", "ann"));
    assert_int_equal(jr_count(reply_at(&own, "items")), 0);
    expect_error(other, 400, "bad_parameter");
}

static void page_parameters_out_of_range_are_refused(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    static const char *const queries[] = {"limit=0", "limit=201",   "limit=x",    "cursor=-1",
                                          "cursor=", "problemId=0", "problemId=a"};
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        struct reply reply =
            get(f, &ann, arena_printf(f->arena, "/api/v1/submissions?%s", queries[i]));
        expect_error(reply, 400, "bad_parameter");
    }
}

static void a_judged_submission_shows_its_cases(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    struct fake_node node = new_node(f, &admin, "n1");
    int64_t id = submitted(f, &ann, new_problem(f, "sum"));
    struct fake_lease lease = node_claimed(f, &node, 1);
    node_settled(f, &node, &lease, VERDICT_WRONG_ANSWER);

    struct reply reply =
        get(f, &ann, arena_printf(f->arena, "/api/v1/submissions/%lld", (long long)id));

    expect(reply, 200);
    assert_true(reply_is(&reply, "state", "DONE"));
    assert_true(reply_is_null(&reply, "reason"));
    assert_true(reply_is(&reply, "verdict", "WRONG_ANSWER"));
    assert_true(reply_is(&reply, "verdictShort", "WA"));
    assert_int_equal(reply_i64(&reply, "casesPassed"), 1);
    assert_int_equal(jr_count(reply_at(&reply, "cases")), 2);
    assert_int_equal(reply_i64(&reply, "cases.1.index"), 2);
    assert_true(reply_bool(&reply, "cases.0.sample"));
    assert_true(reply_bool(&reply, "compile.ok"));
    assert_int_equal(reply_str(&reply, "judgedAt").len, 24);
}

/* A problem that takes answers alone. */
static int64_t answers_problem(struct fixture *f, const char *code) {
    int64_t problem = new_problem(f, code);
    static const struct actor system_actor = {.kind = ACTOR_SYSTEM};
    struct problem_import_list result = {0};
    put_file(f, "package/problem.yaml",
             STR("problem_format_version: 2025-09\nname: Sum\ntype: submit-answer\n"
                 "uuid: 5ca6ba5b-36d5-4eff-8aa7-d967cbc4375e\nlicense: public domain\n"));
    struct problem_import_request request = {.fd = -1,
                                             .folder =
                                                 arena_printf(f->arena, "%s/package", f->folder),
                                             .code = str_from(code)};
    if (!problem_import(f->app, &system_actor, &request, f->arena, &result, &f->err)) {
        fail_msg("%s", f->err.text);
    }
    return problem;
}

static struct reply hand_in(struct fixture *f, const struct person *who, int64_t problem,
                            const char *type, struct str zip) {
    return fixture_ask(
        f, &(struct ask){
               .method = "POST",
               .path = arena_printf(f->arena, "/api/v1/problems/%lld/answers", (long long)problem),
               .headers = arena_printf(f->arena, "%sIdempotency-Key: once\r\n", who->headers),
               .type = type,
               .body = zip});
}

static struct str zip_bytes(struct fixture *f, const char *name, struct str content) {
    own_buf zip;
    buf_init(&zip, MIB);
    zip_write(&zip, &(struct zip_file){name, content}, 1);
    return arena_str(f->arena, buf_str(&zip));
}

static void a_zip_of_answers_is_handed_in_once(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    int64_t problem = answers_problem(f, "sum");
    struct str zip = zip_bytes(f, "mine/a.out", STR("42\n"));

    struct reply made = hand_in(f, &ann, problem, "application/zip", zip);
    struct reply again = hand_in(f, &ann, problem, "application/zip", zip);

    expect(made, 201);
    assert_true(reply_is(&made, "language", "text"));
    assert_true(reply_is(&made, "source", "=== a.out ===\n42\n"));
    expect(again, 201);
    assert_int_equal(reply_i64(&again, "id"), reply_i64(&made, "id"));
    assert_int_equal(stored(f, &ann), 1);
}

static void refused(struct reply reply, int status, const char *code) {
    expect_error(reply, status, code);
}

static void a_zip_that_cannot_be_taken_stores_nothing(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    int64_t programs = new_problem(f, "programs");
    int64_t problem = answers_problem(f, "sum");
    struct str good = zip_bytes(f, "a.out", STR("42\n"));
    struct str outside = zip_bytes(f, "../a.out", STR("42\n"));
    struct str binary = zip_bytes(f, "a.out", STR("\xff\xfe"));
    struct str long_one = zip_bytes(f, "a.out", str_of(letters(f, 200 * KIB), 200 * KIB));

    refused(hand_in(f, &ann, programs, "application/zip", good), 422, "bad_answers");
    refused(hand_in(f, &ann, problem, "application/zip", outside), 422, "bad_answers");
    refused(hand_in(f, &ann, problem, "application/zip", binary), 422, "bad_answers");
    refused(hand_in(f, &ann, problem, "application/zip", STR("no zip")), 422, "bad_answers");
    refused(hand_in(f, &ann, problem, "application/zip", STR("")), 422, "bad_answers");
    refused(hand_in(f, &ann, problem, "application/zip", long_one), 413, "source_too_large");
    refused(hand_in(f, &ann, problem, "text/plain", good), 415, "wrong_content_type");
    refused(hand_in(f, &ann, 999, "application/zip", good), 404, "no_problem");
    assert_int_equal(stored(f, &ann), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVER_TEST(a_submission_is_received_with_its_place),
        SERVER_TEST(bad_input_is_refused_and_nothing_is_stored),
        SERVER_TEST(a_source_of_just_the_limit_is_taken_whole),
        SERVER_TEST(a_body_over_a_mebibyte_is_not_even_read),
        SERVER_TEST(the_same_key_gets_the_first_answer_again),
        SERVER_TEST(a_key_in_the_body_is_the_same_key),
        SERVER_TEST(a_key_that_is_none_is_refused),
        SERVER_TEST(fifty_at_once_with_one_key_are_one_submission),
        SERVER_TEST(what_belongs_to_another_is_not_there),
        SERVER_TEST(the_list_is_ones_own_newest_first_by_pages),
        SERVER_TEST(the_list_can_be_narrowed_to_a_problem),
        SERVER_TEST(a_zip_of_answers_is_handed_in_once),
        SERVER_TEST(a_zip_that_cannot_be_taken_stores_nothing),
        SERVER_TEST(everybodys_are_for_staff),
        SERVER_TEST(page_parameters_out_of_range_are_refused),
        SERVER_TEST(a_judged_submission_shows_its_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
