#ifndef JUDGE_SQUEEZE_H
#define JUDGE_SQUEEZE_H

#include "judge/reader.h"

/* A text without what a compare rule does not look at, through one window of fixed size, 64 bytes
 * at a time: two texts are equal by the rule when the squeezed ones are equal. Private to the judge
 * module.
 *
 * SQUEEZE_TOKENS: one space between two tokens, nothing before the first and behind the last.
 * SQUEEZE_LINES: the same within a line; every line feed stays, none of the white space beside it.
 * SQUEEZE_NOTHING: every byte stays.
 *
 * Invariant: window[from..to) is what was not consumed yet; window[0..from) is what came directly
 * before it, at least SQUEEZE_KEPT_BYTES of it or all (`whole`). */
#define SQUEEZE_WINDOW_BYTES ((size_t)64 * 1024)
#define SQUEEZE_KEPT_BYTES ((size_t)8 * 1024)

enum squeeze_mode { SQUEEZE_NOTHING, SQUEEZE_TOKENS, SQUEEZE_LINES };

struct squeeze {
    struct reader *reader; /* borrowed */
    enum squeeze_mode mode;
    bool fold;   /* A-Z become a-z */
    bool gather; /* this processor can do it faster; a test may say no */
    size_t from;
    size_t to;
    bool ended;
    bool whole;          /* window[0] is the first byte of all */
    int64_t token_bytes; /* bytes that are no white space, in all that was put into the window */
    uint64_t was_space;  /* of the last byte: white space that may be left out */
    uint64_t was_break;  /* of the last byte: a line feed that stays, or the start of the text */
    uint64_t gap_open;   /* a gap behind a token reaches to the last byte */
    char *window;
};

void squeeze_init(struct squeeze *squeeze, struct reader *reader, enum squeeze_mode mode,
                  bool fold);
void squeeze_done(struct squeeze *squeeze); /* accepts a zeroed one */

/* Reads on when fewer than SQUEEZE_KEPT_BYTES are left: afterwards there are that many, or these
 * are the last. What window[..from) held moves. */
void squeeze_fill(struct squeeze *squeeze);
/* How many bytes that are no white space were consumed: the same place in the text as read. */
int64_t squeeze_tell(const struct squeeze *squeeze);

/* The offset of the byte that is no white space and has `token_bytes` such before it, in a file
 * read from its start; the file's end when there is none. */
int64_t squeeze_find(int fd, int64_t token_bytes);

#endif
