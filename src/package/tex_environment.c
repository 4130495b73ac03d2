/* Environments of TeX: lists, tables, verbatim text, displayed formulas. */
#include "package/tex_internal.h"
#include <stdio.h>
#include <string.h>

enum kind { CONTENT, LIST, NUMBERED, VERBATIM, TABLE, QUOTE, MATH, INLINE_MATH, EXAMPLES };

static const struct environment {
    const char *name;
    enum kind kind;
    int arguments;     /* that are layout */
    const char *inner; /* of MATH: what KaTeX calls it between $$ */
} environments[] = {
    {"itemize", LIST, 0, ""},         {"enumerate", NUMBERED, 0, ""},
    {"description", LIST, 0, ""},     {"compactitem", LIST, 0, ""},
    {"center", CONTENT, 0, ""},       {"flushleft", CONTENT, 0, ""},
    {"flushright", CONTENT, 0, ""},   {"figure", CONTENT, 0, ""},
    {"figure*", CONTENT, 0, ""},      {"wrapfigure", CONTENT, 2, ""},
    {"table", CONTENT, 0, ""},        {"minipage", CONTENT, 1, ""},
    {"small", CONTENT, 0, ""},        {"document", CONTENT, 0, ""},
    {"problem", CONTENT, 5, ""},      {"multicols", CONTENT, 1, ""},
    {"samepage", CONTENT, 0, ""},     {"adjustbox", CONTENT, 1, ""},
    {"quote", QUOTE, 0, ""},          {"quotation", QUOTE, 0, ""},
    {"verbatim", VERBATIM, 0, ""},    {"lstlisting", VERBATIM, 0, ""},
    {"Verbatim", VERBATIM, 0, ""},    {"alltt", VERBATIM, 0, ""},
    {"minted", VERBATIM, 1, ""},      {"tabular", TABLE, 1, ""},
    {"tabular*", TABLE, 2, ""},       {"tabularx", TABLE, 2, ""},
    {"longtable", TABLE, 1, ""},      {"equation", MATH, 0, ""},
    {"equation*", MATH, 0, ""},       {"displaymath", MATH, 0, ""},
    {"align", MATH, 0, "aligned"},    {"align*", MATH, 0, "aligned"},
    {"eqnarray", MATH, 0, "aligned"}, {"eqnarray*", MATH, 0, "aligned"},
    {"gather", MATH, 0, "gathered"},  {"gather*", MATH, 0, "gathered"},
    {"math", INLINE_MATH, 0, ""},     {"example", EXAMPLES, 0, ""},
    {"examplewide", EXAMPLES, 0, ""}, {"examplethree", EXAMPLES, 0, ""},
};

static const struct environment *find_environment(struct str name) {
    for (size_t i = 0; i < sizeof(environments) / sizeof(environments[0]); i++) {
        if (str_eq_c(name, environments[i].name)) {
            return &environments[i];
        }
    }
    return NULL;
}

/* "\begin{name}" or "\end{name}" at the front of `text`; its length, else 0. */
static size_t mark_len(struct str text, const char *what, struct str name) {
    size_t len = strlen(what);
    bool is = str_starts(text, str_from(what)) && text.len > len + name.len + 1 &&
              text.ptr[len] == '{' && str_eq(str_sub(text, len + 1, name.len), name) &&
              text.ptr[len + 1 + name.len] == '}';
    return is ? len + name.len + 2 : 0;
}

/* Up to the \end that belongs to it; false when there is none. */
static bool take_body(struct tex *tex, struct str *rest, struct str name, struct str *ret_body) {
    int depth = 1;
    for (size_t i = 0; i < rest->len && tex->budget > 0; i++, tex->budget--) {
        if (rest->ptr[i] != '\\') {
            continue;
        }
        struct str at = str_sub(*rest, i, rest->len);
        size_t end = mark_len(at, "\\end", name);
        depth += mark_len(at, "\\begin", name) > 0 ? 1 : end > 0 ? -1 : 0;
        if (depth == 0) {
            *ret_body = str_sub(*rest, 0, i);
            *rest = str_sub(at, end, at.len);
            return true;
        }
        i++; /* "\\" is a line break, whatever follows */
    }
    return false;
}

/* The length of an environment at the front of `text`, so that what is inside it is not looked at;
 * 0 when none begins here. */
static size_t whole_environment(struct tex *tex, struct str text) {
    struct str name = STR("");
    struct str tail = STR("");
    struct str body = STR("");
    const struct str begin = STR("\\begin{");
    if (!str_starts(text, begin) ||
        !str_cut(str_sub(text, begin.len, text.len), '}', &name, &tail) ||
        !take_body(tex, &tail, name, &body)) {
        return 0;
    }
    return text.len - tail.len;
}

/* Cuts at the next `mark` that stands neither in braces nor in an inner environment. */
static bool cut_at(struct tex *tex, struct str *rest, struct str mark, struct str *ret_part) {
    int depth = 0;
    for (size_t i = 0; i < rest->len; i++) {
        struct str at = str_sub(*rest, i, rest->len);
        if (depth == 0 && str_starts(at, mark)) {
            *ret_part = str_sub(*rest, 0, i);
            *rest = str_sub(at, mark.len, at.len);
            return true;
        }
        size_t inner = whole_environment(tex, at);
        if (inner > 0) {
            i += inner - 1;
        } else if (at.ptr[0] == '\\') {
            i++;
        } else {
            depth += at.ptr[0] == '{' ? 1 : at.ptr[0] == '}' ? -1 : 0;
        }
    }
    *ret_part = *rest;
    *rest = STR("");
    return false;
}

/* ---- lists ---- */

static void put_item(struct tex *tex, struct str item, int number) {
    char mark[16];
    struct str label = STR("");
    (void)snprintf(mark, sizeof(mark), number > 0 ? "%d. " : "- ", number);
    tex_end_line(tex);
    tex_put_c(tex, mark);
    item = str_trim(item);
    if (tex_take_option(tex, &item, &label)) {
        tex_emphasis(tex, "**", label);
        tex_put_c(tex, " ");
        item = str_trim(item);
    }
    tex_convert_indented(tex, item, (int)strlen(mark));
    tex_end_line(tex);
}

static void put_list(struct tex *tex, struct str body, bool numbered) {
    const struct str mark = STR("\\item");
    struct str item = STR("");
    int number = 0;
    if (tex->indent == 0) {
        tex_paragraph(tex);
    } else {
        tex_end_line(tex);
    }
    bool more = cut_at(tex, &body, mark, &item);
    if (str_trim(item).len > 0) {
        tex_convert(tex, str_trim(item)); /* before the first \item: odd, but text */
        tex_paragraph(tex);
    }
    while (more) {
        more = cut_at(tex, &body, mark, &item);
        put_item(tex, item, numbered ? ++number : 0);
    }
    if (tex->indent == 0) {
        tex_paragraph(tex);
    }
}

/* ---- tables ---- */

static bool is_ruler(struct str row) {
    static const char *const rules[] = {"\\hline", "\\toprule", "\\midrule", "\\bottomrule"};
    row = str_trim(row);
    bool changed = true;
    while (changed && row.len > 0) {
        changed = false;
        for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
            if (str_starts(row, str_from(rules[i]))) {
                row = str_trim(str_sub(row, strlen(rules[i]), row.len));
                changed = true;
            }
        }
    }
    return row.len == 0;
}

static int put_row(struct tex *tex, struct str row) {
    struct str cell = STR("");
    bool more = true;
    int cells = 0;
    tex_put_c(tex, "|");
    while (more) {
        more = cut_at(tex, &row, STR("&"), &cell);
        tex_put_c(tex, " ");
        tex_convert_flat(tex, cell);
        tex_put_c(tex, " |");
        cells++;
    }
    tex_put_c(tex, "\n");
    return cells;
}

static void put_table(struct tex *tex, struct str body) {
    struct str row = STR("");
    bool more = true;
    bool first = true;
    bool cell = tex->cell;
    tex_paragraph(tex);
    tex->cell = true;
    while (more) {
        more = cut_at(tex, &body, STR("\\\\"), &row);
        if (is_ruler(row)) {
            continue;
        }
        int cells = put_row(tex, row);
        for (int i = 0; first && i < cells; i++) {
            tex_put_c(tex, i + 1 < cells ? "| --- " : "| --- |\n");
        }
        first = false;
    }
    tex->cell = cell;
    tex_paragraph(tex);
}

/* ---- the rest ---- */

static void put_verbatim(struct tex *tex, struct str body) {
    bool has_fence = memmem(body.ptr, body.len, "```", 3) != NULL;
    const char *fence = has_fence ? "~~~~~~" : "```";
    while (body.len > 0 && (body.ptr[0] == '\n' || body.ptr[0] == '\r')) {
        body = str_sub(body, 1, body.len);
    }
    while (body.len > 0 && strchr("\n\r ", body.ptr[body.len - 1]) != NULL) {
        body = str_sub(body, 0, body.len - 1);
    }
    tex_paragraph(tex);
    tex_put_c(tex, fence);
    tex_put_c(tex, "\n");
    tex_put(tex, body);
    tex_put_c(tex, "\n");
    tex_put_c(tex, fence);
    tex_put_c(tex, "\n\n");
}

static void put_math(struct tex *tex, const struct environment *environment, struct str body) {
    bool inner = environment->inner[0] != '\0';
    if (environment->kind == INLINE_MATH || tex->flat) {
        tex_put_c(tex, "$");
        tex_put(tex, str_trim(body));
        tex_put_c(tex, "$");
        return;
    }
    tex_paragraph(tex);
    tex_put_c(tex, "$$\n");
    if (inner) {
        tex_put_c(tex, "\\begin{");
        tex_put_c(tex, environment->inner);
        tex_put_c(tex, "}\n");
    }
    tex_put(tex, str_trim(body));
    if (inner) {
        tex_put_c(tex, "\n\\end{");
        tex_put_c(tex, environment->inner);
        tex_put_c(tex, "}");
    }
    tex_put_c(tex, "\n$$\n\n");
}

static void put_quote(struct tex *tex, struct str body) {
    tex_paragraph(tex);
    tex_put_c(tex, "> ");
    tex_convert_flat(tex, body);
    tex_paragraph(tex);
}

static void put_environment(struct tex *tex, const struct environment *environment,
                            struct str body) {
    struct str ignored = STR("");
    if (environment->kind != LIST && environment->kind != NUMBERED) {
        (void)tex_take_option(tex, &body, &ignored);
    }
    for (int i = 0; i < environment->arguments; i++) {
        (void)tex_take_argument(tex, &body, &ignored);
    }
    switch (environment->kind) {
    case LIST:
    case NUMBERED:
        (void)tex_take_option(tex, &body, &ignored);
        put_list(tex, body, environment->kind == NUMBERED);
        break;
    case VERBATIM: put_verbatim(tex, body); break;
    case TABLE: put_table(tex, body); break;
    case QUOTE: put_quote(tex, body); break;
    case MATH:
    case INLINE_MATH: put_math(tex, environment, body); break;
    case CONTENT:
    case EXAMPLES:
        tex_paragraph(tex);
        tex_convert(tex, str_trim(body));
        tex_paragraph(tex);
        break;
    }
}

static void put_mark(struct tex *tex, const char *what, struct str name) {
    tex_put_plain(tex, str_from(what));
    tex_put_plain(tex, name);
    tex_put_plain(tex, STR("}"));
    tex_paragraph(tex);
}

/* Its name and its content stay visible. */
static void put_unknown(struct tex *tex, struct str name, struct str body) {
    tex_unknown(tex, name);
    tex_paragraph(tex);
    put_mark(tex, "\\begin{", name);
    tex_convert(tex, str_trim(body));
    tex_paragraph(tex);
    put_mark(tex, "\\end{", name);
}

void tex_environment(struct tex *tex, struct str name, struct str *rest) {
    const struct environment *environment = find_environment(name);
    struct str body = STR("");
    if (!take_body(tex, rest, name, &body)) {
        body = *rest; /* never closed: all of it is inside */
        *rest = STR("");
    }
    if (environment == NULL) {
        put_unknown(tex, name, body);
    } else {
        put_environment(tex, environment, body);
    }
}
