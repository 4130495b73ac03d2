#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../aborts.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Each test gets a folder of its own; `at` names a place in it. */
static char folder[] = "/tmp/assize-file-XXXXXX";

static const char *at(const char *name) {
    static char paths[4][PATH_MAX];
    static int next = 0;
    next = (next + 1) % 4;
    snprintf(paths[next], sizeof(paths[next]), "%s/%s", folder, name);
    return paths[next];
}

static int make_folder(void **state) {
    (void)state;
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_folder(void **state) {
    (void)state;
    struct err err = {0};
    return file_remove_tree(folder, &err) ? 0 : -1;
}

static void put(const char *name, const char *text) {
    struct err err = {0};
    assert_true(file_save_atomic(at(name), str_from(text), 0644, &err));
}

static void a_saved_file_loads_again(void **state) {
    (void)state;
    struct err err = {0};
    own_buf text;
    buf_init(&text, 100);
    struct stat status = {0};

    assert_true(file_save_atomic(at("x"), STR("old"), 0644, &err));
    assert_true(file_save_atomic(at("x"), STR("new\0text"), 0600, &err));
    assert_true(file_load(at("x"), 100, &text, &err));

    assert_true(str_eq(buf_str(&text), STR("new\0text")));
    assert_int_equal(stat(at("x"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

static int count_names(const char *path) {
    DIR *dir = opendir(path);
    assert_non_null(dir);
    int count = -2; /* without . and .. */
    while (readdir(dir) != NULL) {
        count++;
    }
    closedir(dir);
    return count;
}

static void a_failed_save_leaves_no_temporary_file(void **state) {
    (void)state;
    struct err err = {0};
    assert_true(file_make_dirs(at("target/inside"), 0755, &err));

    assert_false(file_save_atomic(at("target"), STR("x"), 0644, &err)); /* a folder is in the way */

    assert_string_equal(err.code, "rename_failed");
    assert_int_equal(count_names(folder), 1);
    assert_false(file_save_atomic(at("no/such/folder"), STR("x"), 0644, &err));
    assert_int_equal(err.kind, ERR_MISSING);
}

static void a_missing_file_is_named(void **state) {
    (void)state;
    struct err err = {0};
    own_buf text;
    buf_init(&text, 100);

    assert_false(file_load(at("nothing"), 100, &text, &err));

    assert_int_equal(err.kind, ERR_MISSING);
    assert_string_equal(err.code, "no_file");
    assert_non_null(strstr(err.text, "/nothing: there is no such file"));
}

static void a_folder_is_no_file_to_load(void **state) {
    (void)state;
    struct err err = {0};
    own_buf text;
    buf_init(&text, 100);

    assert_false(file_load(folder, 100, &text, &err));

    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_int_equal(err.os_errno, EISDIR);
}

static void loading_stops_at_the_maximum(void **state) {
    (void)state;
    struct err err = {0};
    put("five", "12345");
    own_buf text;
    buf_init(&text, 100);
    own_buf small;
    buf_init(&small, 4);

    assert_true(file_load(at("five"), 5, &text, &err));
    assert_true(str_eq(buf_str(&text), STR("12345")));
    buf_clear(&text);
    assert_false(file_load(at("five"), 4, &text, &err));
    assert_int_equal(err.kind, ERR_TOO_LARGE);
    assert_false(
        file_load(at("five"), 100, &small, &err)); /* the buffer's own maximum counts too */
    assert_int_equal(err.kind, ERR_TOO_LARGE);
}

static void a_big_file_arrives_whole(void **state) {
    (void)state;
    struct err err = {0};
    size_t bytes = 300000;
    char *content = malloc(bytes);
    assert_non_null(content);
    for (size_t i = 0; i < bytes; i++) {
        content[i] = (char)(i * 7 % 251);
    }
    own_buf text;
    buf_init(&text, bytes);

    assert_true(file_save_atomic(at("big"), str_of(content, bytes), 0644, &err));
    assert_true(file_load(at("big"), bytes, &text, &err));

    assert_int_equal(text.len, bytes);
    assert_memory_equal(text.ptr, content, bytes);
    free(content);
}

static void opening_below_a_folder_follows_no_link(void **state) {
    (void)state;
    struct err err = {0};
    put("real", "x");
    assert_int_equal(symlink("real", at("link")), 0);
    own_fd dir = -1;
    own_fd fd = -1;
    assert_true(file_open_at(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY, 0, &dir, &err));

    assert_false(file_open_at(dir, "link", O_RDONLY, 0, &fd, &err));
    assert_int_equal(err.os_errno, ELOOP);
    assert_true(file_open_at(dir, "real", O_RDONLY, 0, &fd, &err));

    int64_t bytes = 0;
    assert_true(file_size(fd, &bytes, &err));
    assert_int_equal(bytes, 1);
    assert_true((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
}

static void folders_are_made_with_their_parents(void **state) {
    (void)state;
    struct err err = {0};
    struct stat status = {0};

    assert_true(file_make_dirs(at("a/b//c/"), 0755, &err));
    assert_true(file_make_dirs(at("a/b/c"), 0755, &err)); /* again is fine */
    assert_true(file_make_dirs("/", 0755, &err));

    assert_int_equal(stat(at("a/b/c"), &status), 0);
    assert_true(S_ISDIR(status.st_mode));
    put("file", "x");
    assert_false(file_make_dirs(at("file"), 0755, &err));
    assert_int_equal(err.os_errno, ENOTDIR);
    assert_false(file_make_dirs(at("file/below"), 0755, &err));
    assert_false(file_make_dirs("", 0755, &err));
}

static void a_sealed_memory_file_cannot_change(void **state) {
    (void)state;
    struct err err = {0};
    own_fd fd = -1;
    own_buf text;
    buf_init(&text, 100);

    assert_true(file_memory("input", STR("data"), true, &fd, &err));

    assert_int_equal(write(fd, "x", 1), -1);
    assert_int_equal(errno, EPERM);
    assert_int_equal(ftruncate(fd, 0), -1);
    assert_true(file_read_all(fd, 100, &text, &err));
    assert_true(str_eq(buf_str(&text), STR("data")));
}

static void an_unsealed_memory_file_can(void **state) {
    (void)state;
    struct err err = {0};
    own_fd fd = -1;

    assert_true(file_memory("output", STR(""), false, &fd, &err));

    assert_int_equal(write(fd, "x", 1), 1);
}

static void removing_a_tree_follows_no_link(void **state) {
    (void)state;
    struct err err = {0};
    assert_true(file_make_dirs(at("kept"), 0755, &err));
    put("kept/file", "precious");
    assert_true(file_make_dirs(at("tree/sub/sub"), 0755, &err));
    put("tree/file", "x");
    put("tree/sub/.hidden", "x");
    assert_int_equal(symlink(at("kept"), at("tree/sub/link")), 0);

    assert_true(file_remove_tree(at("tree"), &err));

    assert_int_equal(access(at("tree"), F_OK), -1);
    assert_int_equal(access(at("kept/file"), F_OK), 0);
    assert_true(file_remove_tree(at("tree"), &err)); /* a missing one is fine */
    assert_true(file_remove_tree(at("kept/file"), &err));
    assert_int_equal(access(at("kept/file"), F_OK), -1);
}

static void a_very_deep_tree_goes_too(void **state) {
    (void)state;
    struct err err = {0};
    assert_true(file_make_dirs(at("deep"), 0755, &err));
    int here = open(at("deep"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < 3000; i++) { /* its path is longer than any path may be */
        assert_int_equal(mkdirat(here, "abcdefgh", 0755), 0);
        int next = openat(here, "abcdefgh", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(next >= 0);
        close(here);
        here = next;
    }
    close(here);

    assert_true(file_remove_tree(at("deep"), &err));

    assert_int_equal(access(at("deep"), F_OK), -1);
}

static void a_wide_tree_with_clashing_names_goes_too(void **state) {
    (void)state;
    struct err err = {0};
    char name[64];
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof(name), "wide/.removed-%d/.removed-%d/x", i, i + 3);
        assert_true(file_make_dirs(at(name), 0755, &err));
    }

    assert_true(file_remove_tree(at("wide"), &err));

    assert_int_equal(access(at("wide"), F_OK), -1);
}

/* As root nothing is locked, so the test gives its rights up in a child. */
static int remove_as_nobody(void) {
    struct err err = {0};
    if (geteuid() == 0 &&
        (chown(folder, 65534, 65534) != 0 || setgid(65534) != 0 || setuid(65534) != 0)) {
        return 2;
    }
    bool made = file_make_dirs(at("locked/inner/x/y"), 0755, &err) &&
                chmod(at("locked/inner/x"), 0) == 0 && chmod(at("locked/inner"), 0) == 0 &&
                chmod(at("locked"), 0) == 0;
    return made && file_remove_tree(at("locked"), &err) ? 0 : 1;
}

static void folders_locked_against_their_owner_go_too(void **state) {
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        _exit(remove_as_nobody());
    }
    int status = 0;
    waitpid(child, &status, 0);

    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(access(at("locked"), F_OK), -1);
}

static void nonblocking_goes_on_and_off(void **state) {
    (void)state;
    struct err err = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    own_fd reader = ends[0];
    own_fd writer = ends[1];
    char c = 0;

    assert_true(fd_set_nonblocking(reader, true, &err));
    assert_int_equal(read(reader, &c, 1), -1);
    assert_int_equal(errno, EAGAIN);
    assert_true(fd_set_nonblocking(reader, false, &err));
    assert_int_equal(fcntl(reader, F_GETFL) & O_NONBLOCK, 0);
    assert_true(file_write_all(writer, STR("x"), &err));
    assert_int_equal(read(reader, &c, 1), 1);
    assert_false(fd_set_nonblocking(-1, true, &err));
}

static void writing_to_nowhere_is_an_error(void **state) {
    (void)state;
    struct err err = {0};
    own_fd full = open("/dev/full", O_WRONLY | O_CLOEXEC);

    assert_false(file_write_all(full, STR("x"), &err));

    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_int_equal(err.os_errno, ENOSPC);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_saved_file_loads_again),
        TEST(a_failed_save_leaves_no_temporary_file),
        TEST(a_missing_file_is_named),
        TEST(a_folder_is_no_file_to_load),
        TEST(loading_stops_at_the_maximum),
        TEST(a_big_file_arrives_whole),
        TEST(opening_below_a_folder_follows_no_link),
        TEST(folders_are_made_with_their_parents),
        TEST(a_sealed_memory_file_cannot_change),
        TEST(an_unsealed_memory_file_can),
        TEST(removing_a_tree_follows_no_link),
        TEST(a_very_deep_tree_goes_too),
        TEST(a_wide_tree_with_clashing_names_goes_too),
        TEST(folders_locked_against_their_owner_go_too),
        TEST(nonblocking_goes_on_and_off),
        TEST(writing_to_nowhere_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
