#include "box_client/steal.h"

#include "base/clock.h"
#include "base/file.h"
#include <fcntl.h>
#include <unistd.h>

#define TICK_MS 10
#define STEAL_WORD 8 /* "cpu user nice system idle iowait irq softirq steal ..." */

int64_t steal_us(struct steal *steal) {
    char text[512]; /* the first line is enough */
    int64_t now_ms = clock_mono_ms(&clock_real);
    if (steal->read_ms != 0 && now_ms - steal->read_ms < TICK_MS) {
        return steal->us;
    }
    steal->read_ms = now_ms;
    if (!file_read_at(AT_FDCWD, "/proc/stat", text, sizeof(text))) {
        return steal->us;
    }
    struct str rest = str_from(text);
    struct str word = STR("");
    struct err err = {0};
    int64_t ticks = 0;
    bool found = true;
    for (int i = 0; found && i <= STEAL_WORD; i++) {
        found = str_next_word(&rest, &word);
    }
    if (found && str_to_i64(word, 0, INT64_MAX / 1000000, &ticks, &err)) {
        steal->us = ticks * (1000000 / sysconf(_SC_CLK_TCK));
    }
    return steal->us;
}
