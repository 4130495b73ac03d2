/* The life of one submission's judgings, for SPIN: two servers on one database, two nodes in one
 * host group of one slot, two generations. tests/model/check.py runs it; S1 to S11 are the rules of
 * docs/invariants.md.
 *
 * What is modelled. A transaction is atomic from the moment it has its locks; what a server has read
 * before them is in its locals. A message may be lost, doubled and late without bound: whatever a
 * lease once entitled a node to say can be said at any time, by any server taken, any number of
 * times. A lost answer, a crash before a commit and a crash after it need no step of their own: the
 * first two are a transaction that nobody hears of or that did not happen, and the node cannot tell.
 * Time is the step that ends a lease. The database may lose its last commit (a failover), so that an
 * epoch is issued twice; tokens never are.
 *
 * The nodes are alike, so all trouble befalls node 0: sessions, draining, claims asked twice.
 *
 * Each grant of a lease has a ghost number, which no decision looks at: the assertions compare it.
 * Each guard can be left out by -D, and then an assertion must fail (check.py).
 */

#define NODES 2
#define GENERATIONS 2
#ifndef GRANTS_MAX
#define GRANTS_MAX 4   /* of all leases together */
#endif
#define ATTEMPTS_MAX 2
#define SESSIONS_MAX 2
#define CLAIM_IDS_MAX 2
#ifndef SLOTS
#define SLOTS 1        /* of each node and of their host group */
#endif
#define NOBODY 7

mtype = {ABSENT, QUEUED, RUNNING, COMPLETED, FAILED, CANCELLED};
mtype = {CLAIM, RENEW, SETTLE, FAIL, REAP, PROMOTE};

/* ---- the database ---- */
mtype state[GENERATIONS];
bit ready[GENERATIONS];
bit delayed[GENERATIONS];
bit leased[GENERATIONS];
bit revoked[GENERATIONS];
bit expired[GENERATIONS];            /* by the database's clock, at this moment */
byte node[GENERATIONS];    /* of the lease */
byte session[GENERATIONS]; byte claim[GENERATIONS]; /* the claim that got it */
byte epoch[GENERATIONS]; /* of the newest lease, as the token */
byte token[GENERATIONS]; byte attempts[GENERATIONS]; byte settled_by[GENERATIONS]; /* token of the lease whose result counts */
bit current;                         /* which generation may settle */
byte newest[NODES]; /* session */
bit draining;                       /* node 0 */
bit pending;                         /* an event waits for its consumer */
unsigned effective_rev : 2;
unsigned derived_rev : 2;            /* what the consumer has made of it */

/* ---- the ghost: what was ever granted ---- */
unsigned grants : 3;
typedef Grant { bit gen; bit node; unsigned session : 2; unsigned epoch : 3 };
Grant grant[GRANTS_MAX];
byte ghost[GENERATIONS]; /* whose the lease in the database is */
byte settlements[GENERATIONS]; bit failed_over;

#define OPEN(g) (state[g] == QUEUED || state[g] == RUNNING)
#define COUNT_NODE(n) ((leased[0] && node[0] == n) + (leased[1] && node[1] == n))
#define COUNT_GROUP (leased[0] + leased[1])

/* After each transaction. */
inline check() {
    d_step {
        /* S7: an open job has one place, that of its state; a closed one none but a revoked lease */
        assert(!OPEN(0) || ready[0] + delayed[0] + leased[0] == 1);
        assert(!OPEN(1) || ready[1] + delayed[1] + leased[1] == 1);
        assert(OPEN(0) || (!ready[0] && !delayed[0]));
        assert(OPEN(1) || (!ready[1] && !delayed[1]));
        assert(!leased[0] || (state[0] == RUNNING) != revoked[0]);
        assert(!leased[1] || (state[1] == RUNNING) != revoked[1]);
        assert(state[current] != ABSENT);
        assert(OPEN(current) || !OPEN(1 - current));
        /* S2: a lease is of its node's newest session */
        assert(!leased[0] || session[0] == newest[node[0]]);
        assert(!leased[1] || session[1] == newest[node[1]]);
        /* S10 */
        assert(pending || derived_rev == effective_rev);
        assert(effective_rev == settlements[0] + settlements[1] + (state[0] == FAILED) +
                                    (state[1] == FAILED));
    }
}

/* S8 */
#define MOVE(g, to) assert(state[g] == ABSENT || OPEN(g)); state[g] = to

inline drop_lease(g) {
    leased[g] = 0; revoked[g] = 0; expired[g] = 0;
    node[g] = NOBODY; session[g] = 0; claim[g] = 0; ghost[g] = NOBODY;
}

inline change_effective() {
    effective_rev = effective_rev + 1;
#ifndef NO_EVENT
    pending = 1;
#endif
}

/* A lease ends without a result; the caller has the locks. */
inline end_lease(g) {
    drop_lease(g);
    if
    :: !OPEN(g) -> skip
    :: OPEN(g) && attempts[g] < ATTEMPTS_MAX ->
        MOVE(g, QUEUED);
        if
        :: ready[g] = 1
        :: delayed[g] = 1
        fi
#ifdef NO_ATTEMPTS
    :: OPEN(g) -> MOVE(g, QUEUED); ready[g] = 1
#else
    :: OPEN(g) && attempts[g] >= ATTEMPTS_MAX ->
        MOVE(g, FAILED);
        change_effective()
#endif
    fi
}

/* ---- a server: one request at a time ---- */

proctype Server() {
    bit g, n;
    unsigned s : 2, c : 2, i : 3;
    bit early_expired, early_full, early_draining;
    bit accept, mine;
    do
    /* claim: by any session that the node ever had, with any claim id */
    :: grants < GRANTS_MAX ->
        atomic {
            if :: n = 0 :: n = 1 fi;
            if :: s = 1 :: newest[n] == 2 -> s = 2 fi;
            if :: c = 1 :: n == 0 -> c = 2 fi;
            early_full = COUNT_NODE(n) >= SLOTS || COUNT_GROUP >= SLOTS;
            early_draining = n == 0 && draining;
#if defined(EARLY_COUNT) || defined(EARLY_DRAIN)
        }
        atomic { /* others have run meanwhile */
#endif
            accept = 1;
#ifndef NO_SESSION
            accept = accept && s == newest[n];
#endif
#if defined(EARLY_DRAIN)
            accept = accept && !early_draining;
#elif !defined(NO_DRAIN)
            accept = accept && !(n == 0 && draining);
#endif
#if defined(EARLY_COUNT)
            accept = accept && !early_full;
#elif !defined(NO_COUNT)
            accept = accept && COUNT_NODE(n) < SLOTS && COUNT_GROUP < SLOTS;
#endif
            /* the same claim again: what it got is its answer */
            mine = (leased[0] && node[0] == n && session[0] == s && claim[0] == c) ||
                   (leased[1] && node[1] == n && session[1] == s && claim[1] == c);
#ifndef NO_CLAIM_ID
            accept = accept && !mine;
#endif
            if :: ready[0] -> g = 0 :: ready[1] -> g = 1 :: else -> accept = 0 fi;
            if
            :: accept && grants < GRANTS_MAX ->
                assert(!(n == 0 && draining) && s == newest[n]);                        /* S6 */
                assert(!mine);                                                 /* S9 */
                ready[g] = 0;
                if
#ifndef NO_CLAIM_LOOK
                :: !OPEN(g) -> skip /* closed meanwhile: only the row goes */
#endif
                :: OPEN(g) || state[g] == CANCELLED ->
                    MOVE(g, RUNNING);
                    leased[g] = 1; revoked[g] = 0; expired[g] = 0;
                    node[g] = n; session[g] = s; claim[g] = c;
#ifndef NO_EPOCH
                    epoch[g] = epoch[g] + 1;
#endif
                    token[g] = grants;
                    ghost[g] = grants;
                    attempts[g] = attempts[g] + 1;
                    assert(attempts[g] <= ATTEMPTS_MAX);                       /* S11 */
                    assert(COUNT_NODE(n) <= SLOTS && COUNT_GROUP <= SLOTS);    /* S5 */
                    grant[grants].gen = g;
                    grant[grants].node = n;
                    grant[grants].session = s;
                    grant[grants].epoch = epoch[g];
                    grants = grants + 1
                fi;
                check()
            :: else -> skip
            fi;
            g = 0; n = 0; s = 0; c = 0; early_full = 0; early_draining = 0; accept = 0; mine = 0
        }
    /* settle, or report a failure, by any lease that ever was */
    :: grants > 0 ->
        atomic {
            i = 0;
            do
            :: i + 1 < grants -> i = i + 1
            :: break
            od;
            g = grant[i].gen;
            early_expired = leased[g] && expired[g];
#ifdef EARLY_CLOCK
        }
        atomic { /* others have run meanwhile */
#endif
            n = grant[i].node;
            accept = leased[g] && node[g] == n && !revoked[g];
#ifndef NO_SESSION
            accept = accept && session[g] == grant[i].session && grant[i].session == newest[n];
#endif
#ifndef NO_EPOCH_CHECK
            accept = accept && epoch[g] == grant[i].epoch;
#endif
#ifndef NO_TOKEN
            accept = accept && token[g] == i;
#endif
#if defined(EARLY_CLOCK)
            accept = accept && !early_expired;
#elif !defined(NO_EXPIRY)
            accept = accept && !expired[g];
#endif
#ifndef NO_POINTER
            accept = accept && current == g;
#endif
#ifndef NO_STATE
            accept = accept && state[g] == RUNNING;
#endif
            if
            :: accept ->
                if
                :: /* settle */
                    assert(ghost[g] == i);                                     /* S2 */
                    assert(grant[i].session == newest[n]);                     /* S2 */
                    assert(!expired[g]);                                       /* S3 */
                    assert(g == current);                                      /* S4 */
                    assert(settlements[g] == 0);                               /* S1 */
                    MOVE(g, COMPLETED);
#ifndef KEEP_LEASE
                    drop_lease(g);
#endif
                    settled_by[g] = i;
                    settlements[g] = settlements[g] + 1;
                    change_effective()
                :: /* report a failure */
                    assert(ghost[g] == i && !expired[g]);
                    end_lease(g)
                fi;
                check()
            :: !accept ->
                /* S9: whose result counts is told so, again and again; nobody else is */
                mine = state[g] == COMPLETED && token[g] == i;
#ifdef NO_ALREADY
                mine = 0;
#endif
                assert(mine == (state[g] == COMPLETED && settled_by[g] == i))
            fi;
            i = 0; g = 0; n = 0; early_expired = 0; accept = 0; mine = 0
        }
    /* reap: candidates by a read of its own */
    :: atomic {
            if :: leased[0] && expired[0] -> g = 0 :: leased[1] && expired[1] -> g = 1 fi;
       }
       atomic { /* others have reaped, renewed, settled, claimed meanwhile */
            accept = leased[g];
#ifndef NO_LOOK
            accept = accept && expired[g];
#endif
            if
            :: accept ->
                assert(expired[g]); /* nobody's living lease is taken: S3 */
                end_lease(g);
                check()
            :: else -> skip
            fi;
            g = 0; accept = 0
       }
    /* promote: likewise */
    :: atomic {
            if :: delayed[0] -> g = 0 :: delayed[1] -> g = 1 fi;
       }
       atomic { /* others have promoted, claimed, cancelled meanwhile */
            accept = 1;
#ifndef NO_PROMOTE_LOOK
            accept = delayed[g];
#endif
            if
            :: accept ->
                delayed[g] = 0;
#ifndef NO_PROMOTE_STATE
                ready[g] = state[g] == QUEUED;
#else
                ready[g] = 1;
#endif
                check()
            :: else -> skip
            fi;
            g = 0; accept = 0
       }
    od
}

/* ---- everybody else: single transactions and the course of the world ---- */

proctype World() {
    bit g;
    do
    /* time */
    :: atomic { leased[0] && !expired[0] -> expired[0] = 1 }
    :: atomic { leased[1] && !expired[1] -> expired[1] = 1 }
    /* a node that stops when it was told to confirms its revoked lease */
    :: atomic { leased[0] && revoked[0] -> drop_lease(0); check() }
    :: atomic { leased[1] && revoked[1] -> drop_lease(1); check() }
    /* drain and enable: the node's exclusive lock */
    :: draining = 1 - draining
    /* a new session ends the old one's leases */
    :: atomic {
            newest[0] < SESSIONS_MAX ->
            newest[0] = newest[0] + 1;
#ifndef NO_TAKEOVER_END
            if :: leased[0] && node[0] == 0 -> end_lease(0) :: else fi;
            if :: leased[1] && node[1] == 0 -> end_lease(1) :: else fi;
#endif
            check()
       }
    /* cancel: the state first; whoever moves the row looks at it */
    :: atomic {
            OPEN(current) ->
            g = current;
            MOVE(g, CANCELLED);
            delayed[g] = 0;
#ifndef KEEP_PLACE
            ready[g] = 0;
#endif
            revoked[g] = leased[g];
            g = 0;
            check()
       }
    /* rejudge: a new generation; an open judging is superseded */
    :: atomic {
            current == 0 ->
            if
            :: OPEN(0) ->
#ifndef NO_SUPERSEDE
                MOVE(0, CANCELLED);
                ready[0] = 0; delayed[0] = 0;
                revoked[0] = leased[0]
#else
                skip
#endif
            :: else
            fi;
            current = 1;
            MOVE(1, QUEUED);
            ready[1] = 1;
            check()
       }
    /* the consumer of events: what it makes is recomputed */
    :: atomic {
            pending ->
#ifdef NO_EFFECT
            pending = 0;
#else
            derived_rev = effective_rev;
            pending = 0;
#endif
            check()
       }
    /* the database loses its last commit, a claim: its node goes on */
    :: atomic {
            !failed_over && grants > 0 && leased[grant[grants - 1].gen] &&
            ghost[grant[grants - 1].gen] == grants - 1 && !revoked[grant[grants - 1].gen] &&
            !expired[grant[grants - 1].gen] ->
            g = grant[grants - 1].gen;
            drop_lease(g);
            MOVE(g, QUEUED);
            ready[g] = 1;
            epoch[g] = epoch[g] - 1;
            token[g] = NOBODY;
            attempts[g] = attempts[g] - 1;
            failed_over = 1;
            g = 0;
            check()
       }
    od
}

init {
    d_step {
        state[0] = QUEUED; state[1] = ABSENT;
        ready[0] = 1;
        node[0] = NOBODY; node[1] = NOBODY;
        ghost[0] = NOBODY; ghost[1] = NOBODY;
        token[0] = NOBODY; token[1] = NOBODY;
        settled_by[0] = NOBODY; settled_by[1] = NOBODY;
        newest[0] = 1; newest[1] = 1
    };
    run Server();
    run Server();
    run World()
}
