/* The kernel's randomness, and a repeatable one for simulations. */
#include "base/random.h"

#include "base/check.h"
#include <errno.h>
#include <string.h>
#include <sys/random.h>

static void real_fill(void *context, void *bytes, size_t count) {
    (void)context;
    unsigned char *place = bytes;
    while (count > 0) {
        ssize_t got = getrandom(place, count, 0);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        CHECK(got > 0); /* a guessable token would be worse than stopping */
        place += got;
        count -= (size_t)got;
    }
}

const struct random random_real = {.fill = real_fill};

void random_fill(const struct random *random, void *bytes, size_t count) {
    random->fill(random->context, bytes, count);
}

uint64_t random_u64(const struct random *random) {
    uint64_t value = 0;
    random_fill(random, &value, sizeof(value));
    return value;
}

int64_t random_below(const struct random *random, int64_t limit) {
    CHECK(limit > 0);
    uint64_t range = (uint64_t)limit;
    /* Values below 2^64 mod range would make the small remainders likelier: draw again. */
    uint64_t unfair = (UINT64_MAX - range + 1) % range;
    uint64_t value = random_u64(random);
    while (value < unfair) {
        value = random_u64(random);
    }
    return (int64_t)(value % range);
}

/* splitmix64, as published by Steele, Lea and Flood, "Fast splittable pseudorandom number
 * generators" (2014): any seed is good, and the whole state is one number. */
static uint64_t seeded_next(struct random_seeded *seeded) {
    seeded->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = seeded->state;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

static void seeded_fill(void *context, void *bytes, size_t count) {
    struct random_seeded *seeded = context;
    unsigned char *place = bytes;
    while (count > 0) {
        uint64_t value = seeded_next(seeded);
        size_t step = count < sizeof(value) ? count : sizeof(value);
        memcpy(place, &value, step);
        place += step;
        count -= step;
    }
}

void random_seeded_init(struct random_seeded *seeded, uint64_t seed) {
    *seeded = (struct random_seeded){
        .random = {.context = seeded, .fill = seeded_fill},
        .state = seed,
    };
}
