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
    if (str_to_scaled(text, 3, 1000000, &value, &err)) {
        CHECK(value >= 0);
        CHECK(value <= 1000000);
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
    if (str_is_utf8(text)) {
        CHECK(str_is_utf8(str_utf8_prefix(text, count / 2)));
    }
    return 0;
}
