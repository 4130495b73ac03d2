#ifndef BASE_MOUNTS_H
#define BASE_MOUNTS_H

#include "base/err.h"
#include <stdbool.h>

/* Binds what `source` names to `target`, with the attributes `attr_set` (MOUNT_ATTR_...) on it and
 * on everything mounted below it. */
checked bool mount_bind(int source, const char *target, unsigned long long attr_set,
                        struct err *err);

#endif
