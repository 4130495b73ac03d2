#ifndef TESTS_UNIT_BLOB_CONTRACT_H
#define TESTS_UNIT_BLOB_CONTRACT_H

/* What every kind of file store promises, as one table of tests that each kind runs: the same
 * requirement, whatever is below. A kind says how its store is opened (twice: as two servers do)
 * and how what lies below is disturbed. */

#include "base/arena.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/random.h"
#include "base/thread.h"
#include "blob/blob.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct contract;

struct contract_kind {
    void (*set_up)(struct contract *c);
    void (*tear_down)(struct contract *c);
    /* Another handle on the same store, as another server has it. */
    struct blob_store *(*open)(struct contract *c);
    /* Other bytes in what is stored, and the last bytes missing. NULL: the store trusts its disk.
     */
    void (*damage)(struct contract *c, const struct digest *digest);
    /* As if it had been put at that time. */
    void (*age)(struct contract *c, const struct digest *digest, int64_t stored_ms);
    /* What a server leaves that is killed in the middle of a put. NULL: there is no middle. */
    void (*tear)(struct contract *c, struct str content);
    /* Away and back again. NULL: a file store of this kind is never away. */
    void (*outage)(struct contract *c, bool away);
};

struct contract {
    const struct contract_kind *kind;
    void *below; /* the kind's own */
    char folder[64];
    struct blob_store *one;
    struct blob_store *two;
    struct arena *arena;
};

extern const struct contract_kind contract_kind_under_test;

#define CONTRACT(test) cmocka_unit_test_setup_teardown(test, contract_set_up, contract_tear_down)

static inline int contract_set_up(void **state) {
    struct contract *c = calloc(1, sizeof *c);
    c->kind = &contract_kind_under_test;
    memcpy(c->folder, "/tmp/test-blob-XXXXXX", sizeof "/tmp/test-blob-XXXXXX");
    assert_non_null(mkdtemp(c->folder));
    c->arena = arena_create((size_t)64 * MIB);
    c->kind->set_up(c);
    c->one = c->kind->open(c);
    c->two = c->kind->open(c);
    *state = c;
    return 0;
}

static inline int contract_tear_down(void **state) {
    struct contract *c = *state;
    struct err err = {0};
    blob_close(c->one);
    blob_close(c->two);
    c->kind->tear_down(c);
    arena_free(c->arena);
    bool removed = file_remove_tree(c->folder, &err);
    free(c);
    return removed ? 0 : -1;
}

static inline struct blob_source contract_source(struct str bytes) {
    return (struct blob_source){.bytes = bytes, .fd = -1, .bytes_max = (int64_t)32 * MIB};
}

static inline struct str contract_large(struct contract *c, size_t bytes, unsigned seed) {
    char *text = arena_array(c->arena, bytes, 1);
    struct random_seeded random;
    random_seeded_init(&random, seed);
    random_fill(&random.random, text, bytes);
    return str_of(text, bytes);
}

static inline struct digest contract_put(struct blob_store *store, struct str content) {
    struct blob_source source = contract_source(content);
    struct blob_info info = {0};
    struct err err = {0};
    if (!blob_put(store, &source, &info, &err)) {
        fail_msg("%s", err.text);
    }
    struct digest expected = digest_of(content);
    assert_true(digest_equal(&info.digest, &expected));
    assert_int_equal(info.bytes, content.len);
    return info.digest;
}

static inline void contract_assert_content(struct blob_store *store, struct str content) {
    struct digest digest = digest_of(content);
    own_fd fd = -1;
    own_buf text = {0};
    int64_t bytes = -1;
    struct err err = {0};
    buf_init(&text, content.len + 16);
    if (!blob_open(store, &digest, &fd, &bytes, &err)) {
        fail_msg("%s", err.text);
    }
    assert_true(file_read_all(fd, content.len + 16, &text, &err));
    assert_int_equal(bytes, content.len);
    assert_true(str_eq(buf_str(&text), content));
}

static inline bool contract_is_stored(struct blob_store *store, struct str content) {
    struct digest digest = digest_of(content);
    bool stored = false;
    struct err err = {0};
    assert_true(blob_keep(store, &digest, &stored, &err));
    return stored;
}

struct contract_seen {
    int count;
    int stop_after;
    int64_t bytes;
    int64_t stored_ms;
    struct digest last;
};

static inline bool contract_see(void *context, const struct blob_visit *blob) {
    struct contract_seen *seen = context;
    seen->count++;
    seen->bytes += blob->info.bytes;
    seen->stored_ms = blob->stored_ms;
    seen->last = blob->info.digest;
    return seen->count != seen->stop_after;
}

static inline struct contract_seen contract_each(struct blob_store *store) {
    struct contract_seen seen = {0};
    struct err err = {0};
    if (!blob_each(store, contract_see, &seen, &err)) {
        fail_msg("%s", err.text);
    }
    return seen;
}

#endif
