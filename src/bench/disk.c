#include "bench/disk.h"
#include "base/clock.h"
#include "base/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define PAGE_BYTES 4096
#define FILE_PAGES 256

static bool write_page(int fd, int64_t page, struct err *err) {
    static const char bytes[PAGE_BYTES] = {1};
    if (pwrite(fd, bytes, sizeof bytes, page * PAGE_BYTES) != PAGE_BYTES || fdatasync(fd) != 0) {
        return err_set(err, ERR_SYSTEM, "file_failed", "cannot write durably");
    }
    return true;
}

static bool measure(int fd, bool append, int64_t run_ms, int64_t *ret_rate, struct err *err) {
    int64_t begun_ns = clock_real_mono_ns();
    int64_t until_ns = begun_ns + run_ms * 1000000;
    int64_t count = 0;
    while (clock_real_mono_ns() < until_ns) {
        int64_t page = append ? FILE_PAGES + count : count % FILE_PAGES;
        if (!write_page(fd, page, err)) {
            return false;
        }
        count++;
    }
    *ret_rate = count * 1000000000 / (clock_real_mono_ns() - begun_ns);
    return true;
}

bool disk_rate_measure(const char *folder, int64_t run_ms, struct disk_rate *ret_rate,
                       struct err *err) {
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/durable", folder);
    own_fd fd = -1;
    if (!file_open_at(AT_FDCWD, path, O_RDWR | O_CREAT | O_TRUNC, 0600, &fd, err)) {
        return false;
    }
    bool ok = true;
    for (int64_t page = 0; ok && page < FILE_PAGES; page++) {
        ok = write_page(fd, page, err);
    }
    ok = ok && measure(fd, false, run_ms, &ret_rate->overwrites, err) &&
         measure(fd, true, run_ms, &ret_rate->appends, err);
    (void)unlink(path);
    return ok;
}
