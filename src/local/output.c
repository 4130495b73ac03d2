/* How a judgement looks at a terminal and as JSON. */
#include "local/output.h"

#include "data/json_write.h"
#include "local/terminal.h"

#define NAME_COLUMNS_MAX 40
#define CODE_COLUMNS 21 /* of the longest verdict */

static int name_columns(const struct judgement *judgement) {
    int widest = 4;
    for (int32_t i = 0; i < judgement->case_count; i++) {
        int columns = terminal_columns(judgement->cases[i].name);
        widest = columns > widest ? columns : widest;
    }
    return widest > NAME_COLUMNS_MAX ? NAME_COLUMNS_MAX : widest;
}

static void print_case(FILE *file, const struct case_result *row, int columns, bool colours) {
    const char *code = verdict_code(row->verdict);
    terminal_cell(file, row->name, columns);
    (void)fprintf(file, "  %s%-*s%s  %7lld ms  %7lld ms  %8.1f MiB  ",
                  terminal_colour(colours, row->verdict), CODE_COLUMNS, code,
                  terminal_plain(colours), (long long)row->cpu_ms, (long long)row->wall_ms,
                  (double)row->memory_kib / 1024.0);
    terminal_cell(file, row->message, 0);
    if (row->staff.len > 0 && !str_eq(row->staff, row->message)) {
        (void)fprintf(file, "%schecker: ", row->message.len > 0 ? "; " : "");
        terminal_cell(file, row->staff, 0);
    }
    if (row->twice) {
        (void)fprintf(file, "%s(run twice: the other run took %lld ms of CPU, %lld ms in all)",
                      row->message.len > 0 ? " " : "", (long long)row->other_cpu_ms,
                      (long long)row->other_wall_ms);
    }
    (void)fputc('\n', file);
}

static void print_log(FILE *file, struct str log) {
    terminal_print(file, log);
    if (log.len > 0 && log.ptr[log.len - 1] != '\n') {
        (void)fputc('\n', file);
    }
}

void output_verdict(FILE *file, const struct judgement *judgement, bool colours) {
    (void)fprintf(file, "%s%s%s", terminal_colour(colours, judgement->verdict),
                  verdict_code(judgement->verdict), terminal_plain(colours));
    if (judgement->cases_total > 0) {
        (void)fprintf(file, "  %d of %d cases passed", judgement->cases_passed,
                      judgement->cases_total);
    }
    if (judgement->message.len > 0) {
        (void)fprintf(file, ": ");
        terminal_cell(file, judgement->message, 0);
    }
    (void)fputc('\n', file);
}

void output_table(FILE *file, const struct judgement *judgement, bool colours) {
    int columns = name_columns(judgement);
    output_verdict(file, judgement, colours);
    if (judgement->compile.ran && (!judgement->compile.ok || judgement->compile.log.len > 0)) {
        print_log(file, judgement->compile.log);
    }
    if (judgement->case_count == 0) {
        return;
    }
    (void)fprintf(file, "\n%-*s  %-*s  %10s  %10s  %12s\n", columns, "case", CODE_COLUMNS,
                  "verdict", "CPU", "wall", "memory");
    for (int32_t i = 0; i < judgement->case_count; i++) {
        print_case(file, &judgement->cases[i], columns, colours);
    }
}

static void write_case(struct jw *json, const struct case_result *row) {
    jw_object_begin(json);
    jw_put_str(json, "name", row->name);
    jw_put_cstr(json, "verdict", verdict_code(row->verdict));
    jw_put_i64(json, "cpuMs", row->cpu_ms);
    jw_put_i64(json, "wallMs", row->wall_ms);
    jw_put_i64(json, "memoryKb", row->memory_kib);
    if (row->twice) {
        jw_put_i64(json, "otherCpuMs", row->other_cpu_ms);
        jw_put_i64(json, "otherWallMs", row->other_wall_ms);
    }
    jw_put_str(json, "message", row->message);
    if (row->staff.len > 0) {
        jw_put_str(json, "staffMessage", row->staff);
    }
    jw_object_end(json);
}

static void write_compile(struct jw *json, const struct compile_result *compile) {
    jw_key(json, "compile");
    jw_object_begin(json);
    jw_put_bool(json, "ran", compile->ran);
    jw_put_bool(json, "ok", compile->ok);
    jw_put_i64(json, "cpuMs", compile->cpu_ms);
    jw_put_i64(json, "wallMs", compile->wall_ms);
    jw_put_i64(json, "memoryKb", compile->memory_kib);
    jw_put_str(json, "log", compile->log);
    jw_object_end(json);
}

bool output_json(const struct judgement *judgement, struct buf *into, struct err *err) {
    struct jw json;
    jw_init(&json, into);
    jw_object_begin(&json);
    jw_put_cstr(&json, "verdict", verdict_code(judgement->verdict));
    jw_put_decimal(&json, "score", judgement->score_micro, 6);
    jw_put_i64(&json, "casesPassed", judgement->cases_passed);
    jw_put_i64(&json, "casesTotal", judgement->cases_total);
    jw_put_str(&json, "language", judgement->language);
    jw_put_str(&json, "message", judgement->message);
    jw_key(&json, "cases");
    jw_array_begin(&json);
    for (int32_t i = 0; i < judgement->case_count; i++) {
        write_case(&json, &judgement->cases[i]);
    }
    jw_array_end(&json);
    write_compile(&json, &judgement->compile);
    jw_object_end(&json);
    if (!jw_finish(&json, "the result", err)) {
        return false;
    }
    buf_append_char(into, '\n');
    return buf_ok(into, "the result", err);
}
