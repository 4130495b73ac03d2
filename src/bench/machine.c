/* The machine that was measured. */
#include "bench/machine.h"

#include "base/file.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

struct str machine_field(struct str text, const char *name) {
    struct str line = STR("");
    while (str_next_line(&text, &line)) {
        struct str key = STR("");
        struct str value = STR("");
        if (str_cut(line, ':', &key, &value) && str_eq_c(str_trim(key), name)) {
            return str_trim(value);
        }
    }
    return STR("");
}

void machine_read(struct machine *ret_machine) {
    char text[8192] = "";
    struct utsname name = {0};
    *ret_machine = (struct machine){.processors = (int32_t)sysconf(_SC_NPROCESSORS_ONLN)};
    (void)file_read_at(AT_FDCWD, "/proc/cpuinfo", text, sizeof(text));
    (void)snprintf(ret_machine->processor, sizeof(ret_machine->processor), STR_FMT,
                   STR_ARG(machine_field(str_from(text), "model name")));
    if (uname(&name) == 0) {
        (void)snprintf(ret_machine->kernel, sizeof(ret_machine->kernel), "%.60s %.60s",
                       name.sysname, name.release);
    }
    double load[3] = {0};
    if (getloadavg(load, 3) == 3) {
        (void)snprintf(ret_machine->load, sizeof(ret_machine->load), "%.2f %.2f %.2f", load[0],
                       load[1], load[2]);
    }
}

void machine_print(const struct machine *machine, struct buf *out) {
    buf_printf(out, "%d x %s, %s, load at the begin %s, assize %s\n", machine->processors,
               machine->processor, machine->kernel, machine->load, ASSIZE_VERSION);
}

void machine_json(const struct machine *machine, struct jw *json) {
    jw_object_begin(json);
    jw_put_cstr(json, "processor", machine->processor);
    jw_put_i64(json, "processors", machine->processors);
    jw_put_cstr(json, "kernel", machine->kernel);
    jw_put_cstr(json, "load", machine->load);
    jw_put_cstr(json, "version", ASSIZE_VERSION);
    jw_object_end(json);
}
