#include "base/process.h"

#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* In a child, because most of it cannot be taken back. */
static void assert_in_child(bool (*holds)(void)) {
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        _exit(holds() ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static bool freshens(void) {
    struct err err = {0};
    struct sigaction action;
    sigset_t all;
    sigset_t now;
    sigfillset(&all);
    if (sigprocmask(SIG_SETMASK, &all, NULL) != 0 ||
        sigaction(SIGUSR1, &(struct sigaction){.sa_handler = SIG_IGN}, NULL) != 0) {
        return false;
    }
    (void)setpriority(PRIO_PROCESS, 0, 5);
    if (!process_freshen(&err)) {
        return geteuid() != 0; /* only root may take a priority back */
    }
    return sigaction(SIGUSR1, NULL, &action) == 0 && action.sa_handler == SIG_DFL &&
           sigprocmask(SIG_SETMASK, NULL, &now) == 0 && sigismember(&now, SIGTERM) == 0 &&
           getpriority(PRIO_PROCESS, 0) == 0;
}

static bool locks_rights(void) {
    struct err err = {0};
    if (!process_lock_rights(&err)) {
        return geteuid() != 0;
    }
    return prctl(PR_CAPBSET_READ, 0, 0, 0, 0) == 0 && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

static bool pins(void) {
    struct err err = {0};
    cpu_set_t now;
    int last = -1;
    if (sched_getaffinity(0, sizeof(now), &now) != 0) {
        return false;
    }
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        last = CPU_ISSET((size_t)cpu, &now) ? cpu : last;
    }
    return process_pin(getpid(), last, &err) && sched_getaffinity(0, sizeof(now), &now) == 0 &&
           CPU_COUNT(&now) == 1 && CPU_ISSET((size_t)last, &now) &&
           !process_pin(getpid(), CPU_SETSIZE - 1, &err) && err.text[0] != '\0';
}

static bool raises_limits(void) {
    struct rlimit limit = {.rlim_cur = 16, .rlim_max = 64};
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return false;
    }
    process_raise_limits(1000);
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
           (limit.rlim_cur == 1000 || (limit.rlim_cur == 64 && limit.rlim_max == 64));
}

static bool prefers(void) {
    process_prefer();
    int policy = sched_getscheduler(0);
    pid_t child = fork();
    if (child == 0) {
        _exit(sched_getscheduler(0) == SCHED_OTHER ? 0 : 1);
    }
    int status = -1;
    return waitpid(child, &status, 0) == child && status == 0 &&
           (geteuid() != 0 || (policy & ~SCHED_RESET_ON_FORK) == SCHED_RR ||
            getpriority(PRIO_PROCESS, 0) < 0);
}

static void a_process_becomes_as_new(void **state) {
    (void)state;
    assert_in_child(freshens);
}

static void rights_are_gone_for_good(void **state) {
    (void)state;
    assert_in_child(locks_rights);
}

static void a_process_is_bound_to_a_processor(void **state) {
    (void)state;
    assert_in_child(pins);
}

static void limits_rise_as_far_as_rights_go(void **state) {
    (void)state;
    assert_in_child(raises_limits);
}

static void what_a_preferred_process_starts_is_ordinary(void **state) {
    (void)state;
    assert_in_child(prefers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_becomes_as_new),
        cmocka_unit_test(rights_are_gone_for_good),
        cmocka_unit_test(a_process_is_bound_to_a_processor),
        cmocka_unit_test(limits_rise_as_far_as_rights_go),
        cmocka_unit_test(what_a_preferred_process_starts_is_ordinary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
