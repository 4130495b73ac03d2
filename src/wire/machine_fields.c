/* Members that several machine messages share. */
#include "wire/machine_fields_internal.h"

#include "base/check.h"
#include "wire/machine_json.h"

void machine_token_hex(uint64_t token, char out[MACHINE_TOKEN_CHARS + 1]) {
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(token >> (56 - 8 * i));
    }
    hex_encode(bytes, sizeof(bytes), out);
    out[MACHINE_TOKEN_CHARS] = '\0';
}

/* One text for one value: upper-case hex is refused. */
static bool is_lower_hex(struct str text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) {
            return false;
        }
    }
    return true;
}

bool machine_token_parse(struct str text, uint64_t *ret_token) {
    uint8_t bytes[8];
    if (!is_lower_hex(text) || !hex_decode(text, bytes, sizeof(bytes))) {
        return false;
    }
    uint64_t token = 0;
    for (int i = 0; i < 8; i++) {
        token = token << 8 | bytes[i];
    }
    *ret_token = token;
    return true;
}

bool field_parse(struct str text, const char *const known[], struct json **ret_object,
                 struct err *err) {
    own(json) object = NULL;
    if (!jr_parse(text, &object, err)) {
        return false;
    }
    if (jr_kind(object) != JR_OBJECT) {
        return err_set(err, ERR_INVALID, "bad_field", "the message must be an object");
    }
    if (known != NULL && !jr_refuse_unknown(object, known, err)) {
        return false;
    }
    *ret_object = take(object);
    return true;
}

bool field_id(const struct json *object, const char *name, int64_t *ret_id, struct err *err) {
    return jr_i64(object, name, 1, ID_MAX, ret_id, err);
}

bool field_i32(const struct json *object, const char *name, int32_t min, int32_t max,
               int32_t *ret_value, struct err *err) {
    int64_t value = 0;
    if (!jr_i64(object, name, min, max, &value, err)) {
        return false;
    }
    *ret_value = (int32_t)value;
    return true;
}

bool field_text(const struct json *object, const char *name, size_t bytes_max, struct arena *arena,
                struct str *ret_text, struct err *err) {
    struct str text;
    if (!jr_str(object, name, bytes_max, &text, err)) {
        return false;
    }
    *ret_text = arena_str(arena, text);
    return true;
}

bool field_word(const struct json *object, const char *name, size_t bytes_max, struct arena *arena,
                struct str *ret_text, struct err *err) {
    struct str text;
    if (!field_text(object, name, bytes_max, arena, &text, err)) {
        return false;
    }
    if (text.len == 0) {
        return err_set(err, ERR_INVALID, "bad_field", "field `%s` must not be empty", name);
    }
    *ret_text = text;
    return true;
}

bool field_opt_text(const struct json *object, const char *name, size_t bytes_max,
                    struct arena *arena, struct str *ret_text, struct err *err) {
    struct str text = {0};
    if (!jr_opt_str(object, name, bytes_max, &text, err)) {
        return false;
    }
    *ret_text = text.len == 0 ? text : arena_str(arena, text);
    return true;
}

bool field_digest(const struct json *object, const char *name, struct digest *ret_digest,
                  struct err *err) {
    struct str text;
    if (!jr_str(object, name, DIGEST_HEX_BYTES, &text, err)) {
        return false;
    }
    if (!is_lower_hex(text) || !digest_parse(text, ret_digest)) {
        return err_set(err, ERR_INVALID, "bad_field",
                       "field `%s` must be a SHA-256 in 64 lower-case hex digits", name);
    }
    return true;
}

bool field_token(const struct json *object, const char *name, uint64_t *ret_token,
                 struct err *err) {
    struct str text;
    if (!jr_str(object, name, MACHINE_TOKEN_CHARS + 1, &text, err)) {
        return false;
    }
    if (!machine_token_parse(text, ret_token)) {
        return err_set(err, ERR_INVALID, "bad_field", "field `%s` must be 16 lower-case hex digits",
                       name);
    }
    return true;
}

bool field_choice(const struct json *object, const char *name, const char *const names[], int count,
                  int *ret_index, struct err *err) {
    struct str text;
    if (!jr_str(object, name, 64, &text, err)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (names[i] != NULL && str_eq_c(text, names[i])) {
            *ret_index = i;
            return true;
        }
    }
    return err_set(err, ERR_INVALID, "bad_field", "field `%s` must not be `" STR_FMT "`", name,
                   STR_ARG(text));
}

bool field_lease(const struct json *object, struct machine_lease *ret_lease, struct err *err) {
    return field_id(object, "jobId", &ret_lease->job.value, err) &&
           field_id(object, "leaseEpoch", &ret_lease->epoch, err) &&
           field_token(object, "leaseToken", &ret_lease->token, err);
}

bool field_leases(const struct json *object, struct arena *arena,
                  const struct machine_lease **ret_leases, int32_t *ret_count, struct err *err) {
    static const char *const known[] = {"jobId", "leaseEpoch", "leaseToken", NULL};
    const struct json *list = NULL;
    if (!jr_array(object, "leases", RENEW_JOBS_MAX, &list, err)) {
        return false;
    }
    size_t count = jr_count(list);
    if (count == 0) {
        return err_set(err, ERR_INVALID, "bad_field", "field `leases` must not be empty");
    }
    struct machine_lease *leases = arena_array(arena, count, sizeof(*leases));
    for (size_t i = 0; i < count; i++) {
        const struct json *item = NULL;
        if (!jr_item_object(list, i, &item, err) || !jr_refuse_unknown(item, known, err) ||
            !field_lease(item, &leases[i], err)) {
            return err_wrap(err, "leases[%zu]", i);
        }
    }
    *ret_leases = leases;
    *ret_count = (int32_t)count;
    return true;
}

void put_token(struct jw *json, const char *name, uint64_t token) {
    char hex[MACHINE_TOKEN_CHARS + 1];
    machine_token_hex(token, hex);
    jw_put_cstr(json, name, hex);
}

void put_digest(struct jw *json, const char *name, const struct digest *digest) {
    jw_put_hex(json, name, digest->bytes, sizeof(digest->bytes));
}

void put_lease(struct jw *json, const struct machine_lease *lease) {
    CHECK(lease->job.value > 0);
    CHECK(lease->epoch > 0);
    jw_put_i64(json, "jobId", lease->job.value);
    jw_put_i64(json, "leaseEpoch", lease->epoch);
    put_token(json, "leaseToken", lease->token);
}

void put_leases(struct jw *json, const struct machine_lease *leases, int32_t count) {
    CHECK(count > 0);
    CHECK(count <= RENEW_JOBS_MAX);
    jw_key(json, "leases");
    jw_array_begin(json);
    for (int32_t i = 0; i < count; i++) {
        jw_object_begin(json);
        put_lease(json, &leases[i]);
        jw_object_end(json);
    }
    jw_array_end(json);
}
