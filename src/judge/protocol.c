/* How checkers are called. Order of the arguments, names of the files and meaning of the exit
 * status differ from judge to judge, so each has its row. */
#include "judge/protocol.h"
#include "base/check.h"

#include <stdarg.h>
#include <stdio.h>

#define INPUT "/w/data/input"
#define OUTPUT "/w/data/output"
#define ANSWER "/w/data/answer"

static const struct protocol protocols[ADAPTER_COUNT] = {
    [ADAPTER_ICPC] = {.args = {INPUT, ANSWER, "/w/feedback/", "{flags}"},
                      .reads = PROTOCOL_READS_OUTPUT,
                      .input = "data/input",
                      .answer = "data/answer",
                      .outputs = {"feedback/teammessage.txt", "feedback/judgemessage.txt",
                                  "feedback/score.txt", "feedback/score_multiplier.txt"},
                      .read = protocol_read_icpc},
    [ADAPTER_TESTLIB] = {.args = {"{flags}", INPUT, OUTPUT, ANSWER, "/w/feedback/report.xml",
                                  "-appes"},
                         .input = "data/input",
                         .answer = "data/answer",
                         .output = "data/output",
                         .outputs = {"feedback/report.xml"},
                         .read = protocol_read_testlib},
    [ADAPTER_HYDRO_TESTLIB] = {.args = {"{flags}", INPUT, OUTPUT, ANSWER, "/w/feedback/report.xml",
                                        "-appes"},
                               .input = "data/input",
                               .answer = "data/answer",
                               .output = "data/output",
                               .outputs = {"feedback/report.xml"},
                               .read = protocol_read_hydro_testlib},
    [ADAPTER_HUSTOJ_TESTLIB] = {.args = {INPUT, OUTPUT, ANSWER, "{flags}"},
                                .input = "data/input",
                                .answer = "data/answer",
                                .output = "data/output",
                                .read = protocol_read_hustoj_testlib},
    [ADAPTER_HUSTOJ] = {.args = {INPUT, ANSWER, OUTPUT, "{flags}"},
                        .input = "data/input",
                        .answer = "data/answer",
                        .output = "data/output",
                        .read = protocol_read_hustoj},
    [ADAPTER_HUSTOJ_SCORE] = {.args = {INPUT, ANSWER, OUTPUT, "{flags}"},
                              .input = "data/input",
                              .answer = "data/answer",
                              .output = "data/output",
                              .read = protocol_read_hustoj_score},
    [ADAPTER_QDUOJ] = {.args = {INPUT, OUTPUT, "{flags}"},
                       .reads = PROTOCOL_READS_INPUT,
                       .input = "data/input",
                       .output = "data/output",
                       .read = protocol_read_qduoj},
    [ADAPTER_CMS] = {.args = {INPUT, ANSWER, OUTPUT, "{flags}"},
                     .input = "data/input",
                     .answer = "data/answer",
                     .output = "data/output",
                     .read = protocol_read_cms},
    [ADAPTER_LEMON] = {.args = {INPUT, OUTPUT, ANSWER, "{full}", "/w/feedback/score",
                                "/w/feedback/message"},
                       .input = "data/input",
                       .answer = "data/answer",
                       .output = "data/output",
                       .outputs = {"feedback/score", "feedback/message"},
                       .read = protocol_read_lemon},
    [ADAPTER_SYZOJ] = {.args = {"{flags}"},
                       .input = "input",
                       .answer = "answer",
                       .output = "user_out",
                       .source = "code",
                       .read = protocol_read_syzoj},
};

const struct protocol *protocol_of(enum program_adapter adapter) {
    CHECK(adapter > ADAPTER_NONE && adapter < ADAPTER_COUNT);
    CHECK(protocols[adapter].read != NULL);
    return &protocols[adapter];
}

bool protocol_ended(const struct box_result *result, const struct run_limits *limits,
                    struct outcome *ret_why) {
    struct outcome outcome = outcome_of_tool(result, limits);
    *ret_why = outcome;
    return outcome.kind == OUTCOME_CHECK ||
           (outcome.kind == OUTCOME_DECIDED && result->end == BOX_END_EXIT &&
            outcome.verdict == VERDICT_RUNTIME_ERROR);
}

bool protocol_broken(struct err *err, const char *format, ...) {
    char text[160];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "checker_broken", "%s", text);
}

bool protocol_bad_status(struct err *err, const struct protocol_said *said, const char *allowed) {
    return protocol_broken(err, "ended with exit status %d, which is neither %s", said->exit_code,
                           allowed);
}
