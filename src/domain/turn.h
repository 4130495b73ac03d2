#ifndef DOMAIN_TURN_H
#define DOMAIN_TURN_H

#include "domain/job.h"

#include <stdint.h>

/* Whose job is judged next. Two rules:
 *
 * Users of one queue and priority take turns. A job's order key is the later of the lane's virtual
 * time (the highest key claimed) and the user's last key plus one stride. One user's 200
 * submissions are then spread over 200 strides, and somebody else's first one comes after the job
 * being claimed now, not after those 200.
 *
 * Priorities are served from the best to the lowest, but every TURN_LOWER_EVERY-th time that a
 * queue hands out work a lower one is asked first, each of them in turn: none stands still,
 * however much there is above it. Source: research notes on queues; stride scheduling. */

#define TURN_STRIDE 1000
#define TURN_LOWER_EVERY 8

/* `last_key` 0: the user had no turn yet. */
int64_t turn_key(int64_t virtual_key, int64_t last_key);

/* The order in which the queue's priorities are asked the `offer`-th time, counted from 0. */
void turn_order(uint64_t offer, enum job_priority ret_order[PRIORITY_COUNT]);

#endif
