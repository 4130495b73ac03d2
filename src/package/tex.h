#ifndef PACKAGE_TEX_H
#define PACKAGE_TEX_H

#include "base/buf.h"

/* Statements in TeX become Markdown: the commands that statements use (emphasis, lists, tables,
 * images, sections, verbatim text, quotes and dashes, olymp.sty and Kattis' own). Formulas stay as
 * they are, between `$` and `$$`. What is not understood stays visible as text; nothing is
 * swallowed. Nothing is executed and no file is read: \input and \newcommand are text as well. */

/* Called with each command that was not understood, once; `macro` is "\foo". */
typedef void tex_note_fn(void *context, struct str macro);

/* Appends to `out`. Errors: ERR_TOO_LARGE when it is full. */
checked bool tex_to_markdown(struct str tex, struct buf *out, tex_note_fn *note, void *context,
                             struct err *err);

#endif
