#ifndef PACKAGE_TEX_INTERNAL_H
#define PACKAGE_TEX_INTERNAL_H

#include "package/tex.h"

/* What the parts of the converter share. */

#define TEX_NOTED_MAX 50

struct tex {
    struct buf *out;
    size_t begin; /* of this conversion's text in `out` */
    int indent;   /* of lines: spaces */
    bool flat;    /* line ends become spaces: headings, cells of tables */
    bool cell;    /* of a table: `|` is escaped */
    int depth;
    int64_t budget; /* bytes that may still be looked at twice: what never closes is text */
    tex_note_fn *note;
    void *context;
    struct str noted[TEX_NOTED_MAX];
    int noted_count;
};

/* ---- tex.c ---- */

/* Appends text as it is, each line with the indent. */
void tex_put(struct tex *tex, struct str text);
void tex_put_c(struct tex *tex, const char *text);
/* Appends text so that Markdown shows it as it is. */
void tex_put_plain(struct tex *tex, struct str text);
void tex_end_line(struct tex *tex);  /* unless the line is empty */
void tex_paragraph(struct tex *tex); /* an empty line, unless there is one */
void tex_convert(struct tex *tex, struct str text);
/* Converts with some state changed; it is as before afterwards. */
void tex_convert_flat(struct tex *tex, struct str text);
void tex_convert_indented(struct tex *tex, struct str text, int spaces);
/* Says once that a command or environment was not understood. */
void tex_unknown(struct tex *tex, struct str name);

/* ---- reading ---- */

void tex_skip_space(struct str *rest); /* white space and comments, up to an empty line */
/* "{...}" with balanced braces, or one character; false at the end. */
bool tex_take_argument(struct tex *tex, struct str *rest, struct str *ret_argument);
/* "[...]", if there is one. */
bool tex_take_option(struct tex *tex, struct str *rest, struct str *ret_option);

/* ---- tex_command.c ---- */

/* `name` is without its backslash; *rest is what follows. */
void tex_command(struct tex *tex, struct str name, struct str *rest);

/* The text between two marks: "**", "*", "~~", or as code for "`". */
void tex_emphasis(struct tex *tex, const char *mark, struct str text);

/* ---- tex_environment.c ---- */

/* *rest is what follows "\begin{name}". */
void tex_environment(struct tex *tex, struct str name, struct str *rest);

#endif
