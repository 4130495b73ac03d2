/* The verdicts: one row each. */
#include "domain/verdict.h"
#include "base/check.h"

struct verdict_row {
    const char *code;
    const char *short_code;
    const char *stats_key;
};

/* clang-format off */
static const struct verdict_row verdict_rows[VERDICT_COUNT] = {
    [VERDICT_NONE]                  = {"",                      "",    ""},
    [VERDICT_ACCEPTED]              = {"ACCEPTED",              "AC",  "Accepted"},
    [VERDICT_WRONG_ANSWER]          = {"WRONG_ANSWER",          "WA",  "Wrong_Answer"},
    [VERDICT_PRESENTATION_ERROR]    = {"PRESENTATION_ERROR",    "PE",  "Presentation_Error"},
    [VERDICT_TIME_LIMIT_EXCEEDED]   = {"TIME_LIMIT_EXCEEDED",   "TLE", "Time_Limit_Exceeded"},
    [VERDICT_MEMORY_LIMIT_EXCEEDED] = {"MEMORY_LIMIT_EXCEEDED", "MLE", "Memory_Limit_Exceeded"},
    [VERDICT_OUTPUT_LIMIT_EXCEEDED] = {"OUTPUT_LIMIT_EXCEEDED", "OLE", "Output_Limit_Exceeded"},
    [VERDICT_RUNTIME_ERROR]         = {"RUNTIME_ERROR",         "RE",  "Runtime_Error"},
    [VERDICT_COMPILE_ERROR]         = {"COMPILE_ERROR",         "CE",  "Compile_Error"},
    [VERDICT_PARTIAL]               = {"PARTIAL",               "PC",  "Partial"},
    [VERDICT_SYSTEM_ERROR]          = {"SYSTEM_ERROR",          "SE",  "System_Error"},
    [VERDICT_CANCELLED]             = {"CANCELLED",             "CN",  "Cancelled"},
};
/* clang-format on */

static const struct verdict_row *row_of(enum verdict verdict) {
    CHECK(verdict >= VERDICT_NONE && verdict < VERDICT_COUNT);
    return &verdict_rows[verdict];
}

const char *verdict_code(enum verdict verdict) {
    return row_of(verdict)->code;
}

const char *verdict_short(enum verdict verdict) {
    return row_of(verdict)->short_code;
}

const char *verdict_stats_key(enum verdict verdict) {
    return row_of(verdict)->stats_key;
}

bool verdict_parse(struct str code, enum verdict *ret_verdict) {
    for (int verdict = VERDICT_NONE + 1; verdict < VERDICT_COUNT; verdict++) {
        if (str_eq_c(code, verdict_rows[verdict].code)) {
            *ret_verdict = (enum verdict)verdict;
            return true;
        }
    }
    return false;
}
