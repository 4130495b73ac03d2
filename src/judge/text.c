/* Bounded, valid text from what programs wrote. */
#include "judge/text.h"
#include "base/buf.h"
#include "base/check.h"
#include "judge/reader.h"

#define CUT_MARK STR(" ...")
#define REPLACEMENT STR("\xef\xbf\xbd")

static bool is_plain(struct str rest, size_t length) {
    unsigned char c = (unsigned char)rest.ptr[0];
    return length > 1 || (length == 1 && ((c >= ' ' && c != 0x7f) || c == '\n' || c == '\t'));
}

struct str text_clean(struct arena *arena, struct str bytes, size_t bytes_max) {
    CHECK(bytes_max > CUT_MARK.len);
    own_buf text = {0};
    buf_init(&text, bytes_max - CUT_MARK.len);
    struct str rest = bytes;
    while (rest.len > 0 && !text.full) {
        size_t length = str_utf8_len(rest);
        bool line_end = rest.len > 1 && rest.ptr[0] == '\r' && rest.ptr[1] == '\n';
        if (!line_end) {
            (void)buf_append(&text,
                             is_plain(rest, length) ? str_sub(rest, 0, length) : REPLACEMENT);
        }
        rest = str_sub(rest, length == 0 ? 1 : length, rest.len);
    }
    struct str kept = buf_str(&text);
    while (kept.len > 0 && reader_is_space(kept.ptr[kept.len - 1])) {
        kept.len--;
    }
    if (!text.full) {
        return arena_str(arena, kept);
    }
    return str_from(arena_printf(arena, STR_FMT STR_FMT, STR_ARG(kept), STR_ARG(CUT_MARK)));
}

bool text_from_file(struct arena *arena, int fd, size_t bytes_max, struct str *ret_text,
                    struct err *err) {
    CHECK(bytes_max < READER_WINDOW_BYTES);
    struct reader reader;
    reader_init(&reader, fd);
    struct str text = text_clean(
        arena, str_sub(reader_peek(&reader, bytes_max + 1), 0, bytes_max + 1), bytes_max);
    bool good = reader_ok(&reader, "what a program wrote", err);
    reader_done(&reader);
    if (good) {
        *ret_text = text;
    }
    return good;
}
