/* Numbers and text from outside, as base/str.h reads them.
 *
 * Holds: a number that is accepted lies within its limits and, printed again, is read as the same;
 * cutting and walking never lose or invent a byte; a prefix of well-formed UTF-8 is well-formed. */
#include "base/buf.h"
#include "base/check.h"
#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check_number(struct str text) {
    struct err err = {0};
    int64_t value = 0;
    if (!str_to_i64(text, -1000000, INT64_MAX, &value, &err)) {
        CHECK(err.kind == ERR_INVALID);
        return;
    }
    CHECK(value >= -1000000);
    own_buf printed = {0};
    buf_init(&printed, 64);
    CHECK(buf_append_i64(&printed, value));
    int64_t again = 0;
    CHECK(str_to_i64(buf_str(&printed), INT64_MIN, INT64_MAX, &again, &err));
    CHECK(again == value);
}

static void check_scaled(struct str text) {
    struct err err = {0};
    int64_t value = 0;
    if (!str_to_scaled(text, 3, 1000000, &value, &err)) {
        CHECK(err.kind == ERR_INVALID);
        return;
    }
    CHECK(value >= 0);
    CHECK(value <= 1000000);
    own_buf printed = {0};
    buf_init(&printed, 64);
    CHECK(buf_printf(&printed, "%lld.%03lld", (long long)value / 1000, (long long)value % 1000));
    int64_t again = -1;
    CHECK(str_to_scaled(buf_str(&printed), 3, 1000000, &again, &err));
    CHECK(again == value);
}

/* A prefix is never longer than asked, and loses less than one character when it must cut. */
static void check_prefixes(struct str text) {
    bool well_formed = str_is_utf8(text);
    for (size_t max = 0; max <= text.len && max < 64; max++) {
        struct str prefix = str_utf8_prefix(text, max);
        CHECK(prefix.len <= max);
        CHECK(prefix.len + 3 >= max);
        CHECK(!well_formed || str_is_utf8(prefix));
    }
}

static void check_hex(struct str text) {
    uint8_t bytes[16];
    char again[32];
    if (hex_decode(text, bytes, sizeof(bytes))) {
        hex_encode(bytes, sizeof(bytes), again);
        CHECK(str_eq_nocase(text, str_of(again, sizeof(again))));
    }
}

static void check_cuts(struct str text) {
    struct str head = {0};
    struct str tail = {0};
    bool found = str_cut(text, '=', &head, &tail);
    CHECK(head.len + tail.len + (found ? 1 : 0) == text.len);
    size_t lines = 0;
    size_t total = 0;
    struct str rest = text;
    for (struct str line = {0}; str_next_line(&rest, &line); lines++) {
        total += line.len;
    }
    CHECK(total <= text.len);
    CHECK(total + 2 * lines >= text.len); /* each line lost its LF or CRLF at most */
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct str text = str_of(bytes, count);
    check_number(text);
    check_scaled(text);
    check_cuts(text);
    check_prefixes(text);
    check_hex(text);
    return 0;
}
