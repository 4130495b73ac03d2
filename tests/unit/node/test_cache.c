/* The artifact cache against a server that keeps, loses, damages and counts. */
#include "base/clock.h"
#include "base/file.h"
#include "node/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct fake {
    char folder[64];
    struct cache *cache;
    struct str content;
    enum err_kind failure; /* ERR_NONE: answers */
    int calls;
    void (*meanwhile)(void); /* in the middle of a fetch */
};

static bool fake_artifact(void *context, const struct machine_artifact *request, int fd,
                          int64_t *ret_bytes, struct err *err) {
    struct fake *fake = context;
    (void)request;
    fake->calls++;
    if (fake->failure != ERR_NONE) {
        return err_set(err, fake->failure, "no_artifact", "as the test wants");
    }
    *ret_bytes = (int64_t)fake->content.len;
    if (fake->meanwhile != NULL) {
        fake->meanwhile();
    }
    return file_write_all(fd, fake->content, err);
}

static struct fake fake;
static struct machine_api api = {.context = &fake, .artifact = fake_artifact};
static const struct cache_fetch fetch = {.api = &api, .clock = &clock_real, .session_epoch = 1};

static int set_up(void **state) {
    (void)state;
    struct err err = {0};
    fake = (struct fake){.folder = "/tmp/assize-cache-XXXXXX", .content = STR("test data\n")};
    return mkdtemp(fake.folder) != NULL && cache_open(fake.folder, 1000, &fake.cache, &err) ? 0
                                                                                            : -1;
}

static int tear_down(void **state) {
    (void)state;
    struct err err = {0};
    cache_close(fake.cache);
    return file_remove_tree(fake.folder, &err) ? 0 : -1;
}

static bool get(struct str content, int64_t bytes, struct err *err) {
    struct digest digest = digest_of(content);
    own_fd fd = -1;
    own_buf got;
    buf_init(&got, 10000);
    if (!cache_get(fake.cache, &fetch, &digest, bytes, &fd, err)) {
        return false;
    }
    assert_true(file_read_all(fd, 10000, &got, err));
    assert_true(str_eq(buf_str(&got), content));
    return true;
}

static void an_artifact_is_fetched_once(void **state) {
    (void)state;
    struct err err = {0};

    assert_true(get(fake.content, 10, &err));
    assert_true(get(fake.content, 10, &err));
    assert_true(get(fake.content, -1, &err));

    assert_int_equal(fake.calls, 1);
}

static void another_content_is_refused_and_not_kept(void **state) {
    (void)state;
    struct err err = {0};
    struct digest other = digest_of(STR("something else"));
    int fd = -1;

    assert_false(cache_get(fake.cache, &fetch, &other, -1, &fd, &err));
    assert_string_equal(err.code, "artifact_damaged");
    assert_int_equal(err.fault, FAULT_NODE);
    assert_false(cache_get(fake.cache, &fetch, &other, -1, &fd, &err));
    assert_int_equal(fake.calls, 2);
}

static void another_length_is_refused(void **state) {
    (void)state;
    struct err err = {0};
    assert_false(get(fake.content, 11, &err));
    assert_string_equal(err.code, "artifact_damaged");
}

static void faults_are_told_apart(void **state) {
    (void)state;
    struct err err = {0};

    fake.failure = ERR_MISSING;
    assert_false(get(fake.content, 10, &err));
    assert_int_equal(err.fault, FAULT_PROBLEM);
    fake.failure = ERR_BUSY;
    assert_false(get(fake.content, 10, &err));
    assert_int_equal(err.fault, FAULT_NODE);
}

static void the_least_used_go_when_it_is_full(void **state) {
    (void)state;
    struct err err = {0};
    char block[300];
    char first[300];
    memset(block, 'a', sizeof block);
    memcpy(first, block, sizeof block);

    for (char c = 'a'; c < 'a' + 6; c++) {
        memset(block, c, sizeof block);
        fake.content = str_of(block, sizeof block);
        assert_true(get(fake.content, sizeof block, &err));
        clock_sleep_ms(&clock_real, 10); /* files' times have a grain */
    }
    int calls = fake.calls;
    assert_true(get(fake.content, sizeof block, &err)); /* the newest is here */
    assert_int_equal(fake.calls, calls);
    fake.content = str_of(first, sizeof first);
    assert_true(get(fake.content, sizeof first, &err)); /* the oldest was dropped */
    assert_int_equal(fake.calls, calls + 1);
}

static void half_written_files_of_a_killed_process_are_removed(void **state) {
    (void)state;
    struct err err = {0};
    char path[128];
    (void)snprintf(path, sizeof path, "%s/new-1-1", fake.folder);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0);
    close(fd);
    cache_close(fake.cache);

    assert_true(cache_open(fake.folder, 1000, &fake.cache, &err));

    assert_int_not_equal(access(path, F_OK), 0);
}

static struct cache *other; /* of another process: locks belong to what was opened */

static void another_process_starts(void) {
    struct err err = {0};
    struct digest digest = digest_of(fake.content);
    int fd = -1;
    fake.meanwhile = NULL;
    assert_true(cache_open(fake.folder, 1000, &other, &err));

    assert_false(cache_get(other, &fetch, &digest, 10, &fd, &err)); /* it is on its way */

    assert_int_equal(err.kind, ERR_BUSY);
    assert_string_equal(err.code, "artifact_busy");
}

static void what_one_process_fetches_another_waits_for(void **state) {
    (void)state;
    struct err err = {0};
    struct digest digest = digest_of(fake.content);
    int fd = -1;
    fake.meanwhile = another_process_starts;

    assert_true(get(fake.content, 10, &err));

    assert_int_equal(fake.calls, 1);
    assert_true(cache_get(other, &fetch, &digest, 10, &fd, &err));
    close(fd);
    assert_int_equal(fake.calls, 1);
    cache_close(other);
}

static void what_is_damaged_on_the_disk_is_fetched_again(void **state) {
    (void)state;
    struct err err = {0};
    struct digest digest = digest_of(fake.content);
    char name[DIGEST_HEX_BYTES];
    char path[256];
    assert_true(get(fake.content, 10, &err));
    digest_hex(&digest, name);
    (void)snprintf(path, sizeof path, "%s/%s", fake.folder, name);
    assert_true(file_save_atomic(path, STR("test dada\n"), 0600, &err));
    cache_close(fake.cache);
    assert_true(cache_open(fake.folder, 1000, &fake.cache, &err));

    assert_true(get(fake.content, 10, &err));

    assert_int_equal(fake.calls, 2);
}

static void the_half_of_a_killed_process_is_no_part_of_the_next_fetch(void **state) {
    (void)state;
    struct err err = {0};
    struct digest digest = digest_of(fake.content);
    char name[DIGEST_HEX_BYTES];
    char path[256];
    digest_hex(&digest, name);
    (void)snprintf(path, sizeof path, "%s/new-%s", fake.folder, name);
    assert_true(file_save_atomic(path, STR("a longer text than what is to come"), 0600, &err));

    assert_true(get(fake.content, 10, &err));

    assert_int_not_equal(access(path, F_OK), 0);
}

static int64_t bytes_in_folder(void) {
    int64_t bytes = 0;
    DIR *folder = opendir(fake.folder);
    assert_non_null(folder);
    for (struct dirent *item = readdir(folder); item != NULL; item = readdir(folder)) {
        struct stat info;
        assert_int_equal(fstatat(dirfd(folder), item->d_name, &info, 0), 0);
        bytes += S_ISREG(info.st_mode) ? info.st_size : 0;
    }
    closedir(folder);
    return bytes;
}

/* Neither knows what the other adds, until it looks. */
static void two_processes_keep_the_size_together(void **state) {
    (void)state;
    struct err err = {0};
    char block[100];
    assert_true(cache_open(fake.folder, 1000, &other, &err));
    for (int i = 0; i < 40; i++) {
        int fd = -1;
        memset(block, 'a' + i, sizeof block);
        fake.content = str_of(block, sizeof block);
        struct digest digest = digest_of(fake.content);
        struct cache *cache = i % 2 == 0 ? fake.cache : other;
        assert_true(cache_get(cache, &fetch, &digest, sizeof block, &fd, &err));
        close(fd);
        assert_true(bytes_in_folder() <= 1000);
        clock_sleep_ms(&clock_real, 10); /* files' times have a grain */
    }
    cache_close(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_artifact_is_fetched_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_content_is_refused_and_not_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_length_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(faults_are_told_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_least_used_go_when_it_is_full, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_one_process_fetches_another_waits_for, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_damaged_on_the_disk_is_fetched_again, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_half_of_a_killed_process_is_no_part_of_the_next_fetch,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_processes_keep_the_size_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(half_written_files_of_a_killed_process_are_removed, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
