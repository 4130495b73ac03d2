#ifndef LOCAL_OUTPUT_H
#define LOCAL_OUTPUT_H

#include "base/buf.h"
#include "domain/judgement.h"
#include <stdio.h>

/* One judgement for people and for programs. */

/* The verdict, the compiler's words if any, and a table of cases. */
void output_table(FILE *file, const struct judgement *judgement, bool colours);
/* Only the verdict and why. */
void output_verdict(FILE *file, const struct judgement *judgement, bool colours);
/* One object and a line feed:
 * {"verdict","score","cases":[{"name","verdict","cpuMs","wallMs","memoryKb","message"}],"compile"}
 */
checked bool output_json(const struct judgement *judgement, struct buf *into, struct err *err);

#endif
