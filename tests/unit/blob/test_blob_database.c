/* The contract of file stores, kept by rows of the database. */
#include "blob/blob_database.h"
#include "blob_promises.h"
#include "blob_races.h"
#include "store/blob_chunk_store.h"
#include "store/migrate.h"

#define ID "0123456789abcdef0123456789abcdef"

struct below {
    struct db_options options;
    struct db *db;
    struct db_pool *readers;
    struct db_pool *writers;
};

static void set_up(struct contract *c) {
    struct below *below = calloc(1, sizeof *below);
    struct err err = {0};
    int applied = 0;
    below->options = (struct db_options){.path = arena_printf(c->arena, "%s/assize.db", c->folder),
                                         .clock = &clock_real};
    if (!db_open(&below->options, &below->db, &err) ||
        !migrate(below->db, migrations, &applied, &err)) {
        fail_msg("%s", err.text);
    }
    below->readers = db_pool_create(&below->options, 4);
    below->writers = db_pool_create_writers(&below->options, 4);
    c->below = below;
}

static void tear_down(struct contract *c) {
    struct below *below = c->below;
    db_pool_free(below->readers);
    db_pool_free(below->writers);
    db_close(below->db);
    free(below);
}

static struct blob_store *open_database(struct contract *c) {
    struct below *below = c->below;
    struct blob_store *store = NULL;
    struct err err = {0};
    struct blob_database_options options = {.readers = below->readers,
                                            .writers = below->writers,
                                            .spool_folder =
                                                arena_printf(c->arena, "%s/spool", c->folder),
                                            .id = ID};
    if (!blob_database_open(&options, &store, &err)) {
        fail_msg("%s", err.text);
    }
    return store;
}

static void change(struct contract *c, const char *sql, int64_t number,
                   const struct digest *digest) {
    struct below *below = c->below;
    own(db_stmt) stmt = NULL;
    struct err err = {0};
    assert_true(db_begin(below->db, &err));
    assert_true(db_prepare(below->db, sql, &stmt, &err));
    db_bind_i64(stmt, 1, number);
    db_bind_sha256(stmt, 2, digest->bytes);
    assert_true(db_run(stmt, NULL, &err));
    assert_true(db_commit(below->db, &err));
}

static void damage(struct contract *c, const struct digest *digest) {
    change(c, "UPDATE blob_chunk SET data = x'68656c6c' WHERE number = ? AND sha256 = ?", 0,
           digest);
}

static void age(struct contract *c, const struct digest *digest, int64_t stored_ms) {
    change(c, "UPDATE blob_head SET stored_ms = ? WHERE sha256 = ?", stored_ms, digest);
}

/* A head and its first chunk. */
static void tear(struct contract *c, struct str content) {
    struct below *below = c->below;
    struct blob_head head = {.bytes = (int64_t)content.len, .stored_ms = 5};
    struct digest digest = digest_of(content);
    struct err err = {0};
    memcpy(head.sha256, digest.bytes, sizeof head.sha256);
    assert_true(db_begin(below->db, &err));
    assert_true(blob_head_insert(below->db, &head, &err));
    assert_true(
        blob_chunk_insert(below->db, head.sha256, 0, str_sub(content, 0, BLOB_CHUNK_BYTES), &err));
    assert_true(db_commit(below->db, &err));
}

const struct contract_kind contract_kind_under_test = {.set_up = set_up,
                                                       .tear_down = tear_down,
                                                       .open = open_database,
                                                       .damage = damage,
                                                       .age = age,
                                                       .tear = tear};

static void what_was_torn_for_a_day_is_swept(void **state) {
    struct contract *c = *state;
    struct below *below = c->below;
    struct str content = contract_large(c, 1 * MIB, 3);
    bool found = true;
    struct err err = {0};
    tear(c, content);

    (void)contract_each(c->one);

    own(db_stmt) stmt = NULL;
    assert_true(db_prepare(below->db, "SELECT 1 FROM blob_chunk", &stmt, &err));
    assert_true(db_find(stmt, &found, &err));
    assert_false(found);
    (void)contract_put(c->one, content);
    contract_assert_content(c->two, content);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BLOB_PROMISES,
        BLOB_RACES,
        cmocka_unit_test_setup_teardown(what_was_torn_for_a_day_is_swept, contract_set_up,
                                        contract_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
