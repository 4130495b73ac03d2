#ifndef CLI_REPORT_TEXT_H
#define CLI_REPORT_TEXT_H

#include "data/json.h"

/* The report of an import for people, on standard output: what was guessed, not used, warned of and
 * refused, each with file and line; of what was read, how many files. */
void report_text_print(const struct json *report);

#endif
