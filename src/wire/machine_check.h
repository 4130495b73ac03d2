#ifndef WIRE_MACHINE_CHECK_H
#define WIRE_MACHINE_CHECK_H

#include "base/limits.h"
#include "base/str.h"

/* What a node says about itself, since protocol 2; the rest is in wire/machine_api.h. */

#define MACHINE_OUTCOME_BYTES_MAX 256
#define MACHINE_PROGRAMS_MAX (LANGUAGES_MAX * 8) /* of one self-test */
#define MACHINE_SPEED_PERMILLE_MAX 1000000

/* What one program of a self-test did. */
struct machine_program {
    struct str language;
    struct str program; /* "memory" */
    bool passed;
    struct str outcome; /* "MEMORY_LIMIT_EXCEEDED", or what went wrong */
    int64_t cpu_ms;
};
/* Protocol 2. The same again is answered in the same way. */
struct machine_check_result {
    int64_t session_epoch;
    int64_t check;
    bool passed;
    int64_t speed_permille; /* CPU time of the measuring programs against their language's; 0: not
                               measured */
    struct str message;     /* the first thing that is wrong */
    const struct machine_program *programs;
    int32_t program_count;
};
/* Protocol 2. The node judges nothing until a self-test has passed. */
struct machine_out {
    int64_t session_epoch;
    struct str reason;
};

#endif
