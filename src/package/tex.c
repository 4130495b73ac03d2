/* TeX to Markdown: one pass over the text, by tables of commands and environments. A command's
 * arguments and an environment's body are texts of their own, converted in the same way, so that
 * depth is bounded by DEPTH_MAX; what is deeper stays as it is. */
#include "package/tex.h"

#include "package/tex_internal.h"
#include <string.h>

#define DEPTH_MAX 24
#define BUDGET_PER_BYTE 200

/* ---- output ---- */

static bool at_line_start(const struct tex *tex) {
    return tex->out->len == tex->begin || tex->out->ptr[tex->out->len - 1] == '\n';
}

void tex_put(struct tex *tex, struct str text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i] == '\n' && tex->flat ? ' ' : text.ptr[i];
        bool starts = c != '\n' && at_line_start(tex);
        for (int k = 0; starts && k < tex->indent; k++) {
            buf_append_char(tex->out, ' ');
        }
        buf_append_char(tex->out, c);
    }
}

void tex_put_c(struct tex *tex, const char *text) {
    tex_put(tex, str_from(text));
}

static bool is_alnum(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Characters that would begin something in Markdown. */
static bool needs_escape(const struct tex *tex, char c, bool first) {
    if (c == '|') {
        return tex->cell;
    }
    if (first && (c == '#' || c == '+' || c == '-' || c == '=' || c == '>')) {
        return true;
    }
    return c != '\0' && strchr("*_<`[]\\$", c) != NULL;
}

void tex_put_plain(struct tex *tex, struct str text) {
    for (size_t i = 0; i < text.len; i++) {
        char pair[2] = {'\\', text.ptr[i]};
        bool escaped = needs_escape(tex, text.ptr[i], at_line_start(tex));
        tex_put(tex, escaped ? str_of(pair, 2) : str_of(pair + 1, 1));
    }
}

static void trim_line(struct tex *tex) {
    while (tex->out->len > tex->begin && tex->out->ptr[tex->out->len - 1] == ' ') {
        tex->out->len--;
    }
}

void tex_end_line(struct tex *tex) {
    if (tex->flat) {
        tex_put_c(tex, " ");
        return;
    }
    trim_line(tex);
    if (!at_line_start(tex)) {
        buf_append_char(tex->out, '\n');
    }
}

void tex_paragraph(struct tex *tex) {
    tex_end_line(tex);
    size_t len = tex->out->len;
    bool empty = len == tex->begin || (len > tex->begin + 1 && tex->out->ptr[len - 2] == '\n');
    if (!tex->flat && !empty) {
        buf_append_char(tex->out, '\n');
    }
}

void tex_unknown(struct tex *tex, struct str name) {
    for (int i = 0; i < tex->noted_count; i++) {
        if (str_eq(tex->noted[i], name)) {
            return;
        }
    }
    if (tex->noted_count < TEX_NOTED_MAX) {
        tex->noted[tex->noted_count++] = name;
        tex->note(tex->context, name);
    }
}

/* ---- reading ---- */

static void skip_comment(struct str *rest) {
    struct str line = STR("");
    struct str tail = STR("");
    bool more = str_cut(*rest, '\n', &line, &tail);
    *rest = tail;
    while (more && rest->len > 0 && (rest->ptr[0] == ' ' || rest->ptr[0] == '\t')) {
        *rest = str_sub(*rest, 1, rest->len);
    }
}

void tex_skip_space(struct str *rest) {
    int lines = 0;
    struct str at = *rest;
    while (at.len > 0 && strchr(" \t\n%", at.ptr[0]) != NULL && at.ptr[0] != '\0') {
        if (at.ptr[0] == '%') {
            skip_comment(&at);
            continue;
        }
        lines += at.ptr[0] == '\n' ? 1 : 0;
        if (lines == 2) {
            return; /* a paragraph ends here: what follows is no argument */
        }
        at = str_sub(at, 1, at.len);
    }
    *rest = at;
}

/* The length of "{...}" or "[...]" with its ends; 0 when it does not close. */
static size_t balanced(struct tex *tex, struct str text, char open, char close) {
    int depth = 0;
    for (size_t i = 0; i < text.len && tex->budget > 0; i++, tex->budget--) {
        char c = text.ptr[i];
        if (c == '\\') {
            i++;
            continue;
        }
        depth += c == open ? 1 : c == close ? -1 : 0;
        if (depth == 0) {
            return i + 1;
        }
    }
    return 0;
}

static size_t command_len(struct str text) {
    size_t len = 1;
    while (len < text.len && is_letter(text.ptr[len])) {
        len++;
    }
    return len == 1 && text.len > 1 ? 2 : len;
}

bool tex_take_argument(struct tex *tex, struct str *rest, struct str *ret_argument) {
    struct str at = *rest;
    tex_skip_space(&at);
    if (at.len == 0) {
        return false;
    }
    if (at.ptr[0] == '{') {
        size_t len = balanced(tex, at, '{', '}');
        if (len == 0) {
            return false;
        }
        *ret_argument = str_sub(at, 1, len - 2);
        *rest = str_sub(at, len, at.len);
        return true;
    }
    size_t len = at.ptr[0] == '\\' ? command_len(at) : str_utf8_len(at);
    len = len == 0 ? 1 : len;
    *ret_argument = str_sub(at, 0, len);
    *rest = str_sub(at, len, at.len);
    return at.ptr[0] != '\n';
}

bool tex_take_option(struct tex *tex, struct str *rest, struct str *ret_option) {
    struct str at = *rest;
    size_t len = at.len > 0 && at.ptr[0] == '[' ? balanced(tex, at, '[', ']') : 0;
    if (len == 0) {
        return false;
    }
    *ret_option = str_sub(at, 1, len - 2);
    *rest = str_sub(at, len, at.len);
    return true;
}

/* ---- text ---- */

/* Where `mark` stands next, not behind a backslash; the text's length when it does not. */
static size_t find_mark(struct tex *tex, struct str text, struct str mark) {
    for (size_t i = 0; i < text.len && tex->budget > 0; i++, tex->budget--) {
        if (str_starts(str_sub(text, i, mark.len), mark)) {
            return i;
        }
        i += text.ptr[i] == '\\' ? 1 : 0;
    }
    return text.len;
}

/* `|` would end a table's cell, also inside a formula. */
static void put_formula(struct tex *tex, struct str math) {
    for (size_t i = 0; i < math.len; i++) {
        bool bar = tex->cell && math.ptr[i] == '|';
        tex_put(tex, bar ? STR("\\vert ") : str_sub(math, i, 1));
    }
}

static void put_math(struct tex *tex, struct str math, bool display) {
    math = str_trim(math);
    if (!display) {
        bool flat = tex->flat;
        tex->flat = true; /* a line that begins with "-" or "+" would be a list */
        tex_put_c(tex, "$");
        put_formula(tex, math);
        tex_put_c(tex, "$");
        tex->flat = flat;
        return;
    }
    if (tex->flat) {
        tex_put_c(tex, "$");
        put_formula(tex, math);
        tex_put_c(tex, "$");
        return;
    }
    tex_paragraph(tex);
    tex_put_c(tex, "$$\n");
    tex_put(tex, math);
    tex_put_c(tex, "\n$$\n\n");
}

static const struct math_mark {
    const char *open, *close;
    bool display;
} math_marks[] = {
    {"$$", "$$", true}, {"$", "$", false}, {"\\(", "\\)", false}, {"\\[", "\\]", true}};

static bool take_math(struct tex *tex, struct str *rest) {
    for (size_t i = 0; i < sizeof(math_marks) / sizeof(math_marks[0]); i++) {
        struct str open = str_from(math_marks[i].open);
        struct str close = str_from(math_marks[i].close);
        struct str inside = str_sub(*rest, open.len, rest->len);
        if (!str_starts(*rest, open)) {
            continue;
        }
        size_t end = find_mark(tex, inside, close);
        if (end == inside.len) {
            continue;
        }
        put_math(tex, str_sub(inside, 0, end), math_marks[i].display);
        *rest = str_sub(inside, end + close.len, inside.len);
        return true;
    }
    return false;
}

static const struct ligature {
    const char *tex, *text;
} ligatures[] = {
    {"---", "\xe2\x80\x94"}, {"--", "\xe2\x80\x93"}, {"``", "\xe2\x80\x9c"},
    {"''", "\xe2\x80\x9d"},  {"<<", "\xc2\xab"},     {">>", "\xc2\xbb"},
    {"~", "\xc2\xa0"},       {"`", "\xe2\x80\x98"},  {"'", "\xe2\x80\x99"},
};

static bool take_ligature(struct tex *tex, struct str *rest) {
    for (size_t i = 0; i < sizeof(ligatures) / sizeof(ligatures[0]); i++) {
        if (str_starts(*rest, str_from(ligatures[i].tex))) {
            tex_put_c(tex, ligatures[i].text);
            *rest = str_sub(*rest, strlen(ligatures[i].tex), rest->len);
            return true;
        }
    }
    return false;
}

/* White space as it is, but for the beginnings of lines, which would be code in Markdown. */
static void take_space(struct tex *tex, struct str *rest) {
    int lines = 0;
    size_t i = 0;
    while (i < rest->len && strchr(" \t\n\r", rest->ptr[i]) != NULL && rest->ptr[i] != '\0') {
        lines += rest->ptr[i] == '\n' ? 1 : 0;
        i++;
    }
    *rest = str_sub(*rest, i, rest->len);
    if (lines >= 2) {
        tex_paragraph(tex);
    } else if (lines == 1) {
        tex_end_line(tex);
    } else if (!at_line_start(tex)) {
        tex_put_c(tex, " ");
    }
}

/* {\bf text}: the group ends where the command's reach does. */
static void take_group(struct tex *tex, struct str *rest) {
    static const struct {
        const char *name, *as;
    } switches[] = {{"bf", "**"},     {"bfseries", "**"}, {"it", "*"}, {"em", "*"},
                    {"itshape", "*"}, {"sl", "*"},        {"tt", "`"}, {"ttfamily", "`"}};
    struct str inside = STR("");
    if (!tex_take_argument(tex, rest, &inside)) {
        tex_put_c(tex, "{");
        *rest = str_sub(*rest, 1, rest->len);
        return;
    }
    struct str text = str_trim(inside);
    size_t len = str_starts(text, STR("\\")) ? command_len(text) : 0;
    for (size_t i = 0; len > 0 && i < sizeof(switches) / sizeof(switches[0]); i++) {
        if (str_eq_c(str_sub(text, 1, len - 1), switches[i].name)) {
            tex_emphasis(tex, switches[i].as, str_trim(str_sub(text, len, text.len)));
            return;
        }
    }
    tex_convert(tex, inside);
}

static void take_command(struct tex *tex, struct str *rest) {
    size_t len = command_len(*rest);
    struct str name = str_sub(*rest, 1, len - 1);
    *rest = str_sub(*rest, len, rest->len);
    tex_command(tex, name, rest);
}

static void take_one(struct tex *tex, struct str *rest) {
    char c = rest->ptr[0];
    if ((c == '$' || c == '\\') && take_math(tex, rest)) {
        return;
    }
    if (c == '%') {
        *rest = str_sub(*rest, 1, rest->len);
        skip_comment(rest);
    } else if (c == '\\') {
        take_command(tex, rest);
    } else if (c == '{') {
        take_group(tex, rest);
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        take_space(tex, rest);
    } else if (is_alnum(c) || !take_ligature(tex, rest)) {
        size_t len = str_utf8_len(*rest);
        len = len == 0 ? 1 : len;
        tex_put_plain(tex, str_sub(*rest, 0, len));
        *rest = str_sub(*rest, len, rest->len);
    }
}

void tex_convert(struct tex *tex, struct str text) {
    if (tex->depth >= DEPTH_MAX) {
        tex_put_plain(tex, text);
        return;
    }
    tex->depth++;
    while (text.len > 0 && !tex->out->full) {
        take_one(tex, &text);
    }
    tex->depth--;
}

void tex_convert_flat(struct tex *tex, struct str text) {
    bool flat = tex->flat;
    tex->flat = true;
    tex_convert(tex, str_trim(text));
    tex->flat = flat;
}

void tex_convert_indented(struct tex *tex, struct str text, int spaces) {
    tex->indent += spaces;
    tex_convert(tex, text);
    tex->indent -= spaces;
}

bool tex_to_markdown(struct str text, struct buf *out, tex_note_fn *note, void *context,
                     struct err *err) {
    struct tex tex = {.out = out,
                      .begin = out->len,
                      .budget = BUDGET_PER_BYTE * ((int64_t)text.len + 1000),
                      .note = note,
                      .context = context};
    tex_convert(&tex, str_trim(text));
    trim_line(&tex);
    return buf_ok(out, "statement", err);
}
