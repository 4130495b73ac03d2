/* One case of a judging: run the submission, alone or with the interactor, ask whether its output
 * is right, and again as long as a validator wants another pass. */
#include "judge/judge_case.h"

#include "base/file.h"
#include "judge/answers.h"
#include "judge/file_io.h"
#include "judge/interact.h"
#include "judge/text.h"

#define MESSAGES_BYTES_MAX (1 * MIB) /* of all cases together: a result has a maximum */
#define STDERR_BYTES_MAX 512

/* A case under way. */
struct trial {
    struct work *work;
    struct cases *cases;
    const struct manifest *manifest;
    int32_t index;
    struct pass pass;
    struct case_result result;
};

static void trial_done(struct trial *trial) {
    fd_cleanup(&trial->pass.input_fd);
    fd_cleanup(&trial->pass.state_fd);
}

static bool has_passes(const struct trial *trial) {
    return (trial->manifest->kinds & PROBLEM_MULTI_PASS) != 0;
}

/* What a program wrote to stderr helps with samples; with secret cases it could carry their data
 * out. */
static bool describe_end(struct trial *trial, const struct box_result *box,
                         const struct outcome *outcome, struct err *err) {
    struct arena *arena = trial->work->arena;
    struct str words = {0};
    if (trial->result.sample && outcome->verdict == VERDICT_RUNTIME_ERROR &&
        !text_from_file(arena, box->stream_fds[2], STDERR_BYTES_MAX, &words, err)) {
        return false;
    }
    trial->result.verdict = outcome->verdict;
    trial->result.message = str_from(arena_printf(arena, "%s%s" STR_FMT, outcome->message,
                                                  words.len > 0 ? "\n" : "", STR_ARG(words)));
    return true;
}

static void take_answer(struct trial *trial, const struct check_result *answer) {
    trial->result.verdict = answer->verdict;
    trial->result.score_micro = answer->score_micro;
    trial->result.message = answer->message;
    trial->result.staff = answer->staff;
}

static struct check_request ask(struct trial *trial, const struct program *checker,
                                const struct manifest_program *source) {
    const struct judge_request *request = trial->cases->request;
    return (struct check_request){.manifest = trial->manifest,
                                  .index = trial->index,
                                  .output_fd = -1,
                                  .source = request->source_count > 0 ? request->sources[0].text
                                                                      : (struct str){0},
                                  .checker = checker,
                                  .args = source->args,
                                  .pass = has_passes(trial) ? &trial->pass : NULL};
}

static bool check_output(struct trial *trial, int output_fd, struct err *err) {
    struct check_request request =
        ask(trial, trial->cases->checker, &trial->manifest->checker.program);
    struct check_result answer = {.verdict = VERDICT_NONE};
    request.output_fd = output_fd;
    bool good = request.checker == NULL ? check_default(trial->work, &request, &answer, err)
                                        : check_program(trial->work, &request, &answer, err);
    if (good) {
        take_answer(trial, &answer);
    }
    return good;
}

/* ---- a pass ---- */

/* Of several passes the largest figures; the limits hold for each. */
static void note_use(struct case_result *result, const struct box_result *box,
                     const struct outcome *outcome) {
    int64_t cpu_ms = outcome_cpu_ms(box);
    int64_t wall_ms = outcome_wall_ms(box);
    int64_t memory_kib = outcome_memory_kib(box);
    if (cpu_ms >= result->cpu_ms && outcome->twice) {
        result->twice = true;
        result->other_cpu_ms = outcome->other_cpu_ms;
        result->other_wall_ms = outcome->other_wall_ms;
    }
    result->cpu_ms = cpu_ms > result->cpu_ms ? cpu_ms : result->cpu_ms;
    result->wall_ms = wall_ms > result->wall_ms ? wall_ms : result->wall_ms;
    result->memory_kib = memory_kib > result->memory_kib ? memory_kib : result->memory_kib;
}

static bool finish_alone(struct trial *trial, const struct box_result *box,
                         const struct outcome *outcome, struct err *err) {
    int output_fd = -1;
    if (outcome->kind == OUTCOME_DECIDED) {
        return describe_end(trial, box, outcome, err);
    }
    const char *wrong = file_io_output(trial->manifest, box, trial->work->arena, &output_fd);
    if (wrong != NULL) {
        take_answer(trial, &(struct check_result){.verdict = VERDICT_WRONG_ANSWER,
                                                  .message = str_from(wrong)});
        return true;
    }
    return check_output(trial, output_fd, err);
}

static bool run_alone(struct trial *trial, const struct case_run *run, struct err *err) {
    struct outcome outcome = {.kind = OUTCOME_CHECK};
    own_box_result box;
    box_result_init(&box);
    if (!run_case(trial->work, run, &box, &outcome, err)) {
        return false;
    }
    note_use(&trial->result, &box, &outcome);
    return finish_alone(trial, &box, &outcome, err);
}

static bool run_with_interactor(struct trial *trial, struct case_run *run, struct err *err) {
    const struct manifest_program *source = &trial->manifest->interactor;
    struct check_request request = ask(trial, trial->cases->interactor, source);
    const struct interactor interactor = {
        .request = &request, .adapter = source->adapter, .judge = trial->cases->checker};
    struct outcome outcome = {.kind = OUTCOME_CHECK};
    struct interaction interaction = {.interactor = &interactor};
    own_box_result box;
    box_result_init(&box);
    request.joined = true;
    run->once = interact_once;
    run->context = &interaction;
    if (!run_case(trial->work, run, &box, &outcome, err)) {
        return false;
    }
    note_use(&trial->result, &box, &outcome);
    if (outcome.kind == OUTCOME_DECIDED) {
        return describe_end(trial, &box, &outcome, err);
    }
    take_answer(trial, &interaction.answer);
    return true;
}

static bool run_pass(struct trial *trial, struct err *err) {
    struct case_run run = {.manifest = trial->manifest,
                           .index = trial->index,
                           .program = trial->cases->program,
                           .second = &trial->cases->second,
                           .pass = has_passes(trial) ? &trial->pass : NULL};
    int32_t number = trial->pass.number;
    trial->pass.more = false;
    bool good = trial->cases->interactor == NULL ? run_alone(trial, &run, err)
                                                 : run_with_interactor(trial, &run, err);
    if (good && number > 1 && trial->result.message.len > 0) {
        trial->result.message = str_from(arena_printf(trial->work->arena, "pass %d: " STR_FMT,
                                                      (int)number, STR_ARG(trial->result.message)));
    }
    return good;
}

/* ---- the case ---- */

static bool check_answer(struct trial *trial, struct err *err) {
    const struct judge_source *source = answers_find(trial->cases->request, trial->index);
    own_fd fd = -1;
    if (source == NULL) {
        take_answer(trial,
                    &(struct check_result){.verdict = VERDICT_WRONG_ANSWER,
                                           .message = STR("there is no file for this case")});
        return true;
    }
    if (!file_memory("answer", source->text, true, &fd, err)) {
        return work_node_fault(err);
    }
    return check_output(trial, fd, err);
}

static bool judge_trial(struct trial *trial, struct err *err) {
    if (trial->cases->program == NULL) {
        return check_answer(trial, err);
    }
    do {
        if (!run_pass(trial, err)) {
            return false;
        }
    } while (trial->pass.more);
    return true;
}

/* Words of later cases are left out when the earlier ones said enough. */
static void bound_words(struct cases *cases, struct str *words) {
    if (cases->message_bytes + words->len > MESSAGES_BYTES_MAX) {
        *words = STR("");
    }
    cases->message_bytes += words->len;
}

bool judge_case(struct work *work, struct cases *cases, int32_t index,
                struct case_result *ret_result, struct err *err) {
    const struct manifest_case *row = &cases->request->manifest->cases[index];
    __attribute__((cleanup(trial_done))) struct trial trial = {
        .work = work,
        .cases = cases,
        .manifest = cases->request->manifest,
        .index = index,
        .pass = {.number = 1, .input_fd = -1, .state_fd = -1},
        .result = {.index = index,
                   .name = arena_str(work->arena, row->name),
                   .sample = row->sample},
    };
    if (!judge_trial(&trial, err)) {
        return false;
    }
    bound_words(cases, &trial.result.message);
    bound_words(cases, &trial.result.staff);
    *ret_result = trial.result;
    return true;
}
