#ifndef LOCAL_TERMINAL_H
#define LOCAL_TERMINAL_H

#include "base/str.h"
#include "domain/verdict.h"
#include <stdio.h>

/* Text for people at a terminal. */

/* Colours only for a terminal, and not when NO_COLOR is set or TERM is "dumb". */
bool terminal_has_colours(FILE *file);
/* Prints text that others wrote: control characters but LF and tab become '?', so that no program's
 * output can drive the terminal. */
void terminal_print(FILE *file, struct str text);
/* As terminal_print, but every control character; padded with spaces to `columns`. */
void terminal_cell(FILE *file, struct str text, int columns);
/* Columns that the text takes: East Asian wide characters take two. */
int terminal_columns(struct str text);
/* The escape sequence for a verdict's colour, or "" without colours; terminal_plain ends it. */
const char *terminal_colour(bool colours, enum verdict verdict);
const char *terminal_plain(bool colours);

#endif
