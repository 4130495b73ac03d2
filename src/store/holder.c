#include "store/holder.h"
#include "base/check.h"
#include "base/file.h"
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#define HOLDER_TEXT_BYTES_MAX 512

struct holder {
    int fd;
};

static bool refuse(int fd, const char *database_path, struct err *err) {
    own_buf text = {0};
    buf_init(&text, HOLDER_TEXT_BYTES_MAX);
    struct err ignored = {0};
    bool known = file_read_all(fd, HOLDER_TEXT_BYTES_MAX, &text, &ignored) && text.len > 0;
    struct str who = str_trim(buf_str(&text));
    return known ? err_set(err, ERR_CONFLICT, "database_in_use", "%s is in use by " STR_FMT,
                           database_path, STR_ARG(who))
                 : err_set(err, ERR_CONFLICT, "database_in_use", "%s is in use by another server",
                           database_path);
}

static bool write_text(int fd, const char *who, const struct clock *clock, struct err *err) {
    char host[256] = "unknown";
    (void)gethostname(host, sizeof host - 1);
    char since[CLOCK_RFC3339_BYTES];
    clock_rfc3339(clock_utc_ms(clock), since);
    own_buf text = {0};
    buf_init(&text, HOLDER_TEXT_BYTES_MAX);
    buf_printf(&text, "%s, host %s, since %s\n", who, host, since);
    if (!buf_ok(&text, "name of the holder", err)) {
        return false;
    }
    if (ftruncate(fd, 0) != 0) {
        return err_system(err, "database_unavailable", "empty the lock file");
    }
    return file_write_all(fd, buf_str(&text), err);
}

bool holder_lock(const char *database_path, const char *who, const struct clock *clock,
                 struct holder **ret_holder, struct err *err) {
    own_buf path = {0};
    buf_init(&path, 4 * KIB);
    buf_printf(&path, "%s.lock", database_path);
    own_fd fd = -1;
    if (!buf_ok(&path, "path of the database", err) ||
        !file_open_at(AT_FDCWD, buf_c(&path), O_RDWR | O_CREAT, 0600, &fd, err)) {
        return false;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        return errno == EWOULDBLOCK
                   ? refuse(fd, database_path, err)
                   : err_system(err, "database_unavailable", "lock %s", buf_c(&path));
    }
    if (!write_text(fd, who, clock, err)) {
        return false;
    }
    struct holder *holder = calloc(1, sizeof *holder);
    CHECK(holder != NULL);
    holder->fd = take_fd(&fd);
    *ret_holder = holder;
    return true;
}

void holder_free(struct holder *holder) {
    if (holder == NULL) {
        return;
    }
    fd_cleanup(&holder->fd);
    free(holder);
}
