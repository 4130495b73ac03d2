/* Interleaved measuring. */
#include "bench/rounds.h"

bool rounds_run(struct candidate *candidates, size_t count, int64_t warm_ups, int64_t rounds,
                struct err *err) {
    for (int64_t round = -warm_ups; round < rounds; round++) {
        for (size_t i = 0; i < count; i++) {
            struct candidate *candidate = &candidates[(i + (size_t)(round + warm_ups)) % count];
            int64_t value = 0;
            if (!candidate->once(candidate->context, &value, err)) {
                return err_wrap(err, "%s", candidate->name);
            }
            if (round >= 0) {
                samples_add(&candidate->samples, value);
            }
        }
    }
    return true;
}

void rounds_done(struct candidate *candidates, size_t count) {
    for (size_t i = 0; i < count; i++) {
        samples_done(&candidates[i].samples);
    }
}
