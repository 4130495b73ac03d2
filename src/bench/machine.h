#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include "base/buf.h"
#include "data/json_write.h"

/* What a number was measured on: processor, how many, kernel, and how busy it was. */
struct machine {
    char processor[128];
    int32_t processors;
    char kernel[128];
    char load[32]; /* the three load averages at the begin */
};

void machine_read(struct machine *ret_machine);
void machine_print(const struct machine *machine, struct buf *out); /* one line */
void machine_json(const struct machine *machine, struct jw *json);  /* one object */

/* The value of the first line "name : value" of a text in the shape of /proc/cpuinfo; "" when there
 * is none. */
struct str machine_field(struct str text, const char *name);

#endif
