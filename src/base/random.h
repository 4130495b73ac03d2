#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Randomness enters through here, so that the simulator can replay it from one seed. */
struct random {
    void *context;
    void (*fill)(void *context, void *bytes, size_t count);
};

extern const struct random random_real; /* getrandom: fit for keys and tokens */

void random_fill(const struct random *random, void *bytes, size_t count);
uint64_t random_u64(const struct random *random);
int64_t random_below(const struct random *random, int64_t limit); /* 0 <= value < limit, unbiased */

/* Repeatable, not for secrets. Points to itself: do not move it after init. */
struct random_seeded {
    struct random random;
    uint64_t state;
};
void random_seeded_init(struct random_seeded *seeded, uint64_t seed);

#endif
