#include "blob/blob_folder.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/thread.h"
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define HELLO "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

struct fixture {
    char path[64];
    struct blob_store *store;
};

static struct blob_folder_options options_of(const char *path) {
    return (struct blob_folder_options){.path = path, .random = &random_real, .clock = &clock_real};
}

static int set_up(void **state) {
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    struct err err = {0};
    memcpy(fixture->path, "/tmp/test-blob-XXXXXX", sizeof("/tmp/test-blob-XXXXXX"));
    if (mkdtemp(fixture->path) == NULL) {
        return -1;
    }
    struct blob_folder_options options = options_of(fixture->path);
    if (!blob_folder_open(&options, &fixture->store, &err)) {
        return -1;
    }
    *state = fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    struct err err = {0};
    blob_close(fixture->store);
    bool removed = file_remove_tree(fixture->path, &err);
    free(fixture);
    return removed ? 0 : -1;
}

static struct blob_source bytes_source(struct str bytes) {
    return (struct blob_source){.bytes = bytes, .fd = -1, .bytes_max = 1 * MIB};
}

static int files_in(const char *folder, const char *name) {
    own(arena) arena = arena_create(4 * KIB);
    DIR *listing = opendir(arena_printf(arena, "%s/%s", folder, name));
    int count = 0;
    while (listing != NULL && readdir(listing) != NULL) {
        count++;
    }
    if (listing != NULL) {
        closedir(listing);
    }
    return count - 2;
}

static void assert_content(struct blob_store *store, const struct digest *digest,
                           struct str content) {
    own_fd fd = -1;
    own_buf text = {0};
    int64_t bytes = 0;
    struct err err = {0};
    buf_init(&text, 1 * MIB);

    assert_true(blob_open(store, digest, &fd, &bytes, &err));
    assert_true(file_read_all(fd, 1 * MIB, &text, &err));

    assert_int_equal(bytes, content.len);
    assert_true(str_eq(buf_str(&text), content));
}

static void bytes_are_stored_under_their_digest(void **state) {
    struct fixture *fixture = *state;
    struct blob_source source = bytes_source(STR("hello"));
    struct blob_info info;
    struct err err = {0};

    assert_true(blob_put(fixture->store, &source, &info, &err));

    char hex[DIGEST_HEX_BYTES];
    digest_hex(&info.digest, hex);
    assert_string_equal(hex, HELLO);
    assert_int_equal(info.bytes, 5);
    assert_content(fixture->store, &info.digest, STR("hello"));
    assert_int_equal(files_in(fixture->path, "2c"), 1);
    assert_int_equal(files_in(fixture->path, "tmp"), 0);
}

static void a_file_is_stored_from_its_offset_to_its_end(void **state) {
    struct fixture *fixture = *state;
    own_fd fd = -1;
    struct err err = {0};
    assert_true(file_memory("source", STR("xxhello"), false, &fd, &err));
    assert_int_equal(lseek(fd, 2, SEEK_SET), 2);
    struct blob_source source = {.fd = fd, .bytes_max = 5};
    struct blob_info info;

    assert_true(blob_put(fixture->store, &source, &info, &err));

    assert_int_equal(info.bytes, 5);
    assert_content(fixture->store, &info.digest, STR("hello"));
}

static void a_large_file_comes_back_whole(void **state) {
    struct fixture *fixture = *state;
    static char content[300 * KIB + 7];
    for (size_t i = 0; i < sizeof(content); i++) {
        content[i] = (char)(i * 31 >> 3);
    }
    own_fd fd = -1;
    struct err err = {0};
    struct str text = str_of(content, sizeof(content));
    assert_true(file_memory("source", text, false, &fd, &err));
    struct blob_source source = {.fd = fd, .bytes_max = 1 * MIB};
    struct blob_info info;

    assert_true(blob_put(fixture->store, &source, &info, &err));

    struct digest expected = digest_of(text);
    assert_true(digest_equal(&info.digest, &expected));
    assert_content(fixture->store, &info.digest, text);
}

static void nothing_can_be_stored_too(void **state) {
    struct fixture *fixture = *state;
    struct blob_source source = {.fd = -1, .bytes_max = 0};
    struct blob_info info;
    struct err err = {0};

    assert_true(blob_put(fixture->store, &source, &info, &err));

    assert_int_equal(info.bytes, 0);
    assert_content(fixture->store, &info.digest, STR(""));
}

static void the_same_content_is_stored_once(void **state) {
    struct fixture *fixture = *state;
    struct blob_source source = bytes_source(STR("hello"));
    struct blob_info first;
    struct blob_info second;
    struct err err = {0};

    assert_true(blob_put(fixture->store, &source, &first, &err));
    assert_true(blob_put(fixture->store, &source, &second, &err));

    assert_true(digest_equal(&first.digest, &second.digest));
    assert_int_equal(files_in(fixture->path, "2c"), 1);
    assert_content(fixture->store, &first.digest, STR("hello"));
}

static void what_is_too_large_leaves_nothing(void **state) {
    struct fixture *fixture = *state;
    struct blob_source source = bytes_source(STR("hello"));
    source.bytes_max = 4;
    struct blob_info info = {.bytes = -5};
    struct err err = {0};

    assert_false(blob_put(fixture->store, &source, &info, &err));

    assert_int_equal(err.kind, ERR_TOO_LARGE);
    assert_int_equal(info.bytes, -5);
    assert_int_equal(files_in(fixture->path, "tmp"), 0);
    assert_int_equal(files_in(fixture->path, "2c"), -2);
}

static void another_content_than_expected_leaves_nothing(void **state) {
    struct fixture *fixture = *state;
    struct digest expected = digest_of(STR("hello"));
    struct blob_source source = bytes_source(STR("hullo"));
    source.expected = &expected;
    struct blob_info info;
    bool stored = true;
    struct err err = {0};

    assert_false(blob_put(fixture->store, &source, &info, &err));

    assert_string_equal(err.code, "digest_mismatch");
    assert_int_equal(files_in(fixture->path, "tmp"), 0);
    assert_true(blob_keep(fixture->store, &expected, &stored, &err));
    assert_false(stored);
}

static void an_unknown_digest_is_missing(void **state) {
    struct fixture *fixture = *state;
    struct digest digest = digest_of(STR("nobody stored this"));
    int fd = -1;
    struct err err = {0};

    assert_false(blob_open(fixture->store, &digest, &fd, NULL, &err));

    assert_int_equal(err.kind, ERR_MISSING);
    assert_string_equal(err.code, "no_blob");
    assert_int_equal(fd, -1);
}

struct seen {
    int count;
    int stop_after;
    int64_t bytes;
    int64_t stored_ms;
};

static bool see(void *context, const struct blob_visit *blob) {
    struct seen *seen = context;
    seen->count++;
    seen->bytes += blob->info.bytes;
    seen->stored_ms = blob->stored_ms;
    return seen->count != seen->stop_after;
}

static void keeping_makes_a_blob_young_again(void **state) {
    struct fixture *fixture = *state;
    own(arena) arena = arena_create(4 * KIB);
    struct blob_source source = bytes_source(STR("hello"));
    struct blob_info info;
    bool stored = false;
    struct seen old = {0};
    struct seen young = {0};
    struct err err = {0};
    assert_true(blob_put(fixture->store, &source, &info, &err));
    const char *file = arena_printf(arena, "%s/2c/%s", fixture->path, &HELLO[2]);
    struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, file, times, 0), 0);
    assert_true(blob_each(fixture->store, see, &old, &err));

    assert_true(blob_keep(fixture->store, &info.digest, &stored, &err));

    assert_true(stored);
    assert_true(blob_each(fixture->store, see, &young, &err));
    assert_int_equal(old.stored_ms, 1000000);
    assert_true(young.stored_ms > 1000000);
}

static void each_blob_is_visited_and_strangers_are_not(void **state) {
    struct fixture *fixture = *state;
    own(arena) arena = arena_create(4 * KIB);
    struct seen all = {0};
    struct seen few = {.stop_after = 2};
    struct err err = {0};
    for (int i = 0; i < 20; i++) {
        struct blob_source source = bytes_source(str_from(arena_printf(arena, "blob %02d", i)));
        struct blob_info info;
        assert_true(blob_put(fixture->store, &source, &info, &err));
    }
    (void)mkdir(arena_printf(arena, "%s/00", fixture->path), 0700);
    assert_true(
        file_save_atomic(arena_printf(arena, "%s/00/notes", fixture->path), STR("x"), 0600, &err));

    assert_true(blob_each(fixture->store, see, &all, &err));
    assert_true(blob_each(fixture->store, see, &few, &err));

    assert_int_equal(all.count, 20);
    assert_int_equal(all.bytes, 20 * 7);
    assert_int_equal(few.count, 2);
}

static void a_store_keeps_its_id(void **state) {
    struct fixture *fixture = *state;
    own(blob_store) again = NULL;
    struct blob_folder_options options = options_of(fixture->path);
    struct err err = {0};

    assert_true(blob_folder_open(&options, &again, &err));

    assert_int_equal(strlen(blob_store_id(again)), BLOB_STORE_ID_CHARS);
    assert_string_equal(blob_store_id(again), blob_store_id(fixture->store));
}

static void two_stores_have_two_ids(void **state) {
    struct fixture *fixture = *state;
    own(arena) arena = arena_create(4 * KIB);
    own(blob_store) other = NULL;
    struct blob_folder_options options =
        options_of(arena_printf(arena, "%s/tmp/deep/er", fixture->path));
    struct err err = {0};

    assert_true(blob_folder_open(&options, &other, &err));

    assert_string_not_equal(blob_store_id(other), blob_store_id(fixture->store));
}

static void a_folder_with_other_things_is_refused(void **state) {
    struct fixture *fixture = *state;
    own(arena) arena = arena_create(4 * KIB);
    own(blob_store) store = NULL;
    struct err err = {0};
    const char *path = arena_printf(arena, "%s/tmp/home", fixture->path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_true(file_save_atomic(arena_printf(arena, "%s/letter.txt", path), STR("x"), 0600, &err));
    struct blob_folder_options options = options_of(path);

    assert_false(blob_folder_open(&options, &store, &err));

    assert_int_equal(err.kind, ERR_CONFLICT);
    assert_non_null(strstr(err.text, "empty folder"));
    assert_int_equal(files_in(path, "."), 1);
}

static void a_broken_marker_is_refused(void **state) {
    struct fixture *fixture = *state;
    own(arena) arena = arena_create(4 * KIB);
    own(blob_store) store = NULL;
    struct err err = {0};
    assert_true(
        file_save_atomic(arena_printf(arena, "%s/store.id", fixture->path), STR("zz"), 0600, &err));
    struct blob_folder_options options = options_of(fixture->path);

    assert_false(blob_folder_open(&options, &store, &err));

    assert_string_equal(err.code, "no_blob_folder");
}

static void a_reader_reads_and_does_not_write(void **state) {
    struct fixture *fixture = *state;
    own(blob_store) reader = NULL;
    struct blob_source source = bytes_source(STR("hello"));
    struct blob_info info;
    bool stored = false;
    struct err err = {0};
    assert_true(blob_put(fixture->store, &source, &info, &err));
    struct blob_folder_options options = options_of(fixture->path);
    options.read_only = true;

    assert_true(blob_folder_open(&options, &reader, &err));

    assert_content(reader, &info.digest, STR("hello"));
    assert_true(blob_keep(reader, &info.digest, &stored, &err));
    assert_true(stored);
    assert_false(blob_put(reader, &source, &info, &err));
    assert_string_equal(err.code, "blob_read_only");
}

static void a_reader_makes_no_store(void **state) {
    struct fixture *fixture = *state;
    own(arena) arena = arena_create(4 * KIB);
    own(blob_store) reader = NULL;
    struct err err = {0};
    struct blob_folder_options options =
        options_of(arena_printf(arena, "%s/tmp/none", fixture->path));
    options.read_only = true;

    assert_false(blob_folder_open(&options, &reader, &err));

    assert_int_equal(err.kind, ERR_MISSING);
    assert_int_equal(files_in(fixture->path, "tmp"), 0);
}

static void what_a_killed_server_left_is_removed_after_a_day(void **state) {
    struct fixture *fixture = *state;
    own(arena) arena = arena_create(4 * KIB);
    own(blob_store) again = NULL;
    struct err err = {0};
    const char *left = arena_printf(arena, "%s/tmp/0123", fixture->path);
    const char *running = arena_printf(arena, "%s/tmp/4567", fixture->path);
    assert_true(file_save_atomic(left, STR("half"), 0600, &err));
    assert_true(file_save_atomic(running, STR("half"), 0600, &err));
    struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, left, times, 0), 0);
    struct blob_folder_options options = options_of(fixture->path);

    assert_true(blob_folder_open(&options, &again, &err));

    assert_int_equal(access(left, F_OK), -1);
    assert_int_equal(access(running, F_OK), 0);
}

struct putter {
    struct blob_store *store;
    bool ok;
};

static void *put_many(void *argument) {
    struct putter *putter = argument;
    putter->ok = true;
    for (int i = 0; i < 20; i++) {
        char text[2] = {(char)('a' + i % 5), 'x'};
        struct blob_source source = bytes_source(str_of(text, sizeof(text)));
        struct blob_info info;
        struct err err = {0};
        putter->ok = putter->ok && blob_put(putter->store, &source, &info, &err);
    }
    return NULL;
}

static void several_threads_may_put_the_same_content(void **state) {
    struct fixture *fixture = *state;
    pthread_t threads[4];
    struct putter putters[4];
    struct seen seen = {0};
    struct err err = {0};

    for (int i = 0; i < 4; i++) {
        putters[i] = (struct putter){.store = fixture->store};
        threads[i] = thread_start("put", put_many, &putters[i]);
    }
    for (int i = 0; i < 4; i++) {
        thread_join(threads[i]);
    }

    for (int i = 0; i < 4; i++) {
        assert_true(putters[i].ok);
    }
    assert_true(blob_each(fixture->store, see, &seen, &err));
    assert_int_equal(seen.count, 5);
    assert_int_equal(files_in(fixture->path, "tmp"), 0);
}

int main(void) {
#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WITH_STORE(bytes_are_stored_under_their_digest),
        WITH_STORE(a_file_is_stored_from_its_offset_to_its_end),
        WITH_STORE(a_large_file_comes_back_whole),
        WITH_STORE(nothing_can_be_stored_too),
        WITH_STORE(the_same_content_is_stored_once),
        WITH_STORE(what_is_too_large_leaves_nothing),
        WITH_STORE(another_content_than_expected_leaves_nothing),
        WITH_STORE(an_unknown_digest_is_missing),
        WITH_STORE(keeping_makes_a_blob_young_again),
        WITH_STORE(each_blob_is_visited_and_strangers_are_not),
        WITH_STORE(a_store_keeps_its_id),
        WITH_STORE(two_stores_have_two_ids),
        WITH_STORE(a_folder_with_other_things_is_refused),
        WITH_STORE(a_broken_marker_is_refused),
        WITH_STORE(a_reader_reads_and_does_not_write),
        WITH_STORE(a_reader_makes_no_store),
        WITH_STORE(what_a_killed_server_left_is_removed_after_a_day),
        WITH_STORE(several_threads_may_put_the_same_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
