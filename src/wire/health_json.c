#include "wire/health_json.h"
#include "wire/machine_fields_internal.h"

#define PROTOCOL_MAX 1000000

struct digest health_proof(const struct digest *credential_digest, const char *challenge) {
    return hmac_sha256(str_of(credential_digest->bytes, sizeof credential_digest->bytes),
                       str_from(challenge));
}

bool health_encode(const struct health *health, struct buf *out, struct err *err) {
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_str(&json, "name", health->name);
    jw_put_i64(&json, "protocolMin", health->protocol_min);
    jw_put_i64(&json, "protocolMax", health->protocol_max);
    jw_put_str(&json, "configDigest", health->config_digest);
    put_digest(&json, "proof", &health->proof);
    jw_object_end(&json);
    return jw_finish(&json, "the health answer", err);
}

bool health_decode(struct str text, struct arena *arena, struct health *ret_health,
                   struct err *err) {
    own(json) object = NULL;
    struct health health = {0};
    if (!field_parse(text, NULL, &object, err) ||
        !field_word(object, "name", NODE_NAME_BYTES_MAX, arena, &health.name, err) ||
        !field_i32(object, "protocolMin", 1, PROTOCOL_MAX, &health.protocol_min, err) ||
        !field_i32(object, "protocolMax", 1, PROTOCOL_MAX, &health.protocol_max, err) ||
        !field_text(object, "configDigest", DIGEST_HEX_BYTES, arena, &health.config_digest, err) ||
        !field_digest(object, "proof", &health.proof, err)) {
        return false;
    }
    *ret_health = health;
    return true;
}
