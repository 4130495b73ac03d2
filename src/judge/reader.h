#ifndef JUDGE_READER_H
#define JUDGE_READER_H

#include "base/err.h"
#include "base/str.h"

/* Reads a plain file from its start through one window of fixed size, whatever its length; the
 * descriptor's offset stays where it is. Private to the judge module.
 *
 * Invariant: 0 <= from <= to <= READER_WINDOW_BYTES; window[from] is the byte at offset - (to -
 * from). */
#define READER_WINDOW_BYTES ((size_t)256 * 1024)

struct reader {
    int fd;         /* borrowed; negative: an empty file */
    int64_t offset; /* of the next byte to read from the file */
    size_t from;
    size_t to;
    bool ended; /* no byte is left in the file behind the window */
    bool failed;
    int failed_errno;
    char *window;
};

void reader_init(struct reader *reader, int fd);
void reader_done(struct reader *reader); /* accepts a zeroed reader */

/* The bytes in the window that are not consumed yet; reads more when there are fewer than `wanted`.
 * Shorter than `wanted` only at the end of the file or of the window. */
struct str reader_peek(struct reader *reader, size_t wanted);
void reader_seek(struct reader *reader, int64_t offset); /* the next byte is the one there */
void reader_skip(struct reader *reader, size_t bytes);   /* at most what the last peek gave */
bool reader_at_end(struct reader *reader);
int64_t reader_tell(const struct reader *reader); /* offset of the next byte not consumed */

/* White space as C's isspace has it; skips it and counts its line feeds. */
bool reader_is_space(char c);
int64_t reader_skip_space(struct reader *reader);
size_t reader_token_bytes(struct str seen); /* at its beginning, up to the first white space */
/* What the window holds of the token that begins here. *ret_whole: its end is known to be in the
 * window (or it ends here: empty). */
struct str reader_token(struct reader *reader, bool *ret_whole);

/* ERR_SYSTEM with FAULT_NODE when a read failed: what was compared until then means nothing. */
checked bool reader_ok(const struct reader *reader, const char *what, struct err *err);

#endif
