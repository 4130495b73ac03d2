/* Roles and the rights that follow from them. */
#include "domain/actor.h"
#include "base/check.h"

#include <string.h>

static const char *const role_names[ROLE_COUNT] = {
    [ROLE_NONE] = "none",
    [ROLE_STUDENT] = "student",
    [ROLE_TEACHER] = "teacher",
    [ROLE_ADMIN] = "admin",
};

const char *role_name(enum role role) {
    CHECK(role >= ROLE_NONE && role < ROLE_COUNT);
    return role_names[role];
}

bool role_parse(const char *text, enum role *ret_role) {
    for (int role = ROLE_STUDENT; role < ROLE_COUNT; role++) {
        if (strcmp(text, role_names[role]) == 0) {
            *ret_role = (enum role)role;
            return true;
        }
    }
    return false;
}

bool actor_need_user(const struct actor *actor, struct err *err) {
    if (actor->kind == ACTOR_USER || actor->kind == ACTOR_SYSTEM) {
        return true;
    }
    return err_set(err, ERR_UNAUTHENTICATED, "no_session", "sign in first");
}

bool actor_need_person(const struct actor *actor, struct err *err) {
    return actor_need_user(actor, err) &&
           (!actor->by_token ||
            err_set(err, ERR_DENIED, "not_allowed", "an API token may not do this: sign in"));
}

bool actor_need_role(const struct actor *actor, enum role role, struct err *err) {
    if (actor->kind == ACTOR_SYSTEM) {
        return true;
    }
    if (!actor_need_user(actor, err)) {
        return false;
    }
    if (actor->role < role) {
        return err_set(err, ERR_DENIED, "not_allowed", "this needs the role %s", role_name(role));
    }
    return true;
}

bool actor_reads_staff_words(const struct actor *actor) {
    return actor->kind == ACTOR_SYSTEM ||
           (actor->kind == ACTOR_USER && actor->role >= ROLE_TEACHER);
}

bool actor_may_read(const struct actor *actor, struct user_id owner) {
    return actor_reads_staff_words(actor) || actor_may_see(actor, owner);
}

bool actor_may_see(const struct actor *actor, struct user_id owner) {
    if (actor->kind == ACTOR_SYSTEM) {
        return true;
    }
    if (actor->kind != ACTOR_USER) {
        return false;
    }
    return actor->role == ROLE_ADMIN || actor->user.value == owner.value;
}
