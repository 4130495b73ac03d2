#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

#include "base/err.h"
#include "base/str.h"
#include <stdint.h>

/* The programs that a bench brings along, and plain processes for comparison. */

struct str program_empty(void); /* ends at once: src/bench/programs/empty.c */
struct str program_known(void); /* uses known time and memory: src/bench/programs/known.c */

/* Writes a program into a folder that exists, executable by everybody. */
checked bool program_write(const char *folder, const char *name, struct str program,
                           struct err *err);
/* Starts argv[0], a path, waits for its end, and says how long both took. Its streams are
 * /dev/null. Errors: ERR_SYSTEM also when it ended with another status than 0. */
checked bool program_spawn(const char *const argv[], int64_t *ret_ns, struct err *err);
/* The path of a program in PATH; false when there is none. */
bool program_in_path(const char *name, char *ret_path, size_t size);

#endif
