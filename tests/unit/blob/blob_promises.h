#ifndef TESTS_UNIT_BLOB_PROMISES_H
#define TESTS_UNIT_BLOB_PROMISES_H

/* What a file store promises to one caller at a time. */

#include "blob_contract.h"

static void what_one_server_stores_another_reads(void **state) {
    struct contract *c = *state;

    (void)contract_put(c->one, STR("hello"));

    contract_assert_content(c->two, STR("hello"));
    assert_string_equal(blob_store_id(c->one), blob_store_id(c->two));
}

static void every_length_comes_back_whole(void **state) {
    struct contract *c = *state;
    static const size_t lengths[] = {0,      1,       65535,       524287, 524288,
                                     524289, 4 * MIB, 4 * MIB + 1, 9437185};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct str content = contract_large(c, lengths[i], (unsigned)i);
        (void)contract_put(c->one, content);
        contract_assert_content(c->two, content);
    }
}

static void a_file_is_stored_from_its_offset_to_its_end(void **state) {
    struct contract *c = *state;
    own_fd fd = -1;
    struct blob_info info;
    struct err err = {0};
    assert_true(file_memory("source", STR("xxhello"), false, &fd, &err));
    assert_int_equal(lseek(fd, 2, SEEK_SET), 2);
    struct blob_source source = {.fd = fd, .bytes_max = 5};

    assert_true(blob_put(c->one, &source, &info, &err));

    assert_int_equal(info.bytes, 5);
    contract_assert_content(c->one, STR("hello"));
}

static void the_same_twice_is_there_once(void **state) {
    struct contract *c = *state;
    (void)contract_put(c->one, STR("hello"));
    (void)contract_put(c->two, STR("hello"));

    struct contract_seen seen = contract_each(c->one);

    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.bytes, 5);
    contract_assert_content(c->one, STR("hello"));
}

static void what_is_too_large_leaves_nothing(void **state) {
    struct contract *c = *state;
    struct blob_source source = contract_source(STR("hello"));
    struct blob_info info = {.bytes = -5};
    struct err err = {0};
    source.bytes_max = 4;

    assert_false(blob_put(c->one, &source, &info, &err));

    assert_int_equal(err.kind, ERR_TOO_LARGE);
    assert_int_equal(info.bytes, -5);
    assert_int_equal(contract_each(c->one).count, 0);
}

static void another_content_than_expected_leaves_nothing(void **state) {
    struct contract *c = *state;
    struct digest expected = digest_of(STR("hello"));
    struct blob_source source = contract_source(STR("hullo"));
    struct blob_info info;
    struct err err = {0};
    source.expected = &expected;

    assert_false(blob_put(c->one, &source, &info, &err));

    assert_int_equal(err.kind, ERR_INVALID);
    assert_string_equal(err.code, "digest_mismatch");
    assert_int_equal(contract_each(c->one).count, 0);
}

static void an_unknown_digest_is_missing(void **state) {
    struct contract *c = *state;
    struct digest digest = digest_of(STR("nobody stored this"));
    bool removed = true;
    int fd = -1;
    struct err err = {0};

    assert_false(blob_open(c->one, &digest, &fd, NULL, &err));

    assert_int_equal(err.kind, ERR_MISSING);
    assert_string_equal(err.code, "no_blob");
    assert_int_equal(fd, -1);
    assert_false(contract_is_stored(c->one, STR("nobody stored this")));
    assert_true(blob_remove(c->one, &digest, INT64_MAX, &removed, &err));
    assert_false(removed);
}

static void a_damaged_file_is_never_handed_out(void **state) {
    struct contract *c = *state;
    struct digest digest = contract_put(c->one, STR("hello"));
    int fd = -1;
    struct err err = {0};
    if (c->kind->damage == NULL) {
        skip();
    }
    c->kind->damage(c, &digest);

    assert_false(blob_open(c->two, &digest, &fd, NULL, &err));

    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_string_equal(err.code, "blob_damaged");
}

static void a_put_that_was_torn_is_not_there_and_can_be_made_again(void **state) {
    struct contract *c = *state;
    struct str content = contract_large(c, 6 * MIB, 7);
    struct digest digest = digest_of(content);
    int fd = -1;
    struct err err = {0};
    if (c->kind->tear == NULL) {
        skip();
    }
    c->kind->tear(c, content);
    assert_false(contract_is_stored(c->one, content));
    assert_false(blob_open(c->one, &digest, &fd, NULL, &err));
    assert_string_equal(err.code, "no_blob");
    assert_int_equal(contract_each(c->one).count, 0);

    (void)contract_put(c->two, content);

    contract_assert_content(c->one, content);
}

static void keeping_makes_it_young_again(void **state) {
    struct contract *c = *state;
    struct digest digest = contract_put(c->one, STR("hello"));
    c->kind->age(c, &digest, 1000000);
    assert_int_equal(contract_each(c->one).stored_ms, 1000000);

    assert_true(contract_is_stored(c->two, STR("hello")));

    assert_true(contract_each(c->one).stored_ms > clock_utc_ms(&clock_real) - 3600000);
    contract_assert_content(c->one, STR("hello"));
}

static void putting_it_again_makes_it_young_again(void **state) {
    struct contract *c = *state;
    struct digest digest = contract_put(c->one, STR("hello"));
    c->kind->age(c, &digest, 1000000);

    (void)contract_put(c->two, STR("hello"));

    assert_true(contract_each(c->one).stored_ms > clock_utc_ms(&clock_real) - 3600000);
}

static void only_what_is_old_is_removed(void **state) {
    struct contract *c = *state;
    struct digest digest = contract_put(c->one, STR("hello"));
    (void)contract_put(c->one, STR("there"));
    bool removed = true;
    struct err err = {0};
    assert_true(blob_remove(c->one, &digest, 1000001, &removed, &err));
    assert_false(removed);
    c->kind->age(c, &digest, 1000000);
    assert_true(blob_remove(c->one, &digest, 1000000, &removed, &err));
    assert_false(removed);
    contract_assert_content(c->one, STR("hello"));
    c->kind->age(c, &digest, 1000000);

    assert_true(blob_remove(c->two, &digest, 1000001, &removed, &err));

    assert_true(removed);
    assert_false(contract_is_stored(c->one, STR("hello")));
    contract_assert_content(c->one, STR("there"));
    (void)contract_put(c->one, STR("hello"));
    contract_assert_content(c->two, STR("hello"));
}

static void each_is_visited_until_the_visitor_has_enough(void **state) {
    struct contract *c = *state;
    struct contract_seen few = {.stop_after = 2};
    struct err err = {0};
    for (int i = 0; i < 20; i++) {
        (void)contract_put(c->one, str_from(arena_printf(c->arena, "blob %02d", i)));
    }

    assert_true(blob_each(c->two, contract_see, &few, &err));

    assert_int_equal(few.count, 2);
    assert_int_equal(contract_each(c->two).count, 20);
    assert_int_equal(contract_each(c->two).bytes, 20 * 7);
}

/* clang-format off */
#define BLOB_PROMISES \
    CONTRACT(what_one_server_stores_another_reads), \
    CONTRACT(every_length_comes_back_whole), \
    CONTRACT(a_file_is_stored_from_its_offset_to_its_end), \
    CONTRACT(the_same_twice_is_there_once), \
    CONTRACT(what_is_too_large_leaves_nothing), \
    CONTRACT(another_content_than_expected_leaves_nothing), \
    CONTRACT(an_unknown_digest_is_missing), \
    CONTRACT(a_damaged_file_is_never_handed_out), \
    CONTRACT(a_put_that_was_torn_is_not_there_and_can_be_made_again), \
    CONTRACT(keeping_makes_it_young_again), \
    CONTRACT(putting_it_again_makes_it_young_again), \
    CONTRACT(only_what_is_old_is_removed), \
    CONTRACT(each_is_visited_until_the_visitor_has_enough)
/* clang-format on */

#endif
