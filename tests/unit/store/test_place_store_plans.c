/* On MySQL the statements of the hot tables follow a key, and claims sort nothing: a claim that
 * sorted would lock the whole queue, a delete that scanned would deadlock with its neighbours. */
#include "store/place_store.h"
#include "store/store_fixture.h"

struct plan {
    const char *sql;
    const char *table;
    const char *key;
};

#define READY "job_ready WHERE queue_id = 3 AND priority = 3 AND order_key = 2 AND job_id = 2"

/* clang-format off */
static const struct plan plans[] = {
    {"SELECT job_id FROM " READY, "job_ready", "PRIMARY"},
    {"DELETE FROM " READY, "job_ready", "PRIMARY"},
    {"DELETE FROM job_delayed WHERE due_ms = 7 AND job_id = 7", "job_delayed", "PRIMARY"},
    {"DELETE FROM job_lease WHERE job_id = 7", "job_lease", "PRIMARY"},
    {"UPDATE job_lease SET lease_until_ms = 9 WHERE job_id = 7", "job_lease", "PRIMARY"},
    {"UPDATE job SET state = 2 WHERE id = 7", "job", "PRIMARY"},
    {"SELECT count(*) FROM job_lease WHERE node_id = 3", "job_lease", "job_lease_by_node"},
    {"SELECT job_id FROM job_lease WHERE lease_until_ms <= 5 ORDER BY lease_until_ms LIMIT 50",
     "job_lease", "job_lease_by_until"},
    {"SELECT due_ms, job_id FROM job_delayed WHERE due_ms <= 5 ORDER BY due_ms, job_id LIMIT 50",
     "job_delayed", "PRIMARY"},
};
/* clang-format on */

/* Enough rows that a scan would not be the cheapest way by itself. */
static void fill(struct fixture *f) {
    fixture_exec(
        f, f->db,
        "INSERT INTO job_ready SELECT 1 + seq % 3, 1 + seq % 3, seq, seq FROM seq_1_to_5000");
    fixture_exec(f, f->db, "INSERT INTO job_delayed SELECT seq, seq, 1 FROM seq_1_to_5000");
    fixture_exec(f, f->db,
                 "INSERT INTO job_lease SELECT seq, seq % 50, seq % 9, 1, 1, 1, 1, seq, seq, 1, 0 "
                 "FROM seq_1_to_5000");
    fixture_exec(f, f->db, "ANALYZE TABLE job_ready, job_delayed, job_lease");
}

static void expect_plan(struct fixture *f, const char *sql, const char *table, const char *key) {
    static char texts[64][2000]; /* prepared statements are found by their address */
    static int count;
    char *explain = texts[count++];
    bool seen = false;
    own(db_stmt) stmt = NULL;
    (void)snprintf(explain, sizeof texts[0], "EXPLAIN %s", sql);
    assert_true(db_prepare(f->db, explain, &stmt, &f->err));
    while (db_step(stmt, &f->err) == DB_ROW) {
        struct str found_key = db_text(stmt, 5);
        struct str extra = db_text(stmt, 9);
        if (extra.len > 0 && memmem(extra.ptr, extra.len, "filesort", 8) != NULL) {
            fail_msg("sorts: %s", sql);
        }
        if (found_key.len == 0) {
            fail_msg("no key for " STR_FMT ": %s", STR_ARG(db_text(stmt, 2)), sql);
        }
        if (str_eq_c(db_text(stmt, 2), table)) {
            seen = true;
            if (!str_eq_c(found_key, key)) {
                fail_msg("key " STR_FMT ": %s", STR_ARG(found_key), sql);
            }
        }
    }
    assert_true(seen);
}

static void each_statement_of_a_hot_table_follows_its_key(void **state) {
    struct fixture *f = *state;
    fill(f);
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        expect_plan(f, plans[i].sql, plans[i].table, plans[i].key);
    }
}

/* The claim's own text, with numbers for its parameters. */
static void the_claim_follows_the_queues_key_and_sorts_nothing(void **state) {
    struct fixture *f = *state;
    char sql[1900];
    size_t len = 0;
    fill(f);
    fixture_exec(f, f->db,
                 "INSERT INTO job SELECT seq, 1, seq, 1, 1, 1, seq, 0, 1, 0, 0, 0, 0, 0, NULL, 0, "
                 "'', '', 1, 0 FROM seq_1_to_5000");
    for (const char *c = ready_select(f->db)->sql; *c != '\0'; c++) {
        sql[len++] = *c == '?' ? '3' : *c;
        assert_true(len + 1 < sizeof sql);
    }
    sql[len] = '\0';

    expect_plan(f, sql, "r", "PRIMARY");
    expect_plan(f, sql, "j", "PRIMARY");
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(each_statement_of_a_hot_table_follows_its_key),
        WITH_DB(the_claim_follows_the_queues_key_and_sorts_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
