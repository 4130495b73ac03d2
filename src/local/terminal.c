/* Tables and colours. */
#include "local/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool terminal_has_colours(FILE *file) {
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return isatty(fileno(file)) == 1 && (no_color == NULL || no_color[0] == '\0') && term != NULL &&
           strcmp(term, "dumb") != 0;
}

static bool is_control(struct str piece) {
    unsigned char first = (unsigned char)piece.ptr[0];
    bool c1 = piece.len == 2 && first == 0xc2 && (unsigned char)piece.ptr[1] < 0xa0;
    return first < ' ' || first == 0x7f || c1;
}

/* The next character; what is not UTF-8 is one byte long and comes out as '?'. */
static struct str next_piece(struct str *text) {
    size_t len = str_utf8_len(*text);
    struct str piece = len == 0 ? STR("?") : str_sub(*text, 0, len);
    *text = str_sub(*text, len == 0 ? 1 : len, text->len);
    return piece;
}

static void print(FILE *file, struct str text, bool lines) {
    while (text.len > 0) {
        struct str piece = next_piece(&text);
        bool allowed = lines && (piece.ptr[0] == '\n' || piece.ptr[0] == '\t');
        if (is_control(piece) && !allowed) {
            piece = STR("?");
        }
        (void)fwrite(piece.ptr, 1, piece.len, file);
    }
}

void terminal_print(FILE *file, struct str text) {
    print(file, text, true);
}

static uint32_t code_point(struct str piece) {
    uint32_t first = (unsigned char)piece.ptr[0];
    uint32_t code = piece.len == 1 ? first : first & (0x7fu >> piece.len);
    for (size_t i = 1; i < piece.len; i++) {
        code = code << 6 | ((unsigned char)piece.ptr[i] & 0x3fu);
    }
    return code;
}

/* The blocks that names and messages hold: Hangul, CJK, full-width forms, emoji. */
static bool is_wide(uint32_t code) {
    static const struct {
        uint32_t from, to;
    } blocks[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},  {0xac00, 0xd7a3},
                  {0xf900, 0xfaff},   {0xfe30, 0xfe4f},   {0xff00, 0xff60},  {0xffe0, 0xffe6},
                  {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
        if (code >= blocks[i].from && code <= blocks[i].to) {
            return true;
        }
    }
    return false;
}

int terminal_columns(struct str text) {
    int columns = 0;
    while (text.len > 0) {
        columns += is_wide(code_point(next_piece(&text))) ? 2 : 1;
    }
    return columns;
}

void terminal_cell(FILE *file, struct str text, int columns) {
    print(file, text, false);
    for (int used = terminal_columns(text); used < columns; used++) {
        (void)fputc(' ', file);
    }
}

const char *terminal_colour(bool colours, enum verdict verdict) {
    if (!colours) {
        return "";
    }
    return verdict == VERDICT_ACCEPTED ? "\x1b[32m" : "\x1b[31m";
}

const char *terminal_plain(bool colours) {
    return colours ? "\x1b[0m" : "";
}
