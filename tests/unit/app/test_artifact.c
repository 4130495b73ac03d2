/* A node gets the files that a live lease of its needs, and no others. */
#include "app/app_fixture.h"

struct scene {
    struct test_node node;
    struct claimed_job job;
};

static struct scene make_scene(struct fixture *f) {
    struct scene scene = {.node = make_node(f, "n1", 1, NULL)};
    (void)submit(f, 1);
    scene.job = claim_one(f, &scene.node);
    return scene;
}

static bool open_file(struct fixture *f, const struct scene *scene, const uint8_t sha256[32],
                      struct buf *content) {
    struct artifact_request request = {
        .actor = scene->node.actor, .session_epoch = scene->node.epoch, .lease = scene->job.lease};
    memcpy(request.sha256, sha256, 32);
    own_fd fd = -1;
    int64_t bytes = 0;
    if (!dispatch_artifact_open(f->app, &request, &fd, &bytes, &f->err)) {
        return false;
    }
    must(f, file_read_all(fd, MIB, content, &f->err));
    assert_int_equal(content->len, bytes);
    return true;
}

static void source_manifest_and_test_data_are_given(void **state) {
    struct fixture *f = *state;
    struct scene scene = make_scene(f);
    own_buf source = {0};
    own_buf manifest = {0};
    own_buf input = {0};
    buf_init(&source, MIB);
    buf_init(&manifest, MIB);
    buf_init(&input, MIB);
    uint8_t sha256[32];

    assert_true(hex_decode(str_from(scene.job.source_digest), sha256, 32));
    assert_true(open_file(f, &scene, sha256, &source));
    assert_true(hex_decode(str_from(scene.job.manifest_id), sha256, 32));
    assert_true(open_file(f, &scene, sha256, &manifest));
    assert_true(open_file(f, &scene, f->input_sha256, &input));

    assert_true(str_eq_c(buf_str(&source), "int main() {}"));
    struct digest digest = digest_of(buf_str(&manifest));
    assert_memory_equal(digest.bytes, sha256, 32);
    assert_true(str_eq_c(buf_str(&input), "input 1"));
}

static void a_file_of_another_problem_is_not(void **state) {
    struct fixture *f = *state;
    struct scene scene = make_scene(f);
    struct blob_ref foreign = put_blob(f, STR("the answers of another problem"));
    own_buf content = {0};
    buf_init(&content, MIB);

    assert_false(open_file(f, &scene, foreign.sha256, &content));

    assert_int_equal(f->err.kind, ERR_MISSING);
    assert_string_equal(f->err.code, "no_artifact");
}

static void without_a_live_lease_nothing_is_given(void **state) {
    struct fixture *f = *state;
    struct scene scene = make_scene(f);
    own_buf content = {0};
    buf_init(&content, MIB);
    struct scene wrong = scene;

    wrong.job.lease.token++;
    assert_false(open_file(f, &wrong, f->input_sha256, &content));
    assert_string_equal(f->err.code, "lease_superseded");
    wrong = scene;
    wrong.job.lease.job.value = 99;
    assert_false(open_file(f, &wrong, f->input_sha256, &content));
    assert_string_equal(f->err.code, "no_job");
    wrong = scene;
    wrong.node.epoch--;
    assert_false(open_file(f, &wrong, f->input_sha256, &content));
    assert_string_equal(f->err.code, "session_superseded");
    wrong = scene;
    wrong.node.actor.node.value = 77;
    assert_false(open_file(f, &wrong, f->input_sha256, &content));
    assert_string_equal(f->err.code, "bad_credential");
    clock_manual_advance(&f->clock, f->settings.lease_ms);
    assert_false(open_file(f, &scene, f->input_sha256, &content));
    assert_string_equal(f->err.code, "lease_expired");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(source_manifest_and_test_data_are_given),
        APP_TEST(a_file_of_another_problem_is_not),
        APP_TEST(without_a_live_lease_nothing_is_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
