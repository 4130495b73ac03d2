/* The one part of a node that is a model: instead of compiling and running a program in the box,
 * time passes, and the verdict is what the program's text says. So a result that was judged for
 * another submission, or by nobody, is noticed. */
#include "judge/judge.h"
#include "base/check.h"
#include "domain/scoring.h"
#include "world.h"

#include <stdio.h>

struct judge {
    struct sim_node *node;
};

/* "verdict 2 number 17": number makes each program another. */
struct str judge_program(struct world *world, char out[64], enum verdict *ret_truth) {
    static const enum verdict truths[] = {VERDICT_ACCEPTED,      VERDICT_ACCEPTED,
                                          VERDICT_WRONG_ANSWER,  VERDICT_TIME_LIMIT_EXCEEDED,
                                          VERDICT_RUNTIME_ERROR, VERDICT_COMPILE_ERROR};
    *ret_truth = truths[roll(world, sizeof truths / sizeof truths[0])];
    int len = snprintf(out, 64, "verdict %d number %d", (int)*ret_truth, ++world->requests);
    return str_of(out, (size_t)len);
}

static enum verdict truth_of(struct str text) {
    int64_t verdict = 0;
    struct err err = {0};
    struct str head = {0};
    struct str tail = {0};
    CHECK(str_cut(text, ' ', &head, &tail) && str_cut(tail, ' ', &head, &tail));
    CHECK(str_to_i64(head, 1, VERDICT_COUNT - 1, &verdict, &err));
    return (enum verdict)verdict;
}

static bool tell(const struct judge_request *request, enum judge_stage stage, int32_t index,
                 const struct case_result *finished, struct err *err) {
    struct judge_progress progress = {.stage = stage,
                                      .case_index = index,
                                      .cases_total = request->manifest->case_count,
                                      .finished = finished};
    return request->progress(request->context, &progress) ||
           err_set(err, ERR_CANCELLED, "cancelled", "told to stop");
}

/* How long a step takes: mostly a moment, now and then longer than a lease, or than a job may. */
static bool pass_time(struct judge *judge, struct err *err) {
    struct world *world = judge->node->world;
    int64_t ms = 10 + roll(world, 200);
    if (strikes(world, TROUBLE_JUDGE, 30)) {
        ms = roll(world, 3 * world->settings.lease_ms);
    }
    clock_sleep_ms(&judge->node->process.clock, ms);
    if (strikes(world, TROUBLE_JUDGE, 60)) {
        return err_fault(err, roll(world, 3) == 0 ? FAULT_PROBLEM : FAULT_NODE, ERR_SYSTEM,
                         "sandbox_failed", "no cgroup");
    }
    return true;
}

static bool judge_case(struct judge *judge, const struct judge_request *request, int32_t index,
                       enum verdict verdict, struct judgement *judgement, struct err *err) {
    const struct manifest_case *from = &request->manifest->cases[index];
    struct case_result *result = &judgement->cases[judgement->case_count];
    if (!tell(request, JUDGE_STAGE_JUDGING, index, NULL, err) || !pass_time(judge, err)) {
        return false;
    }
    *result = (struct case_result){.index = index,
                                   .name = from->name,
                                   .sample = from->sample,
                                   .verdict = verdict,
                                   .cpu_ms = 10 * (index + 1),
                                   .wall_ms = 20,
                                   .memory_kib = 1000};
    judgement->case_count++;
    return tell(request, JUDGE_STAGE_JUDGING, index, result, err);
}

bool judge_submission(struct judge *judge, const struct judge_request *request, struct arena *arena,
                      struct judgement *ret_judgement, struct err *err) {
    enum verdict truth = truth_of(request->sources[0].text);
    struct judgement judgement = {.cases_total = request->manifest->case_count,
                                  .compile = {.ran = true, .ok = truth != VERDICT_COMPILE_ERROR},
                                  .cases =
                                      arena_array(arena, (size_t)request->manifest->case_count + 1,
                                                  sizeof judgement.cases[0]),
                                  .language = STR("cpp"),
                                  .language_version = STR("12.2")};
    if (!tell(request, JUDGE_STAGE_COMPILING, -1, NULL, err) || !pass_time(judge, err)) {
        return false;
    }
    int32_t cases = judgement.compile.ok ? request->manifest->case_count : 0;
    bool accepted = true;
    for (int32_t i = 0; i < cases && accepted; i++) {
        accepted = truth == VERDICT_ACCEPTED || i < cases - 1;
        if (!judge_case(judge, request, i, accepted ? VERDICT_ACCEPTED : truth, &judgement, err)) {
            return false;
        }
    }
    judgement.verdict = truth;
    scoring_finish(request->manifest, &judgement);
    CHECK(judgement.verdict == truth);
    *ret_judgement = judgement;
    return true;
}

bool judge_warm_language(struct judge *judge, int slot, const struct language *language,
                         judge_progress_fn *progress, void *context, struct err *err) {
    (void)judge, (void)slot, (void)language, (void)progress, (void)context, (void)err;
    return true;
}

bool judge_sql_is_configured(const struct judge *judge, const struct language *language) {
    (void)judge, (void)language;
    return false;
}

void judge_rest(struct judge *judge, int slot) {
    (void)judge, (void)slot;
}

bool judge_keep_standby(struct judge *judge, int slot, const struct language *language,
                        judge_progress_fn *progress, void *context, struct err *err) {
    (void)judge, (void)slot, (void)language, (void)progress, (void)context;
    return err_set(err, ERR_MISSING, "no_standby", "nothing is compiled here");
}

bool judge_prove_language(struct judge *judge, int slot, const struct language *language,
                          struct arena *arena, struct str *ret_version, struct err *err) {
    (void)slot;
    (void)arena;
    if (!str_eq_c(str_from(language->id), "cpp")) {
        return err_set(err, ERR_MISSING, "language_unavailable", "only cpp is here");
    }
    clock_sleep_ms(&judge->node->process.clock, 100);
    *ret_version = STR("g++ 12.2");
    return true;
}
