/* Known programs in the sandbox. */
#include "bench/box_accuracy.h"

#include "base/limits.h"
#include "bench/box_session.h"
#include "bench/rounds.h"
#include "bench/table.h"
#include "judge/outcome.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define LIMIT_US 300000 /* of the programs near their limit */
#define LIMIT_BYTES ((int64_t)64 * MIB)
#define STEPS_FIRST ((int64_t)20000000) /* of work whose time is not known yet */
#define FIXED_SHARE 5                   /* of so many judgements one is also made of fixed work */

enum load { LOAD_IDLE, LOAD_BUSY, LOADS };
static const char *const load_names[LOADS] = {"idle", "busy"};

static const char *const cpu_kinds[] = {"single", "children", "threads"};
static const int64_t cpu_ms[] = {50, 200, 500, 1000, 2000};
static const char *const memory_kinds[] = {"heap", "stack", "mmap", "child", "tmpfs"};
static const int64_t memory_mib[] = {8, 64, 256, 512};
/* By the own clock a program uses 0.9 of its limit exactly; a fixed amount of work takes what the
 * machine makes of it. */
static const struct {
    const char *name;
    const char *what; /* of known.c, like `kind` */
    const char *kind;
} verdict_kinds[] = {
    {"arithmetic", "cpu", "single"},    {"memory", "cpu", "memory"},
    {"heap", "memory", "heap"},         {"fixed arithmetic", "work", "arithmetic"},
    {"fixed memory", "work", "memory"},
};
static const int verdict_tenths[] = {9, 11};

/* ---- the list ---- */

struct amounts {
    const char *what;
    const int64_t *list;
    int count;
    int64_t unit;
};
static const struct amounts cpu_amounts = {"cpu", cpu_ms, COUNT(cpu_ms), 1000};
static const struct amounts memory_amounts = {"memory", memory_mib, COUNT(memory_mib), MIB};

static void add_rows(struct accuracy *accuracy, const struct amounts *amounts, const char *kind,
                     int64_t count_max) {
    for (int i = 0; i < amounts->count && i < count_max; i++) {
        accuracy->rows[accuracy->row_count++] = (struct accuracy_row){
            .what = amounts->what, .kind = kind, .known = amounts->list[i] * amounts->unit};
    }
}

static void add_verdict(struct accuracy *accuracy, size_t kind, int tenths) {
    bool size = strcmp(verdict_kinds[kind].what, "memory") == 0;
    int64_t limit = size ? LIMIT_BYTES : LIMIT_US;
    accuracy->verdicts[accuracy->verdict_count++] = (struct accuracy_verdict){
        .name = verdict_kinds[kind].name,
        .what = verdict_kinds[kind].what,
        .kind = verdict_kinds[kind].kind,
        .tenths = tenths,
        .limit = limit,
        .amount = strcmp(verdict_kinds[kind].what, "work") == 0 ? STEPS_FIRST : limit * tenths / 10,
    };
}

void accuracy_init(struct accuracy *accuracy, int64_t amounts_max) {
    static_assert(COUNT(cpu_kinds) * COUNT(cpu_ms) + COUNT(memory_kinds) * COUNT(memory_mib) <=
                      ACCURACY_ROWS_MAX,
                  "room for all rows");
    static_assert(COUNT(verdict_kinds) * COUNT(verdict_tenths) <= ACCURACY_VERDICTS_MAX,
                  "room for all verdicts");
    *accuracy = (struct accuracy){.row_count = 0};
    for (size_t i = 0; i < COUNT(cpu_kinds); i++) {
        add_rows(accuracy, &cpu_amounts, cpu_kinds[i], amounts_max);
    }
    for (size_t i = 0; i < COUNT(memory_kinds); i++) {
        add_rows(accuracy, &memory_amounts, memory_kinds[i], amounts_max);
    }
    for (size_t i = 0; i < COUNT(verdict_kinds) * COUNT(verdict_tenths); i++) {
        add_verdict(accuracy, i / COUNT(verdict_tenths), verdict_tenths[i % COUNT(verdict_tenths)]);
    }
}

void accuracy_done(struct accuracy *accuracy) {
    for (int load = 0; accuracy != NULL && load < LOADS; load++) {
        for (int i = 0; i < accuracy->row_count; i++) {
            samples_done(&accuracy->rows[i].samples[load]);
        }
        for (int i = 0; i < accuracy->verdict_count; i++) {
            samples_done(&accuracy->verdicts[i].samples[load]);
        }
    }
}

/* ---- running ---- */

static int64_t cpu_us_of(const struct box_result *result) {
    return result->cpu_user_us + result->cpu_system_us;
}

/* One run of known.c with these arguments. */
static bool run_known(struct box_session *session, const char *what, const char *kind,
                      int64_t amount, struct box_result *ret_result, struct err *err) {
    char text[32];
    int64_t ignored_ns = 0;
    const char *const argv[] = {session->known, what, kind, text, NULL};
    const struct box_run_spec spec = box_session_spec(session, argv);
    (void)snprintf(text, sizeof(text), "%lld", (long long)amount);
    return box_session_run(session, 0, &spec, &ignored_ns, ret_result, err) ||
           err_wrap(err, "%s %s %lld", what, kind, (long long)amount);
}

struct row_context {
    struct box_session *session;
    const struct accuracy_row *row;
};

static bool once_row(void *context, int64_t *ret_value, struct err *err) {
    const struct row_context *self = context;
    own_box_result result;
    box_result_init(&result);
    if (!run_known(self->session, self->row->what, self->row->kind, self->row->known, &result,
                   err)) {
        return false;
    }
    *ret_value =
        strcmp(self->row->what, "cpu") == 0 ? cpu_us_of(&result) : result.memory_peak_bytes;
    return true;
}

static bool measure_rows(struct accuracy *accuracy, struct box_session *session, int64_t repeat,
                         enum load load, struct err *err) {
    struct candidate candidates[ACCURACY_ROWS_MAX] = {{.name = NULL}};
    struct row_context contexts[ACCURACY_ROWS_MAX];
    for (int i = 0; i < accuracy->row_count; i++) {
        contexts[i] = (struct row_context){.session = session, .row = &accuracy->rows[i]};
        candidates[i] = (struct candidate){
            .name = accuracy->rows[i].kind, .once = once_row, .context = &contexts[i]};
    }
    bool done = rounds_run(candidates, (size_t)accuracy->row_count, 0, repeat, err);
    for (int i = 0; i < accuracy->row_count; i++) {
        accuracy->rows[i].samples[load] = candidates[i].samples;
    }
    return done;
}

/* ---- verdicts ---- */

static bool is_size(const struct accuracy_verdict *verdict) {
    return strcmp(verdict->what, "memory") == 0;
}

static bool is_fixed(const struct accuracy_verdict *verdict) {
    return strcmp(verdict->what, "work") == 0;
}

/* How many steps take the wanted time, by what as many as the last time take now: in the same
 * sandbox, beside the same neighbours, a moment before they are judged. Twice, because the first
 * guess may be far off. */
static bool calibrate(struct accuracy_verdict *verdict, struct box_session *session,
                      struct err *err) {
    int64_t wanted_us = verdict->limit * verdict->tenths / 10;
    for (int i = 0; i < 2; i++) {
        own_box_result result;
        box_result_init(&result);
        if (!run_known(session, verdict->what, verdict->kind, verdict->amount, &result, err)) {
            return false;
        }
        int64_t took_us = cpu_us_of(&result);
        if (took_us <= 0) {
            return err_set(err, ERR_SYSTEM, "bench_failed", "%s takes no time", verdict->name);
        }
        verdict->amount = verdict->amount * wanted_us / took_us;
    }
    return true;
}

/* As the judge does it: the box stops a little behind the limit, the outcome is by the limit. */
static bool judge_once(struct accuracy_verdict *verdict, struct box_session *session,
                       enum load load, struct err *err) {
    bool size = is_size(verdict);
    char text[32];
    const char *const argv[] = {session->known, verdict->what, verdict->kind, text, NULL};
    struct box_run_spec spec = box_session_spec(session, argv);
    struct run_limits limits = {.cpu_ms = size ? 60000 : verdict->limit / 1000,
                                .wall_ms = 600000,
                                .memory_bytes = size ? verdict->limit : LIMIT_BYTES,
                                .output_bytes = MIB};
    own_box_result result;
    box_result_init(&result);
    if (is_fixed(verdict) && !calibrate(verdict, session, err)) {
        return false;
    }
    (void)snprintf(text, sizeof(text), "%lld", (long long)verdict->amount);
    spec.limits.cpu_ms = outcome_box_cpu_ms(limits.cpu_ms);
    spec.limits.memory_bytes = limits.memory_bytes;
    if (!box_run(session->box, 0, &spec, &result, err)) {
        return err_wrap(err, "verdict of %s", verdict->name);
    }
    struct outcome outcome = outcome_of_run(&result, &limits);
    enum verdict over = size ? VERDICT_MEMORY_LIMIT_EXCEEDED : VERDICT_TIME_LIMIT_EXCEEDED;
    bool right = verdict->tenths < 10 ? outcome.kind == OUTCOME_CHECK
                                      : outcome.kind == OUTCOME_DECIDED && outcome.verdict == over;
    verdict->right[load] += right;
    samples_add(&verdict->samples[load], size ? result.memory_peak_bytes : cpu_us_of(&result));
    return true;
}

static bool judge_all(struct accuracy *accuracy, struct box_session *session, int64_t times,
                      enum load load, struct err *err) {
    for (int64_t i = 0; i < times; i++) {
        for (int j = 0; j < accuracy->verdict_count; j++) {
            struct accuracy_verdict *verdict = &accuracy->verdicts[j];
            bool turn = !is_fixed(verdict) || i % FIXED_SHARE == 0;
            if (turn && !judge_once(verdict, session, load, err)) {
                return false;
            }
        }
    }
    return true;
}

bool accuracy_measure(struct accuracy *accuracy, const struct accuracy_options *options,
                      struct err *err) {
    own_box_session session = {.box = NULL};
    const bool wanted[LOADS] = {options->idle, options->busy};
    if (!box_session_open(&session, err)) {
        return false;
    }
    for (int load = 0; load < LOADS; load++) {
        if (!wanted[load]) {
            continue;
        }
        (void)fprintf(stderr, "%s: %d programs %lld times, %d near their limit %lld times\n",
                      load_names[load], accuracy->row_count, (long long)options->repeat,
                      accuracy->verdict_count, (long long)options->verdicts);
        if (!box_session_set_busy(&session, load == LOAD_BUSY, err) ||
            !measure_rows(accuracy, &session, options->repeat, (enum load)load, err) ||
            !judge_all(accuracy, &session, options->verdicts, (enum load)load, err)) {
            return false;
        }
    }
    return true;
}

/* ---- the report ---- */

static int64_t size_of(int64_t value) {
    return value < 0 ? -value : value;
}

int64_t accuracy_worst(struct samples *samples, int64_t known) {
    int64_t low = samples_least(samples) - known;
    int64_t high = samples_greatest(samples) - known;
    return samples->count == 0 ? 0 : size_of(low) > size_of(high) ? low : high;
}

bool accuracy_is_within(const struct accuracy_row *row, int64_t error) {
    int64_t fixed = strcmp(row->what, "cpu") == 0 ? 3000 : MIB;
    int64_t share = row->known / 50;
    return size_of(error) <= (share > fixed ? share : fixed);
}

/* In thousandths of the unit that people read: ms or MiB. */
static int64_t shown(const char *what, int64_t value) {
    return strcmp(what, "cpu") == 0 ? value : value * 1000 / MIB;
}

static void print_row(struct accuracy_row *row, enum load load, struct table *table) {
    struct samples *samples = &row->samples[load];
    int64_t worst = accuracy_worst(samples, row->known);
    table_cell(table, "%s %s", row->what, row->kind);
    table_cell(table, "%s", load_names[load]);
    table_number(table, shown(row->what, row->known), 3, 0);
    table_number(table, shown(row->what, samples_median(samples)), 3, 2);
    table_number(table, shown(row->what, samples_median(samples) - row->known), 3, 2);
    table_number(table, shown(row->what, samples_spread(samples)), 3, 2);
    table_number(table, shown(row->what, worst), 3, 2);
    table_cell(table, "%s", accuracy_is_within(row, worst) ? "yes" : "NO");
}

static void print_verdict(struct accuracy_verdict *verdict, enum load load, struct table *table) {
    const char *what = is_size(verdict) ? "memory" : "cpu";
    struct samples *samples = &verdict->samples[load];
    table_cell(table, "%s", verdict->name);
    table_cell(table, "%s", load_names[load]);
    table_number(table, verdict->tenths, 1, 1);
    table_number(table, shown(what, verdict->limit), 3, 0);
    table_number(table, shown(what, samples_least(samples)), 3, 2);
    table_number(table, shown(what, samples_median(samples)), 3, 2);
    table_number(table, shown(what, samples_greatest(samples)), 3, 2);
    table_cell(table, "%lld of %lld", (long long)verdict->right[load], (long long)samples->count);
}

void accuracy_print(struct accuracy *accuracy, enum bench_format format, struct buf *out) {
    own_table rows;
    own_table verdicts;
    table_init(&rows, "program|load|known|median|error|spread|worst error|within");
    for (int i = 0; i < accuracy->row_count * LOADS; i++) {
        struct accuracy_row *row = &accuracy->rows[i / LOADS];
        if (row->samples[i % LOADS].count > 0) {
            print_row(row, (enum load)(i % LOADS), &rows);
        }
    }
    buf_append_c(out, "CPU time in ms, memory in MiB; within: 2 %, or 3 ms or 1 MiB\n\n");
    table_print(&rows, format, out);
    table_init(&verdicts, "near its limit|load|of limit|limit|min|median|max|judged right");
    for (int i = 0; i < accuracy->verdict_count * LOADS; i++) {
        struct accuracy_verdict *verdict = &accuracy->verdicts[i / LOADS];
        if (verdict->samples[i % LOADS].count > 0) {
            print_verdict(verdict, (enum load)(i % LOADS), &verdicts);
        }
    }
    buf_append_c(out, "\n");
    table_print(&verdicts, format, out);
}

static void row_json(struct accuracy_row *row, enum load load, struct jw *json) {
    int64_t worst = accuracy_worst(&row->samples[load], row->known);
    jw_object_begin(json);
    jw_put_cstr(json, "what", row->what);
    jw_put_cstr(json, "kind", row->kind);
    jw_put_cstr(json, "load", load_names[load]);
    jw_put_i64(json, "known", row->known);
    jw_put_i64(json, "worstError", worst);
    jw_put_bool(json, "within", accuracy_is_within(row, worst));
    jw_key(json, "measured");
    samples_json(&row->samples[load], 0, json);
    jw_object_end(json);
}

static void verdict_json(struct accuracy_verdict *verdict, enum load load, struct jw *json) {
    jw_object_begin(json);
    jw_put_cstr(json, "kind", verdict->name);
    jw_put_cstr(json, "load", load_names[load]);
    jw_put_decimal(json, "ofLimit", verdict->tenths, 1);
    jw_put_i64(json, "limit", verdict->limit);
    jw_put_i64(json, "right", verdict->right[load]);
    jw_key(json, "measured");
    samples_json(&verdict->samples[load], 0, json);
    jw_object_end(json);
}

void accuracy_json(struct accuracy *accuracy, struct jw *json) {
    jw_key(json, "accuracy");
    jw_array_begin(json);
    for (int i = 0; i < accuracy->row_count * LOADS; i++) {
        if (accuracy->rows[i / LOADS].samples[i % LOADS].count > 0) {
            row_json(&accuracy->rows[i / LOADS], (enum load)(i % LOADS), json);
        }
    }
    jw_array_end(json);
    jw_key(json, "verdicts");
    jw_array_begin(json);
    for (int i = 0; i < accuracy->verdict_count * LOADS; i++) {
        if (accuracy->verdicts[i / LOADS].samples[i % LOADS].count > 0) {
            verdict_json(&accuracy->verdicts[i / LOADS], (enum load)(i % LOADS), json);
        }
    }
    jw_array_end(json);
}
