#ifndef NODE_BOARD_H
#define NODE_BOARD_H

#include "base/clock.h"
#include "base/own.h"
#include "wire/machine_api.h"

/* What each slot is doing, shared by three kinds of threads under one lock: the claimer assigns
 * jobs, the slots take and finish them, the keeper renews their leases and reports their progress.
 *
 * Invariants: (1) a slot has at most one job; (2) a job runs only before its deadline, which is the
 * lease's end by this process's monotonic clock less a tenth as a margin, counted from before the
 * server was asked; (3) once a slot was told to stop, it stays told until it finishes. */

struct board;

enum board_stop {
    BOARD_GO,
    BOARD_STOP_SERVER,  /* revoked, cancelled, past its time */
    BOARD_STOP_LOST,    /* the lease is another's or has run out: tell nobody */
    BOARD_STOP_LEAVING, /* this node stops: hand the job back */
};

struct board *board_create(int slots, const struct clock *clock);
void board_free(struct board *board); /* accepts NULL */
OWN_DEFINE(board, board_free)

/* ---- claimer ---- */

/* Waits until a slot is free or `wait_ms` pass; the number of free slots, 0 once leaving. */
int board_wait_free(struct board *board, int64_t wait_ms);
int board_busy(struct board *board);
/* Gives the job to a free slot; texts are copied. False when there is none: hand it back. */
bool board_assign(struct board *board, const struct machine_job *job, int64_t asked_mono_ms);

/* ---- slots ---- */

/* Waits for a job. False once leaving. *ret_job's texts live until board_finish. */
bool board_take(struct board *board, int slot, struct machine_job *ret_job);
void board_finish(struct board *board, int slot);
/* Notes progress; `finished` may be NULL. What the slot must do. */
enum board_stop board_progress(struct board *board, int slot, enum judge_stage stage,
                               int32_t case_index, int32_t cases_total,
                               const struct case_result *finished);
enum board_stop board_ask(struct board *board, int slot);

/* ---- keeper ---- */

int board_leases(struct board *board, struct machine_lease *leases, int max);
void board_renewed(struct board *board, const struct machine_lease *lease,
                   enum machine_renewal answer, int64_t remaining_ms, int64_t asked_mono_ms);
/* Takes what is new since the last call; texts are copied into the arena. */
int board_take_progress(struct board *board, struct arena *arena,
                        struct machine_progress_item *items, int max);

/* The node stops: no job is taken any more. Running ones go on until board_stop_all. */
void board_leave(struct board *board);
void board_stop_all(struct board *board, enum board_stop why);
/* Waits until no slot is busy; false when `wait_ms` passed first. */
bool board_wait_idle(struct board *board, int64_t wait_ms);

#endif
