/* The live events of a submission: the state first, each case once and in order, the verdict last.
 */
#include "node_fixture.h"

struct viewer {
    int fd;
    char bytes[64 * KIB];
    size_t len;
    bool closed;
};

struct scene {
    struct person admin;
    struct person ann;
    struct fake_node node;
    int64_t submission;
};

static struct scene scene_of(struct fixture *f) {
    struct scene scene = {.admin = new_person(f, "eve", ROLE_ADMIN),
                          .ann = new_person(f, "ann", ROLE_STUDENT)};
    scene.node = new_node(f, &scene.admin, "n1");
    scene.submission = submitted(f, &scene.ann, new_problem(f, "sum"));
    return scene;
}

static void watch(struct fixture *f, const struct scene *scene, struct viewer *viewer) {
    struct ask ask = {.path = arena_printf(f->arena, "/api/v1/submissions/%lld/events",
                                           (long long)scene->submission),
                      .headers = scene->ann.headers};
    memset(viewer, 0, sizeof *viewer);
    viewer->fd = ask_connect(f->port);
    ask_begin(viewer->fd, &ask, f->arena);
}

/* Until `text` was received, the server closes, or nothing comes for wait_ms. */
static bool await(struct viewer *viewer, const char *text, int wait_ms) {
    struct pollfd ready = {.fd = viewer->fd, .events = POLLIN};
    while (text == NULL || strstr(viewer->bytes, text) == NULL) {
        if (viewer->closed || poll(&ready, 1, wait_ms) <= 0) {
            return false;
        }
        ssize_t got = recv(viewer->fd, viewer->bytes + viewer->len,
                           sizeof viewer->bytes - viewer->len - 1, 0);
        viewer->closed = got <= 0;
        viewer->len += got > 0 ? (size_t)got : 0;
        viewer->bytes[viewer->len] = '\0';
    }
    return true;
}

/* Reads to the end of the stream, which must come. */
static void await_end(struct viewer *viewer) {
    (void)await(viewer, NULL, 10000);
    if (!viewer->closed) {
        fail_msg("the stream did not end: %s", viewer->bytes);
    }
    close(viewer->fd);
}

/* The names of the events in their order: "state,case,verdict". Chunk sizes and data are skipped.
 */
static const char *names_of(struct fixture *f, const struct viewer *viewer) {
    own_buf names;
    buf_init(&names, 4 * KIB);
    for (const char *at = strstr(viewer->bytes, "event: "); at != NULL;
         at = strstr(at + 1, "event: ")) {
        (void)buf_printf(&names, "%s%.*s", names.len > 0 ? "," : "", (int)strcspn(at + 7, "\r\n"),
                         at + 7);
    }
    return arena_cstr(f->arena, buf_str(&names));
}

static const char case_1[] = "\"cases\":[{\"index\":1,\"name\":\"sample/1\",\"sample\":true,"
                             "\"verdict\":\"ACCEPTED\",\"cpuMs\":3,\"wallMs\":4,\"memoryKb\":100,"
                             "\"message\":null}]";

struct told {
    int sequence;
    const char *state;
    int running; /* 0: none */
    const char *cases;
};

static void report(struct fixture *f, const struct scene *scene, const struct fake_lease *lease,
                   const struct told *told) {
    const char *running = told->running == 0 ? "null" : arena_printf(f->arena, "%d", told->running);
    const char *rest =
        arena_printf(f->arena, "\"state\":\"%s\",\"caseIndex\":%s,\"casesTotal\":2,%s", told->state,
                     running, told->cases);
    struct reply reply = node_progress(f, &scene->node, lease, told->sequence, rest);
    expect(reply, 204);
}

static void the_whole_way_is_seen_in_order(void **state) {
    struct fixture *f = *state;
    static struct viewer viewer;
    struct scene scene = scene_of(f);
    watch(f, &scene, &viewer);
    assert_true(await(&viewer, "\"PENDING\"", 5000)); /* the present state comes at once */

    struct fake_lease lease = node_claimed(f, &scene.node, 1);
    report(f, &scene, &lease, &(struct told){1, "COMPILING", 0, "\"cases\":[]"});
    assert_true(await(&viewer, "\"COMPILING\"", 5000));
    report(f, &scene, &lease, &(struct told){2, "JUDGING", 1, "\"cases\":[]"});
    assert_true(await(&viewer, "\"caseIndex\":1", 5000));
    report(f, &scene, &lease, &(struct told){3, "JUDGING", 2, case_1});
    assert_true(await(&viewer, "event: case", 5000));
    node_settled(f, &scene.node, &lease, VERDICT_WRONG_ANSWER);
    await_end(&viewer);

    assert_non_null(strstr(viewer.bytes, "Content-Type: text/event-stream"));
    assert_non_null(strstr(viewer.bytes, "Cache-Control: no-store"));
    assert_non_null(strstr(viewer.bytes, "X-Accel-Buffering: no"));
    const char *names = names_of(f, &viewer);
    assert_true(str_starts(str_from(names), STR("state")));
    assert_true(str_ends(str_from(names), STR("case,verdict"))); /* the last case came with it */
    assert_non_null(strstr(viewer.bytes, "\"verdict\":\"WRONG_ANSWER\""));
}

static void each_case_is_sent_once_however_often_it_changes(void **state) {
    struct fixture *f = *state;
    static struct viewer viewer;
    struct scene scene = scene_of(f);
    struct fake_lease lease = node_claimed(f, &scene.node, 1);
    report(f, &scene, &lease, &(struct told){1, "JUDGING", 2, case_1});
    watch(f, &scene, &viewer);
    assert_true(await(&viewer, "event: case", 5000)); /* one that came before the viewer */
    report(f, &scene, &lease, &(struct told){2, "JUDGING", 2, "\"cases\":[]"});
    report(f, &scene, &lease,
           &(struct told){1, "JUDGING", 2, case_1}); /* an old report once more */

    node_settled(f, &scene.node, &lease, VERDICT_ACCEPTED);
    await_end(&viewer);

    const char *names = names_of(f, &viewer);
    int cases = 0;
    for (const char *at = strstr(names, "case"); at != NULL; at = strstr(at + 1, "case")) {
        cases++;
    }
    assert_int_equal(cases, 2);
    const char *first = strstr(viewer.bytes, "event: case");
    assert_non_null(strstr(first, "\"index\":1"));
    assert_true(strstr(first, "\"index\":1") < strstr(first, "\"index\":2"));
}

static void what_is_judged_already_is_one_verdict(void **state) {
    struct fixture *f = *state;
    static struct viewer viewer;
    struct scene scene = scene_of(f);
    struct fake_lease lease = node_claimed(f, &scene.node, 1);
    node_settled(f, &scene.node, &lease, VERDICT_ACCEPTED);

    watch(f, &scene, &viewer);
    await_end(&viewer);

    assert_string_equal(names_of(f, &viewer), "verdict");
    assert_non_null(strstr(viewer.bytes, "\"state\":\"DONE\""));
}

static void a_viewer_who_left_does_not_disturb(void **state) {
    struct fixture *f = *state;
    static struct viewer viewer;
    static struct viewer stays;
    struct scene scene = scene_of(f);
    watch(f, &scene, &viewer);
    watch(f, &scene, &stays);
    assert_true(await(&viewer, "event: state", 5000));
    close(viewer.fd);

    struct fake_lease lease = node_claimed(f, &scene.node, 1);
    report(f, &scene, &lease, &(struct told){1, "COMPILING", 0, "\"cases\":[]"});
    node_settled(f, &scene.node, &lease, VERDICT_ACCEPTED);

    await_end(&stays);
    assert_non_null(strstr(names_of(f, &stays), "verdict"));
}

static void two_hundred_viewers_all_see_the_verdict(void **state) {
    struct fixture *f = *state;
    enum { COUNT = 200 };
    struct viewer *viewers = calloc(COUNT, sizeof *viewers);
    struct scene scene = scene_of(f);
    for (int i = 0; i < COUNT; i++) {
        watch(f, &scene, &viewers[i]);
    }
    for (int i = 0; i < COUNT; i++) {
        assert_true(await(&viewers[i], "event: state", 10000));
    }

    struct fake_lease lease = node_claimed(f, &scene.node, 1);
    report(f, &scene, &lease, &(struct told){1, "JUDGING", 2, case_1});
    node_settled(f, &scene.node, &lease, VERDICT_ACCEPTED);

    for (int i = 0; i < COUNT; i++) {
        await_end(&viewers[i]);
        assert_non_null(strstr(names_of(f, &viewers[i]), "verdict"));
    }
    free(viewers);
}

static void a_stop_ends_the_streams(void **state) {
    struct fixture *f = *state;
    enum { COUNT = 20 };
    struct viewer *viewers = calloc(COUNT, sizeof *viewers);
    struct scene scene = scene_of(f);
    for (int i = 0; i < COUNT; i++) {
        watch(f, &scene, &viewers[i]);
        assert_true(await(&viewers[i], "event: state", 5000));
    }
    int64_t before_ms = clock_mono_ms(&clock_real);

    fixture_close(f);

    assert_true(clock_mono_ms(&clock_real) - before_ms < 4000);
    for (int i = 0; i < COUNT; i++) {
        await_end(&viewers[i]);
        assert_null(strstr(names_of(f, &viewers[i]), "verdict"));
    }
    free(viewers);
}

static void who_may_not_see_it_gets_no_stream(void **state) {
    struct fixture *f = *state;
    struct scene scene = scene_of(f);
    struct person bob = new_person(f, "bob", ROLE_STUDENT);
    const char *path =
        arena_printf(f->arena, "/api/v1/submissions/%lld/events", (long long)scene.submission);

    struct reply other = get(f, &bob, path);
    struct reply nobody = get(f, NULL, path);
    struct reply unknown = get(f, &bob, "/api/v1/submissions/99999/events");

    expect_error(other, 404, "no_submission");
    expect_error(nobody, 401, "no_session");
    expect_error(unknown, 404, "no_submission");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVER_TEST(the_whole_way_is_seen_in_order),
        SERVER_TEST(each_case_is_sent_once_however_often_it_changes),
        SERVER_TEST(what_is_judged_already_is_one_verdict),
        SERVER_TEST(a_viewer_who_left_does_not_disturb),
        SERVER_TEST(two_hundred_viewers_all_see_the_verdict),
        SERVER_TEST(a_stop_ends_the_streams),
        SERVER_TEST(who_may_not_see_it_gets_no_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
