#ifndef TESTS_NODE_WORLD_H
#define TESTS_NODE_WORLD_H

/* A node's surroundings: the fake server, the box that runs nothing, a toy language
 * (tests/unit/judge/fake_box.h says what its programs do) and problems of two cases, whose answers
 * are their inputs. */
#include "fake_check.h"

static inline bool fake_artifact(void *context, const struct machine_artifact *request, int fd,
                                 int64_t *ret_bytes, struct err *err) {
    (void)context;
    mutex_lock(&server.lock);
    bool ok = server.deny_artifacts-- <= 0;
    *err = ok ? *err : server.denial;
    const struct fake_blob *found = NULL;
    for (int i = 0; i < server.blob_count; i++) {
        if (digest_equal(&server.blobs[i].digest, &request->digest)) {
            found = &server.blobs[i];
        }
    }
    mutex_unlock(&server.lock);
    if (!ok) {
        return false;
    }
    if (found == NULL) {
        return err_set(err, ERR_MISSING, "no_artifact", "there is no such file");
    }
    *ret_bytes = (int64_t)found->text.len;
    return file_write_all(fd, found->text, err);
}

static const struct machine_api fake_api = {.session = fake_session,
                                            .heartbeat = fake_heartbeat,
                                            .claim = fake_claim,
                                            .renew = fake_renew,
                                            .progress = fake_progress,
                                            .result = fake_result,
                                            .failure = fake_failure,
                                            .release = fake_release,
                                            .artifact = fake_artifact,
                                            .check_result = fake_check_result,
                                            .out_of_service = fake_out_of_service};

static inline struct err fake_err(enum err_kind kind, const char *code) {
    struct err err = {0};
    (void)err_set(&err, kind, code, "as the test wants");
    return err;
}

static inline void fake_abort(void *context) {
    atomic_store((atomic_bool *)context, true);
}

struct world {
    char folder[64];
    struct language_set *languages;
    struct judge *judge;
    struct arena *arena;
    struct node_link links[4];
    struct node_options options;
    int stop_pipe[2];
    struct err err;
};

static inline struct blob_ref world_blob(struct world *world, const char *text) {
    struct fake_blob *blob = &server.blobs[server.blob_count++];
    struct blob_ref ref = {.bytes = (int64_t)strlen(text)};
    assert_true(server.blob_count <= 8);
    blob->text = arena_str(world->arena, str_from(text));
    blob->digest = digest_of(blob->text);
    memcpy(ref.sha256, blob->digest.bytes, sizeof ref.sha256);
    return ref;
}

static inline void world_file(struct world *world, const char *name, const char *text) {
    const char *path = arena_printf(world->arena, "%s/%s", world->folder, name);
    assert_true(file_save_atomic(path, str_from(text), 0600, &world->err));
}

static inline void world_language(struct world *world, const char *id, const char *hello) {
    const char *folder = arena_printf(world->arena, "%s/languages/%s", world->folder, id);
    assert_true(file_make_dirs(folder, 0700, &world->err));
    world_file(world, arena_printf(world->arena, "languages/%s/hello.txt", id), hello);
    world_file(world, arena_printf(world->arena, "languages/%s/language.yaml", id),
               "name: Toy\npool: toy\neditor: text\nextensions: [.txt]\nsource: main.txt\n"
               "environment: [HOME=/w]\n"
               "compile:\n  command: [/usr/bin/toy, \"{sources}\"]\n  roots: [/usr]\n"
               "  produces: [main]\n"
               "run:\n  command: [/w/main]\n  roots: []\n  profile: native\n  processes: 4\n"
               "version:\n  command: [/usr/bin/toy, --version]\n"
               "hello: hello.txt\npackage: apt-get install toy\n");
}

/* A job whose source is `source` and whose manifest has two cases. */
static inline void world_job(struct world *world, int64_t id, const char *source) {
    struct manifest manifest;
    struct manifest_case cases[2] = {0};
    own_buf text;
    buf_init(&text, MIB);
    manifest_defaults(&manifest);
    for (int i = 0; i < 2; i++) {
        struct blob_ref blob = world_blob(world, i == 0 ? "1" : "2");
        cases[i] = (struct manifest_case){.name = i == 0 ? STR("sample/1") : STR("secret/1"),
                                          .sample = i == 0,
                                          .group = -1,
                                          .input = blob,
                                          .answer = blob};
    }
    manifest.cases = cases;
    manifest.case_count = 2;
    assert_true(manifest_write(&manifest, &text, &world->err));
    struct blob_ref manifest_blob = world_blob(world, buf_c(&text));
    struct blob_ref source_blob = world_blob(world, source);
    struct machine_job *job = &server.jobs[server.job_count++];
    *job = (struct machine_job){.subject = MACHINE_ALGO,
                                .submission = {id + 100},
                                .generation = 1,
                                .pool = STR("toy"),
                                .lease = {{id}, 1, 77},
                                .lease_remaining_ms = 60000,
                                .language = STR("toy"),
                                .source_bytes = source_blob.bytes,
                                .trace_id = STR("trace")};
    memcpy(job->manifest.bytes, manifest_blob.sha256, sizeof job->manifest.bytes);
    memcpy(job->source.bytes, source_blob.sha256, sizeof job->source.bytes);
}

static inline int world_open(void **state) {
    struct world *world = calloc(1, sizeof *world);
    memset(&server, 0, sizeof server);
    mutex_init(&server.lock);
    server.renewal = MACHINE_GO;
    fake_word = fake_obey;
    server.slots = 1;
    server.denial = fake_err(ERR_BUSY, "unreachable");
    (void)snprintf(world->folder, sizeof world->folder, "/tmp/assize-node-XXXXXX");
    assert_non_null(mkdtemp(world->folder));
    world->arena = arena_create(64 * MIB);
    world_language(world, "toy", "say hello");
    if (!language_set_load(arena_printf(world->arena, "%s/languages", world->folder),
                           &world->languages, &world->err)) {
        fail_msg("%s", world->err.text);
    }
    world->judge =
        judge_create(&(struct judge_options){.box = fake_box(), .languages = world->languages});
    assert_int_equal(pipe2(world->stop_pipe, O_CLOEXEC), 0);
    for (int i = 0; i < 4; i++) {
        world->links[i] = (struct node_link){&fake_api, fake_abort, &server.aborted[i]};
    }
    world->options = (struct node_options){.name = "n1",
                                           .pool = "toy",
                                           .slots = 1,
                                           .judge = world->judge,
                                           .languages = world->languages,
                                           .workspace = world->folder,
                                           .cache_bytes_max = 64 * MIB,
                                           .claim_wait_ms = 1000,
                                           .drain_ms = 200,
                                           .links = world->links,
                                           .clock = &clock_real,
                                           .random = &random_real,
                                           .stop_fd = world->stop_pipe[0]};
    *state = world;
    return 0;
}

static inline int world_close(void **state) {
    struct world *world = *state;
    struct err err = {0};
    judge_free(world->judge);
    language_set_free(world->languages);
    close(world->stop_pipe[0]);
    close(world->stop_pipe[1]);
    bool removed = file_remove_tree(world->folder, &err);
    arena_free(world->arena);
    mutex_done(&server.lock);
    free(world);
    return removed ? 0 : -1;
}

/* Waits until *counter is at least `count`. */
static inline void world_wait(const int *counter, int count) {
    for (int i = 0; i < 2000; i++) {
        mutex_lock(&server.lock);
        bool there = *counter >= count;
        mutex_unlock(&server.lock);
        if (there) {
            return;
        }
        clock_sleep_ms(&clock_real, 5);
    }
    fail_msg("the node did not do it in ten seconds");
}

static inline struct judgement world_judgement(struct world *world, int call) {
    struct judgement judgement = {0};
    if (!judgement_decode(str_from(server.results[call]), world->arena, &judgement, &world->err)) {
        fail_msg("%s: %s", world->err.text, server.results[call]);
    }
    return judgement;
}

#define NODE_TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)

#endif
