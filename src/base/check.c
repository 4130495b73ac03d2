/* What happens when one of our own assumptions is broken: say which, and stop. */
#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

_Noreturn void check_failed(const char *expr, const char *file, int line) {
    char text[512];
    int length = snprintf(text, sizeof(text), "CHECK failed: %s (%s:%d)\n", expr, file, line);
    if (length >= (int)sizeof(text)) {
        length = (int)sizeof(text) - 1;
    }
    if (length > 0) {
        /* Nothing can be done about a failed write here: abort() is the message that remains. */
        ssize_t written = write(STDERR_FILENO, text, (size_t)length);
        (void)written;
    }
    abort();
}
