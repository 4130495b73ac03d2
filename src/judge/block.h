#ifndef JUDGE_BLOCK_H
#define JUDGE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* 64 bytes of text at a time, as sets of 64 bits: bit i is byte i. Written with the compiler's
 * vectors, so that they run wherever it knows some. Private to the judge module. */
#define BLOCK_BYTES ((size_t)64)

typedef uint8_t block_lane __attribute__((vector_size(16)));
typedef uint64_t block_words __attribute__((vector_size(16)));
#define BLOCK_LANES (BLOCK_BYTES / sizeof(block_lane))

static inline block_lane block_lane_all(bool set) {
    return (block_lane){0} - (uint8_t)(set ? 1 : 0);
}

/* White space as C's isspace has it. */
static inline block_lane block_lane_spaces(block_lane lane) {
    return (block_lane)(lane == ' ') | (block_lane)(lane - '\t' <= '\r' - '\t');
}

static inline block_lane block_lane_fold(block_lane lane) {
    block_lane upper = (block_lane)(lane - 'A' <= 'Z' - 'A');
    return lane | (upper & 0x20);
}

#ifdef __SSE2__
#include <emmintrin.h>
static inline uint64_t block_lane_bits(block_lane set) {
    return (uint64_t)(uint32_t)_mm_movemask_epi8((__m128i)set);
}
#else
/* One bit of each byte, gathered by a multiplication whose terms never meet. */
static inline uint64_t block_lane_bits(block_lane set) {
    block_words words = (block_words)(set & 1);
    uint64_t low = (words[0] * 0x0102040810204080u) >> 56;
    uint64_t high = (words[1] * 0x0102040810204080u) >> 56;
    return low | high << 8;
}
#endif

/* The white space among 64 bytes. */
static inline uint64_t block_spaces(const char *bytes) {
    uint64_t spaces = 0;
    for (size_t i = 0; i < BLOCK_LANES; i++) {
        block_lane lane;
        memcpy(&lane, bytes + i * sizeof lane, sizeof lane);
        spaces |= block_lane_bits(block_lane_spaces(lane)) << (i * sizeof lane);
    }
    return spaces;
}

static inline uint64_t block_equal(const char *bytes, char c) {
    uint64_t equal = 0;
    for (size_t i = 0; i < BLOCK_LANES; i++) {
        block_lane lane;
        memcpy(&lane, bytes + i * sizeof lane, sizeof lane);
        equal |= block_lane_bits((block_lane)(lane == (uint8_t)c)) << (i * sizeof lane);
    }
    return equal;
}

/* Where two times 64 bytes are the same. */
static inline uint64_t block_same(const char *a, const char *b) {
    uint64_t same = 0;
    for (size_t i = 0; i < BLOCK_LANES; i++) {
        block_lane one;
        block_lane other;
        memcpy(&one, a + i * sizeof one, sizeof one);
        memcpy(&other, b + i * sizeof other, sizeof other);
        same |= block_lane_bits((block_lane)(one == other)) << (i * sizeof one);
    }
    return same;
}

/* The first `count` bytes' bits, 0 to 64 of them. */
static inline uint64_t block_first(size_t count) {
    return count >= BLOCK_BYTES ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
}

#endif
