#ifndef TESTS_FAKE_OBEY_H
#define TESTS_FAKE_OBEY_H

/* One more program of fake_box.h, for self-tests: "obey WORD" does what its input says, but not
 * WORD, which it does well. Set fake_word to it. */
#include "fake_box.h"

static inline bool fake_obey(const char *word, const char *but) {
    char input[4096];
    if (strcmp(word, "obey") != 0) {
        return false;
    }
    fake_read(fake.spec.streams[0].fd, input);
    bool fails = strcmp(input, but) == 0;
    if (!fails && (strcmp(input, "time") == 0 || strcmp(input, "memory") == 0)) {
        fake.pending.end = input[0] == 't' ? BOX_END_CPU : BOX_END_MEMORY;
    }
    fake.pending.exit_code = !fails && strcmp(input, "crash") == 0 ? 1 : 0;
    bool forbidden = strcmp(input, "forbidden") == 0;
    fake_write(1, forbidden ? (fails ? "allowed" : "refused") : input);
    return true;
}

#endif
