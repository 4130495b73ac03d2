#ifndef SQL_NUMBER_H
#define SQL_NUMBER_H

#include "base/str.h"

/* Numbers as databases write them: "-12", "1.50", "1.5e-07". */

bool sql_number_is(struct str text);
/* The same number, whatever zeros and exponents it is written with. Exact. */
bool sql_number_equal(struct str a, struct str b);
/* Within a relative 1e-9 (absolute below 1): two ways to add up the same floating point numbers. */
bool sql_number_near(struct str a, struct str b);
/* As a double, for ordering. */
double sql_number_value(struct str text);

#endif
