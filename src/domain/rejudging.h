#ifndef DOMAIN_REJUDGING_H
#define DOMAIN_REJUDGING_H

#include "base/err.h"
#include "domain/ids.h"
#include "domain/verdict.h"

/* A batch of new judgings beside those that count (DESIGN section 5).
 *
 *     CREATING --> JUDGING --> READY --> APPLYING --> APPLIED --> UNDOING --> UNDONE
 *         |           |          |          ^            |                       |
 *         +-----------+----------+-> CANCELLING -> CANCELLED    (late results)   |
 *                                           +------------+-----------------------+
 *
 * The states ending in -ING are worked off in batches by whichever server comes by; all that a
 * batch does, with the place it has reached, is one transaction, so any of them may die at any
 * moment.
 *
 * Invariants (store/invariant_store.c, numbers of rules R1 to R5): (R1) an item that is being
 * judged has an open job of its submission, which is the current one; (R2) a judging of an open
 * rejudging never counts before it is applied, unless nothing counted before it or a system error
 * did; (R3) an applied item's job counts, or one that came later does; (R4) a submission is in at
 * most one rejudging that is not over; (R5) a finished rejudging has no item that is being judged
 * but those it left to themselves. */

enum rejudging_state {
    REJUDGING_NONE,
    REJUDGING_CREATING,
    REJUDGING_JUDGING,
    REJUDGING_READY, /* to be looked at */
    REJUDGING_APPLYING,
    REJUDGING_APPLIED,
    REJUDGING_UNDOING,
    REJUDGING_UNDONE,
    REJUDGING_CANCELLING,
    REJUDGING_CANCELLED,
    REJUDGING_STATE_COUNT,
};

enum rejudging_event {
    REJUDGING_CREATED = 1, /* all items are made */
    REJUDGING_JUDGED,      /* no item is being judged */
    REJUDGING_APPLY,
    REJUDGING_UNDO,
    REJUDGING_CANCEL,
    REJUDGING_DONE, /* of APPLYING, UNDOING, CANCELLING */
    REJUDGING_EVENT_COUNT,
};

enum rejudging_option {                             /* bits */
                        REJUDGING_OLD_MANIFEST = 1, /* what it was handed in with */
                        REJUDGING_SUPERSEDE = 2,    /* what is being judged, too */
                        REJUDGING_AUTO_APPLY = 4,
};

enum item_state {
    ITEM_NONE,
    ITEM_JUDGING,
    ITEM_JUDGED,
    ITEM_APPLIED,
    ITEM_UNDONE,
    ITEM_SKIPPED, /* with its reason */
    ITEM_FAILED,  /* judging it ended in a system error: nothing to apply */
    ITEM_CANCELLED,
    ITEM_DIRECT, /* counted at once: there was nothing to compare it with */
    ITEM_STATE_COUNT,
};

enum item_reason {
    REASON_NONE,
    REASON_BEING_JUDGED,
    REASON_OTHER_REJUDGING,
    REASON_WITHDRAWN,
    REASON_UNJUDGEABLE, /* its language or its test data is gone */
    REASON_CHANGED,     /* something else counts by now */
    REASON_SUPERSEDED,  /* by another rejudging */
    REASON_CANCELLED,   /* by an operator */
    REASON_COUNT,
};

const char *rejudging_state_name(enum rejudging_state state); /* "CREATING" */
bool rejudging_is_over(enum rejudging_state state);           /* APPLIED, UNDONE, CANCELLED */
/* ERR_CONFLICT "rejudging_not_ready" when the state does not allow it. */
checked bool rejudging_apply_event(enum rejudging_state *state, enum rejudging_event event,
                                   struct err *err);

const char *item_state_name(enum item_state state);    /* "JUDGING" */
const char *item_reason_code(enum item_reason reason); /* "being_judged"; NONE: NULL */

/* A verdict that nobody would miss: none yet, or our own failure. What is judged anew then counts
 * at once. */
bool verdict_is_none(enum verdict verdict);

enum item_change { CHANGE_NONE, CHANGE_SAME, CHANGE_GAIN, CHANGE_LOSS, CHANGE_OTHER, CHANGE_COUNT };
/* Who gains, who loses: accepted beats all else, then the score; CHANGE_OTHER: another verdict of
 * the same worth. CHANGE_NONE: not judged. */
struct item_worth {
    enum verdict verdict;
    int64_t score_micro;
};
enum item_change item_change_of(struct item_worth before, struct item_worth after);
const char *item_change_name(enum item_change change); /* "GAIN"; NONE: NULL */
bool item_change_parse(struct str name, enum item_change *ret_change);

#endif
