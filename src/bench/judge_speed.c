/* Whole submissions of small programs, interleaved. */
#include "bench/judge_speed.h"

#include "base/check.h"
#include "bench/program.h"
#include "bench/table.h"
#include <stdio.h>

const char *const judge_way_names[JUDGE_WAYS] = {
    [JUDGE_PLAIN] = "plain", [JUDGE_OURS] = "ours", [JUDGE_AGAIN] = "again"};

static const struct {
    const char *name;
    const char *title;
    const char *language;
    const char *plain; /* language of the plain set; NULL: it has no compiler worth comparing */
    enum judge_text source;
} rows[] = {
    {"cppSum", "C++, 7 lines, iostream", "cpp", "plain-cpp", TEXT_SUM_CPP},
    {"cppLong", "C++, 183 lines, bits/stdc++.h", "cpp", "plain-cpp", TEXT_LONG_CPP},
    {"javaSum", "Java, 8 lines", "java", "plain-java", TEXT_SUM_JAVA},
    {"arktsSum", "ArkTS, 3 lines", "arkts", "plain-arkts", TEXT_SUM_ETS},
    {"pythonSum", "Python, 2 lines", "python3", NULL, TEXT_SUM_PY},
    {"javascriptSum", "JavaScript, 2 lines", "javascript", NULL, TEXT_SUM_JS},
};
static_assert(sizeof rows / sizeof rows[0] <= JUDGE_PROGRAMS_MAX, "every program has a place");

#define CANDIDATES_MAX (JUDGE_PROGRAMS_MAX * JUDGE_WAYS + CASES_COUNT + 1)

void judge_speed_init(struct judge_speed *speed) {
    *speed = (struct judge_speed){.program_count = (int)(sizeof rows / sizeof rows[0])};
    for (int i = 0; i < speed->program_count; i++) {
        struct judge_program *program = &speed->programs[i];
        *program = (struct judge_program){.name = rows[i].name, .title = rows[i].title};
        for (int way = 0; way < JUDGE_WAYS; way++) {
            program->ways[way].ask = (struct judge_ask){
                .language = way == JUDGE_PLAIN ? rows[i].plain : rows[i].language,
                .source = rows[i].source,
                .plain = way == JUDGE_PLAIN,
                .again = way == JUDGE_AGAIN,
                .cases = 1};
        }
    }
    for (int i = 0; i < CASES_COUNT; i++) {
        bool many = i == CASES_BUILT_IN_MANY || i == CASES_VALIDATOR_MANY;
        speed->cases[i].ask = (struct judge_ask){.language = "cpp",
                                                 .source = TEXT_SUM_CPP,
                                                 .again = true,
                                                 .cases = many ? 1 + JUDGE_CASES : 1,
                                                 .validator = i >= CASES_VALIDATOR_ONE};
    }
}

static void timing_done(struct judge_timing *timing) {
    samples_done(&timing->all);
    samples_done(&timing->compile);
}

void judge_speed_done(struct judge_speed *speed) {
    if (speed == NULL) {
        return;
    }
    for (int i = 0; i < speed->program_count; i++) {
        for (int way = 0; way < JUDGE_WAYS; way++) {
            timing_done(&speed->programs[i].ways[way]);
        }
    }
    for (int i = 0; i < CASES_COUNT; i++) {
        timing_done(&speed->cases[i]);
    }
    samples_done(&speed->spawn);
}

/* ---- measuring ---- */

static bool once(void *context, int64_t *ret_ns, struct err *err) {
    struct judge_timing *timing = context;
    struct judge_took took = {0};
    if (!judge_world_once(timing->world, &timing->ask, &took, err)) {
        return false;
    }
    samples_add(&timing->compile, took.compile_ns);
    samples_add(&timing->all, took.all_ns);
    *ret_ns = took.all_ns;
    return true;
}

static bool once_spawn(void *context, int64_t *ret_ns, struct err *err) {
    const char *const argv[] = {context, NULL};
    return program_spawn(argv, ret_ns, err);
}

/* What is to be measured, in one list. */
struct plan {
    struct candidate items[CANDIDATES_MAX];
    size_t count;
};

static void add(struct plan *plan, struct judge_world *world, struct judge_timing *timing,
                const char *name) {
    timing->world = world;
    timing->present = timing->ask.language != NULL && judge_world_has(world, &timing->ask);
    if (timing->present) {
        plan->items[plan->count++] =
            (struct candidate){.name = name, .once = once, .context = timing};
    } else if (timing->ask.language != NULL) {
        (void)fprintf(stderr, "left out, since it does not run here: %s\n", timing->ask.language);
    }
}

bool judge_speed_measure(struct judge_speed *speed, int64_t rounds, struct str names,
                         struct err *err) {
    own_judge_world world = {.folder = ""};
    struct plan plan = {.count = 0};
    char empty[96];
    if (!judge_world_open(&world, err) ||
        !program_write(world.folder, "empty", program_empty(), err)) {
        return false;
    }
    (void)snprintf(empty, sizeof empty, "%s/empty", world.folder);
    for (int i = 0; i < speed->program_count; i++) {
        bool wanted = names.len == 0 || str_has_word(names, speed->programs[i].name);
        for (int way = 0; wanted && way < JUDGE_WAYS; way++) {
            add(&plan, &world, &speed->programs[i].ways[way], speed->programs[i].name);
        }
    }
    bool cases = names.len == 0 || str_has_word(names, "cases");
    for (int i = 0; cases && i < CASES_COUNT; i++) {
        add(&plan, &world, &speed->cases[i], "cases");
    }
    CHECK(plan.count < CANDIDATES_MAX);
    struct candidate *spawn = &plan.items[plan.count++];
    *spawn = (struct candidate){.name = "spawn", .once = once_spawn, .context = empty};
    (void)fprintf(stderr, "%lld rounds of %zu things\n", (long long)rounds, plan.count);
    bool good = rounds_run(plan.items, plan.count, 0, rounds, err);
    speed->spawn = spawn->samples;
    spawn->samples = (struct samples){.values = NULL};
    rounds_done(plan.items, plan.count);
    return good;
}

/* ---- what follows from it ---- */

int64_t judge_speed_compile_milli(struct judge_program *program) {
    int64_t plain = samples_median(&program->ways[JUDGE_PLAIN].compile);
    return plain == 0 ? 0 : samples_median(&program->ways[JUDGE_OURS].compile) * 1000 / plain;
}

int64_t judge_speed_case_ns(struct judge_speed *speed, bool validator) {
    struct judge_timing *one = &speed->cases[validator ? CASES_VALIDATOR_ONE : CASES_BUILT_IN_ONE];
    int64_t many_ns = samples_median(&one[1].all);
    int64_t processes = validator ? 2 : 1;
    return many_ns == 0 ? 0
                        : (many_ns - samples_median(&one->all)) / JUDGE_CASES -
                              processes * samples_median(&speed->spawn);
}

/* ---- the report ---- */

static void number_cell(struct table *table, struct samples *samples) {
    if (samples->count == 0) {
        table_cell(table, "-");
    } else {
        table_number(table, samples_median(samples), 6, 1);
    }
}

static void percent_cell(struct table *table, int64_t milli) {
    if (milli == 0) {
        table_cell(table, "-");
    } else {
        table_number(table, milli, 1, 0);
    }
}

void judge_speed_print(struct judge_speed *speed, enum bench_format format, struct buf *out) {
    own_table table;
    table_init(&table, "median ms|compile, as it comes|ours|%|whole submission, as it comes|ours|"
                       "compiled before");
    for (int i = 0; i < speed->program_count; i++) {
        struct judge_program *program = &speed->programs[i];
        table_cell(&table, "%s", program->title);
        number_cell(&table, &program->ways[JUDGE_PLAIN].compile);
        number_cell(&table, &program->ways[JUDGE_OURS].compile);
        percent_cell(&table, judge_speed_compile_milli(program));
        for (int way = 0; way < JUDGE_WAYS; way++) {
            number_cell(&table, &program->ways[way].all);
        }
    }
    table_print(&table, format, out);
    for (int validator = 0; validator < 2; validator++) {
        int64_t us = judge_speed_case_ns(speed, validator == 1) / 1000;
        buf_printf(out, "\na case in C++ beyond the plain process%s: %lld.%02lld ms\n",
                   validator == 1 ? "es, with an output validator" : "", (long long)(us / 1000),
                   (long long)(us % 1000 / 10));
    }
}

static void way_json(struct judge_timing *timing, const char *name, bool compile, struct jw *json) {
    if (timing->present) {
        jw_key(json, name);
        samples_json(compile ? &timing->compile : &timing->all, 6, json);
    }
}

static void programs_json(struct judge_speed *speed, const char *key, bool compile,
                          struct jw *json) {
    jw_key(json, key);
    jw_object_begin(json);
    for (int i = 0; i < speed->program_count; i++) {
        struct judge_program *program = &speed->programs[i];
        jw_key(json, program->name);
        jw_object_begin(json);
        for (int way = 0; way < JUDGE_WAYS; way++) {
            if (!compile || way != JUDGE_AGAIN) {
                way_json(&program->ways[way], judge_way_names[way], compile, json);
            }
        }
        if (compile) {
            jw_put_decimal(json, "ratio", judge_speed_compile_milli(program), 3);
        }
        jw_object_end(json);
    }
    jw_object_end(json);
}

void judge_speed_json(struct judge_speed *speed, struct jw *json) {
    programs_json(speed, "compileMs", true, json);
    programs_json(speed, "submissionMs", false, json);
    jw_key(json, "caseOverheadMs");
    jw_object_begin(json);
    jw_put_decimal(json, "builtIn", judge_speed_case_ns(speed, false), 6);
    jw_put_decimal(json, "validator", judge_speed_case_ns(speed, true), 6);
    jw_object_end(json);
}
