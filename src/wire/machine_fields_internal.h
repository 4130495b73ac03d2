#ifndef WIRE_MACHINE_FIELDS_INTERNAL_H
#define WIRE_MACHINE_FIELDS_INTERNAL_H

#include "data/json.h"
#include "data/json_write.h"
#include "wire/machine_api.h"

/* Members that several messages share. Errors as in data/json.h: the text names the field. */

/* Parses `text` as one object. `known` NULL: other members are skipped, else refused. */
checked bool field_parse(struct str text, const char *const known[], struct json **ret_object,
                         struct err *err);
/* From 1 to ID_MAX: ids and epochs. */
checked bool field_id(const struct json *object, const char *name, int64_t *ret_id,
                      struct err *err);
checked bool field_i32(const struct json *object, const char *name, int32_t min, int32_t max,
                       int32_t *ret_value, struct err *err);
/* Copied into the arena. */
checked bool field_text(const struct json *object, const char *name, size_t bytes_max,
                        struct arena *arena, struct str *ret_text, struct err *err);
/* As field_text, but not empty. */
checked bool field_word(const struct json *object, const char *name, size_t bytes_max,
                        struct arena *arena, struct str *ret_text, struct err *err);
/* null or missing: empty. */
checked bool field_opt_text(const struct json *object, const char *name, size_t bytes_max,
                            struct arena *arena, struct str *ret_text, struct err *err);
checked bool field_digest(const struct json *object, const char *name, struct digest *ret_digest,
                          struct err *err);
checked bool field_token(const struct json *object, const char *name, uint64_t *ret_token,
                         struct err *err);
/* The index of the text among `names`, which has `count` places; unused ones are NULL. */
checked bool field_choice(const struct json *object, const char *name, const char *const names[],
                          int count, int *ret_index, struct err *err);
/* jobId, leaseEpoch, leaseToken. */
checked bool field_lease(const struct json *object, struct machine_lease *ret_lease,
                         struct err *err);
/* A list of 1 to RENEW_JOBS_MAX leases in `leases`. */
checked bool field_leases(const struct json *object, struct arena *arena,
                          const struct machine_lease **ret_leases, int32_t *ret_count,
                          struct err *err);

void put_token(struct jw *json, const char *name, uint64_t token);
void put_digest(struct jw *json, const char *name, const struct digest *digest);
void put_lease(struct jw *json, const struct machine_lease *lease);
void put_leases(struct jw *json, const struct machine_lease *leases, int32_t count);

#endif
