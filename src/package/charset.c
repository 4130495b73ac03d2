/* Names in other character sets. iconv knows the tables; we only choose. */
#include "package/charset.h"

#include "base/check.h"
#include <iconv.h>

#define GROWTH 4 /* one byte becomes at most this many in UTF-8 */

static bool convert(const char *charset, struct arena *arena, struct str raw,
                    struct str *ret_text) {
    iconv_t converter = iconv_open("UTF-8", charset);
    if (converter == (iconv_t)-1) {
        return false;
    }
    size_t room = raw.len * GROWTH;
    char *text = arena_alloc(arena, room + 1);
    char *in = (char *)(uintptr_t)raw.ptr; /* iconv's prototype, which does not write there */
    char *out = text;
    size_t in_left = raw.len;
    size_t out_left = room;
    size_t result = iconv(converter, &in, &in_left, &out, &out_left);
    iconv_close(converter);
    if (result == (size_t)-1 || in_left > 0) {
        return false;
    }
    *ret_text = str_of(text, room - out_left);
    return true;
}

/* Any bytes are a name in this one: what has no letter becomes '?'. */
static struct str as_ascii(struct arena *arena, struct str raw) {
    char *text = arena_alloc(arena, raw.len + 1);
    for (size_t i = 0; i < raw.len; i++) {
        text[i] = (unsigned char)raw.ptr[i] < 0x80 ? raw.ptr[i] : '?';
    }
    return str_of(text, raw.len);
}

struct str charset_decode(struct arena *arena, struct str raw, const char **ret_charset) {
    static const char *const charsets[] = {"GBK", "CP437"};
    struct str text = STR("");
    *ret_charset = NULL;
    if (str_is_utf8(raw)) {
        return arena_str(arena, raw);
    }
    for (size_t i = 0; i < sizeof(charsets) / sizeof(charsets[0]); i++) {
        if (convert(charsets[i], arena, raw, &text)) {
            *ret_charset = charsets[i];
            return text;
        }
    }
    *ret_charset = "ASCII";
    return as_ascii(arena, raw);
}
