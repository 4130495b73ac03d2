#ifndef DOMAIN_ACTOR_H
#define DOMAIN_ACTOR_H

#include "base/err.h"
#include "domain/ids.h"

/* Who asks. Every use case takes one and checks its right on the object, so HTTP, gRPC and the
 * command line cannot differ. */
enum role { ROLE_NONE, ROLE_STUDENT, ROLE_TEACHER, ROLE_ADMIN, ROLE_COUNT };

enum actor_kind {
    ACTOR_NOBODY,
    ACTOR_USER,   /* user, role */
    ACTOR_NODE,   /* node: the credential's, never the body's */
    ACTOR_SYSTEM, /* the server itself and the local administrator with the database at hand */
};

struct actor {
    enum actor_kind kind;
    enum role role;
    struct user_id user;
    struct user_session_id session;
    bool by_token; /* an API token stands for the user */
    struct node_id node;
    char trace_id[64]; /* follows the work through logs; empty when unknown */
};

const char *role_name(enum role role);                  /* "student" */
bool role_parse(const char *text, enum role *ret_role); /* false: no such role */

/* ERR_UNAUTHENTICATED "no_session" for nobody. */
checked bool actor_need_user(const struct actor *actor, struct err *err);
/* For what outlives an API token (accounts, passwords, tokens): ERR_DENIED "not_allowed" by one. */
checked bool actor_need_person(const struct actor *actor, struct err *err);
/* ERR_DENIED "not_allowed" below `role`; the system may do all. */
checked bool actor_need_role(const struct actor *actor, enum role role, struct err *err);
/* Whether the words of checkers and what is expected of secret cases are for this actor to read:
 * those who make problems. */
bool actor_reads_staff_words(const struct actor *actor);
/* To read submissions, results and their history: the owner, those who teach and the system. */
bool actor_may_read(const struct actor *actor, struct user_id owner);
/* To change them, and for accounts: the owner, an administrator and the system. */
bool actor_may_see(const struct actor *actor, struct user_id owner);

#endif
