#ifndef MAIN_RUN_USER_H
#define MAIN_RUN_USER_H

#include "base/err.h"
#include <sys/types.h>

/* The unprivileged user that everything but assize-box runs as. */
struct run_user {
    uid_t uid;
    gid_t gid;
    char name[64];
};

/* `name` empty: the present user if it is not root, else the owner of `folder` if it exists and is
 * not root's, else the one who called sudo, else the system user "assize", else "nobody".
 * Errors: ERR_INVALID "no_user"; ERR_DENIED "root_refused" when it is root. */
checked bool run_user_choose(const char *name, const char *folder, struct run_user *ret_user,
                             struct err *err);
/* The user that owns `path`; for commands that work on files of a server. */
checked bool run_user_of_file(const char *path, struct run_user *ret_user, struct err *err);
/* Makes a folder (mode 0700) that the user owns and can reach. Errors: ERR_INVALID
 * "unreachable_folder"; ERR_INVALID "foreign_folder" when it is another unprivileged user's, since
 * what is in it would not open. */
checked bool run_user_own_folder(const struct run_user *user, const char *path, struct err *err);
/* Gives up every right of root for good. Does nothing when the process is that user already. A
 * signal that was asked for on the parent's death (PR_SET_PDEATHSIG) is still sent.
 * Errors: ERR_SYSTEM: the caller must not go on. */
checked bool run_user_become(const struct run_user *user, struct err *err);

#endif
