/* "Did you mean ...?" by edit distance (insert, delete, replace, swap of neighbours). */
#include "data/suggest.h"

#include "base/check.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define WORD_BYTES_MAX 64 /* longer words get no suggestion */

static int least(int a, int b, int c) {
    int lower = a < b ? a : b;
    return lower < c ? lower : c;
}

/* The distance by three rolling rows of the usual table: two back for swaps. */
static int distance_between(struct str a, struct str b) {
    int rows[3][WORD_BYTES_MAX + 1];
    for (size_t j = 0; j <= b.len; j++) {
        rows[0][j] = (int)j;
    }
    for (size_t i = 1; i <= a.len; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3];
        const int *two_above = rows[(i + 1) % 3];
        row[0] = (int)i;
        for (size_t j = 1; j <= b.len; j++) {
            bool same = a.ptr[i - 1] == b.ptr[j - 1];
            row[j] = least(above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1));
            bool swapped =
                i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1];
            if (swapped && two_above[j - 2] + 1 < row[j]) {
                row[j] = two_above[j - 2] + 1;
            }
        }
    }
    return rows[a.len % 3][b.len];
}

struct suggest suggest_for(struct str word) {
    return (struct suggest){.word = word, .name = NULL, .distance = INT_MAX};
}

void suggest_offer(struct suggest *nearest, const char *name) {
    struct str candidate = str_from(name);
    struct str word = nearest->word;
    if (word.len == 0 || word.len > WORD_BYTES_MAX || candidate.len > WORD_BYTES_MAX) {
        return;
    }
    int distance = distance_between(word, candidate);
    /* One slip in three letters still looks like a typing error; more is another word. */
    size_t longer = word.len > candidate.len ? word.len : candidate.len;
    int allowed = longer < 3 ? 0 : (int)(longer / 3);
    if (distance <= allowed && distance < nearest->distance) {
        nearest->name = name;
        nearest->distance = distance;
    }
}

void suggest_text(const struct suggest *nearest, char out[SUGGEST_TEXT_BYTES]) {
    out[0] = '\0';
    if (nearest->name != NULL) {
        CHECK(strlen(nearest->name) <= WORD_BYTES_MAX);
        snprintf(out, SUGGEST_TEXT_BYTES, " (did you mean `%s`?)", nearest->name);
    }
}
