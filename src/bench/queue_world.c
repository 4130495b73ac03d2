#include "bench/queue_world.h"
#include "app/judger.h"
#include "base/check.h"
#include "base/file.h"
#include "base/limits.h"
#include "bench/queue_fill.h"
#include "blob/blob_folder.h"
#include "data/digest.h"
#include "domain/manifest.h"
#include "local/session.h"

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BYTES_MAX (64 * MIB)
#define QUIET_MS 3600000 /* nodes and leases of the benchmark end with it */

static const struct actor the_system = {.kind = ACTOR_SYSTEM};

/* ---- folder, files, app ---- */

static bool make_folder(struct queue_world *world, struct err *err) {
    int len = snprintf(world->folder, sizeof world->folder, "%s/assize-bench-XXXXXX",
                       world->plan->folder);
    if (len < 0 || (size_t)len >= sizeof world->folder || mkdtemp(world->folder) == NULL) {
        world->folder[0] = '\0';
        return err_set(err, ERR_SYSTEM, "file_failed", "cannot make a folder in %.120s",
                       world->plan->folder);
    }
    (void)snprintf(world->database, sizeof world->database, "%s/assize.db", world->folder);
    return true;
}

static bool open_app(struct queue_world *world, struct err *err) {
    char blobs[300];
    (void)snprintf(blobs, sizeof blobs, "%s/blobs", world->folder);
    struct app_options options = {
        .database_path = world->database,
        .mysql = world->plan->mysql ? &world->target : NULL,
        .blob_folder = blobs,
        .languages = world->languages,
        .clock = &clock_real,
        .random = &random_real,
        .holder = "assize bench queue",
        .meter = &world->meter,
        .threads = true,
    };
    app_settings_default(&options.settings);
    options.settings.offline_ms = QUIET_MS; /* heartbeats are not what is measured */
    options.settings.lease_ms = QUIET_MS;
    options.settings.practice_waiting_max = 0; /* a long queue is what is measured */
    return app_open(&options, &world->app, err);
}

bool queue_world_connect(const struct queue_world *world, bool read_only, struct db **ret_db,
                         struct err *err) {
    struct db_options options = {.path = world->database,
                                 .mysql = world->plan->mysql ? &world->target : NULL,
                                 .clock = &clock_real,
                                 .read_only = read_only};
    return db_open(&options, ret_db, err);
}

static void post(struct write_item *item) {
    sem_post(item->context);
}

bool queue_world_wait(struct queue_world *world, queue_begin_fn *begin, struct write_item *item,
                      struct err *err) {
    sem_t done;
    CHECK(sem_init(&done, 0, 0) == 0);
    item->done = post;
    item->context = &done;
    begin(world->app, item);
    while (sem_wait(&done) != 0) {
    }
    (void)sem_destroy(&done);
    if (!item->ok) {
        *err = item->err;
    }
    return item->ok;
}

/* ---- problem and users ---- */

static bool put_blob(struct queue_world *world, struct str bytes, struct blob_ref *ret_ref,
                     struct err *err) {
    struct blob_source source = {.bytes = bytes, .fd = -1, .bytes_max = MIB};
    struct blob_info info = {0};
    if (!blob_put(world->blobs, &source, &info, err)) {
        return false;
    }
    ret_ref->bytes = info.bytes;
    memcpy(ret_ref->sha256, info.digest.bytes, 32);
    return true;
}

static int32_t case_count(const struct queue_world *world) {
    return world->plan->cases > 0 ? (int32_t)world->plan->cases : 1;
}

static bool put_manifest(struct queue_world *world, struct blob_ref *ret_id, struct err *err) {
    struct manifest manifest;
    manifest_defaults(&manifest);
    manifest.case_count = case_count(world);
    struct manifest_case *cases =
        arena_array(world->arena, (size_t)manifest.case_count, sizeof cases[0]);
    struct blob_ref file = {0};
    if (!put_blob(world, STR("1 2\n"), &file, err)) {
        return false;
    }
    for (int32_t i = 0; i < manifest.case_count; i++) {
        cases[i] = (struct manifest_case){
            .name = str_from(arena_printf(world->arena, "secret/%02d", (int)i + 1)),
            .group = -1,
            .input = file,
            .answer = file,
        };
    }
    manifest.cases = cases;
    own_buf text = {0};
    buf_init(&text, MIB);
    return manifest_write(&manifest, &text, err) && put_blob(world, buf_str(&text), ret_id, err);
}

static bool write_rows(struct queue_world *world, const struct blob_ref *manifest,
                       struct err *err) {
    own(db) db = NULL;
    char hex[65] = {0};
    hex_encode(manifest->sha256, 32, hex);
    if (!queue_world_connect(world, false, &db, err) || !db_begin(db, err)) {
        return false;
    }
    const char *problem = arena_printf(
        world->arena,
        "INSERT INTO problem (id, code, titles, search_text, manifest_id, time_limit_ms, "
        "memory_limit_kib, output_limit_kib, code_limit_kib, job_total_ms, cases_total, "
        "languages, revision, created_ms, updated_ms) VALUES (1, 'bench', '', '', x'%s', 1000, "
        "65536, 8192, 128, 900000, %d, '', 1, 0, 0)",
        hex, (int)case_count(world));
    if (!db_script(db, str_from(problem), err)) {
        return false;
    }
    for (int i = 1; i <= QUEUE_USERS; i++) {
        const char *user = arena_printf(
            world->arena,
            "INSERT INTO `user` (id, username, username_key, display_name, role, password_hash, "
            "disabled, revision, created_ms, password_changed_ms) VALUES (%d, 'u%d', 'u%d', "
            "'User %d', 1, '', 0, 1, 0, 0)",
            i, i, i, i);
        if (!db_script(db, str_from(user), err)) {
            return false;
        }
    }
    return db_commit(db, err);
}

static bool make_problem(struct queue_world *world, struct err *err) {
    char path[300];
    struct blob_ref manifest = {0};
    (void)snprintf(path, sizeof path, "%s/blobs", world->folder);
    struct blob_folder_options folder = {
        .path = path, .random = &random_real, .clock = &clock_real};
    return blob_folder_open(&folder, &world->blobs, err) && put_manifest(world, &manifest, err) &&
           write_rows(world, &manifest, err);
}

/* ---- what nodes send ---- */

static void make_judgement(struct queue_world *world) {
    int32_t cases = (int32_t)world->plan->cases;
    struct judgement *judgement = &world->judgement;
    *judgement = (struct judgement){
        .verdict = cases > 0 ? VERDICT_ACCEPTED : VERDICT_COMPILE_ERROR,
        .score_micro = cases > 0 ? SCORE_FULL_MICRO : 0,
        .cases_passed = cases,
        .cases_total = case_count(world),
        .compile = {.ran = true, .ok = cases > 0, .log = STR("main.cpp:1:1: error"), .cpu_ms = 300},
        .cases = arena_array(world->arena, QUEUE_CASES_MAX, sizeof judgement->cases[0]),
        .case_count = cases,
        .language = STR("cpp"),
        .language_version = STR("g++ 12.2.0"),
    };
    own_buf text = {0};
    buf_init(&text, MIB);
    buf_append_c(&text, "{\"verdict\":\"bench\",\"cases\":[");
    for (int32_t i = 0; i < cases; i++) {
        judgement->cases[i] = (struct case_result){
            .index = i,
            .name = str_from(arena_printf(world->arena, "secret/%02d", (int)i + 1)),
            .verdict = VERDICT_ACCEPTED,
            .cpu_ms = 10 + i,
            .wall_ms = 20 + i,
            .memory_kib = 3000 + i,
        };
        buf_printf(&text,
                   "{\"index\":%d,\"verdict\":\"ACCEPTED\",\"cpuMs\":%d,\"wallMs\":%d,"
                   "\"memoryKb\":%d},",
                   (int)i, (int)i + 10, (int)i + 20, (int)i + 3000);
    }
    world->result = arena_str(world->arena, buf_str(&text));
}

/* ---- nodes ---- */

static void begin_join(struct app *app, struct write_item *item) {
    dispatch_join(app, (struct join_request *)item);
}

static void begin_session(struct app *app, struct write_item *item) {
    dispatch_session(app, (struct session_request *)item);
}

static bool make_node(struct queue_world *world, int64_t index, struct err *err) {
    static const struct node_language languages[] = {{STR("cpp"), STR("g++ 12")}};
    const struct queue_plan *plan = world->plan;
    struct queue_node *node = &world->nodes[index];
    int32_t slots = (int32_t)((plan->clients + plan->nodes - 1) / plan->nodes);
    struct node_register_request request = {
        .name = str_from(arena_printf(world->arena, "bench-%d", (int)index)),
        .pool = STR("cpp"),
        .slots = slots,
        .enable = true,
    };
    if (plan->groups > 0) {
        int64_t members = (plan->nodes + plan->groups - 1) / plan->groups;
        request.host_group =
            str_from(arena_printf(world->arena, "host-%d", (int)(index % plan->groups)));
        request.host_group_slots = (int32_t)(slots * members);
    }
    struct node_registered registered = {0};
    struct join_request join = {.protocol_version = 1, .name = request.name};
    if (!judger_register(world->app, &the_system, &request, world->arena, &registered, err)) {
        return false;
    }
    join.join_code = str_from(registered.join_code);
    if (!queue_world_wait(world, begin_join, &join.item, err) ||
        !dispatch_authenticate(world->app, str_from(join.credential), &node->actor, err)) {
        return false;
    }
    struct session_request session = {.actor = node->actor,
                                      .version = STR("bench"),
                                      .slots = slots,
                                      .languages = languages,
                                      .language_count = 1,
                                      .self_test_passed = true,
                                      .self_test_detail = STR(""),
                                      .config_digest = STR("")};
    if (!queue_world_wait(world, begin_session, &session.item, err)) {
        return false;
    }
    node->session_epoch = session.session_epoch;
    return true;
}

static bool make_nodes(struct queue_world *world, struct err *err) {
    world->nodes = arena_array(world->arena, (size_t)world->plan->nodes, sizeof world->nodes[0]);
    for (int64_t i = 0; i < world->plan->nodes; i++) {
        if (!make_node(world, i, err)) {
            return err_wrap(err, "make a node");
        }
    }
    return true;
}

/* ---- the whole ---- */

static bool find_database(struct queue_world *world, struct err *err) {
    if (!world->plan->mysql) {
        return true;
    }
    if (world->plan->database[0] != '\0') {
        return mydb_target_parse(str_from(world->plan->database), &world->target, err) &&
               mydb_target_read_password(&world->target, NULL, err);
    }
    if (!mariadb_start(&world->mariadb, world->folder, err)) {
        return false;
    }
    world->target = world->mariadb.target;
    return true;
}

bool queue_world_make(struct queue_world *world, const struct queue_plan *plan, struct err *err) {
    char languages[4096];
    *world = (struct queue_world){.plan = plan, .arena = arena_create(ARENA_BYTES_MAX)};
    if (!session_find_languages(plan->languages, languages, sizeof languages, err) ||
        !language_set_load(languages, &world->languages, err) || !make_folder(world, err) ||
        !find_database(world, err) || !open_app(world, err) || !make_problem(world, err) ||
        !make_nodes(world, err)) {
        return false;
    }
    make_judgement(world);
    if (plan->backlog == 0 && plan->history == 0) {
        return true;
    }
    if (!queue_fill(world, err)) {
        return err_wrap(err, "fill the database");
    }
    app_close(world->app);
    world->app = NULL;
    return open_app(world, err); /* with the ids and the order of what is there now */
}

void queue_world_done(struct queue_world *world) {
    struct err ignored = {0};
    app_close(world->app);
    blob_close(world->blobs);
    language_set_free(world->languages);
    mariadb_stop(&world->mariadb);
    arena_free(world->arena);
    if (world->folder[0] != '\0' && !file_remove_tree(world->folder, &ignored)) {
        (void)fprintf(stderr, "left behind: %s\n", world->folder);
    }
}
