/* The canonical text of a manifest as domain/manifest.h reads it.
 *
 * Holds: what is accepted fulfils manifest_check and is written back byte by byte; a refusal is
 * bad_manifest in UTF-8 or a text that is too large; every file it names has a digest. */
#include "base/check.h"
#include "base/limits.h"
#include "domain/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check_blob(void *context, const struct blob_ref *blob) {
    int64_t *files = context;
    *files += 1;
    CHECK(blob->bytes >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    own(arena) arena = arena_create(64 * (size_t)MIB);
    struct manifest manifest;
    struct err err = {0};
    struct str text = str_of(bytes, count);
    if (!manifest_read(text, arena, &manifest, &err)) {
        CHECK(err.kind == ERR_INVALID || err.kind == ERR_TOO_LARGE);
        CHECK(str_eq_c(str_from(err.code), "bad_manifest"));
        return 0;
    }
    own_buf again;
    buf_init(&again, MANIFEST_BYTES_MAX);
    int64_t files = 0;
    CHECK(manifest_check(&manifest, &err));
    CHECK(manifest_write(&manifest, &again, &err));
    CHECK(str_eq(buf_str(&again), text));
    manifest_each_blob(&manifest, check_blob, &files);
    CHECK(files <= (int64_t)count);
    for (int32_t i = -1; i < manifest.case_count; i++) {
        CHECK(manifest_time_ms(&manifest, i, STR("python3")) >= TIME_LIMIT_MS_MIN);
        CHECK(manifest_memory_kib(&manifest, i, STR("c")) <= MEMORY_LIMIT_KIB_MAX);
    }
    return 0;
}
