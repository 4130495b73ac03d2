#ifndef MAIN_NODE_CAPS_H
#define MAIN_NODE_CAPS_H

#include "data/config.h"
#include "judge/judge.h"

/* What a machine gives at most, from the settings judge.compile_time to judge.processes.
 *
 * Errors: ERR_INVALID "senseless_limit": less than anything runs with, or more memory than the
 * machine has; the text names the setting and what would do. */
checked bool node_caps_read(const struct config *config, struct judge_caps *ret_caps,
                            struct err *err);
/* The same as one line for the digest of a node's settings; empty when nothing is set. */
void node_caps_text(const struct judge_caps *caps, char *out, size_t room);

#endif
