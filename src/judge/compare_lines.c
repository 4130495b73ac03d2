/* Sets of lines, in constant memory.
 *
 * A line is cut into blocks of 8 words of 7 bytes, each block becomes a number modulo 2^61 - 1 (the
 * sum of its words, each times a random key), and the line the polynomial of its blocks at a random
 * point. A set is the product of (random point + line) over its lines, so that their order does not
 * matter and repetitions count. Two lines that differ are the same number, and two sets that differ
 * the same product, with a chance of at most their length by 2^61: below 2^-34 for files of 2^27
 * words each, twice over, since all of it is done with two independent keys. Those come from the
 * kernel for each comparison, so nobody can aim at a chance. */
#include "base/random.h"
#include "judge/block.h"
#include "judge/compare_internal.h"
#include "judge/squeeze.h"

#include <string.h>

#define PRIME (((uint64_t)1 << 61) - 1)
/* Of every fourth line: so one multiplication need not wait for another. */
#define PRODUCTS 4
#define WORD_BYTES ((size_t)7)
#define WORD_MASK (((uint64_t)1 << 56) - 1)
#define WORDS 8
#define PIECE_BYTES (WORDS * WORD_BYTES)
/* Everything below is done some hundred million times. */
#define INLINE static inline __attribute__((always_inline))

/* The same by both keys; below PRIME. */
struct twin {
    uint64_t a;
    uint64_t b;
};

struct twin_sum {
    unsigned __int128 a;
    unsigned __int128 b;
};

enum {
    KEY_WHOLE = WORDS, /* added to a block that is not the last, so that zeros count */
    KEY_LINE,          /* the point of the lines' polynomials */
    KEY_SET,           /* and of the sets' */
    KEY_COUNT,
};

struct line_key {
    struct twin at[KEY_COUNT]; /* those of the words come first */
};

struct line_set {
    const struct line_key *key;
    struct twin line; /* of the blocks of this line so far */
    bool open;        /* there are some */
    struct twin product[PRODUCTS];
    uint64_t lines;
};

INLINE uint64_t reduce(uint64_t value) {
    return value >= PRIME ? value - PRIME : value;
}

INLINE uint64_t reduce_sum(unsigned __int128 value) {
    return reduce(((uint64_t)value & PRIME) + (uint64_t)(value >> 61));
}

INLINE struct twin multiply(struct twin x, struct twin y) {
    return (struct twin){.a = reduce_sum((unsigned __int128)x.a * y.a),
                         .b = reduce_sum((unsigned __int128)x.b * y.b)};
}

INLINE struct twin add(struct twin x, struct twin y) {
    return (struct twin){.a = reduce(x.a + y.a), .b = reduce(x.b + y.b)};
}

static void line_set_init(struct line_set *set, const struct line_key *key) {
    *set = (struct line_set){.key = key};
    for (size_t i = 0; i < PRODUCTS; i++) {
        set->product[i] = (struct twin){.a = 1, .b = 1};
    }
}

INLINE uint64_t load_word(const char *bytes) {
    uint64_t loaded = 0;
    memcpy(&loaded, bytes, sizeof loaded);
    return loaded; /* eight bytes: the caller masks */
}

/* A block is its words times their keys; 8 products of 56 by 61 bits leave room in 128. */
INLINE void add_word(struct twin_sum *sum, uint64_t word, struct twin key) {
    sum->a += (unsigned __int128)word * key.a;
    sum->b += (unsigned __int128)word * key.b;
}

INLINE void add_block(struct line_set *set, struct twin_sum sum) {
    struct twin block = {.a = reduce_sum(sum.a), .b = reduce_sum(sum.b)};
    set->line = set->open ? add(multiply(set->line, set->key->at[KEY_LINE]), block) : block;
    set->open = true;
}

/* Whole blocks of a line that goes on. Returns: the bytes taken. */
INLINE size_t add_pieces(struct line_set *set, const char *bytes, size_t count) {
    size_t at = 0;
    for (; count - at >= PIECE_BYTES; at += PIECE_BYTES) {
        struct twin_sum sum = {.a = set->key->at[KEY_WHOLE].a, .b = set->key->at[KEY_WHOLE].b};
        for (size_t i = 0; i < WORDS; i++) {
            add_word(&sum, load_word(bytes + at + i * WORD_BYTES) & WORD_MASK, set->key->at[i]);
        }
        add_block(set, sum);
    }
    return at;
}

/* The rest of a line. Behind it there are at least 8 more bytes to read, whatever they are. */
INLINE void add_line(struct line_set *set, const char *bytes, size_t count) {
    if (count == 0 && !set->open) {
        return; /* a blank one */
    }
    size_t at = add_pieces(set, bytes, count);
    struct twin_sum sum = {.a = 0};
    size_t word = 0;
    for (; count - at >= WORD_BYTES; at += WORD_BYTES) {
        add_word(&sum, load_word(bytes + at) & WORD_MASK, set->key->at[word++]);
    }
    uint64_t end = (uint64_t)1 << (8 * (count - at));
    add_word(&sum, (load_word(bytes + at) & (end - 1)) | end, set->key->at[word]);
    add_block(set, sum);
    struct twin *product = &set->product[set->lines % PRODUCTS];
    *product = multiply(*product, add(set->line, set->key->at[KEY_SET]));
    set->lines++;
    set->open = false;
}

/* Adds the lines that end in these bytes, behind which there are at least 64 more to read, whatever
 * they are. Returns: the bytes taken. */
static size_t add_lines(struct line_set *set, struct str bytes) {
    size_t line = 0;
    for (size_t at = 0; at < bytes.len; at += BLOCK_BYTES) {
        uint64_t breaks = block_equal(bytes.ptr + at, '\n') & block_first(bytes.len - at);
        for (; breaks != 0; breaks &= breaks - 1) {
            size_t end = at + (size_t)__builtin_ctzll(breaks);
            add_line(set, bytes.ptr + line, end - line);
            line = end + 1;
        }
    }
    if (bytes.len - line >= SQUEEZE_KEPT_BYTES) {
        line += add_pieces(set, bytes.ptr + line, bytes.len - line);
    }
    return line;
}

static void read_line_set(struct line_set *set, struct reader *reader, bool fold) {
    struct squeeze text;
    squeeze_init(&text, reader, SQUEEZE_LINES, fold);
    do {
        squeeze_fill(&text);
        text.from += add_lines(set, str_of(text.window + text.from, text.to - text.from));
    } while (!text.ended);
    add_line(set, text.window + text.from, text.to - text.from);
    squeeze_done(&text);
}

static bool same_set(const struct line_set *x, const struct line_set *y) {
    struct twin one = {.a = 1, .b = 1};
    struct twin other = one;
    for (size_t i = 0; i < PRODUCTS; i++) {
        one = multiply(one, x->product[i]);
        other = multiply(other, y->product[i]);
    }
    return x->lines == y->lines && one.a == other.a && one.b == other.b;
}

static uint64_t random_point(void) {
    return (uint64_t)random_below(&random_real, (int64_t)PRIME);
}

enum compare_why compare_line_sets(const struct compare_rules *rules, struct reader *output,
                                   struct reader *answer) {
    struct line_key key;
    struct line_set got;
    struct line_set expected;
    for (size_t i = 0; i < KEY_COUNT; i++) {
        key.at[i] = (struct twin){.a = random_point(), .b = random_point()};
    }
    line_set_init(&got, &key);
    line_set_init(&expected, &key);
    read_line_set(&got, output, !rules->case_sensitive);
    read_line_set(&expected, answer, !rules->case_sensitive);
    if (got.lines == 0 && expected.lines > 0) {
        return COMPARE_NO_OUTPUT;
    }
    return same_set(&got, &expected) ? COMPARE_EQUAL : COMPARE_SET;
}
