/* Interactive problems: interact.h says who blames whom. */
#include "judge/interact.h"

#include "judge/pair.h"

#include <signal.h>
#include <stdio.h>

/* An interactor's talk is the submission's input: it may be longer than what a validator writes. */
#define TALK_FACTOR 16

struct outcome interact_decide(const struct outcome *outcome, const struct box_result *program,
                               const struct box_result *interactor, enum interactor_answer answer) {
    const struct outcome check = {.kind = OUTCOME_CHECK, .cpu_us = outcome->cpu_us};
    bool interactor_first = interactor->end_order < program->end_order;
    bool unread = program->end == BOX_END_SIGNAL && program->signal == SIGPIPE;
    if (interactor_first && (answer == INTERACTOR_REJECTS || unread)) {
        return check;
    }
    struct outcome result = *outcome;
    if (program->end == BOX_END_WALL && outcome->verdict == VERDICT_TIME_LIMIT_EXCEEDED) {
        (void)snprintf(result.message, sizeof result.message,
                       "was stopped after %lld ms with %lld ms of CPU time used: it and the "
                       "interactor waited for each other. Is all output flushed, all input read?",
                       (long long)outcome_wall_ms(program), (long long)outcome_cpu_ms(program));
    }
    return result;
}

/* ---- one try ---- */

/* A rejection that came first stands: there is nothing to wait for. */
static bool is_settled(const void *context, const struct box_result *interactor) {
    const struct interaction *self = context;
    struct outcome ignored = {.kind = OUTCOME_CHECK};
    return interactor_answer(self->interactor->adapter, interactor, &self->limits, &ignored) ==
           INTERACTOR_REJECTS;
}

static bool run_both(struct work *work, const struct case_run *run, struct interaction *self,
                     int64_t patience_ms, struct box_result results[PAIR_COUNT], struct err *err) {
    struct pair pair = {.is_settled = is_settled, .context = self};
    own_fileset program_files = {.count = 0};
    own_fileset interactor_files = {.count = 0};
    struct run_limits limits = run_case_limits(run->manifest, run->index, run->program->language);
    limits.wall_ms += patience_ms;
    self->limits = check_limits(run->manifest);
    self->limits.wall_ms += limits.wall_ms; /* it waits for the submission */
    if (!run_case_prepare(work, run, &limits, &program_files, &pair.specs[PAIR_PROGRAM], err) ||
        !interactor_prepare(work, self->interactor, &self->limits, &interactor_files,
                            &pair.specs[PAIR_INTERACTOR], err)) {
        return false;
    }
    self->limits.output_bytes *= TALK_FACTOR;
    pair_join(&pair, limits.output_bytes, self->limits.output_bytes);
    return pair_run(work, &pair, results, err);
}

/* The submission was stopped while the interactor had much to compute. */
static bool was_impatient(const struct box_result results[PAIR_COUNT]) {
    const struct box_result *program = &results[PAIR_PROGRAM];
    return program->end == BOX_END_WALL &&
           2 * outcome_cpu_ms(&results[PAIR_INTERACTOR]) > outcome_wall_ms(program);
}

static bool decide(struct work *work, const struct case_run *run, struct interaction *self,
                   struct box_result results[PAIR_COUNT], struct outcome *ret_outcome,
                   struct err *err) {
    const struct interactor *interactor = self->interactor;
    struct box_result *said = &results[PAIR_INTERACTOR];
    struct run_limits limits = run_case_limits(run->manifest, run->index, run->program->language);
    struct outcome why = {.kind = OUTCOME_CHECK};
    enum interactor_answer answer =
        interactor_answer(interactor->adapter, said, &self->limits, &why);
    if (answer == INTERACTOR_BROKEN) {
        return check_broken(work, interactor->request, said, &why, err);
    }
    struct outcome outcome = outcome_of_run(&results[PAIR_PROGRAM], &limits);
    outcome = interact_decide(&outcome, &results[PAIR_PROGRAM], said, answer);
    if (outcome.kind == OUTCOME_FAULT) {
        return err_fault(err, FAULT_NODE, ERR_SYSTEM, "run_failed", "the program %s",
                         outcome.message);
    }
    *ret_outcome = outcome;
    return outcome.kind != OUTCOME_CHECK ||
           interactor_finish(work, interactor, &self->limits, said, &self->answer, err);
}

bool interact_once(struct work *work, const struct case_run *run, struct box_result *ret_box,
                   struct outcome *ret_outcome, struct err *err) {
    struct interaction *self = run->context;
    struct box_result results[PAIR_COUNT];
    box_result_init(&results[PAIR_PROGRAM]);
    box_result_init(&results[PAIR_INTERACTOR]);
    bool good = run_both(work, run, self, 0, results, err);
    if (good && was_impatient(results)) {
        int64_t patience_ms = outcome_box_wall_ms(run->manifest->limits.validation_time_ms);
        box_result_done(&results[PAIR_PROGRAM]);
        box_result_done(&results[PAIR_INTERACTOR]);
        box_result_init(&results[PAIR_PROGRAM]);
        box_result_init(&results[PAIR_INTERACTOR]);
        good = run_both(work, run, self, patience_ms, results, err);
    }
    good = good && decide(work, run, self, results, ret_outcome, err);
    box_result_done(&results[PAIR_INTERACTOR]);
    if (good) {
        *ret_box = results[PAIR_PROGRAM];
    } else {
        box_result_done(&results[PAIR_PROGRAM]);
    }
    return good;
}
