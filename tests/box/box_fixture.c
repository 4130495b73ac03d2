/* See box_fixture.h. */
#include "box_fixture.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/str.h"
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define TREE_DEPTH_MAX 10
/* Launchers, and what the kernel keeps of them. */
#define MEMORY_LEFT_BYTES_MAX ((int64_t)32 << 20)

static char cgroup_name[64];

const char *fixture_cgroup(void) {
    return cgroup_name;
}

/* The look at the mounts afterwards is at this program's own copy of them, where a mount that the
 * box let out of a launcher would show, and what others mount and unmount does not. */
static void leave_mounts(void) {
    if (unshare(CLONE_NEWNS) != 0 || mount("", "/", NULL, MS_REC | MS_SLAVE, NULL) != 0 ||
        mount("", "/", NULL, MS_REC | MS_SHARED, NULL) != 0) {
        puts("skipped: no mount namespace can be made here");
        exit(77);
    }
}

bool fixture_is_rootless(void) {
    return getenv("ASSIZE_BOX_TEST_ROOTLESS") != NULL;
}

void fixture_require(void) {
    if (geteuid() != 0 && !fixture_is_rootless()) {
        puts("skipped: the box needs root to be tested, or tests/box/rootless.py");
        exit(77);
    }
    if (getenv("ASSIZE_BOX") == NULL || getenv("ASSIZE_ATTACK") == NULL) {
        puts("skipped: ASSIZE_BOX and ASSIZE_ATTACK do not name the programs; run by meson test");
        exit(77);
    }
    snprintf(cgroup_name, sizeof(cgroup_name), "assize-box-test-%ld", (long)getpid());
    if (!fixture_is_rootless()) {
        leave_mounts();
    }
}

int64_t fixture_slow(void) {
    const char *text = getenv("ASSIZE_BOX_TEST_SLOW");
    int64_t slow = 1;
    struct err err = {0};
    return text != NULL && str_to_i64(str_from(text), 1, 100, &slow, &err) ? slow : 1;
}

static bool is_number(const char *text) {
    return text[0] >= '1' && text[0] <= '9';
}

static void read_text(const char *path, char *out, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, out, size - 1);
    out[got < 0 ? 0 : got] = '\0';
    if (fd >= 0) {
        close(fd);
    }
}

/* The name and the parent of a process. */
static bool read_process(const char *pid, char *name, size_t size, pid_t *ret_parent) {
    char path[300];
    char text[512];
    snprintf(path, sizeof(path), "/proc/%s/stat", pid);
    read_text(path, text, sizeof(text));
    char *open_ = strchr(text, '(');
    char *close_ = strrchr(text, ')');
    if (open_ == NULL || close_ == NULL) {
        return false;
    }
    *close_ = '\0';
    snprintf(name, size, "%s", open_ + 1);
    struct str rest = str_from(close_ + 2);
    struct str word = STR("");
    int64_t parent = 0;
    struct err err = {0};
    bool read = str_next_word(&rest, &word) && str_next_word(&rest, &word) &&
                str_to_i64(word, 0, INT32_MAX, &parent, &err);
    *ret_parent = (pid_t)parent;
    return read;
}

/* Whether one of its cgroups is below this program's own parent group. */
static bool is_in_our_cgroup(const char *pid) {
    char path[300];
    char text[4096];
    char ours[80];
    snprintf(path, sizeof(path), "/proc/%s/cgroup", pid);
    snprintf(ours, sizeof(ours), "/%s/", cgroup_name);
    read_text(path, text, sizeof(text));
    return strstr(text, ours) != NULL;
}

/* `parent` 0: any, but only of our own boxes. */
static size_t scan_processes(pid_t parent, const char *name, pid_t *ret_last) {
    DIR *list = opendir("/proc");
    CHECK(list != NULL);
    size_t count = 0;
    for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        char found[64];
        pid_t its_parent = 0;
        if (is_number(entry->d_name) &&
            read_process(entry->d_name, found, sizeof(found), &its_parent) &&
            strcmp(found, name) == 0 &&
            (parent == 0 ? is_in_our_cgroup(entry->d_name) : parent == its_parent)) {
            int64_t pid = 0;
            struct err err = {0};
            count++;
            *ret_last =
                str_to_i64(str_from(entry->d_name), 1, INT32_MAX, &pid, &err) ? (pid_t)pid : 0;
        }
    }
    closedir(list);
    return count;
}

size_t count_processes(const char *name) {
    pid_t last = 0;
    return scan_processes(0, name, &last);
}

pid_t child_called(pid_t parent, const char *name) {
    pid_t last = 0;
    (void)scan_processes(parent, name, &last);
    return last;
}

size_t count_fds(pid_t pid) {
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    DIR *list = opendir(path);
    size_t count = 0;
    while (list != NULL && readdir(list) != NULL) {
        count++;
    }
    if (list != NULL) {
        closedir(list);
    }
    return count;
}

/* Calls `see` for each folder that lies in one of that name, and for that itself. Returns how many
 * there are. */
static size_t each_below(int dir, bool inside, int depth, void (*see)(int dir, int64_t *sum),
                         int64_t *sum) {
    int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = copy < 0 ? NULL : fdopendir(copy);
    size_t count = 0;
    while (list != NULL && depth > 0) {
        struct dirent *entry = readdir(list);
        if (entry == NULL) {
            break;
        }
        if (entry->d_name[0] == '.' || entry->d_type != DT_DIR) {
            continue;
        }
        int child = openat(dir, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (child >= 0) {
            bool is_parent = strcmp(entry->d_name, cgroup_name) == 0;
            if (is_parent && see != NULL) {
                see(child, sum);
            }
            count += inside + each_below(child, inside || is_parent, depth - 1, see, sum);
            close(child);
        }
    }
    if (list != NULL) {
        closedir(list);
    }
    return count;
}

static size_t each_cgroup(void (*see)(int dir, int64_t *sum), int64_t *sum) {
    int top = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    size_t count = top < 0 ? 0 : each_below(top, false, TREE_DEPTH_MAX, see, sum);
    if (top >= 0) {
        close(top);
    }
    return count;
}

size_t count_cgroups(void) {
    return each_cgroup(NULL, NULL);
}

/* The number of a line of memory.stat; 0 without it. */
static int64_t memory_stat(int dir, const char *key) {
    char text[8192];
    int fd = openat(dir, "memory.stat", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text));
    if (fd >= 0) {
        close(fd);
    }
    int64_t value = 0;
    return str_key_i64(str_of(text, got < 0 ? 0 : (size_t)got), key, &value) ? value : 0;
}

/* Of the group that holds all slots of this program's boxes, version 1 or version 2. Pages of files
 * on the host's disks do not count: the kernel charges them to whoever read them first (a
 * compiler's first run here) and takes them back when somebody needs room. */
static void add_memory(int dir, int64_t *sum) {
    int64_t bytes = 0;
    if (file_read_i64_at(dir, "memory.usage_in_bytes", &bytes)) {
        *sum +=
            bytes - memory_stat(dir, "total_inactive_file") - memory_stat(dir, "total_active_file");
    } else if (file_read_i64_at(dir, "memory.current", &bytes)) {
        *sum += bytes - memory_stat(dir, "inactive_file") - memory_stat(dir, "active_file");
    }
}

/* The kernel gives memory of an ended group back a moment later. */
static bool memory_is_back(int64_t bytes_max) {
    for (int64_t i = 0; i < 200 * fixture_slow(); i++) {
        int64_t sum = 0;
        (void)each_cgroup(add_memory, &sum);
        if (sum <= bytes_max) {
            return true;
        }
        clock_sleep_ms(&clock_real, 5);
    }
    return false;
}

/* The box answers first and closes a moment later. */
static bool fds_become(pid_t pid, size_t count) {
    for (int64_t i = 0; i < 200 * fixture_slow(); i++) {
        if (count_fds(pid) == count) {
            return true;
        }
        clock_sleep_ms(&clock_real, 5);
    }
    return false;
}

size_t fixture_settled_fds(const struct fixture *fixture) {
    size_t count = 0;
    do {
        count = count_fds(fixture->box_pid);
        clock_sleep_ms(&clock_real, 20);
    } while (count_fds(fixture->box_pid) != count);
    return count;
}

static size_t count_mounts(void) {
    struct err err = {0};
    struct buf mounts = {0};
    size_t count = 0;
    buf_init(&mounts, 1 << 20);
    assert_true(file_load("/proc/self/mountinfo", 1 << 20, &mounts, &err));
    for (size_t i = 0; i < mounts.len; i++) {
        count += mounts.ptr[i] == '\n';
    }
    buf_done(&mounts);
    return count;
}

static void must(bool done, const struct err *err, const char *what) {
    if (!done) {
        fail_msg("%s: %s (%s, %s)", what, err->text, err->code, err->where);
    }
}

void fixture_open(struct fixture *fixture) {
    fixture_open_with(fixture, &(struct box_options){0});
}

void fixture_open_with(struct fixture *fixture, const struct box_options *more) {
    struct err err = {0};
    struct box_options options = *more;
    options.program = getenv("ASSIZE_BOX");
    options.cgroup_name = cgroup_name;
    options.slots = FIXTURE_SLOTS;
    memset(fixture, 0, sizeof(*fixture));
    fixture->attack = open(getenv("ASSIZE_ATTACK"), O_RDONLY | O_CLOEXEC);
    assert_true(fixture->attack >= 0);
    must(box_open(&options, &fixture->box, &err), &err, "box_open");
    for (int slot = 0; slot < FIXTURE_SLOTS; slot++) {
        must(box_slot_open(fixture->box, slot, &err), &err, "box_slot_open");
    }
    fixture->box_pid = child_called(getpid(), "assize-box");
    assert_true(fixture->box_pid > 0);
    struct box_result result;
    fixture_run(fixture, "hello", &result); /* makes the launcher that the later runs use too */
    assert_int_equal(result.end, BOX_END_EXIT);
    box_result_done(&result);
    fixture->fds_before = fixture_settled_fds(fixture);
    fixture->mounts_before = count_mounts();
}

void fixture_close(struct fixture *fixture) {
    box_close(fixture->box);
    close(fixture->attack);
}

struct box_run_spec fixture_spec(const struct fixture *fixture, const char *const *argv,
                                 const char **full, struct box_file *file) {
    static const char *const environment[] = {"PATH=/usr/bin:/bin", "HOME=/w", NULL};
    size_t count = 0;
    full[count++] = "/w/attack";
    for (size_t i = 0; argv[i] != NULL && count < 15; i++) {
        full[count++] = argv[i];
    }
    full[count] = NULL;
    *file = (struct box_file){.name = "attack", .fd = fixture->attack, .executable = true};
    return (struct box_run_spec){
        .profile = BOX_PROFILE_NATIVE,
        .argv = full,
        .env = environment,
        .files = file,
        .file_count = 1,
        .streams = {{.kind = BOX_STREAM_NULL},
                    {.kind = BOX_STREAM_CAPTURE, .bytes_max = 1 << 20},
                    {.kind = BOX_STREAM_CAPTURE, .bytes_max = 1 << 16}},
        .limits = {.cpu_ms = 1000 * fixture_slow(),
                   .wall_ms = 30000,
                   .memory_bytes = 256 << 20,
                   .file_bytes = 512 << 20,
                   .work_bytes = 512 << 20,
                   .work_inodes = 1000,
                   .pids_max = 32,
                   .open_files_max = 64},
    };
}

void fixture_run(const struct fixture *fixture, const char *name, struct box_result *ret_result) {
    const char *argv[] = {name, NULL};
    const char *full[16];
    struct box_file file;
    struct err err = {0};
    struct box_run_spec spec = fixture_spec(fixture, argv, full, &file);
    box_result_init(ret_result);
    must(box_run(fixture->box, 0, &spec, ret_result, &err), &err, name);
}

void fixture_text(int fd, char *out, size_t size) {
    ssize_t got = fd < 0 ? -1 : pread(fd, out, size - 1, 0);
    out[got < 0 ? 0 : got] = '\0';
}

void fixture_check_clean(const struct fixture *fixture) {
    assert_int_equal(count_processes("attack"), 0);
    assert_int_equal(count_mounts(), fixture->mounts_before);
    assert_true(memory_is_back(MEMORY_LEFT_BYTES_MAX));
    struct box_result result;
    char text[16];
    fixture_run(fixture, "hello", &result);
    fixture_text(result.stream_fds[1], text, sizeof(text));
    assert_int_equal(result.end, BOX_END_EXIT);
    assert_string_equal(text, "hello\n");
    assert_true(result.memory_peak_bytes < 2 << 20);
    /* Twice: the emulated machine is slow, and its host may be busy. */
    int64_t slow = fixture_slow() * fixture_slow();
    assert_true(result.cpu_user_us + result.cpu_system_us < 50000 * slow);
    box_result_done(&result);
    if (!fds_become(fixture->box_pid, fixture->fds_before)) {
        assert_int_equal(count_fds(fixture->box_pid), fixture->fds_before);
    }
}
