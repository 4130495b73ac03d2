#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/str.h"

/* One event is one JSON line on standard error: time, level, event (`noun.verb`), fields.
 *
 *     log_info("job.claimed", LOG_I64("job", id), LOG_STR("node", name));
 *
 * A function either logs or returns an error, never both. base, domain, store, judge and box never
 * log above debug. Never log source code, passwords, tokens or test data. */

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };
enum log_format { LOG_FORMAT_JSON, LOG_FORMAT_TEXT };

enum log_field_kind { LOG_FIELD_END, LOG_FIELD_I64, LOG_FIELD_STR, LOG_FIELD_BOOL, LOG_FIELD_ERR };

struct log_field {
    enum log_field_kind kind;
    const char *name;
    int64_t number;
    struct str text;
    const struct err *err;
};

#define LOG_I64(name_, value_)                                                                     \
    ((struct log_field){.kind = LOG_FIELD_I64, .name = (name_), .number = (int64_t)(value_)})
#define LOG_STR(name_, value_)                                                                     \
    ((struct log_field){.kind = LOG_FIELD_STR, .name = (name_), .text = str_from(value_)})
#define LOG_TEXT(name_, value_)                                                                    \
    ((struct log_field){.kind = LOG_FIELD_STR, .name = (name_), .text = (value_)})
#define LOG_BOOL(name_, value_)                                                                    \
    ((struct log_field){.kind = LOG_FIELD_BOOL, .name = (name_), .number = (value_)})
#define LOG_ERR(err_) ((struct log_field){.kind = LOG_FIELD_ERR, .name = "error", .err = (err_)})

/* Set once, before the first thread starts. Default: LOG_INFO, JSON, fd 2. `role` ("server",
 * "node") goes into every line; must have static storage. */
void log_setup(enum log_level level, enum log_format format, int fd, const char *role);
bool log_level_parse(struct str text, enum log_level *ret_level);

void log_write(enum log_level level, const char *event, const struct log_field *fields);

#define LOG_FIELDS(...)                                                                            \
    ((const struct log_field[]){__VA_ARGS__ __VA_OPT__(, ){.kind = LOG_FIELD_END}})
#define log_debug(event, ...) log_write(LOG_DEBUG, (event), LOG_FIELDS(__VA_ARGS__))
#define log_info(event, ...) log_write(LOG_INFO, (event), LOG_FIELDS(__VA_ARGS__))
#define log_warn(event, ...) log_write(LOG_WARN, (event), LOG_FIELDS(__VA_ARGS__))
#define log_error(event, ...) log_write(LOG_ERROR, (event), LOG_FIELDS(__VA_ARGS__))

#endif
