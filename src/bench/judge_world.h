#ifndef BENCH_JUDGE_WORLD_H
#define BENCH_JUDGE_WORLD_H

#include "local/session.h"

/* What `assize bench judge` judges with: the judge as `assize run` has it, a second one whose
 * compilers are used as they come (src/bench/sources/plain_*.yaml), and one problem, "write the sum
 * of two numbers", in memory. */

enum judge_text {
    TEXT_SUM_CPP,
    TEXT_LONG_CPP, /* 184 lines behind bits/stdc++.h */
    TEXT_SUM_JAVA,
    TEXT_SUM_ETS,
    TEXT_SUM_PY,
    TEXT_SUM_JS,
    TEXT_CHECK_CPP, /* an output validator */
    TEXT_PLAIN_CPP, /* specs of the compilers as they come */
    TEXT_PLAIN_JAVA,
    TEXT_PLAIN_ARKTS,
    TEXT_COUNT,
};
struct str judge_text(enum judge_text text);

struct judge_world {
    struct session session;
    struct language_set *plain;
    struct judge *plain_judge;
    char folder[64]; /* of the plain specs; empty: not made */
    int64_t asked;   /* so that no two sources are the same */
};

/* Errors: ERR_SYSTEM, as of session_open. */
checked bool judge_world_open(struct judge_world *world, struct err *err);
void judge_world_close(struct judge_world *world); /* accepts NULL and a zeroed one */
#define own_judge_world __attribute__((cleanup(judge_world_close))) struct judge_world

struct judge_ask {
    const char *language;
    enum judge_text source;
    bool plain;     /* the compiler as it comes; `language` is then an id of the plain set */
    bool again;     /* the same source as ever, which is compiled once; else each is a new one */
    int32_t cases;  /* of the problem, all alike */
    bool validator; /* TEXT_CHECK_CPP compares instead of the built-in checker */
};

struct judge_took {
    int64_t all_ns; /* from the request to the judgement */
    int64_t compile_ns;
};

/* Whether the ask's language can be used here; prepares it if so. */
bool judge_world_has(struct judge_world *world, const struct judge_ask *ask);
/* Judges one submission, which must be accepted. Errors: ERR_SYSTEM "bench_failed" otherwise. */
checked bool judge_world_once(struct judge_world *world, const struct judge_ask *ask,
                              struct judge_took *ret_took, struct err *err);

#endif
