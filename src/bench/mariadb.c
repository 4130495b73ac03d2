#include "bench/mariadb.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/file.h"
#include "store/db.h"

#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define START_MS 60000
#define LOOK_MS 100

static const char settings[] =
    "[mariadbd]\n"
    "datadir=%s/data\nsocket=%s\npid-file=%s/pid\nlog-error=%s/log\ntmpdir=%s\n"
    "skip-networking\nskip-name-resolve\nperformance-schema=OFF\nmax-connections=200\n"
    "character-set-server=utf8mb4\ncollation-server=utf8mb4_bin\n"
    "innodb-buffer-pool-size=3G\ninnodb-log-file-size=2G\ninnodb-flush-method=O_DIRECT\n"
    "innodb-flush-log-at-trx-commit=1\nsync-binlog=1\n"
    "log-bin=%s/data/binlog\nbinlog-format=ROW\nbinlog-row-image=MINIMAL\nmax-binlog-size=1G\n";

/* It refuses to run as root. */
static const struct passwd *whose(void) {
    const struct passwd *found = geteuid() == 0 ? getpwnam("mysql") : NULL;
    return found != NULL || geteuid() != 0 ? found : getpwnam("nobody");
}

static bool write_settings(const struct mariadb *mariadb, struct err *err) {
    char path[400];
    char text[4096];
    const char *f = mariadb->folder;
    (void)snprintf(path, sizeof path, "%s/my.cnf", f);
    int len = snprintf(text, sizeof text, settings, f, mariadb->socket, f, f, f, f);
    return file_save_atomic(path, str_of(text, (size_t)len), 0644, err);
}

static bool make_folder(struct mariadb *mariadb, const char *folder, struct err *err) {
    const struct passwd *owner = whose();
    (void)snprintf(mariadb->folder, sizeof mariadb->folder, "%s/mariadb", folder);
    (void)snprintf(mariadb->socket, sizeof mariadb->socket, "/tmp/assize-bench-%ld.sock",
                   (long)getpid());
    if (!file_make_dirs(mariadb->folder, 0755, err) || !write_settings(mariadb, err)) {
        return false;
    }
    /* The folder above was made for root alone. */
    if (owner != NULL &&
        (chmod(folder, 0711) != 0 || chown(mariadb->folder, owner->pw_uid, owner->pw_gid) != 0)) {
        return err_set(err, ERR_SYSTEM, "file_failed", "cannot give %.80s to %.30s",
                       mariadb->folder, owner->pw_name);
    }
    return true;
}

static const char *const places[] = {"/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"};

static void execute(const char *const argv[]) {
    char path[128];
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", places[i], argv[0]);
        (void)execve(path, (char *const *)(uintptr_t)argv, environ);
    }
}

/* Its output goes nowhere, and it ends when we do. */
static pid_t run_program(const char *const argv[]) {
    const struct passwd *owner = whose();
    pid_t child = fork();
    if (child != 0) {
        return child;
    }
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)dup2(nowhere, 0);
    (void)dup2(nowhere, 1);
    (void)dup2(nowhere, 2);
    if (owner == NULL || (setgid(owner->pw_gid) == 0 && setuid(owner->pw_uid) == 0)) {
        execute(argv);
    }
    _exit(127);
}

static bool install(const struct mariadb *mariadb, const char *defaults, struct err *err) {
    const char *const argv[] = {"mariadb-install-db", defaults, "--skip-test-db",
                                "--auth-root-authentication-method=normal", NULL};
    int status = -1;
    pid_t child = run_program(argv);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        return err_set(err, ERR_SYSTEM, "mariadb_failed",
                       "mariadb-install-db failed in %.120s: is mariadb-server installed?",
                       mariadb->folder);
    }
    return true;
}

static bool make_database(const struct mariadb *mariadb, struct err *err) {
    own(db) db = NULL;
    struct mydb_target any = mariadb->target;
    (void)snprintf(any.database, sizeof any.database, "mysql");
    struct db_options options = {.mysql = &any, .clock = &clock_real};
    return db_open(&options, &db, err) &&
           db_script(db, STR("CREATE DATABASE assize CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"),
                     err);
}

static bool wait_for_it(struct mariadb *mariadb, struct err *err) {
    int64_t until_ms = clock_mono_ms(&clock_real) + START_MS;
    while (clock_mono_ms(&clock_real) < until_ms) {
        int status = 0;
        if (waitpid(mariadb->process, &status, WNOHANG) != 0) {
            mariadb->process = 0;
            return err_set(err, ERR_SYSTEM, "mariadb_failed", "mariadbd ended: see %.150s/log",
                           mariadb->folder);
        }
        if (access(mariadb->socket, F_OK) == 0 && make_database(mariadb, err)) {
            return true;
        }
        clock_sleep_ms(&clock_real, LOOK_MS);
    }
    return err_set(err, ERR_SYSTEM, "mariadb_failed", "mariadbd does not answer: see %.150s/log",
                   mariadb->folder);
}

bool mariadb_start(struct mariadb *mariadb, const char *folder, struct err *err) {
    char defaults[400];
    *mariadb = (struct mariadb){.process = 0};
    if (!make_folder(mariadb, folder, err)) {
        return false;
    }
    (void)snprintf(defaults, sizeof defaults, "--defaults-file=%s/my.cnf", mariadb->folder);
    const char *const argv[] = {"mariadbd", defaults, NULL};
    if (!install(mariadb, defaults, err)) {
        return false;
    }
    mariadb->target =
        (struct mydb_target){.user = "root", .database = "assize", .tls = MYDB_TLS_OFF};
    (void)snprintf(mariadb->target.socket, sizeof mariadb->target.socket, "%s", mariadb->socket);
    mariadb->process = run_program(argv);
    return mariadb->process > 0 && wait_for_it(mariadb, err);
}

void mariadb_stop(struct mariadb *mariadb) {
    if (mariadb->process > 0) {
        (void)kill(mariadb->process, SIGKILL); /* nothing in it is worth an orderly end */
        (void)waitpid(mariadb->process, NULL, 0);
        (void)unlink(mariadb->socket);
        mariadb->process = 0;
    }
}
