#ifndef APP_TITLES_H
#define APP_TITLES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

/* A problem's titles by language, as stored: a line each, language, tab, title. */

struct text_by_language {
    struct str language; /* "en", "zh" */
    struct str text;
};

/* What is not in that form is left out: the column is written by titles_write alone. Everything
 * lives in `arena`, the texts too. */
int titles_read(struct str stored, struct arena *arena, struct text_by_language **ret_titles);
/* Tabs and line breaks inside a text become spaces. ERR_TOO_LARGE when `into` is full. */
checked bool titles_write(const struct text_by_language *titles, int count, struct buf *into,
                          struct err *err);

#endif
