#include "app/node_text.h"
#include "base/limits.h"

static bool is_line_text(struct str text) {
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] < ' ') {
            return false;
        }
    }
    return true;
}

bool node_languages_write(const struct node_language *languages, int count, struct buf *into,
                          struct err *err) {
    if (count < 0 || count > LANGUAGES_MAX) {
        return err_set(err, ERR_INVALID, "bad_field", "at most %d languages", LANGUAGES_MAX);
    }
    for (int i = 0; i < count; i++) {
        const struct node_language *language = &languages[i];
        if (language->id.len == 0 || !is_line_text(language->id) ||
            !is_line_text(language->version)) {
            return err_set(err, ERR_INVALID, "bad_field",
                           "language %d has no id, or control characters in it", i + 1);
        }
        buf_append(into, language->id);
        buf_append_char(into, '\t');
        buf_append(into, language->version);
        buf_append_char(into, '\n');
    }
    return buf_ok(into, "languages", err);
}

int node_languages_read(struct str stored, struct arena *arena,
                        struct node_language **ret_languages) {
    struct node_language *languages = arena_array(arena, LANGUAGES_MAX, sizeof languages[0]);
    int count = 0;
    struct str line = {0};
    while (count < LANGUAGES_MAX && str_next_line(&stored, &line)) {
        struct node_language *language = &languages[count];
        count += str_cut(line, '\t', &language->id, &language->version) ? 1 : 0;
    }
    *ret_languages = languages;
    return count;
}
