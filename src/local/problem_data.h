#ifndef LOCAL_PROBLEM_DATA_H
#define LOCAL_PROBLEM_DATA_H

#include "local/loaded.h"
#include "local/session.h"

/* Test data of a package by its own programs, in the sandbox. */

/* Makes what the package only says how to make: inputs by generators, answers by the model
 * solution. Afterwards the problem has no recipes. Errors: ERR_INVALID "bad_package" saying which
 * case and why; ERR_SYSTEM. */
checked bool problem_data_make(struct session *session, struct loaded *loaded, struct err *err);

/* An input that a validator did not accept. */
struct problem_data_fault {
    struct str name; /* of the case */
    struct str validator;
    struct str message;
};

/* Runs each validator on each input. *ret_faults lives in the loaded problem's arena; a validator
 * that crashes or does not compile is a fault as well. Errors: ERR_SYSTEM. */
checked bool problem_data_validate(struct session *session, struct loaded *loaded,
                                   struct problem_data_fault **ret_faults, int32_t *ret_count,
                                   struct err *err);

#endif
