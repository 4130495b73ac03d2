/* The report of an import, as lines. */
#include "cli/report_text.h"

#include <stdio.h>

#define TEXT_BYTES_MAX 4096

static void print_notes(const struct json *report, const char *name, const char *label) {
    const struct json *notes = jr_get(report, name);
    for (size_t i = 0; i < jr_count(notes); i++) {
        struct err err = {0};
        struct str text = STR("");
        struct str file = STR("");
        int64_t line = 0;
        const struct json *note = jr_at(notes, i);
        if (!jr_opt_str(note, "text", TEXT_BYTES_MAX, &text, &err) ||
            !jr_opt_str(note, "file", TEXT_BYTES_MAX, &file, &err) ||
            !jr_opt_i64(note, "line", 0, INT32_MAX, &line, &err)) {
            continue;
        }
        (void)printf("  %s: " STR_FMT, label, STR_ARG(file));
        if (line > 0) {
            (void)printf(":%lld", (long long)line);
        }
        (void)printf("%s" STR_FMT "\n", file.len > 0 ? ": " : "", STR_ARG(text));
    }
}

void report_text_print(const struct json *report) {
    print_notes(report, "refused", "refused");
    print_notes(report, "warnings", "warning");
    print_notes(report, "guessed", "guessed");
    print_notes(report, "dropped", "not used");
    size_t read = jr_count(jr_get(report, "read"));
    if (read > 0) {
        (void)printf("  read: %zu files and parts\n", read);
    }
}
