/* See run_user.h. */
#include "main/run_user.h"
#include "base/file.h"
#include "base/str.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void fill(const struct passwd *entry, struct run_user *ret_user) {
    ret_user->uid = entry->pw_uid;
    ret_user->gid = entry->pw_gid;
    (void)snprintf(ret_user->name, sizeof ret_user->name, "%s", entry->pw_name);
}

static bool by_uid(uid_t uid, struct run_user *ret_user) {
    const struct passwd *entry = getpwuid(uid);
    if (entry != NULL) {
        fill(entry, ret_user);
        return true;
    }
    *ret_user = (struct run_user){.uid = uid, .gid = uid == getuid() ? getgid() : (gid_t)uid};
    (void)snprintf(ret_user->name, sizeof ret_user->name, "%u", uid);
    return true;
}

static bool by_sudo(struct run_user *ret_user) {
    const char *text = getenv("SUDO_UID");
    struct err err = {0};
    int64_t uid = 0;
    return text != NULL && str_to_i64(str_from(text), 1, INT32_MAX, &uid, &err) &&
           by_uid((uid_t)uid, ret_user);
}

static bool by_name(const char *name, struct run_user *ret_user) {
    const struct passwd *entry = getpwnam(name);
    if (entry == NULL) {
        return false;
    }
    fill(entry, ret_user);
    return true;
}

/* Who started a server here before: his files would be closed to anybody else. */
static bool by_owner(const char *folder, struct run_user *ret_user) {
    struct stat info;
    return stat(folder, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid != 0 &&
           by_uid(info.st_uid, ret_user);
}

bool run_user_choose(const char *name, const char *folder, struct run_user *ret_user,
                     struct err *err) {
    if (name[0] != '\0') {
        if (!by_name(name, ret_user)) {
            return err_set(err, ERR_INVALID, "no_user", "there is no user \"%s\" on this machine",
                           name);
        }
    } else if (geteuid() != 0) {
        (void)by_uid(geteuid(), ret_user);
    } else if (!by_owner(folder, ret_user) && !by_sudo(ret_user) && !by_name("assize", ret_user) &&
               !by_name("nobody", ret_user)) {
        return err_set(err, ERR_INVALID, "no_user",
                       "there is no unprivileged user to run as: name one with --user");
    }
    if (ret_user->uid == 0) {
        return err_set(err, ERR_DENIED, "root_refused",
                       "the server must not run as root: name another user with --user");
    }
    if (geteuid() != 0 && ret_user->uid != geteuid()) {
        return err_set(err, ERR_DENIED, "not_root", "only root can run as %s", ret_user->name);
    }
    return true;
}

bool run_user_of_file(const char *path, struct run_user *ret_user, struct err *err) {
    struct stat info;
    if (stat(path, &info) != 0) {
        return err_system(err, "no_file", "cannot find %s", path);
    }
    if (geteuid() != 0) {
        return by_uid(geteuid(), ret_user);
    }
    (void)by_uid(info.st_uid, ret_user);
    ret_user->gid = info.st_gid;
    return true;
}

/* In a child that has become the user: only that tells whether each folder on the way lets it pass.
 */
static bool can_reach(const struct run_user *user, const char *path) {
    pid_t child = fork();
    if (child == 0) {
        struct err err = {0};
        _exit(run_user_become(user, &err) && access(path, R_OK | W_OK | X_OK) == 0 ? 0 : 1);
    }
    int status = 1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool is_for_others(const struct run_user *user, const char *path, struct err *err) {
    struct stat info;
    struct run_user owner = {0};
    if (stat(path, &info) != 0 || info.st_uid == user->uid || info.st_uid == 0) {
        return false;
    }
    (void)by_uid(info.st_uid, &owner);
    return !err_set(err, ERR_INVALID, "foreign_folder",
                    "%s belongs to the user %s, so %s cannot use it: name %s with --user, or give "
                    "it away by chown -R %s %s",
                    path, owner.name, user->name, owner.name, user->name, path);
}

bool run_user_own_folder(const struct run_user *user, const char *path, struct err *err) {
    if (is_for_others(user, path, err) || !file_make_dirs(path, 0700, err)) {
        return false;
    }
    if (geteuid() == 0 && user->uid != 0 && lchown(path, user->uid, user->gid) != 0) {
        return err_system(err, "chown_failed", "cannot give %s to %s", path, user->name);
    }
    if (!can_reach(user, path)) {
        return err_set(err, ERR_INVALID, "unreachable_folder",
                       "the user %s cannot reach %s: a folder on the way is closed to it. Choose "
                       "another with --data, for example /var/lib/assize, or another --user",
                       user->name, path);
    }
    return true;
}

/* The kernel forgets on a change of user which signal the parent's death sends. */
static bool follow_parent_still(int death_signal, pid_t parent, struct err *err) {
    if (death_signal == 0) {
        return true;
    }
    if (prctl(PR_SET_PDEATHSIG, death_signal) != 0) {
        return err_system(err, "drop_failed", "cannot follow the parent process");
    }
    if (getppid() != parent) { /* it died in between */
        (void)kill(getpid(), death_signal);
    }
    return true;
}

bool run_user_become(const struct run_user *user, struct err *err) {
    int death_signal = 0;
    pid_t parent = getppid();
    (void)prctl(PR_GET_PDEATHSIG, &death_signal);
    if (geteuid() == 0 && user->uid != 0) {
        if (setgroups(0, NULL) != 0 || setresgid(user->gid, user->gid, user->gid) != 0 ||
            setresuid(user->uid, user->uid, user->uid) != 0) {
            return err_system(err, "drop_failed", "cannot become the user %s", user->name);
        }
    }
    if (getuid() != user->uid || geteuid() != user->uid || setuid(0) == 0) {
        return err_set(err, ERR_SYSTEM, "drop_failed", "the rights of root could not be given up");
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return err_system(err, "drop_failed", "cannot refuse new privileges");
    }
    return follow_parent_still(death_signal, parent, err);
}
