#ifndef DOMAIN_SCORING_H
#define DOMAIN_SCORING_H

#include "domain/judgement.h"
#include "domain/manifest.h"

/* From case results to the verdict and score of the whole submission. Integers in micro-points
 * only; shares of a total by largest remainder. */

#define SCORE_MICRO_MAX INT64_C(1000000000000000) /* a thousand million points */

/* The verdict a pass/fail submission gets: the first rejected case decides; PARTIAL never appears.
 */
void scoring_finish(const struct manifest *manifest, struct judgement *judgement);
/* False when running case `index` can no longer change verdict or score, given the `count` results
 * so far (in manifest order). Samples of scoring problems always matter: people are shown them. */
bool scoring_case_matters(const struct manifest *manifest, const struct case_result *cases,
                          int32_t count, int32_t index);
/* True when no later case can change verdict or score, so that judging may stop. */
bool scoring_decided(const struct manifest *manifest, const struct case_result *cases,
                     int32_t count);
/* Splits `total_micro` over `count` weights so that the parts add up to it exactly. */
void scoring_split(int64_t total_micro, const int64_t *weights, int32_t count, int64_t *ret_parts);

#endif
