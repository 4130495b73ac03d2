#ifndef APP_RESULT_CHECK_H
#define APP_RESULT_CHECK_H

#include "domain/judgement.h"
#include "domain/manifest.h"

/* Whether a node's result can be one of this manifest: its cases, their names and order, and a
 * verdict and score that follow from them. A node that says otherwise is broken, and its word must
 * not become a verdict. ERR_INVALID "bad_field" with what is wrong. */
checked bool result_check(const struct manifest *manifest, const struct judgement *judgement,
                          struct err *err);

#endif
