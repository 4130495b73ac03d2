/* The hooks of own.h that free what has no module of its own. */
#include "base/own.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

void fd_cleanup(int *fd) {
    if (*fd >= 0) {
        int kept = errno; /* the hook runs between a failed call and the report about it */
        close(*fd);
        errno = kept;
    }
}

void text_cleanup(char **text) {
    free(*text);
}
