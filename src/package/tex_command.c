/* Commands of TeX: one row each. */
#include "base/check.h"
#include "package/tex_internal.h"
#include <string.h>

enum action {
    EMPHASIS, /* one argument between two marks */
    CODE,     /* one argument as code */
    CONTENT,  /* one argument as it is */
    TEXT,     /* no argument: stands for a text */
    DROP,     /* layout without a meaning for the text; so many arguments go with it */
    HEADING,  /* one argument as a heading: `text` is the marks */
    TITLED,   /* no argument: a heading of olymp.sty */
    IMAGE,
    LINK,
    ADDRESS,
    FOOTNOTE,
    CAPTION,
    ILLUSTRATION,
    EXAMPLE,
    BREAK,
    PARAGRAPH,
    BEGIN,
    ITEM,
    VERB,
    MULTICOLUMN,
};

static const struct command {
    const char *name;
    enum action action;
    const char *text;
    int arguments;
} commands[] = {
    {"textbf", EMPHASIS, "**", 0},
    {"bf", EMPHASIS, "**", 0},
    {"textit", EMPHASIS, "*", 0},
    {"it", EMPHASIS, "*", 0},
    {"emph", EMPHASIS, "*", 0},
    {"em", EMPHASIS, "*", 0},
    {"textsl", EMPHASIS, "*", 0},
    {"sout", EMPHASIS, "~~", 0},
    {"texttt", CODE, "", 0},
    {"t", CODE, "", 0},
    {"tt", CODE, "", 0},
    {"code", CODE, "", 0},
    {"textrm", CONTENT, "", 0},
    {"textsf", CONTENT, "", 0},
    {"textsc", CONTENT, "", 0},
    {"textup", CONTENT, "", 0},
    {"underline", CONTENT, "", 0},
    {"mbox", CONTENT, "", 0},
    {"hbox", CONTENT, "", 0},
    {"text", CONTENT, "", 0},
    {"textnormal", CONTENT, "", 0},
    {"makebox", CONTENT, "", 0},
    {"centerline", CONTENT, "", 0},
    {"ensuremath", CONTENT, "", 0},
    {"bfseries", DROP, "", 0},
    {"itshape", DROP, "", 0},
    {"ttfamily", DROP, "", 0},
    {"normalfont", DROP, "", 0},
    {"tiny", DROP, "", 0},
    {"scriptsize", DROP, "", 0},
    {"footnotesize", DROP, "", 0},
    {"small", DROP, "", 0},
    {"normalsize", DROP, "", 0},
    {"large", DROP, "", 0},
    {"Large", DROP, "", 0},
    {"LARGE", DROP, "", 0},
    {"huge", DROP, "", 0},
    {"centering", DROP, "", 0},
    {"noindent", DROP, "", 0},
    {"indent", DROP, "", 0},
    {"smallskip", DROP, "", 0},
    {"medskip", DROP, "", 0},
    {"bigskip", DROP, "", 0},
    {"newpage", DROP, "", 0},
    {"clearpage", DROP, "", 0},
    {"pagebreak", DROP, "", 0},
    {"hfill", DROP, "", 0},
    {"vfill", DROP, "", 0},
    {"vspace", DROP, "", 1},
    {"hspace", DROP, "", 1},
    {"label", DROP, "", 1},
    {"setlength", DROP, "", 2},
    {"hline", DROP, "", 0},
    {"toprule", DROP, "", 0},
    {"midrule", DROP, "", 0},
    {"bottomrule", DROP, "", 0},
    {"cline", DROP, "", 1},
    {"problemname", DROP, "", 1},
    {"leavevmode", DROP, "", 0},
    {"sloppy", DROP, "", 0},
    {"nextsample", DROP, "", 0},
    {"remainingsamples", DROP, "", 0},
    {"protect", DROP, "", 0},
    {"raggedright", DROP, "", 0},
    {"section", HEADING, "## ", 0},
    {"subsection", HEADING, "### ", 0},
    {"subsubsection", HEADING, "#### ", 0},
    {"paragraph", HEADING, "#### ", 0},
    {"subparagraph", HEADING, "##### ", 0},
    {"heading", HEADING, "## ", 0},
    {"InputFile", TITLED, "Input", 0},
    {"Input", TITLED, "Input", 0},
    {"OutputFile", TITLED, "Output", 0},
    {"Output", TITLED, "Output", 0},
    {"Interaction", TITLED, "Interaction", 0},
    {"Scoring", TITLED, "Scoring", 0},
    {"Constraints", TITLED, "Constraints", 0},
    {"Limits", TITLED, "Constraints", 0},
    {"Example", TITLED, "Example", 0},
    {"Examples", TITLED, "Examples", 0},
    {"Note", TITLED, "Note", 0},
    {"Notes", TITLED, "Notes", 0},
    {"Explanation", TITLED, "Explanation", 0},
    {"Explanations", TITLED, "Explanations", 0},
    {"Specification", TITLED, "Specification", 0},
    {"Subtasks", TITLED, "Subtasks", 0},
    {"includegraphics", IMAGE, "", 0},
    {"href", LINK, "", 0},
    {"url", ADDRESS, "", 0},
    {"footnote", FOOTNOTE, "", 0},
    {"caption", CAPTION, "", 0},
    {"illustration", ILLUSTRATION, "", 0},
    {"exmp", EXAMPLE, "", 0},
    {"exmpfile", EXAMPLE, "", 0},
    {"newline", BREAK, "", 0},
    {"linebreak", BREAK, "", 0},
    {"\\", BREAK, "", 0},
    {"par", PARAGRAPH, "", 0},
    {"begin", BEGIN, "", 0},
    {"item", ITEM, "", 0},
    {"verb", VERB, "", 0},
    {"lstinline", VERB, "", 0},
    {"multicolumn", MULTICOLUMN, "", 0},
    {"ldots", TEXT, "\xe2\x80\xa6", 0},
    {"dots", TEXT, "\xe2\x80\xa6", 0},
    {"textellipsis", TEXT, "\xe2\x80\xa6", 0},
    {"textbackslash", TEXT, "\\\\", 0},
    {"textasciitilde", TEXT, "~", 0},
    {"textasciicircum", TEXT, "^", 0},
    {"textless", TEXT, "\\<", 0},
    {"textgreater", TEXT, ">", 0},
    {"textbar", TEXT, "\\|", 0},
    {"textquotedbl", TEXT, "\"", 0},
    {"textunderscore", TEXT, "\\_", 0},
    {"textdollar", TEXT, "\\$", 0},
    {"LaTeX", TEXT, "LaTeX", 0},
    {"TeX", TEXT, "TeX", 0},
    {"quad", TEXT, "\xe2\x80\x83", 0},
    {"qquad", TEXT, "\xe2\x80\x83\xe2\x80\x83", 0},
    {"copyright", TEXT, "\xc2\xa9", 0},
    {"textendash", TEXT, "\xe2\x80\x93", 0},
    {"textemdash", TEXT, "\xe2\x80\x94", 0},
    {"dash", TEXT, "\xe2\x80\x94", 0},
    {"ss", TEXT, "\xc3\x9f", 0},
    {"o", TEXT, "\xc3\xb8", 0},
    {"aa", TEXT, "\xc3\xa5", 0},
    {"ae", TEXT, "\xc3\xa6", 0},
    {"{", TEXT, "{", 0},
    {"}", TEXT, "}", 0},
    {"_", TEXT, "\\_", 0},
    {"#", TEXT, "\\#", 0},
    {"$", TEXT, "\\$", 0},
    {"&", TEXT, "&amp;", 0},
    {"%", TEXT, "%", 0},
    {",", TEXT, "\xe2\x80\x89", 0},
    {";", TEXT, " ", 0},
    {":", TEXT, " ", 0},
    {" ", TEXT, " ", 0},
    {"\n", TEXT, " ", 0},
    {"!", TEXT, "", 0},
    {"/", TEXT, "", 0},
    {"-", TEXT, "", 0},
    {"@", TEXT, "", 0},
    {"leq", TEXT, "\xe2\x89\xa4", 0},
    {"le", TEXT, "\xe2\x89\xa4", 0},
    {"geq", TEXT, "\xe2\x89\xa5", 0},
    {"ge", TEXT, "\xe2\x89\xa5", 0},
    {"times", TEXT, "\xc3\x97", 0},
    {"rightarrow", TEXT, "\xe2\x86\x92", 0},
    {"to", TEXT, "\xe2\x86\x92", 0},
};

/* Accents: the letter and what follows it as a combining mark. */
static const struct accent {
    char name;
    const char *mark;
} accents[] = {{'\'', "\xcc\x81"}, {'`', "\xcc\x80"}, {'"', "\xcc\x88"}, {'^', "\xcc\x82"},
               {'=', "\xcc\x84"},  {'.', "\xcc\x87"}, {'~', "\xcc\x83"}};

static const struct command *find_command(struct str name) {
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (str_eq_c(name, commands[i].name)) {
            return &commands[i];
        }
    }
    return NULL;
}

/* The file's name as statements have it, without the folders of a TeX run. */
static void put_image(struct tex *tex, struct str file, struct str caption) {
    tex_put_c(tex, "![");
    tex_convert_flat(tex, caption);
    tex_put_c(tex, "](");
    file = str_trim(file);
    for (size_t i = 0; i < file.len; i++) {
        bool plain = file.ptr[i] > ' ' && strchr("()<>\\", file.ptr[i]) == NULL;
        tex_put(tex, plain ? str_sub(file, i, 1) : STR("%20"));
    }
    tex_put_c(tex, ")");
}

/* As code: between as many marks as it takes. What TeX would print is printed. */
static void put_code(struct tex *tex, struct str text, bool verbatim) {
    bool has_mark = memchr(text.ptr, '`', text.len) != NULL;
    tex_put_c(tex, has_mark ? "`` " : "`");
    for (size_t i = 0; i < text.len; i++) {
        bool escape = !verbatim && text.ptr[i] == '\\' && i + 1 < text.len &&
                      strchr("{}_#$&%", text.ptr[i + 1]) != NULL;
        bool drop = !verbatim && (text.ptr[i] == '{' || text.ptr[i] == '}');
        i += escape ? 1 : 0;
        if (!drop || escape) {
            tex_put(tex, text.ptr[i] == '\n' ? STR(" ") : str_sub(text, i, 1));
        }
    }
    tex_put_c(tex, has_mark ? " ``" : "`");
}

static bool has_commands(struct str text) {
    for (size_t i = 0; i + 1 < text.len; i++) {
        char next = text.ptr[i + 1];
        bool letter = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
        if (text.ptr[i] == '$' || (text.ptr[i] == '\\' && letter)) {
            return true;
        }
    }
    return false;
}

void tex_emphasis(struct tex *tex, const char *mark, struct str text) {
    struct str inner = str_trim(text);
    if (inner.len == 0) {
        return;
    }
    if (mark[0] == '`') {
        if (has_commands(inner)) { /* nothing is understood inside of code */
            tex_convert(tex, inner);
        } else {
            put_code(tex, inner, false);
        }
        return;
    }
    tex_put_c(tex, mark);
    tex_convert_flat(tex, inner);
    tex_put_c(tex, mark);
}

static void put_heading(struct tex *tex, const char *marks, struct str text) {
    tex_paragraph(tex);
    tex_put_c(tex, marks);
    tex_convert_flat(tex, text);
    tex_paragraph(tex);
}

/* \verb|text|: any character ends it. */
static void put_verb(struct tex *tex, struct str *rest) {
    struct str option = STR("");
    struct str text = STR("");
    struct str tail = STR("");
    (void)tex_take_option(tex, rest, &option);
    if (str_starts(*rest, STR("{")) && tex_take_argument(tex, rest, &text)) {
        put_code(tex, text, true);
        return;
    }
    if (rest->len < 2 || !str_cut(str_sub(*rest, 1, rest->len), rest->ptr[0], &text, &tail)) {
        tex_put_c(tex, "\\\\verb");
        return;
    }
    put_code(tex, text, true);
    *rest = tail;
}

static void put_block(struct tex *tex, struct str text) {
    tex_paragraph(tex);
    tex_put_c(tex, "```\n");
    tex_put(tex, str_trim(text));
    tex_put_c(tex, "\n```\n\n");
}

/* Layout: its arguments go with it. */
static void drop(struct tex *tex, const struct command *command, struct str *rest) {
    struct str ignored = STR("");
    if (str_starts(*rest, STR("*"))) {
        *rest = str_sub(*rest, 1, rest->len);
    }
    for (int i = 0; i < command->arguments; i++) {
        if (!tex_take_argument(tex, rest, &ignored)) {
            return;
        }
    }
    while (command->arguments == 0 && str_starts(*rest, STR(" "))) {
        *rest = str_sub(*rest, 1, rest->len);
    }
}

/* Visible as it was written: "\foo{x}". */
static void put_unknown(struct tex *tex, struct str name, struct str *rest) {
    struct str argument = STR("");
    tex_unknown(tex, name);
    tex_put_plain(tex, STR("\\"));
    tex_put_plain(tex, name);
    while (str_starts(*rest, STR("{")) && tex_take_argument(tex, rest, &argument)) {
        tex_put_plain(tex, STR("{"));
        tex_convert(tex, argument);
        tex_put_plain(tex, STR("}"));
    }
}

static bool put_accent(struct tex *tex, struct str name, struct str *rest) {
    struct str letter = STR("");
    for (size_t i = 0; i < sizeof(accents) / sizeof(accents[0]); i++) {
        if (name.len != 1 || name.ptr[0] != accents[i].name) {
            continue;
        }
        if (!tex_take_argument(tex, rest, &letter)) {
            return false;
        }
        tex_convert(tex, letter);
        tex_put_c(tex, accents[i].mark);
        return true;
    }
    return false;
}

static bool put_two(struct tex *tex, enum action action, struct str *rest) {
    struct str first = STR("");
    struct str second = STR("");
    if (!tex_take_argument(tex, rest, &first) || !tex_take_argument(tex, rest, &second)) {
        return false;
    }
    if (action == EXAMPLE) {
        put_block(tex, first);
        put_block(tex, second);
        return true;
    }
    tex_put_c(tex, "[");
    tex_convert_flat(tex, second);
    tex_put_c(tex, "](");
    tex_put(tex, str_trim(first));
    tex_put_c(tex, ")");
    return true;
}

/* \multicolumn{2}{c}{text} and \illustration{0.3}{file}{caption} */
static bool put_third(struct tex *tex, enum action action, struct str *rest) {
    struct str first = STR("");
    struct str second = STR("");
    struct str third = STR("");
    if (!tex_take_argument(tex, rest, &first) || !tex_take_argument(tex, rest, &second) ||
        !tex_take_argument(tex, rest, &third)) {
        return false;
    }
    if (action == ILLUSTRATION) {
        tex_paragraph(tex);
        put_image(tex, second, third);
        tex_paragraph(tex);
        return true;
    }
    tex_convert(tex, third);
    return true;
}

static void put_one(struct tex *tex, const struct command *command, struct str argument,
                    struct str *rest) {
    switch ((int)command->action) {
    case EMPHASIS: tex_emphasis(tex, command->text, argument); break;
    case CODE: tex_emphasis(tex, "`", argument); break;
    case HEADING: put_heading(tex, command->text, argument); break;
    case IMAGE: put_image(tex, argument, STR("")); break;
    case ADDRESS:
        tex_put_c(tex, "<");
        tex_put(tex, str_trim(argument));
        tex_put_c(tex, ">");
        break;
    case FOOTNOTE:
        tex_put_c(tex, " (");
        tex_convert_flat(tex, argument);
        tex_put_c(tex, ")");
        break;
    case CAPTION:
        tex_paragraph(tex);
        tex_emphasis(tex, "*", argument);
        tex_paragraph(tex);
        break;
    case BEGIN: tex_environment(tex, str_trim(argument), rest); break;
    default: tex_convert(tex, argument); break;
    }
}

/* False: its arguments are not there. */
static bool run(struct tex *tex, const struct command *command, struct str *rest) {
    struct str argument = STR("");
    switch (command->action) {
    case TEXT: tex_put_c(tex, command->text); return true;
    case DROP: drop(tex, command, rest); return true;
    case TITLED: put_heading(tex, "## ", str_from(command->text)); return true;
    case BREAK:
        (void)tex_take_option(tex, rest, &argument);
        tex_put_c(tex, tex->flat ? " " : "  \n");
        return true;
    case PARAGRAPH: tex_paragraph(tex); return true;
    case VERB: put_verb(tex, rest); return true;
    case ITEM:
        tex_end_line(tex);
        tex_put_c(tex, "- ");
        return true;
    case LINK:
    case EXAMPLE: return put_two(tex, command->action, rest);
    case MULTICOLUMN:
    case ILLUSTRATION: return put_third(tex, command->action, rest);
    case EMPHASIS:
    case CODE:
    case CONTENT:
    case HEADING:
    case IMAGE:
    case ADDRESS:
    case FOOTNOTE:
    case CAPTION:
    case BEGIN: break;
    }
    if (str_starts(*rest, STR("*"))) {
        *rest = str_sub(*rest, 1, rest->len);
    }
    (void)tex_take_option(tex, rest, &argument);
    if (!tex_take_argument(tex, rest, &argument)) {
        return false;
    }
    put_one(tex, command, argument, rest);
    return true;
}

void tex_command(struct tex *tex, struct str name, struct str *rest) {
    const struct command *command = find_command(name);
    struct str before = *rest;
    if (command == NULL && put_accent(tex, name, rest)) {
        return;
    }
    if (command == NULL || !run(tex, command, rest)) {
        *rest = before;
        put_unknown(tex, name, rest);
        return;
    }
    /* The space behind a command's name belongs to the name. */
    bool word = name.len > 1 && command->action == TEXT;
    if (word && str_starts(*rest, STR("{}"))) {
        *rest = str_sub(*rest, 2, rest->len);
    }
}
