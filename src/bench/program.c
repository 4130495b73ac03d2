/* Embedded programs, and spawn-and-wait. */
#include "bench/program.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern const char embedded_empty[], embedded_empty_end[];
extern const char embedded_known[], embedded_known_end[];

struct str program_empty(void) {
    return str_of(embedded_empty, (size_t)(embedded_empty_end - embedded_empty));
}

struct str program_known(void) {
    return str_of(embedded_known, (size_t)(embedded_known_end - embedded_known));
}

bool program_write(const char *folder, const char *name, struct str program, struct err *err) {
    char path[256];
    int length = snprintf(path, sizeof(path), "%s/%s", folder, name);
    CHECK(length > 0 && (size_t)length < sizeof(path));
    own_fd file = -1;
    if (!file_open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL, 0755, &file, err) ||
        !file_write_all(file, program, err)) {
        return false;
    }
    return fchmod(file, 0755) == 0 ? true : err_system(err, "bench_failed", "chmod %s", path);
}

static bool wait_for(pid_t pid, const char *path, struct err *err) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return err_system(err, "bench_failed", "wait for %s", path);
        }
    }
    return status == 0 || err_set(err, ERR_SYSTEM, "bench_failed", "%s ended with status %#x", path,
                                  (unsigned)status);
}

bool program_spawn(const char *const argv[], int64_t *ret_ns, struct err *err) {
    char *environment[] = {NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;
    CHECK(posix_spawn_file_actions_init(&actions) == 0);
    for (int fd = 0; fd < 3; fd++) {
        CHECK(posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0) == 0);
    }
    int64_t before_ns = clock_real_mono_ns();
    int failed = posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv,
                             environment); /* it does not write to them */
    (void)posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
        errno = failed;
        return err_system(err, "bench_failed", "start %s", argv[0]);
    }
    bool right = wait_for(pid, argv[0], err);
    *ret_ns = clock_real_mono_ns() - before_ns;
    return right;
}

bool program_in_path(const char *name, char *ret_path, size_t size) {
    const char *path = getenv("PATH");
    struct str rest = str_from(path == NULL ? "/usr/bin:/bin" : path);
    struct str folder = STR("");
    for (bool more = true; more;) {
        more = str_cut(rest, ':', &folder, &rest);
        int length = snprintf(ret_path, size, STR_FMT "/%s", STR_ARG(folder), name);
        if (folder.len > 0 && length > 0 && (size_t)length < size && access(ret_path, X_OK) == 0) {
            return true;
        }
    }
    return false;
}
