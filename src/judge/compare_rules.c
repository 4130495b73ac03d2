/* The options of the built-in checkers, from the manifest and from flags. */
#include "base/check.h"
#include "judge/compare.h"

#include <math.h>
#include <stdlib.h>

static bool read_tolerance(struct str text, bool *ret_has, long double *ret_value,
                           struct err *err) {
    char buffer[64];
    char *end = NULL;
    if (!str_to_c(text, buffer, sizeof buffer, err)) {
        err->fault = FAULT_PROBLEM;
        return err_wrap(err, "tolerance of the checker");
    }
    long double value = strtold(buffer, &end);
    if (text.len == 0 || *end != '\0' || !isfinite(value) || value < 0) {
        return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "bad_checker_flags",
                         "the checker's tolerance \"%s\" is no number of 0 or more", buffer);
    }
    *ret_has = true;
    *ret_value = value;
    return true;
}

static bool read_tolerance_word(struct str word, struct str *rest, struct compare_rules *rules,
                                struct err *err) {
    struct str value = {0};
    bool both = str_eq_c(word, "float_tolerance");
    bool absolute = both || str_eq_c(word, "float_absolute_tolerance");
    bool relative = both || str_eq_c(word, "float_relative_tolerance");
    if (!absolute && !relative) {
        return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "bad_checker_flags",
                         "the default checker has no flag \"" STR_FMT "\"",
                         STR_ARG(str_utf8_prefix(word, 64)));
    }
    if (!str_next_word(rest, &value)) {
        return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "bad_checker_flags",
                         "the checker's flag " STR_FMT " needs a number", STR_ARG(word));
    }
    return (!absolute || read_tolerance(value, &rules->has_absolute, &rules->absolute, err)) &&
           (!relative || read_tolerance(value, &rules->has_relative, &rules->relative, err));
}

static bool read_args(struct str args, struct compare_rules *rules, struct err *err) {
    struct str word = {0};
    *rules = (struct compare_rules){.kind = rules->kind};
    while (str_next_word(&args, &word)) {
        if (str_eq_c(word, "case_sensitive")) {
            rules->case_sensitive = true;
        } else if (str_eq_c(word, "space_change_sensitive")) {
            rules->space_sensitive = true;
        } else if (!read_tolerance_word(word, &args, rules, err)) {
            return false;
        }
    }
    return true;
}

bool compare_rules_read(const struct manifest_checker *checker, struct str args,
                        struct compare_rules *ret_rules, struct err *err) {
    struct compare_rules rules = {.kind = checker->kind,
                                  .case_sensitive = checker->case_sensitive,
                                  .space_sensitive = checker->space_sensitive};
    CHECK(rules.kind > CHECKER_NONE && rules.kind < CHECKER_PROGRAM);
    if (checker->float_absolute.len > 0 &&
        !read_tolerance(checker->float_absolute, &rules.has_absolute, &rules.absolute, err)) {
        return false;
    }
    if (checker->float_relative.len > 0 &&
        !read_tolerance(checker->float_relative, &rules.has_relative, &rules.relative, err)) {
        return false;
    }
    if (str_trim(args).len > 0 && !read_args(args, &rules, err)) {
        return false;
    }
    if (rules.kind == CHECKER_UNORDERED_LINES &&
        (rules.has_absolute || rules.has_relative || rules.space_sensitive)) {
        return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "bad_checker_flags",
                         "unordered lines cannot be compared with a tolerance or by white space");
    }
    *ret_rules = rules;
    return true;
}
