/* Any bytes as a statement in TeX, by package/tex.h.
 *
 * Holds: it ends soon and within its buffer; text of letters alone comes out as it went in; what is
 * UTF-8 stays UTF-8. */
#include "base/check.h"
#include "base/limits.h"
#include "package/tex.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#define TEXT_BYTES_MAX ((size_t)64 * KIB)

static void note(void *context, struct str name) {
    (void)context;
    CHECK(name.len <= TEXT_BYTES_MAX);
}

static bool is_plain(struct str text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) {
            return false;
        }
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct str text = str_of(bytes, count < TEXT_BYTES_MAX ? count : TEXT_BYTES_MAX);
    struct err err = {0};
    own_buf out;
    buf_init(&out, 8 * MIB);
    if (!tex_to_markdown(text, &out, note, NULL, &err)) {
        CHECK(err.kind == ERR_TOO_LARGE);
        return 0;
    }
    CHECK(!is_plain(text) || str_eq(text, buf_str(&out)));
    CHECK(!str_is_utf8(text) || str_is_utf8(buf_str(&out)));
    return 0;
}
