#ifndef DATA_SUGGEST_H
#define DATA_SUGGEST_H

#include "base/str.h"

/* "Did you mean ...?": keeps the nearest of the names offered to it, if one is near enough.
 *
 *     struct suggest nearest = suggest_for(word);
 *     for (...) suggest_offer(&nearest, name);
 *     if (nearest.name != NULL) ...
 */
struct suggest {
    struct str word;
    const char *name; /* NULL: nothing is near; else one of the names offered */
    int distance;
};

struct suggest suggest_for(struct str word);
void suggest_offer(struct suggest *nearest, const char *name);
/* " (did you mean `name`?)" or "". */
#define SUGGEST_TEXT_BYTES 96
void suggest_text(const struct suggest *nearest, char out[SUGGEST_TEXT_BYTES]);

#endif
