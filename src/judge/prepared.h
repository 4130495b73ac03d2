#ifndef JUDGE_PREPARED_H
#define JUDGE_PREPARED_H

#include "base/err.h"
#include <stdint.h>

/* The folders of what languages prepared, one beside the other in the cache folder, shared by all
 * judges of the machine. Whoever uses one holds a shared flock on it; whoever removes one has the
 * lock alone. So only folders that nobody uses go, and nobody sees half of one. Private to the
 * judge module. */

/* Opens and holds the folder until *ret_fd is closed, and notes that it was used now. Waits while
 * it is being removed. Returns: false when it is not there. */
bool prepared_hold(const char *folder, int *ret_fd);

/* Removes what was not used for longest until no more than `keep` are left, held ones aside; and
 * what a killed judge left half made a day ago. Does what it can. */
void prepared_prune(const char *above, int keep, int64_t now_utc_ms);

#endif
