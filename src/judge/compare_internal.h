#ifndef JUDGE_COMPARE_INTERNAL_H
#define JUDGE_COMPARE_INTERNAL_H

#include "judge/compare.h"
#include "judge/reader.h"

/* How comparing is put together. Most outputs are right: compare_skim looks for a difference only,
 * at the speed of the memory; what it finds, compare_walk looks at token by token and says in words
 * what differs. */

/* A place in both files, before which they are the same by the rules: where a token begins, or
 * the start of both. */
struct compare_place {
    int64_t output;
    int64_t answer;
};

/* Returns: no difference was found. Else `*ret_before` is a place before it, but no more than a few
 * windows; a token longer than a window may be called a difference although it is none. */
bool compare_skim(const struct compare_rules *rules, struct reader *output, struct reader *answer,
                  struct compare_place *ret_before);

/* What differs from that place on, by tokens or lines, or that nothing does. */
void compare_walk(const struct compare_rules *rules, struct reader *output, struct reader *answer,
                  struct compare_result *ret_result);

/* Two tokens by the rules; COMPARE_EQUAL, COMPARE_TOKEN or COMPARE_NUMBER. */
enum compare_why compare_tokens(const struct compare_rules *rules, struct str expected,
                                struct str got);
/* The same letters, whatever their case where it does not count. */
bool compare_text(const struct compare_rules *rules, const char *a, const char *b, size_t len);
/* How many bytes at their beginning are the same. */
size_t compare_common(struct str a, struct str b);

/* Whether both have the same lines, in any order, blank ones left out; case as the rules say. */
enum compare_why compare_line_sets(const struct compare_rules *rules, struct reader *output,
                                   struct reader *answer);

#endif
