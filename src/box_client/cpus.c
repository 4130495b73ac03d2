#include "box_client/cpus.h"

#include "base/file.h"
#include "box/message.h"
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

/* The lowest number of "0,4" or "0-1": what the kernel writes of the threads of one core. */
static int64_t first_of_core(int cpu) {
    char path[96];
    char text[256];
    int64_t first = cpu;
    struct err err = {0};
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
             cpu);
    if (file_read_at(AT_FDCWD, path, text, sizeof(text))) {
        size_t length = strspn(text, "0123456789");
        (void)!str_to_i64(str_of(text, length), 0, CPU_SETSIZE, &first, &err);
    }
    return first;
}

bool cpus_choose(const struct box_options *options, int32_t *ret_cpus, struct err *err) {
    cpu_set_t usable;
    int count = 0;
    if (sched_getaffinity(0, sizeof(usable), &usable) != 0) {
        return err_system(err, message_codes[CODE_UNAVAILABLE], "ask for the usable processors");
    }
    for (int cpu = 0; cpu < CPU_SETSIZE && count < options->slots; cpu++) {
        if (CPU_ISSET((size_t)cpu, &usable) &&
            (!options->idle_siblings || first_of_core(cpu) == cpu)) {
            ret_cpus[count++] = cpu;
        }
    }
    return count == options->slots ||
           err_set(err, ERR_INVALID, message_codes[CODE_BAD_SLOT],
                   "%d slots cannot each have a processor: this machine lends %d%s", options->slots,
                   count, options->idle_siblings ? " cores" : "");
}
