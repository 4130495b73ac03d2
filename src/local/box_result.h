#ifndef LOCAL_BOX_RESULT_H
#define LOCAL_BOX_RESULT_H

#include "base/buf.h"
#include "box/box.h"

/* How a run ended, for people and as JSON: docs/how-to/use-the-sandbox.md. */

/* The stable word: "exit", "signal", "cpu", "wall", "memory", "output", "killed", "start". */
const char *box_result_word(enum box_end end);
/* One line without its end. */
void box_result_text(const struct box_result *result, struct buf *out);
/* One JSON object and a line's end. `pinned`: the run had one processor. */
checked bool box_result_json(const struct box_result *result, bool pinned, struct buf *out,
                             struct err *err);

#endif
