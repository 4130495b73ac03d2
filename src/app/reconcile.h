#ifndef APP_RECONCILE_H
#define APP_RECONCILE_H

#include "app/app.h"
#include "domain/actor.h"

/* Whether everything that was accepted is in one piece: for operators after a crash or a restore,
 * and at the end of the fault tests. It reads the whole database, so not in daily work. */

struct reconcile_request {
    bool settled; /* nothing may wait or be judged any more */
    bool repair;  /* mends what can be mended without deciding anything, then looks again */
};

#define RECONCILE_FINDINGS_MAX 64
#define RECONCILE_IDS_MAX 10

struct reconcile_finding {
    struct str rule;   /* "I03": store/invariant_store.c; "X1": below */
    struct str text;   /* what does not hold */
    struct str object; /* what the ids are: "job", "submission", ... */
    int64_t count;
    int64_t ids[RECONCILE_IDS_MAX];
    int id_count;
    bool repairable;
};

struct reconcile_report {
    int64_t as_of_ms;
    int64_t submissions; /* accepted, deleted ones not counted */
    int64_t judged;      /* of them with a verdict, ours and withdrawn ones among them */
    int64_t waiting;     /* open jobs: each has a place, and so a reason */
    int64_t held;
    int64_t system_errors; /* what operators can put back */
    int64_t events;        /* not worked off yet */
    int64_t repaired;      /* rows */
    struct reconcile_finding findings[RECONCILE_FINDINGS_MAX];
    int finding_count; /* 0: clean */
};

/* Administrators. Rules: all invariants; X1 no lease is long over and unreaped; X2 no event waits
 * for long; X3 each file that the database knows is stored; X4 no file is stored that nobody has
 * known for days; X5 (settled) nothing waits or is judged; X6 (settled) no event waits. */
checked bool reconcile(struct app *app, const struct actor *actor,
                       const struct reconcile_request *request, struct arena *arena,
                       struct reconcile_report *ret_report, struct err *err);

#endif
