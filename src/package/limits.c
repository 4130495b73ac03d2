/* Limits of problem.yaml. A limit that is given is honoured exactly, or the package is refused. */
#include "base/check.h"
#include "package/reader_internal.h"
#include <stddef.h>

#define PASSES "validation_passes"
#define TIME_DIGITS 3 /* seconds to milliseconds */

static const struct limit_key {
    const char *name;
    size_t offset; /* of an int64_t in struct manifest_limits */
    int digits;
    int64_t factor; /* after the digits, into the field's unit */
    int64_t min, max;
    const char *unit;
} limit_keys[] = {
#define FIELD(member) offsetof(struct manifest_limits, member)
    {"time_limit", FIELD(time_ms), TIME_DIGITS, 1, TIME_LIMIT_MS_MIN, TIME_LIMIT_MS_MAX, "s"},
    {"memory", FIELD(memory_kib), 0, KIB, MEMORY_LIMIT_KIB_MIN, MEMORY_LIMIT_KIB_MAX, "MiB"},
    {"output", FIELD(output_kib), 0, KIB, 1, OUTPUT_LIMIT_KIB_MAX, "MiB"},
    {"code", FIELD(code_kib), 0, 1, 1, SOURCE_BYTES_MAX / KIB, "KiB"},
    {"compilation_time", FIELD(compile_time_ms), TIME_DIGITS, 1, 1, TIME_LIMIT_MS_MAX, "s"},
    {"compilation_memory", FIELD(compile_memory_kib), 0, KIB, MEMORY_LIMIT_KIB_MIN,
     MEMORY_LIMIT_KIB_MAX, "MiB"},
    {"validation_time", FIELD(validation_time_ms), TIME_DIGITS, 1, 1, TIME_LIMIT_MS_MAX, "s"},
    {"validation_memory", FIELD(validation_memory_kib), 0, KIB, MEMORY_LIMIT_KIB_MIN,
     MEMORY_LIMIT_KIB_MAX, "MiB"},
    {"validation_output", FIELD(validation_output_kib), 0, KIB, 1, OUTPUT_LIMIT_KIB_MAX, "MiB"},
#undef FIELD
};
#define LIMIT_KEYS (sizeof(limit_keys) / sizeof(limit_keys[0]))

/* For computing a time limit from the bundled submissions; and read_passes. */
static const char *const other_keys[] = {"time_multiplier", "time_safety_margin", "time_resolution",
                                         "time_multipliers", PASSES};
#define OTHER_KEYS (sizeof(other_keys) / sizeof(other_keys[0]))

static bool read_limit(const struct limit_key *key, const struct yaml *limits,
                       struct manifest_limits *into, bool *ret_given, struct err *err) {
    const struct yaml *node = yr_get(limits, key->name);
    int64_t scale = key->digits == TIME_DIGITS ? 1000 : 1;
    int64_t value = 0;
    *ret_given = !yr_is_null(node);
    if (!*ret_given) {
        return true;
    }
    if (!yr_scaled(node, key->digits, INT32_MAX, &value, err)) {
        return false;
    }
    value *= key->factor; /* at most 2^31 times 1024 */
    if (value < key->min || value > key->max) {
        int64_t unit = scale * key->factor;
        return package_refuse(err, str_from(node->file), node->line,
                              "`%s` is outside of what this judge can give: up to %lld %s",
                              key->name, (long long)(key->max / unit), key->unit);
    }
    *(int64_t *)((char *)into + key->offset) = value;
    return true;
}

static bool read_passes(const struct yaml *limits, struct manifest_limits *into, struct err *err) {
    const struct yaml *node = yr_get(limits, PASSES);
    int64_t passes = 0;
    if (yr_is_null(node)) {
        return true;
    }
    if (!yr_scaled(node, 0, INT32_MAX, &passes, err)) {
        return false;
    }
    if (passes < 1 || passes > VALIDATION_PASSES_MAX) {
        return package_refuse(err, str_from(node->file), node->line,
                              "`" PASSES "` is outside of what this judge can give: 1 to %d",
                              VALIDATION_PASSES_MAX);
    }
    into->validation_passes = (int32_t)passes;
    return true;
}

/* A factor of the rule for time limits that are not given. */
static bool read_factor(const struct yaml *map, const char *name, int64_t *value, struct err *err) {
    const struct yaml *node = yr_get(map, name);
    if (yr_is_null(node)) {
        return true;
    }
    if (!yr_scaled(node, TIME_DIGITS, INT32_MAX, value, err)) {
        return false;
    }
    return *value > 0 || yr_error(node, err, "`%s` is a number above 0", name);
}

static bool read_rule(struct package_reader *reader, const struct yaml *limits, struct err *err) {
    struct package_time_rule *rule = &reader->problem.time_rule;
    const struct yaml *multipliers = yr_get(limits, "time_multipliers");
    return read_factor(limits, "time_multiplier", &rule->multiplier_milli, err) &&
           read_factor(multipliers, "ac_to_time_limit", &rule->multiplier_milli, err) &&
           read_factor(limits, "time_resolution", &rule->resolution_ms, err);
}

bool limits_read(struct package_reader *reader, const struct yaml *limits, struct err *err) {
    const char *known[LIMIT_KEYS + OTHER_KEYS + 1] = {NULL};
    struct manifest_limits *into = &reader->problem.manifest.limits;
    bool legacy = reader->format == FORMAT_LEGACY;
    reader->problem.time_rule = (struct package_time_rule){legacy ? 5000 : 2000, 1000};
    if (yr_is_null(limits)) {
        return true;
    }
    if (!yr_map(limits, err)) {
        return false;
    }
    for (size_t i = 0; i < LIMIT_KEYS; i++) {
        bool given = false;
        known[i] = limit_keys[i].name;
        if (!read_limit(&limit_keys[i], limits, into, &given, err)) {
            return false;
        }
        if (i == 0 && given) {
            reader->yaml_time_ms = into->time_ms;
        }
    }
    for (size_t i = 0; i < OTHER_KEYS; i++) {
        known[LIMIT_KEYS + i] = other_keys[i];
    }
    yaml_warn_unknown(reader, limits, known);
    return read_passes(limits, into, err) && read_rule(reader, limits, err);
}
