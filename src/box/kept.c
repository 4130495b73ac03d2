/* Which files stand ready in a launcher's store: those that the client says come again. */
#include "base/frozen.h"
#include "box/supervisor.h"
#include <string.h>

/* Sealed bytes cannot change; inode numbers come again after weeks, but not at the same time. */
static int find(const struct launcher_handle *launcher, const struct kept_file *file) {
    for (int i = 0; i < LAUNCH_KEPT_MAX; i++) {
        if (memcmp(&launcher->kept[i], file, sizeof(*file)) == 0) {
            return i;
        }
    }
    return -1;
}

/* Places are used again in turn, but for those of this order; a run keeps the old file it has. */
static int put(struct launcher_handle *launcher, const struct kept_file *file, unsigned taken) {
    int place = (int)(launcher->kept_next++ % LAUNCH_KEPT_MAX);
    while ((taken >> place & 1) != 0) {
        place = (int)(launcher->kept_next++ % LAUNCH_KEPT_MAX);
    }
    launcher->kept[place] = *file;
    return place;
}

void kept_choose(struct launcher_handle *launcher, struct launch_order *order,
                 const int *file_fds) {
    unsigned taken = 0;
    for (uint32_t i = 0; i < order->start.file_count; i++) {
        unsigned bits = order->start.file_bits[i];
        struct stat stat = {0};
        order->places[i] = -1;
        if ((bits & (FILE_KEPT | FILE_WRITABLE)) != FILE_KEPT ||
            taken == (1u << LAUNCH_KEPT_MAX) - 1 || fstat(file_fds[i], &stat) != 0 ||
            stat.st_size > BOX_KEPT_BYTES_MAX || !fd_is_frozen(file_fds[i])) {
            continue;
        }
        struct kept_file file = {stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtim,
                                 (bits & FILE_EXECUTABLE) != 0};
        int place = find(launcher, &file);
        order->put_first[i] = place < 0;
        place = place < 0 ? put(launcher, &file, taken) : place;
        order->places[i] = (int8_t)place;
        taken |= 1u << place;
    }
}
