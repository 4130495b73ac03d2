#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#include <assert.h> /* static_assert: prefer it when the compiler can know */

/* Aborts with file, line and the broken condition. For our own mistakes only: never for input,
 * files, the network or database rows. Stays on in release, because a judge that goes on with a
 * broken state gives false verdicts. */
#define CHECK(expr)                                                                                \
    do {                                                                                           \
        if (__builtin_expect(!(expr), 0)) {                                                        \
            check_failed(#expr, __FILE__, __LINE__);                                               \
        }                                                                                          \
    } while (0)

_Noreturn void check_failed(const char *expr, const char *file, int line);

#endif
