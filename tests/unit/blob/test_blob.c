#include "blob/blob.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A kind that only counts. */
struct counting {
    struct blob_store store;
    int put, open, keep, each, remove, close;
};

static struct counting *counting_of(struct blob_store *store) {
    return (struct counting *)(void *)store;
}

static bool count_put(struct blob_store *store, const struct blob_source *source,
                      struct blob_info *ret_info, struct err *err) {
    (void)err;
    counting_of(store)->put++;
    *ret_info = (struct blob_info){digest_of(source->bytes), (int64_t)source->bytes.len};
    return true;
}

static bool count_open(struct blob_store *store, const struct digest *digest, int *ret_fd,
                       int64_t *ret_bytes, struct err *err) {
    (void)digest;
    (void)ret_fd;
    counting_of(store)->open++;
    *ret_bytes = 7;
    return err_set(err, ERR_MISSING, "no_blob", "nothing is here");
}

static bool count_keep(struct blob_store *store, const struct digest *digest, bool *ret_stored,
                       struct err *err) {
    (void)digest;
    (void)err;
    counting_of(store)->keep++;
    *ret_stored = true;
    return true;
}

static bool count_each(struct blob_store *store, blob_visit_fn *visit, void *context,
                       struct err *err) {
    (void)visit;
    (void)context;
    (void)err;
    counting_of(store)->each++;
    return true;
}

static bool count_remove(struct blob_store *store, const struct digest *digest, int64_t before_ms,
                         bool *ret_removed, struct err *err) {
    (void)digest;
    (void)err;
    counting_of(store)->remove++;
    *ret_removed = before_ms > 5;
    return true;
}

static void count_close(struct blob_store *store) {
    counting_of(store)->close++;
}

static const struct blob_kind counting_kind = {count_put,  count_open,   count_keep,
                                               count_each, count_remove, count_close};

static void every_call_reaches_the_kind_of_its_store(void **state) {
    (void)state;
    struct counting counting = {.store = {.kind = &counting_kind, .id = "abc"}};
    struct blob_store *store = &counting.store;
    struct blob_source source = {.bytes = STR("hello"), .fd = -1, .bytes_max = 5};
    struct blob_info info;
    struct digest digest = digest_of(STR("hello"));
    bool stored = false;
    bool removed = false;
    int fd = -1;
    struct err err = {0};

    assert_true(blob_put(store, &source, &info, &err));
    assert_false(blob_open(store, &digest, &fd, NULL, &err));
    assert_true(blob_keep(store, &digest, &stored, &err));
    assert_true(blob_each(store, NULL, NULL, &err));
    assert_true(blob_remove(store, &digest, 6, &removed, &err));
    assert_true(removed);
    assert_string_equal(blob_store_id(store), "abc");
    blob_close(store);
    blob_close(NULL);

    assert_int_equal(counting.put, 1);
    assert_int_equal(counting.open, 1);
    assert_int_equal(counting.keep, 1);
    assert_int_equal(counting.each, 1);
    assert_int_equal(counting.remove, 1);
    assert_int_equal(counting.close, 1);
    assert_int_equal(info.bytes, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_reaches_the_kind_of_its_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
