/* Files that nothing refers to go; the others never do, whatever happens meanwhile. */
#include "app/collect_internal.h"
#include "app/threads_fixture.h"
#include "store/blob_row_store.h"
#include "store/db_fault.h"

#include <fcntl.h>
#include <sys/stat.h>

/* The store's times are the disk's, so the app's clock is moved to them. */
static void begin_now(struct fixture *f) {
    f->clock.utc_now_ms = clock_utc_ms(&clock_real);
}

static void path_of(const struct fixture *f, const struct blob_ref *blob, char path[256]) {
    char hex[65] = {0};
    hex_encode(blob->sha256, 32, hex);
    (void)snprintf(path, 256, "%s/blobs/%.2s/%s", f->folder, hex, hex + 2);
}

static bool is_there(struct fixture *f, const struct blob_ref *blob) {
    char path[256];
    path_of(f, blob, path);
    return access(path, R_OK) == 0;
}

static void make_old(struct fixture *f, const struct blob_ref *blob) {
    static const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    char path[256];
    path_of(f, blob, path);
    assert_int_equal(utimensat(AT_FDCWD, path, long_ago, 0), 0);
}

static struct blob_ref ref_of(const uint8_t sha256[32]) {
    struct blob_ref ref = {.bytes = 1};
    memcpy(ref.sha256, sha256, 32);
    return ref;
}

static void what_is_unused_and_old_goes(void **state) {
    struct fixture *f = *state;
    begin_now(f);
    struct blob_ref unused = put_blob(f, STR("nobody's"));
    struct blob_ref young = put_blob(f, STR("just uploaded"));
    struct blob_ref manifest = ref_of(f->manifest_id);
    struct blob_ref input = ref_of(f->input_sha256);
    make_old(f, &unused);
    make_old(f, &manifest);
    make_old(f, &input);

    assert_true(collect_pass(f->app));

    assert_false(is_there(f, &unused));
    assert_true(is_there(f, &young));
    assert_true(is_there(f, &manifest));
    assert_true(is_there(f, &input));
    assert_false(collect_pass(f->app));
}

static void a_files_row_goes_with_it(void **state) {
    struct fixture *f = *state;
    begin_now(f);
    struct blob_ref unused = put_blob(f, STR("nobody's"));
    must(f, db_begin(f->app->db, &f->err) &&
                blob_row_store_add(f->app->db, &unused, START_MS, &f->err) &&
                db_commit(f->app->db, &f->err));
    make_old(f, &unused);

    assert_true(collect_pass(f->app));

    assert_int_equal(query(f, "SELECT count(*) FROM blob_file"), 0);
}

static void the_files_of_a_problem_stay(void **state) {
    struct fixture *f = *state;
    char hex[65] = {0};
    char sql[300];
    begin_now(f);
    struct blob_ref picture = put_blob(f, STR("picture"));
    hex_encode(picture.sha256, 32, hex);
    (void)snprintf(sql, sizeof sql, "INSERT INTO problem_file VALUES (1, 'a.png', x'%s', 7)", hex);
    exec(f, sql);
    make_old(f, &picture);

    assert_false(collect_pass(f->app));
    assert_true(is_there(f, &picture));

    exec(f, "DELETE FROM problem_file"); /* replaced by another version */
    assert_true(collect_pass(f->app));
    assert_false(is_there(f, &picture));
}

static void an_older_version_of_a_problem_stays(void **state) {
    struct fixture *f = *state;
    begin_now(f);
    struct blob_ref old = ref_of(f->manifest_id);
    struct blob_ref input = ref_of(f->input_sha256);
    exec(f, "INSERT INTO manifest SELECT manifest_id, 1, 0 FROM problem WHERE id = 1");
    make_manifest(f, 500000);
    exec(f, "DELETE FROM problem");
    make_problem(f, 1);
    make_problem(f, 2);
    make_old(f, &old);
    make_old(f, &input);

    assert_false(collect_pass(f->app));

    assert_true(is_there(f, &old));
    assert_true(is_there(f, &input));
}

static void half_a_knowledge_removes_nothing(void **state) {
    struct fixture *f = *state;
    char path[256];
    begin_now(f);
    struct blob_ref unused = put_blob(f, STR("nobody's"));
    struct blob_ref manifest = ref_of(f->manifest_id);
    make_old(f, &unused);
    path_of(f, &manifest, path);
    assert_int_equal(rename(path, "/dev/shm/assize-test-away"), 0);

    assert_false(collect_pass(f->app));

    assert_true(is_there(f, &unused));
    assert_int_equal(rename("/dev/shm/assize-test-away", path), 0);
}

/* ---- wherever the database breaks ---- */

static bool fail_at(void *context, enum db_point point, const char *sql, struct err *err) {
    int *left = context;
    (void)point;
    (void)sql;
    return --*left != 0 || err_set(err, ERR_SYSTEM, "database_unavailable", "planted");
}

static void a_pass_that_breaks_loses_nothing_and_is_made_good(void **state) {
    struct fixture *f = *state;
    begin_now(f);
    for (int at = 1; at < 12; at++) {
        int left = at;
        struct blob_ref unused = put_blob(f, STR("nobody's"));
        struct blob_ref input = ref_of(f->input_sha256);
        make_old(f, &unused);
        make_old(f, &input);

        db_set_fault(f->app->db, fail_at, &left);
        (void)collect_pass(f->app);
        db_set_fault(f->app->db, NULL, NULL);
        assert_true(is_there(f, &input));
        (void)collect_pass(f->app);

        assert_false(is_there(f, &unused));
        assert_true(is_there(f, &input));
    }
}

/* ---- against uploads: what was put a moment ago is there, however old it was before ---- */

#define ROUNDS 300
#define ROUNDS_MAX 1000000

struct race {
    struct fixture *f;
    atomic_bool over;
    atomic_int lost;
    atomic_int removed;
};

static void *upload(void *argument) {
    struct race *race = argument;
    /* Until they have met, too. */
    for (int i = 0; i < ROUNDS || (atomic_load(&race->removed) == 0 && i < ROUNDS_MAX); i++) {
        char text[16];
        int len = snprintf(text, sizeof text, "upload %d", i % 3);
        struct blob_source source = {
            .bytes = str_of(text, (size_t)len), .fd = -1, .bytes_max = MIB};
        struct blob_info info = {0};
        struct blob_ref ref = {.bytes = len};
        struct err err = {0};
        int fd = -1;
        bool put = blob_put(race->f->app->blobs, &source, &info, &err);
        bool found = put && blob_open(race->f->app->blobs, &info.digest, &fd, NULL, &err);
        atomic_fetch_add(&race->lost, found ? 0 : 1);
        if (found) {
            (void)close(fd);
            memcpy(ref.sha256, info.digest.bytes, 32);
            make_old(race->f, &ref); /* nobody referred to it after all */
        }
    }
    atomic_store(&race->over, true);
    return NULL;
}

static void an_upload_keeps_its_files(void **state) {
    struct fixture *f = *state;
    struct race race = {.f = f};
    reopen(f, false); /* by the real random: the seeded one is for one thread */
    pthread_t thread = thread_start("upload", upload, &race);
    while (!atomic_load(&race.over)) {
        atomic_fetch_add(&race.removed, collect_pass(f->app) ? 1 : 0);
    }
    thread_join(thread);
    assert_int_equal(atomic_load(&race.lost), 0);
    assert_true(atomic_load(&race.removed) > 0);
}

/* ---- against submissions: what a lease may fetch is there ---- */

static void a_submission_finds_its_files(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    begin_now(f);
    struct blob_ref manifest = ref_of(f->manifest_id);
    struct blob_ref input = ref_of(f->input_sha256);
    for (int i = 0; i < 20; i++) {
        make_old(f, &manifest);
        make_old(f, &input);
        assert_true(beat(f, &node).item.ok);
        (void)submit(f, 1);
        (void)collect_pass(f->app);
        struct claimed_job job = claim_one(f, &node);
        (void)collect_pass(f->app);
        struct artifact_request wanted = {
            .actor = node.actor, .session_epoch = node.epoch, .lease = job.lease};
        const uint8_t *files[] = {f->manifest_id, f->input_sha256};
        for (int j = 0; j < 2; j++) {
            int fd = -1;
            int64_t bytes = 0;
            memcpy(wanted.sha256, files[j], 32);
            must(f, dispatch_artifact_open(f->app, &wanted, &fd, &bytes, &f->err));
            (void)close(fd);
        }
        assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(what_is_unused_and_old_goes),
        APP_TEST(a_files_row_goes_with_it),
        APP_TEST(the_files_of_a_problem_stay),
        APP_TEST(an_older_version_of_a_problem_stays),
        APP_TEST(half_a_knowledge_removes_nothing),
        APP_TEST(a_pass_that_breaks_loses_nothing_and_is_made_good),
        APP_TEST_ON_DISK(an_upload_keeps_its_files),
        APP_TEST(a_submission_finds_its_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
