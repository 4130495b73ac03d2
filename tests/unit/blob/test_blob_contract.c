/* The contract of file stores, kept by a folder. */
#include "blob/blob_folder.h"
#include "blob_promises.h"
#include "blob_races.h"

#include <fcntl.h>
#include <sys/stat.h>

static void set_up(struct contract *c) {
    (void)c;
}

static struct blob_store *open_folder(struct contract *c) {
    struct blob_store *store = NULL;
    struct err err = {0};
    struct blob_folder_options options = {
        .path = c->folder, .random = &random_real, .clock = &clock_real};
    if (!blob_folder_open(&options, &store, &err)) {
        fail_msg("%s", err.text);
    }
    return store;
}

/* What is removed at the same moment is nobody's to age. */
static void age(struct contract *c, const struct digest *digest, int64_t stored_ms) {
    char hex[DIGEST_HEX_BYTES];
    struct timespec times[2] = {{.tv_sec = stored_ms / 1000}, {.tv_sec = stored_ms / 1000}};
    digest_hex(digest, hex);
    (void)utimensat(AT_FDCWD, arena_printf(c->arena, "%s/%.2s/%s", c->folder, hex, hex + 2), times,
                    0);
}

static void tear(struct contract *c, struct str content) {
    struct err err = {0};
    const char *path = arena_printf(c->arena, "%s/tmp/0123456789abcdef0123456789abcdef", c->folder);
    assert_true(file_save_atomic(path, str_sub(content, 0, content.len / 2), 0400, &err));
}

const struct contract_kind contract_kind_under_test = {
    .set_up = set_up, .tear_down = set_up, .open = open_folder, .age = age, .tear = tear};

static void a_folder_is_open_to_its_owner_alone(void **state) {
    struct contract *c = *state;
    struct stat status;
    (void)contract_put(c->one, STR("hello"));

    assert_int_equal(stat(arena_printf(c->arena, "%s/2c", c->folder), &status), 0);
    assert_int_equal(status.st_mode & 077, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BLOB_PROMISES,
        BLOB_RACES,
        cmocka_unit_test_setup_teardown(a_folder_is_open_to_its_owner_alone, contract_set_up,
                                        contract_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
