/* Giving up the rights of root. */
#include "local/rights.h"

#include "base/str.h"
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool sudo_number(const char *name, int64_t *ret_value) {
    struct err ignored = {0};
    const char *text = getenv(name);
    return text != NULL && str_to_i64(str_from(text), 1, INT32_MAX, ret_value, &ignored);
}

static bool become(uid_t uid, gid_t gid, struct err *err) {
    if (setresgid(gid, gid, gid) != 0 || setresuid(uid, uid, uid) != 0) {
        return err_system(err, "drop_failed", "cannot become user %u", uid);
    }
    return true;
}

static bool become_caller(uid_t uid, gid_t gid, struct err *err) {
    const struct passwd *entry = getpwuid(uid);
    int failed = entry == NULL ? setgroups(0, NULL) : initgroups(entry->pw_name, gid);
    if (failed != 0) {
        return err_system(err, "drop_failed", "cannot take the groups of user %u", uid);
    }
    return become(uid, gid, err);
}

/* Only CAP_DAC_READ_SEARCH is left: in effect, and in none of the sets that would pass it on. */
static bool keep_reading(struct err *err) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{0}};
    data[0].effective = 1u << CAP_DAC_READ_SEARCH;
    data[0].permitted = 1u << CAP_DAC_READ_SEARCH;
    if (syscall(SYS_capset, &header, data) != 0) {
        return err_system(err, "drop_failed", "cannot give up the capabilities of root");
    }
    return true;
}

static bool become_reader(struct err *err) {
    if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0 || setgroups(0, NULL) != 0) {
        return err_system(err, "drop_failed", "cannot prepare to become nobody");
    }
    return become(RIGHTS_NOBODY, RIGHTS_NOBODY, err) && keep_reading(err);
}

uid_t rights_sudo_uid(void) {
    int64_t uid = 0;
    return geteuid() == 0 && sudo_number("SUDO_UID", &uid) ? (uid_t)uid : 0;
}

bool rights_drop(struct err *err) {
    int64_t uid = 0;
    int64_t gid = 0;
    if (geteuid() == 0) {
        bool sudo = sudo_number("SUDO_UID", &uid) && sudo_number("SUDO_GID", &gid);
        if (!(sudo ? become_caller((uid_t)uid, (gid_t)gid, err) : become_reader(err))) {
            return false;
        }
        if (setuid(0) == 0) {
            return err_set(err, ERR_SYSTEM, "drop_failed", "the rights of root are still there");
        }
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return err_system(err, "drop_failed", "cannot refuse new privileges");
    }
    return true;
}
