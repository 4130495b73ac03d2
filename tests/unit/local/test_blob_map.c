/* Files of a package by their digest. */
#include "local/blob_map.h"

#include "base/file.h"
#include "base/limits.h"
#include "data/digest.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct blob_ref put(struct blob_map *map, struct str content) {
    struct blob_ref blob = {.bytes = -1};
    struct err err = {0};
    own_fd fd = -1;
    assert_true(file_memory("x", content, false, &fd, &err));
    assert_true(blob_map_put(map, fd, &blob, &err));
    return blob;
}

static void expect(struct blob_map *map, const struct blob_ref *blob, struct str content) {
    struct err err = {0};
    own_fd fd = -1;
    own_buf text;
    buf_init(&text, 8 * MIB);
    assert_true(blob_map_open(map, blob, &fd, &err));
    assert_true(file_read_all(fd, 8 * MIB, &text, &err));
    assert_true(str_eq(buf_str(&text), content));
}

static void what_was_put_comes_out_by_its_digest(void **state) {
    (void)state;
    own(blob_map) map = NULL;
    struct err err = {0};
    assert_true(blob_map_create(&map, &err));

    struct blob_ref one = put(map, STR("one\n"));
    struct blob_ref none = put(map, STR(""));
    struct blob_ref two = put(map, STR("two\n"));
    struct blob_ref again = put(map, STR("one\n"));

    struct digest digest = digest_of(STR("one\n"));
    assert_memory_equal(one.sha256, digest.bytes, 32);
    assert_int_equal(one.bytes, 4);
    assert_memory_equal(&one, &again, sizeof(one));
    expect(map, &one, STR("one\n"));
    expect(map, &two, STR("two\n"));
    expect(map, &none, STR(""));
}

static void many_and_large_files_are_kept_apart(void **state) {
    (void)state;
    own(blob_map) map = NULL;
    struct err err = {0};
    struct blob_ref blobs[300];
    assert_true(blob_map_create(&map, &err));
    size_t bytes = 3 * (size_t)MIB;
    char *large = malloc(bytes);
    assert_non_null(large);
    memset(large, 'x', bytes);

    struct blob_ref big = put(map, str_of(large, bytes));
    for (int i = 0; i < 300; i++) {
        blobs[i] = put(map, str_of(&i, sizeof(i)));
    }

    expect(map, &big, str_of(large, bytes));
    for (int i = 0; i < 300; i++) {
        expect(map, &blobs[i], str_of(&i, sizeof(i)));
    }
    free(large);
}

static void a_missing_file_is_the_problems_fault(void **state) {
    (void)state;
    own(blob_map) map = NULL;
    struct err err = {0};
    struct blob_ref unknown = {.bytes = 3};
    int fd = -1;
    assert_true(blob_map_create(&map, &err));

    assert_false(blob_map_open(map, &unknown, &fd, &err));

    assert_int_equal(err.fault, FAULT_PROBLEM);
    assert_int_equal(fd, -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_comes_out_by_its_digest),
        cmocka_unit_test(many_and_large_files_are_kept_apart),
        cmocka_unit_test(a_missing_file_is_the_problems_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
