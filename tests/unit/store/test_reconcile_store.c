/* Numbers about the whole database. */
#include "store/reconcile_store.h"

#include "job_people.h"

static void all_is_counted(void **state) {
    struct fixture *f = *state;
    struct reconcile_counts counts = {0};
    plant_people(f);
    fixture_exec(f, f->db, "UPDATE job SET state = 5 WHERE id = 50");
    fixture_exec(f, f->db,
                 "INSERT INTO settlement_event VALUES (30, 1, 1, 3, 50, 0), "
                 "(40, 1, 1, 4, 500, 0)");
    fixture_exec(f, f->db, "INSERT INTO job_lease VALUES (10, 5, 0, 2, 1, 77, 1, 90, 95, 10, 0)");

    assert_true(reconcile_store_counts(f->db, 100, &counts, &f->err));

    assert_int_equal(counts.submissions, 4);
    assert_int_equal(counts.judged, 2);
    assert_int_equal(counts.system_errors, 1);
    assert_int_equal(counts.waiting, 2);
    assert_int_equal(counts.held, 1);
    assert_int_equal(counts.events, 2);
    assert_int_equal(counts.events_old, 1);
    assert_int_equal(counts.leases_over, 1);
}

/* Bytes 1 to 31 of a digest. */
#define TAIL "00000000000000000000000000000000000000000000000000000000000000"

static void known_files_come_in_pages(void **state) {
    struct fixture *f = *state;
    uint8_t rows[2][32];
    uint8_t last[32];
    struct sha256_page page = {.rows = rows, .max = 2};
    bool known = false;
    static const uint8_t manifest[32] = {9};
    fixture_exec(f, f->db,
                 "INSERT INTO blob_file VALUES (" ZEROS ", 1, 1), (x'01" TAIL "', 1, 1), (x'02" TAIL
                 "', 1, 1); INSERT INTO manifest VALUES (x'09" TAIL "', 1, 1)");

    assert_true(reconcile_store_files(f->db, NULL, &page, &f->err));
    assert_int_equal(page.count, 2);
    memcpy(last, rows[1], sizeof last);
    assert_true(reconcile_store_files(f->db, last, &page, &f->err));
    assert_int_equal(page.count, 1);
    assert_int_equal(rows[0][0], 2);
    assert_true(reconcile_store_knows(f->db, manifest, &known, &f->err));
    assert_true(known);
    last[5] = 7;
    assert_true(reconcile_store_knows(f->db, last, &known, &f->err));
    assert_false(known);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_is_counted, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(known_files_come_in_pages, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
