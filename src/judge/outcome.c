/* From a box result to a verdict. */
#include "judge/outcome.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WAITING_US 100000 /* of wall time beyond twice the CPU time: far above it */

struct signal_row {
    int number;
    const char *name;
};

static const struct signal_row signal_rows[] = {
    {SIGSEGV, "segmentation fault"},
    {SIGABRT, "aborted"},
    {SIGFPE, "arithmetic error, such as division by zero"},
    {SIGILL, "illegal instruction"},
    {SIGBUS, "bus error"},
    {SIGKILL, "killed"},
    {SIGTRAP, "trap"},
    {SIGPIPE, "broken pipe"},
    {SIGSYS, "forbidden system call"},
    {SIGXFSZ, "file too large"},
    {SIGXCPU, "CPU time"},
    {SIGALRM, "alarm"},
    {SIGTERM, "terminated"},
};

int64_t outcome_box_cpu_ms(int64_t limit_ms) {
    int64_t twentieth = limit_ms / 20;
    return limit_ms + (twentieth > 50 ? twentieth : 50);
}

int64_t outcome_box_wall_ms(int64_t limit_ms) {
    return 3 * limit_ms + 1000;
}

static int64_t round_up(int64_t value, int64_t unit) {
    return value / unit + (value % unit != 0 ? 1 : 0);
}

int64_t outcome_cpu_ms(const struct box_result *result) {
    return round_up(result->cpu_user_us + result->cpu_system_us, 1000);
}

int64_t outcome_wall_ms(const struct box_result *result) {
    return round_up(result->wall_us, 1000);
}

int64_t outcome_memory_kib(const struct box_result *result) {
    return round_up(result->memory_peak_bytes, 1024);
}

static const char *signal_name(int number) {
    for (size_t i = 0; i < sizeof signal_rows / sizeof signal_rows[0]; i++) {
        if (signal_rows[i].number == number) {
            return signal_rows[i].name;
        }
    }
    return "signal";
}

__attribute__((format(printf, 3, 4))) static struct outcome
decided(enum outcome_kind kind, enum verdict verdict, const char *format, ...) {
    struct outcome outcome = {.kind = kind, .verdict = verdict};
    va_list args;
    va_start(args, format);
    (void)vsnprintf(outcome.message, sizeof outcome.message, format, args);
    va_end(args);
    return outcome;
}

#define RESULT(verdict, ...) decided(OUTCOME_DECIDED, (verdict), __VA_ARGS__)
#define FAULT(...) decided(OUTCOME_FAULT, VERDICT_NONE, __VA_ARGS__)

/* Whether execve refused what the program itself is, not what the node gave it. */
static bool program_cannot_start(const struct box_result *result) {
    return result->exit_code == ENOEXEC || result->exit_code == ENOMEM ||
           result->exit_code == E2BIG || result->exit_code == EINVAL;
}

static bool is_over_memory(const struct box_result *result, const struct run_limits *limits) {
    bool said_so = limits->memory_signal != 0 && result->end == BOX_END_SIGNAL &&
                   result->signal == limits->memory_signal;
    return said_so || result->end == BOX_END_MEMORY ||
           result->memory_peak_bytes > limits->memory_bytes;
}

static bool is_over_cpu(const struct box_result *result, const struct run_limits *limits) {
    return result->end == BOX_END_CPU ||
           result->cpu_user_us + result->cpu_system_us > limits->cpu_ms * 1000;
}

static bool is_over_output(const struct box_result *result, const struct run_limits *limits) {
    return result->end == BOX_END_OUTPUT || result->stream_bytes[1] > limits->output_bytes;
}

/* The limits that a run went over, worst first; VERDICT_NONE when it kept them all. */
static struct outcome over_limit(const struct box_result *result, const struct run_limits *limits) {
    if (is_over_memory(result, limits)) {
        return RESULT(VERDICT_MEMORY_LIMIT_EXCEEDED, "used more than %lld KiB of memory",
                      (long long)(limits->memory_bytes / 1024));
    }
    if (is_over_cpu(result, limits)) {
        return RESULT(VERDICT_TIME_LIMIT_EXCEEDED, "used more than %lld ms of CPU time",
                      (long long)limits->cpu_ms);
    }
    if (result->end == BOX_END_WALL) {
        return RESULT(VERDICT_TIME_LIMIT_EXCEEDED,
                      "was stopped after %lld ms of wall time, having used only %lld ms of CPU "
                      "time: it was waiting or sleeping",
                      (long long)outcome_wall_ms(result), (long long)outcome_cpu_ms(result));
    }
    if (is_over_output(result, limits)) {
        return RESULT(VERDICT_OUTPUT_LIMIT_EXCEEDED, "wrote more than %lld KiB",
                      (long long)(limits->output_bytes / 1024));
    }
    return (struct outcome){.kind = OUTCOME_CHECK};
}

/* A program that the box could not start or was told to kill. */
static struct outcome not_ended(const struct box_result *result) {
    if (result->end == BOX_END_START) {
        return FAULT("could not be started: %s", strerrordesc_np(result->exit_code) != NULL
                                                     ? strerrordesc_np(result->exit_code)
                                                     : "unknown error");
    }
    return FAULT("was stopped by the judge");
}

static bool has_ended(const struct box_result *result) {
    return result->end != BOX_END_NONE && result->end != BOX_END_START &&
           result->end != BOX_END_KILLED;
}

static int64_t cpu_us_of(const struct box_result *result) {
    return result->cpu_user_us + result->cpu_system_us;
}

bool outcome_is_doubtful(const struct outcome *outcome, const struct box_result *result) {
    if (outcome->verdict != VERDICT_TIME_LIMIT_EXCEEDED) {
        return false;
    }
    bool by_itself = result->end == BOX_END_EXIT || result->end == BOX_END_SIGNAL;
    bool waited = result->wall_us > 2 * cpu_us_of(result) + WAITING_US;
    return by_itself || waited || result->end == BOX_END_WALL;
}

bool outcome_second_counts(const struct outcome *first, const struct outcome *second) {
    bool first_is_slow = first->verdict == VERDICT_TIME_LIMIT_EXCEEDED;
    bool second_is_slow = second->verdict == VERDICT_TIME_LIMIT_EXCEEDED;
    return first_is_slow != second_is_slow ? first_is_slow : second->cpu_us < first->cpu_us;
}

static struct outcome decide_run(const struct box_result *result, const struct run_limits *limits) {
    if (!has_ended(result)) {
        struct outcome outcome = not_ended(result);
        if (result->end == BOX_END_START && program_cannot_start(result)) {
            outcome.kind = OUTCOME_DECIDED;
            outcome.verdict = VERDICT_RUNTIME_ERROR;
        }
        return outcome;
    }
    struct outcome over = over_limit(result, limits);
    if (over.kind == OUTCOME_DECIDED) {
        return over;
    }
    if (result->end == BOX_END_SIGNAL) {
        return RESULT(VERDICT_RUNTIME_ERROR, "signal %d (%s)", result->signal,
                      signal_name(result->signal));
    }
    if (result->exit_code != 0) {
        return RESULT(VERDICT_RUNTIME_ERROR, "exit status %d", result->exit_code);
    }
    return over;
}

struct outcome outcome_of_run(const struct box_result *result, const struct run_limits *limits) {
    struct outcome outcome = decide_run(result, limits);
    outcome.cpu_us = cpu_us_of(result);
    return outcome;
}

struct outcome outcome_of_compile(const struct box_result *result,
                                  const struct run_limits *limits) {
    if (!has_ended(result)) {
        return not_ended(result);
    }
    struct outcome over = over_limit(result, limits);
    if (over.kind == OUTCOME_DECIDED) {
        over.verdict = VERDICT_COMPILE_ERROR;
        return over;
    }
    if (result->end == BOX_END_SIGNAL && result->signal == SIGKILL) {
        /* Its own memory limit would have been named above: something else killed it. */
        return FAULT("was killed by the system");
    }
    if (result->end == BOX_END_SIGNAL) {
        return RESULT(VERDICT_COMPILE_ERROR, "was ended by signal %d (%s)", result->signal,
                      signal_name(result->signal));
    }
    if (result->exit_code != 0) {
        return RESULT(VERDICT_COMPILE_ERROR, "%s", "");
    }
    return over;
}

struct outcome outcome_of_tool(const struct box_result *result, const struct run_limits *limits) {
    struct outcome outcome = outcome_of_run(result, limits);
    if (outcome.kind == OUTCOME_DECIDED && result->end == BOX_END_SIGNAL) {
        return RESULT(VERDICT_RUNTIME_ERROR, "was ended by signal %d (%s)", result->signal,
                      signal_name(result->signal));
    }
    if (outcome.verdict == VERDICT_RUNTIME_ERROR && result->end == BOX_END_EXIT) {
        return RESULT(VERDICT_RUNTIME_ERROR, "ended with exit status %d", result->exit_code);
    }
    return outcome;
}
