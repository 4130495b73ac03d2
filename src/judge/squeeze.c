/* Leaves out of a text what a compare rule does not look at. No byte decides a branch: how long
 * tokens and gaps are costs nothing. */
#include "judge/squeeze.h"
#include "base/check.h"
#include "judge/block.h"

#include <stdlib.h>

/* Behind the window, so that a whole block may be written at its end. */
#define SLACK_BYTES (2 * BLOCK_BYTES)

#define INLINE static inline __attribute__((always_inline))

struct block {
    char bytes[BLOCK_BYTES]; /* folded; white space that may be left out is ' ' */
    uint64_t spaces;         /* all white space */
    uint64_t breaks;         /* line feeds that stay */
};

INLINE void read_block(const struct squeeze *squeeze, const char *text, struct block *block) {
    block_lane all_breaks = block_lane_all(squeeze->mode == SQUEEZE_LINES);
    block_lane all_folds = block_lane_all(squeeze->fold);
    block_lane all_blank = block_lane_all(squeeze->mode != SQUEEZE_NOTHING);
    block->spaces = 0;
    block->breaks = 0;
    for (size_t i = 0; i < BLOCK_LANES; i++) {
        block_lane lane;
        memcpy(&lane, text + i * sizeof lane, sizeof lane);
        block_lane spaces = block_lane_spaces(lane);
        block_lane breaks = (block_lane)(lane == '\n') & all_breaks;
        block_lane blank = spaces & ~breaks & all_blank;
        lane = (lane & ~all_folds) | (block_lane_fold(lane) & all_folds);
        lane = (lane & ~blank) | (blank & ' ');
        memcpy(block->bytes + i * sizeof lane, &lane, sizeof lane);
        block->spaces |= block_lane_bits(spaces) << (i * sizeof lane);
        block->breaks |= block_lane_bits(breaks) << (i * sizeof lane);
    }
}

/* The bytes that stay: tokens, line feeds, and the last byte of each gap without line feed between
 * two tokens. Adding a gap's first bit to the gap carries to the bit behind it, also into the next
 * block. *ret_space_before: such a gap ended with the block before. */
INLINE uint64_t choose(struct squeeze *squeeze, const struct block *block,
                       uint64_t *ret_space_before) {
    uint64_t gaps = block->spaces & ~block->breaks;
    uint64_t starts = gaps & ~(gaps << 1 | squeeze->was_space);
    uint64_t adds = starts & ~(block->breaks << 1 | squeeze->was_break);
    adds |= squeeze->gap_open & gaps & 1;
    uint64_t sum = 0;
    uint64_t reaches_out = __builtin_add_overflow(gaps, adds, &sum) ? 1 : 0;
    uint64_t behind = (sum & ~gaps) | (squeeze->gap_open & ~gaps & 1);
    uint64_t tokens_behind = behind & ~block->spaces;
    *ret_space_before = tokens_behind & 1;
    squeeze->was_space = gaps >> 63;
    squeeze->was_break = block->breaks >> 63;
    squeeze->gap_open = reaches_out;
    return ~gaps | tokens_behind >> 1;
}

/* Writes the bytes that stay one behind the other. Returns: their end. */
typedef char *keep_fn(const struct block *block, uint64_t kept, char *into);

static inline char *keep_anywhere(const struct block *block, uint64_t kept, char *into) {
    for (size_t i = 0; i < BLOCK_BYTES; i++) {
        *into = block->bytes[i];
        into += kept >> i & 1;
    }
    return into;
}

INLINE size_t squeeze_blocks_by(keep_fn *keep, struct squeeze *squeeze, struct str text,
                                char *into) {
    char *at = into;
    struct block block;
    for (size_t i = 0; i < text.len; i += BLOCK_BYTES) {
        uint64_t space_before = 0;
        uint64_t kept = ~(uint64_t)0;
        read_block(squeeze, text.ptr + i, &block);
        if (squeeze->mode != SQUEEZE_NOTHING) {
            kept = choose(squeeze, &block, &space_before);
        }
        squeeze->token_bytes += __builtin_popcountll(~block.spaces);
        *at = ' ';
        at += space_before;
        if (kept == ~(uint64_t)0) {
            memcpy(at, block.bytes, BLOCK_BYTES);
            at += BLOCK_BYTES;
        } else {
            at = keep(&block, kept, at);
        }
    }
    return (size_t)(at - into);
}

#ifdef __x86_64__
#include <immintrin.h>

#define GATHER __attribute__((target("bmi2,popcnt")))

/* Eight bytes in an instruction, where the processor has one that is not slow. */
GATHER static inline char *keep_gathered(const struct block *block, uint64_t kept, char *into) {
    for (size_t i = 0; i < BLOCK_BYTES; i += 8) {
        uint64_t bits = kept >> i & 0xff;
        uint64_t eight = 0;
        memcpy(&eight, block->bytes + i, sizeof eight);
        eight = _pext_u64(eight, _pdep_u64(bits, 0x0101010101010101u) * 0xff);
        memcpy(into, &eight, sizeof eight);
        into += __builtin_popcountll(bits);
    }
    return into;
}

GATHER static size_t squeeze_gathered(struct squeeze *squeeze, struct str text, char *into) {
    return squeeze_blocks_by(keep_gathered, squeeze, text, into);
}

static bool can_gather(void) {
    return __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
           !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
}
#else
static size_t squeeze_gathered(struct squeeze *squeeze, struct str text, char *into) {
    return squeeze_blocks_by(keep_anywhere, squeeze, text, into);
}

static bool can_gather(void) {
    return false;
}
#endif

/* `text` is whole blocks. */
static size_t squeeze_blocks(struct squeeze *squeeze, struct str text, char *into) {
    return squeeze->gather ? squeeze_gathered(squeeze, text, into)
                           : squeeze_blocks_by(keep_anywhere, squeeze, text, into);
}

/* The last bytes of the text, filled up with white space, of which nothing stays. */
static size_t squeeze_tail(struct squeeze *squeeze, struct str tail, char *into) {
    char padded[BLOCK_BYTES];
    memset(padded, ' ', sizeof padded);
    memcpy(padded, tail.ptr, tail.len);
    size_t bytes = squeeze_blocks(squeeze, str_of(padded, sizeof padded), into);
    return squeeze->mode == SQUEEZE_NOTHING ? tail.len : bytes;
}

static void make_room(struct squeeze *squeeze) {
    size_t drop = squeeze->from > SQUEEZE_KEPT_BYTES ? squeeze->from - SQUEEZE_KEPT_BYTES : 0;
    memmove(squeeze->window, squeeze->window + drop, squeeze->to - drop);
    squeeze->from -= drop;
    squeeze->to -= drop;
    squeeze->whole = squeeze->whole && drop == 0;
}

void squeeze_init(struct squeeze *squeeze, struct reader *reader, enum squeeze_mode mode,
                  bool fold) {
    *squeeze = (struct squeeze){
        .reader = reader, .mode = mode, .fold = fold, .whole = true, .was_break = 1};
    squeeze->gather = can_gather();
    squeeze->window = malloc(SQUEEZE_WINDOW_BYTES + SLACK_BYTES);
    CHECK(squeeze->window != NULL);
}

void squeeze_done(struct squeeze *squeeze) {
    free(squeeze->window);
    squeeze->window = NULL;
}

void squeeze_fill(struct squeeze *squeeze) {
    if (squeeze->ended || squeeze->to - squeeze->from >= SQUEEZE_KEPT_BYTES) {
        return;
    }
    make_room(squeeze);
    while (!squeeze->ended && squeeze->to + BLOCK_BYTES <= SQUEEZE_WINDOW_BYTES) {
        struct str seen = reader_peek(squeeze->reader, BLOCK_BYTES);
        size_t room = (SQUEEZE_WINDOW_BYTES - squeeze->to) / BLOCK_BYTES;
        size_t count = seen.len / BLOCK_BYTES < room ? seen.len / BLOCK_BYTES : room;
        struct str blocks = str_sub(seen, 0, count * BLOCK_BYTES);
        char *into = squeeze->window + squeeze->to;
        squeeze->ended = seen.len < BLOCK_BYTES;
        squeeze->to += squeeze->ended ? squeeze_tail(squeeze, seen, into)
                                      : squeeze_blocks(squeeze, blocks, into);
        reader_skip(squeeze->reader, squeeze->ended ? seen.len : blocks.len);
    }
    CHECK(squeeze->to <= SQUEEZE_WINDOW_BYTES + SLACK_BYTES);
}

static int64_t count_token_bytes(const char *text, size_t bytes) {
    int64_t count = 0;
    size_t at = 0;
    for (; at + BLOCK_BYTES <= bytes; at += BLOCK_BYTES) {
        count += __builtin_popcountll(~block_spaces(text + at));
    }
    for (; at < bytes; at++) {
        count += reader_is_space(text[at]) ? 0 : 1;
    }
    return count;
}

int64_t squeeze_tell(const struct squeeze *squeeze) {
    return squeeze->token_bytes -
           count_token_bytes(squeeze->window + squeeze->from, squeeze->to - squeeze->from);
}

/* The offset of the set bit that has `before` set bits below it. */
static size_t nth_bit(uint64_t set, int64_t before) {
    for (; before > 0; before--) {
        set &= set - 1;
    }
    return (size_t)__builtin_ctzll(set);
}

int64_t squeeze_find(int fd, int64_t token_bytes) {
    struct reader reader;
    int64_t left = token_bytes;
    int64_t found = -1;
    reader_init(&reader, fd);
    while (found < 0) {
        char padded[BLOCK_BYTES];
        struct str seen = reader_peek(&reader, BLOCK_BYTES);
        size_t usable = seen.len < BLOCK_BYTES ? seen.len : BLOCK_BYTES;
        memset(padded, ' ', sizeof padded);
        memcpy(padded, seen.ptr, usable);
        uint64_t tokens = ~block_spaces(padded);
        int64_t here = __builtin_popcountll(tokens);
        if (here > left) {
            found = reader_tell(&reader) + (int64_t)nth_bit(tokens, left);
        } else if (usable < BLOCK_BYTES) {
            found = reader_tell(&reader) + (int64_t)usable;
        }
        left -= here;
        reader_skip(&reader, usable);
    }
    reader_done(&reader);
    return found;
}
