/* The text of several statements, as store/packet.h builds it from values of any kind.
 *
 * Holds: whatever the values are, the text has exactly as many statements as were ended, outside of
 * hex literals it holds no byte that a value could have brought, and the values read back are the
 * values that went in. */
#include "base/check.h"
#include "store/packet.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#define VALUES_MAX 64

/* From the input: a kind, then eight bytes of a number or a length and so many bytes. */
static struct rows_value next_value(struct str *input) {
    uint8_t kind = (uint8_t)input->ptr[0];
    *input = str_sub(*input, 1, input->len - 1);
    size_t len = input->len < 8 ? input->len : 8;
    if (kind % 4 == ROWS_NULL) {
        return rows_null();
    }
    if (kind % 4 == ROWS_I64) {
        int64_t number = 0;
        memcpy(&number, input->ptr, len);
        *input = str_sub(*input, len, input->len - len);
        return rows_i64(number);
    }
    len = (size_t)kind < input->len ? (size_t)kind : input->len;
    struct str text = str_sub(*input, 0, len);
    *input = str_sub(*input, len, input->len - len);
    return kind % 4 == ROWS_TEXT ? rows_text(text) : rows_blob(text);
}

static bool cut(struct str *text, const char *words) {
    size_t len = strlen(words);
    if (text->len < len || memcmp(text->ptr, words, len) != 0) {
        return false;
    }
    *text = str_sub(*text, len, text->len - len);
    return true;
}

static size_t span(struct str text, const char *of) {
    size_t len = 0;
    while (len < text.len && text.ptr[len] != '\0' && strchr(of, text.ptr[len]) != NULL) {
        len++;
    }
    return len;
}

static void expect_hex(struct str *text, struct str bytes) {
    CHECK(cut(text, "x'"));
    size_t len = span(*text, "0123456789abcdef");
    CHECK(len == 2 * bytes.len);
    for (size_t i = 0; i < bytes.len; i++) {
        char two[2];
        hex_encode((const uint8_t *)bytes.ptr + i, 1, two);
        CHECK(memcmp(two, text->ptr + 2 * i, 2) == 0);
    }
    *text = str_sub(*text, len, text->len - len);
    CHECK(cut(text, "'"));
}

static void expect_value(struct str *text, const struct rows_value *value) {
    struct err err = {0};
    int64_t number = 0;
    switch (value->type) {
    case ROWS_NULL: CHECK(cut(text, "NULL")); return;
    case ROWS_I64: {
        size_t len = span(*text, "-0123456789");
        CHECK(str_to_i64(str_sub(*text, 0, len), INT64_MIN, INT64_MAX, &number, &err));
        CHECK(number == value->i64);
        *text = str_sub(*text, len, text->len - len);
        return;
    }
    case ROWS_TEXT:
    case ROWS_BLOB: expect_hex(text, value->bytes); return;
    }
    CHECK(false);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const struct rows_write write = {.kind = ROWS_INSERT,
                                            .table = "job",
                                            .columns = "id, content",
                                            .column_count = 2,
                                            .key_count = 1};
    struct rows_value values[VALUES_MAX];
    struct str input = str_of(bytes, count);
    int pairs = 0;
    while (input.len > 1 && pairs < VALUES_MAX / 2) {
        values[2 * pairs] = rows_i64(pairs);
        values[2 * pairs + 1] = next_value(&input);
        pairs++;
    }
    own_packet packet = {0};
    packet_init(&packet);
    for (int i = 0; i < pairs; i++) {
        packet_write(&packet, &write, &values[2 * i], 1);
    }

    CHECK(packet.statements == pairs);
    struct str text = buf_str(&packet.text);
    for (int i = 0; i < pairs; i++) {
        CHECK(cut(&text, "INSERT INTO job (id, content) VALUES ("));
        expect_value(&text, &values[2 * i]);
        CHECK(cut(&text, ","));
        expect_value(&text, &values[2 * i + 1]);
        CHECK(cut(&text, ");"));
    }
    CHECK(text.len == 0);
    return 0;
}
