/* Group commit: each item once, each with its own outcome, whatever the database does. */
#include "../test_database.h"
#include "app/writer_internal.h"
#include "base/check.h"
#include "base/file.h"
#include "base/thread.h"
#include "store/db_fault.h"
#include "store/migrate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    char folder[64];
    char path[96];
    struct db *db;
    struct id_blocks *ids;
    struct writer *writer;
    /* the planted fault */
    enum db_point point;
    const char *sql_part; /* NULL: any statement */
    int skip;             /* lets that many pass first */
    int times;
    const char *code;
    enum err_kind kind;
    int struck;
};

struct value {
    struct write_item item;
    int64_t number; /* odd ones of refused_kind are refused */
    int done;
    int made; /* how often it was found or written */
};

static bool insert(struct db *db, int64_t number, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "INSERT INTO number (value) VALUES (?)", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, number);
    return db_run_one(stmt, err);
}

static bool run_insert(struct app *app, struct db *db, struct write_item **items, int count,
                       struct err *err) {
    (void)app;
    for (int i = 0; i < count; i++) {
        struct value *value = (struct value *)items[i];
        if (value->number % 2 != 0) {
            (void)err_set(&value->item.err, ERR_INVALID, "odd", "%lld is odd",
                          (long long)value->number);
            continue;
        }
        if (!insert(db, value->number, err)) {
            return false;
        }
        value->item.ok = true;
    }
    return true;
}

static bool read_back(struct app *app, struct db *db, struct write_item *item, struct err *err) {
    own(db_stmt) stmt = NULL;
    bool found = false;
    (void)app;
    if (!db_prepare(db, "SELECT 1 FROM number WHERE value = ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, ((struct value *)item)->number);
    return db_find(stmt, &found, err) && found;
}

static const struct write_kind insert_kind = {
    .name = "insert", .batch_max = 8, .run = run_insert, .read_back = read_back};
static const struct write_kind other_kind = {
    .name = "other", .batch_max = 8, .run = run_insert, .read_back = read_back};

static bool strike(void *context, enum db_point point, const char *sql, struct err *err) {
    struct fixture *f = context;
    bool hit = point == f->point && f->times > 0 &&
               (f->sql_part == NULL || (sql != NULL && strstr(sql, f->sql_part) != NULL));
    if (!hit || f->skip-- > 0) {
        return true;
    }
    f->times--;
    f->struck++;
    return err_set(err, f->kind, f->code, "planted fault");
}

static void plant(struct fixture *f, enum db_point point, enum err_kind kind, const char *code,
                  int times) {
    f->point = point;
    f->kind = kind;
    f->code = code;
    f->times = times;
    f->skip = 0;
    f->struck = 0;
    f->sql_part = point == DB_POINT_STEP ? "number" : NULL;
    db_set_fault(f->db, strike, f);
}

static int setup(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    struct err err = {0};
    int applied = 0;
    (void)snprintf(f->folder, sizeof f->folder, "/tmp/assize-writer-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    (void)snprintf(f->path, sizeof f->path, "%s/w.db", f->folder);
    test_db_empty();
    struct db_options options = {.path = f->path, .mysql = test_db(), .clock = &clock_real};
    assert_true(db_open(&options, &f->db, &err));
    assert_true(migrate(f->db, migrations, &applied, &err));
    assert_true(db_script(f->db, STR("CREATE TABLE number (value INTEGER PRIMARY KEY)"), &err));
    f->ids = id_blocks_create(1);
    assert_true(id_blocks_fill(f->ids, f->db, &err));
    f->writer =
        writer_create(&(struct writer_options){.ids = f->ids,
                                               .runners = &(struct writer_runner){.db = f->db},
                                               .runner_count = 1,
                                               .clock = &clock_real});
    *state = f;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    struct err err = {0};
    writer_close(f->writer);
    writer_finish(f->writer);
    writer_free(f->writer);
    id_blocks_free(f->ids);
    assert_true(db_script(f->db, STR("DROP TABLE number"), &err));
    db_close(f->db);
    assert_true(file_remove_tree(f->folder, &err));
    free(f);
    return 0;
}

static void note_done(struct write_item *item) {
    struct value *value = (struct value *)item;
    value->done++;
}

static void queue_values(struct fixture *f, struct value *values, int count, int64_t first) {
    for (int i = 0; i < count; i++) {
        values[i] = (struct value){.item = {.kind = &insert_kind, .done = note_done},
                                   .number = first + 2 * i};
        writer_queue(f->writer, &values[i].item);
    }
}

static int64_t count_rows(struct fixture *f) {
    struct err err = {0};
    own(db_stmt) stmt = NULL;
    assert_true(db_prepare(f->db, "SELECT count(*) FROM number", &stmt, &err));
    assert_int_equal(db_step(stmt, &err), DB_ROW);
    return db_i64(stmt, 0);
}

static int step_all(struct fixture *f) {
    int steps = 0;
    while (writer_step(f->writer)) {
        steps++;
    }
    return steps;
}

/* Each item was answered once, made when it says so, and nothing else was written. */
static void check_all(struct fixture *f, const struct value *values, int count) {
    int64_t made = 0;
    for (int i = 0; i < count; i++) {
        assert_int_equal(values[i].done, 1);
        made += values[i].item.ok ? 1 : 0;
    }
    assert_int_equal(count_rows(f), made);
}

static void what_waits_is_committed_together(void **state) {
    struct fixture *f = *state;
    struct value values[20];
    queue_values(f, values, 20, 2);

    assert_int_equal(step_all(f), 3); /* batches of at most 8 */

    check_all(f, values, 20);
    assert_int_equal(count_rows(f), 20);
}

static void a_refused_item_harms_no_other(void **state) {
    struct fixture *f = *state;
    struct value values[3];
    queue_values(f, values, 3, 2);
    values[1].number = 5;

    (void)step_all(f);

    check_all(f, values, 3);
    assert_true(values[0].item.ok && values[2].item.ok);
    assert_string_equal(values[1].item.err.code, "odd");
}

static void a_poisoned_item_fails_alone(void **state) {
    struct fixture *f = *state;
    struct value values[5];
    struct err err = {0};
    assert_true(db_script(f->db, STR("INSERT INTO number VALUES (6)"), &err)); /* the third one */
    queue_values(f, values, 5, 2);

    (void)step_all(f);

    for (int i = 0; i < 5; i++) {
        assert_int_equal(values[i].done, 1);
        assert_int_equal(values[i].item.ok, i != 2);
    }
    assert_string_equal(values[2].item.err.code, "duplicate");
    assert_int_equal(count_rows(f), 5);
}

static void kinds_take_turns_by_age_and_keep_their_order(void **state) {
    struct fixture *f = *state;
    struct value values[4];
    const struct write_kind *kinds[4] = {&insert_kind, &other_kind, &insert_kind, &other_kind};
    for (int i = 0; i < 4; i++) {
        values[i] =
            (struct value){.item = {.kind = kinds[i], .done = note_done}, .number = 2 * (i + 1)};
        writer_queue(f->writer, &values[i].item);
    }

    assert_true(writer_step(f->writer));
    assert_int_equal(values[0].done + values[2].done, 2);
    assert_int_equal(values[1].done + values[3].done, 0);
    assert_true(writer_step(f->writer));

    check_all(f, values, 4);
}

static void a_busy_database_is_tried_again(void **state) {
    struct fixture *f = *state;
    static const enum db_point points[] = {DB_POINT_BEGIN, DB_POINT_STEP, DB_POINT_COMMIT};
    for (int i = 0; i < 3; i++) {
        struct value values[4];
        int64_t before = count_rows(f);
        queue_values(f, values, 4, 100 * (i + 1));
        plant(f, points[i], ERR_BUSY, "database_busy", 2);

        (void)step_all(f);

        assert_int_equal(f->struck, 2);
        for (int k = 0; k < 4; k++) {
            assert_int_equal(values[k].done, 1);
            assert_true(values[k].item.ok);
        }
        assert_int_equal(count_rows(f), before + 4);
    }
}

static void a_database_that_stays_busy_is_said_to_be(void **state) {
    struct fixture *f = *state;
    struct value values[2];
    queue_values(f, values, 2, 2);
    plant(f, DB_POINT_COMMIT, ERR_BUSY, "database_busy", 1000);

    (void)step_all(f);
    db_set_fault(f->db, NULL, NULL);

    check_all(f, values, 2);
    assert_int_equal(values[0].item.err.kind, ERR_BUSY);
    assert_int_equal(count_rows(f), 0);
}

static void a_broken_disk_fails_each_item_once(void **state) {
    struct fixture *f = *state;
    struct value values[3];
    queue_values(f, values, 3, 2);
    plant(f, DB_POINT_STEP, ERR_SYSTEM, "database_failed", 1000);

    (void)step_all(f);
    db_set_fault(f->db, NULL, NULL);

    check_all(f, values, 3);
    assert_string_equal(values[0].item.err.code, "database_failed");
}

static void an_unknown_commit_that_was_made_is_answered_as_made(void **state) {
    struct fixture *f = *state;
    struct value values[4];
    queue_values(f, values, 4, 2);
    values[3].number = 9; /* refused: no row to be found */
    plant(f, DB_POINT_COMMITTED, ERR_SYSTEM, "commit_unknown", 1);

    (void)step_all(f);

    check_all(f, values, 4);
    for (int i = 0; i < 3; i++) {
        assert_true(values[i].item.ok);
    }
    assert_false(values[3].item.ok);
}

static void an_unknown_commit_that_was_not_made_is_run_again(void **state) {
    struct fixture *f = *state;
    struct value values[4];
    queue_values(f, values, 4, 2);
    plant(f, DB_POINT_COMMIT, ERR_SYSTEM, "commit_unknown", 1);

    (void)step_all(f);

    check_all(f, values, 4);
    assert_int_equal(count_rows(f), 4);
}

static void a_commit_that_stays_unknown_is_said_to_be(void **state) {
    struct fixture *f = *state;
    struct value values[2];
    queue_values(f, values, 2, 2);
    plant(f, DB_POINT_COMMIT, ERR_SYSTEM, "commit_unknown", 1000);

    (void)step_all(f);
    db_set_fault(f->db, NULL, NULL);

    for (int i = 0; i < 2; i++) {
        assert_int_equal(values[i].done, 1);
        assert_string_equal(values[i].item.err.code, "outcome_unknown");
        assert_int_equal(values[i].item.err.kind, ERR_BUSY);
        assert_true(values[i].item.err.retry_ms > 0);
    }
}

/* The first commit is in doubt, then the database is away: nobody can look. */
static bool then_away(void *context, enum db_point point, const char *sql, struct err *err) {
    bool *away = context;
    (void)sql;
    if (*away) {
        return err_set(err, ERR_BUSY, "database_unavailable", "away");
    }
    *away = point == DB_POINT_COMMITTED;
    return !*away || err_set(err, ERR_SYSTEM, "commit_unknown", "broken off");
}

static void what_was_kept_is_never_told_as_refused_when_nobody_can_look(void **state) {
    struct fixture *f = *state;
    struct value value[1];
    bool away = false;
    queue_values(f, value, 1, 2);
    db_set_fault(f->db, then_away, &away);

    (void)step_all(f);
    db_set_fault(f->db, NULL, NULL);

    assert_int_equal(value[0].done, 1);
    assert_string_equal(value[0].item.err.code, "outcome_unknown");
    assert_int_equal(count_rows(f), 1); /* it was */
}

/* Faults at every place in turn: no item is lost, doubled or answered wrongly. */
static void whatever_fails_once_no_item_is_lost_or_doubled(void **state) {
    struct fixture *f = *state;
    static const enum db_point points[] = {DB_POINT_BEGIN, DB_POINT_STEP, DB_POINT_COMMIT,
                                           DB_POINT_COMMITTED};
    static const char *const codes[] = {"database_busy", "commit_unknown"};
    int64_t first = 1000;
    for (int skip = 0; skip < 12; skip++) {
        for (int p = 0; p < 8; p++) {
            enum db_point point = points[p / 2];
            bool lost = p % 2 == 1 && point >= DB_POINT_COMMIT;
            if (point == DB_POINT_COMMITTED && !lost) {
                continue; /* only an unknown outcome is possible after the commit */
            }
            struct value values[10];
            int64_t before = count_rows(f);
            queue_values(f, values, 10, first);
            first += 100;
            plant(f, point, lost ? ERR_SYSTEM : ERR_BUSY, codes[lost], 1);
            f->skip = skip;

            (void)step_all(f);
            db_set_fault(f->db, NULL, NULL);

            for (int i = 0; i < 10; i++) {
                assert_int_equal(values[i].done, 1);
                assert_true(values[i].item.ok);
            }
            assert_int_equal(count_rows(f), before + 10);
        }
    }
}

static void a_full_queue_refuses_at_once(void **state) {
    struct fixture *f = *state;
    struct value *values = calloc(WRITER_ITEMS_MAX + 1, sizeof values[0]);
    queue_values(f, values, WRITER_ITEMS_MAX + 1, 2);

    assert_int_equal(values[WRITER_ITEMS_MAX].done, 1);
    assert_int_equal(values[WRITER_ITEMS_MAX].item.err.kind, ERR_BUSY);
    (void)step_all(f);

    assert_int_equal(count_rows(f), WRITER_ITEMS_MAX);
    free(values);
}

static void a_closed_writer_refuses_but_finishes_what_it_took(void **state) {
    struct fixture *f = *state;
    struct value values[2];
    queue_values(f, values, 1, 2);
    writer_close(f->writer);
    struct value late = {.item = {.kind = &insert_kind, .done = note_done}, .number = 8};

    writer_queue(f->writer, &late.item);
    writer_finish(f->writer);

    assert_int_equal(late.item.err.kind, ERR_BUSY);
    assert_true(values[0].item.ok);
    assert_int_equal(values[0].done, 1);
}

static bool hold_all(struct app *app, struct db *db, struct write_item **items, int count,
                     struct err *err) {
    (void)app;
    (void)db;
    (void)err;
    for (int i = 0; i < count; i++) {
        items[i]->held = true;
    }
    return true;
}

static void take_held(struct app *app, struct write_item **items, int count) {
    (void)app;
    for (int i = 0; i < count; i++) {
        ((struct value *)items[i])->made++;
    }
}

static void a_held_item_is_handed_on_instead_of_done(void **state) {
    struct fixture *f = *state;
    static const struct write_kind held_kind = {
        .name = "held", .batch_max = 4, .run = hold_all, .committed = take_held};
    struct value value = {.item = {.kind = &held_kind, .done = note_done}};

    writer_queue(f->writer, &value.item);
    (void)step_all(f);

    assert_int_equal(value.done, 0);
    assert_int_equal(value.made, 1);
}

struct client {
    struct fixture *f;
    int64_t first;
    int failed;
};

static void *insert_many(void *argument) {
    struct client *client = argument;
    for (int i = 0; i < 100; i++) {
        struct value value = {.item = {.kind = &insert_kind}, .number = client->first + 2 * i};
        struct err err = {0};
        client->failed += writer_wait(client->f->writer, &value.item, &err) ? 0 : 1;
    }
    return NULL;
}

static void many_threads_share_one_writer(void **state) {
    struct fixture *f = *state;
    struct client clients[8];
    pthread_t threads[8];
    writer_start(f->writer);
    for (int i = 0; i < 8; i++) {
        clients[i] = (struct client){.f = f, .first = 2 + 10000 * i};
        threads[i] = thread_start("client", insert_many, &clients[i]);
    }

    for (int i = 0; i < 8; i++) {
        thread_join(threads[i]);
        assert_int_equal(clients[i].failed, 0);
    }
    writer_close(f->writer);
    writer_finish(f->writer);

    assert_int_equal(count_rows(f), 800);
}

/* ---- lanes ---- */

static struct {
    pthread_barrier_t meet;
    atomic_int inside[WRITE_LANE_COUNT];
    atomic_int together; /* the most that were in one lane at a time */
} lanes;

static bool run_in_lane(enum write_lane lane, struct write_item **items, int count) {
    int now = atomic_fetch_add(&lanes.inside[lane], 1) + 1;
    if (now > atomic_load(&lanes.together)) {
        atomic_store(&lanes.together, now);
    }
    (void)pthread_barrier_wait(&lanes.meet); /* never met when lanes wait for each other */
    for (int i = 0; i < count; i++) {
        items[i]->ok = true;
    }
    atomic_fetch_sub(&lanes.inside[lane], 1);
    return true;
}

static bool run_submit(struct app *app, struct db *db, struct write_item **items, int count,
                       struct err *err) {
    (void)app;
    (void)db;
    (void)err;
    return run_in_lane(WRITE_SUBMIT, items, count);
}

static bool run_claim(struct app *app, struct db *db, struct write_item **items, int count,
                      struct err *err) {
    (void)app;
    (void)db;
    (void)err;
    return run_in_lane(WRITE_CLAIM, items, count);
}

static const struct write_kind submit_lane = {
    .name = "submit", .batch_max = 1, .lane = WRITE_SUBMIT, .run = run_submit};
static const struct write_kind claim_lane = {
    .name = "claim", .batch_max = 1, .lane = WRITE_CLAIM, .run = run_claim};

static void lanes_run_side_by_side_and_each_one_after_the_other(void **state) {
    struct fixture *f = *state;
    struct value values[2][20];
    struct err err = {0};
    own(db) db = NULL;
    if (test_db() == NULL) {
        skip(); /* a file has one writer */
    }
    own(id_blocks) ids = id_blocks_create(2);
    struct db_options options = {.mysql = test_db(), .clock = &clock_real};
    assert_true(db_open(&options, &db, &err));
    const struct writer_runner runners[] = {{.db = f->db}, {.db = db}};
    struct writer *writer = writer_create(&(struct writer_options){
        .ids = ids, .runners = runners, .runner_count = 2, .clock = &clock_real});
    assert_int_equal(pthread_barrier_init(&lanes.meet, NULL, 2), 0);
    writer_start(writer);

    for (int i = 0; i < 20; i++) {
        for (int lane = 0; lane < 2; lane++) {
            values[lane][i] = (struct value){
                .item = {.kind = lane == 0 ? &submit_lane : &claim_lane, .done = note_done}};
            writer_queue(writer, &values[lane][i].item);
        }
    }
    writer_close(writer);
    writer_finish(writer);

    writer_free(writer);
    assert_int_equal(pthread_barrier_destroy(&lanes.meet), 0);
    assert_int_equal(atomic_load(&lanes.together), 1);
    for (int i = 0; i < 20; i++) {
        assert_true(values[0][i].done == 1 && values[1][i].done == 1);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(what_waits_is_committed_together),
        TEST(a_refused_item_harms_no_other),
        TEST(a_poisoned_item_fails_alone),
        TEST(kinds_take_turns_by_age_and_keep_their_order),
        TEST(a_busy_database_is_tried_again),
        TEST(a_database_that_stays_busy_is_said_to_be),
        TEST(a_broken_disk_fails_each_item_once),
        TEST(an_unknown_commit_that_was_made_is_answered_as_made),
        TEST(an_unknown_commit_that_was_not_made_is_run_again),
        TEST(a_commit_that_stays_unknown_is_said_to_be),
        TEST(what_was_kept_is_never_told_as_refused_when_nobody_can_look),
        TEST(whatever_fails_once_no_item_is_lost_or_doubled),
        TEST(a_full_queue_refuses_at_once),
        TEST(a_closed_writer_refuses_but_finishes_what_it_took),
        TEST(a_held_item_is_handed_on_instead_of_done),
        TEST(many_threads_share_one_writer),
        TEST(lanes_run_side_by_side_and_each_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
