#include "app/titles.h"

static int count_lines(struct str text) {
    int lines = 0;
    struct str line = {0};
    while (str_next_line(&text, &line)) {
        lines++;
    }
    return lines;
}

int titles_read(struct str stored, struct arena *arena, struct text_by_language **ret_titles) {
    struct str rest = arena_str(arena, stored);
    struct text_by_language *titles =
        arena_array(arena, (size_t)count_lines(rest), sizeof titles[0]);
    int count = 0;
    struct str line = {0};
    while (str_next_line(&rest, &line)) {
        struct text_by_language *title = &titles[count];
        count += str_cut(line, '\t', &title->language, &title->text) ? 1 : 0;
    }
    *ret_titles = titles;
    return count;
}

static void append_clean(struct buf *into, struct str text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        buf_append_char(into, c == '\t' || c == '\n' || c == '\r' ? ' ' : c);
    }
}

bool titles_write(const struct text_by_language *titles, int count, struct buf *into,
                  struct err *err) {
    for (int i = 0; i < count; i++) {
        append_clean(into, titles[i].language);
        buf_append_char(into, '\t');
        append_clean(into, titles[i].text);
        buf_append_char(into, '\n');
    }
    return buf_ok(into, "titles", err);
}
