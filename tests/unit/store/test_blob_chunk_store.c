/* Files as rows. What a file store makes of them: blob/test_blob_database.c. */
#include "store/blob_chunk_store.h"

#include "store_fixture.h"

static const struct blob_head head_one = {.sha256 = {1}, .bytes = 5, .stored_ms = 1000};

static bool find(struct fixture *f, const uint8_t sha256[32], struct blob_head *head) {
    bool found = false;
    assert_true(blob_head_find(f->db, sha256, head, &found, &f->err));
    return found;
}

static void insert(struct fixture *f) {
    assert_true(db_begin(f->db, &f->err));
    assert_true(blob_head_insert(f->db, &head_one, &f->err));
    assert_true(db_commit(f->db, &f->err));
}

static void a_head_is_found_once_it_is_complete(void **state) {
    struct fixture *f = *state;
    struct blob_head head = {0};
    bool found = false;
    insert(f);
    assert_false(find(f, head_one.sha256, &head));

    assert_true(blob_head_complete(f->db, head_one.sha256, 2000, &found, &f->err));

    assert_true(found);
    assert_true(find(f, head_one.sha256, &head));
    assert_int_equal(head.bytes, 5);
    assert_int_equal(head.stored_ms, 2000);
}

static void a_second_head_is_a_duplicate(void **state) {
    struct fixture *f = *state;
    insert(f);

    assert_false(blob_head_insert(f->db, &head_one, &f->err));

    assert_int_equal(f->err.kind, ERR_CONFLICT);
}

static void touching_tells_whether_there_is_one_even_at_the_same_instant(void **state) {
    struct fixture *f = *state;
    bool found = true;
    assert_true(blob_head_touch(f->db, head_one.sha256, false, 1000, &found, &f->err));
    assert_false(found);
    insert(f);
    assert_true(blob_head_touch(f->db, head_one.sha256, true, 1000, &found, &f->err));
    assert_false(found); /* not complete */
    assert_true(blob_head_touch(f->db, head_one.sha256, false, 1000, &found, &f->err));
    assert_true(found);
    assert_true(blob_head_complete(f->db, head_one.sha256, 1000, &found, &f->err));

    assert_true(blob_head_touch(f->db, head_one.sha256, true, 1000, &found, &f->err));

    assert_true(found);
}

static void chunks_go_with_their_head_and_only_when_it_is_old(void **state) {
    struct fixture *f = *state;
    bool removed = true;
    insert(f);
    assert_true(blob_chunk_insert(f->db, head_one.sha256, 0, STR("hello"), &f->err));
    assert_true(blob_chunk_insert(f->db, head_one.sha256, 0, STR("hello"), &f->err)); /* again */

    assert_true(blob_head_remove(f->db, head_one.sha256, 1000, &removed, &f->err));
    assert_false(removed);
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM blob_chunk"), 1);
    assert_true(blob_head_remove(f->db, head_one.sha256, 1001, &removed, &f->err));

    assert_true(removed);
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM blob_chunk"), 0);
}

static void a_chunk_is_appended_or_missing(void **state) {
    struct fixture *f = *state;
    own_buf text = {0};
    bool found = false;
    buf_init(&text, 100);
    assert_true(blob_chunk_insert(f->db, head_one.sha256, 3, STR("lo"), &f->err));

    buf_append_c(&text, "hel");
    assert_true(blob_chunk_read(f->db, head_one.sha256, 3, &text, &found, &f->err));
    assert_true(found);
    assert_true(str_eq(buf_str(&text), STR("hello")));
    assert_true(blob_chunk_read(f->db, head_one.sha256, 4, &text, &found, &f->err));

    assert_false(found);
}

static void heads_are_listed_page_by_page(void **state) {
    struct fixture *f = *state;
    struct blob_head heads[3];
    struct blob_head_query query = {.max = 2};
    int count = 0;
    for (uint8_t i = 0; i < 3; i++) {
        struct blob_head head = {.sha256 = {i}, .bytes = i, .stored_ms = 7};
        assert_true(blob_head_insert(f->db, &head, &f->err));
    }

    assert_true(blob_head_list(f->db, &query, heads, &count, &f->err));
    assert_int_equal(count, 2);
    query.after = heads[1].sha256;
    assert_true(blob_head_list(f->db, &query, &heads[2], &count, &f->err));
    assert_int_equal(count, 1);
    assert_int_equal(heads[2].bytes, 2);
    query.complete = true;
    query.after = NULL;
    assert_true(blob_head_list(f->db, &query, heads, &count, &f->err));

    assert_int_equal(count, 0);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_head_is_found_once_it_is_complete),
        WITH_DB(a_second_head_is_a_duplicate),
        WITH_DB(touching_tells_whether_there_is_one_even_at_the_same_instant),
        WITH_DB(chunks_go_with_their_head_and_only_when_it_is_old),
        WITH_DB(a_chunk_is_appended_or_missing),
        WITH_DB(heads_are_listed_page_by_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
