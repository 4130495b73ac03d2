#include "domain/turn.h"

#include <stdbool.h>

int64_t turn_key(int64_t virtual_key, int64_t last_key) {
    int64_t own_key = last_key > 0 ? last_key + TURN_STRIDE : 1; /* 0 means that there was none */
    return own_key > virtual_key ? own_key : virtual_key;
}

void turn_order(uint64_t offer, enum job_priority ret_order[PRIORITY_COUNT]) {
    uint64_t lower_turn = (offer + 1) / TURN_LOWER_EVERY;
    bool is_lower = (offer + 1) % TURN_LOWER_EVERY == 0;
    int first = is_lower ? 1 + (int)(lower_turn % (PRIORITY_COUNT - 1)) : 0;
    int count = 0;
    ret_order[count++] = (enum job_priority)first;
    for (int p = 0; p < PRIORITY_COUNT; p++) {
        if (p != first) {
            ret_order[count++] = (enum job_priority)p;
        }
    }
}
