#include "machine.h"

#include <asm/unistd_64.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define ALLOW SECCOMP_RET_ALLOW
#define REFUSE(number) (SECCOMP_RET_ERRNO | (number))
#define ANY (-1)

struct row {
    const char *name;
    int number;
    uint64_t a, b, c;
    uint32_t answer;
    int profile; /* ANY: all */
};

/* clang-format off */
static const struct row rows[] = {
    {"read",             __NR_read,             0, 0, 0, ALLOW, ANY},
    {"the first",        0,                     0, 0, 0, ALLOW, ANY},
    {"execve",           __NR_execve,           0, 0, 0, ALLOW, ANY},
    {"exit_group",       __NR_exit_group,       0, 0, 0, ALLOW, ANY},
    {"mmap",             __NR_mmap,             0, 0, 0, ALLOW, ANY},
    {"statx",            __NR_statx,            0, 0, 0, ALLOW, ANY},
    {"rseq",             __NR_rseq,             0, 0, 0, ALLOW, ANY},
    {"a thread",         __NR_clone,            0x3d0f00, 0, 0, ALLOW, ANY},
    {"a fork",           __NR_clone,            SIGCHLD, 0, 0, ALLOW, ANY},
    {"a user namespace", __NR_clone,            CLONE_NEWUSER | SIGCHLD, 0, 0, REFUSE(EPERM), ANY},
    {"a pid namespace",  __NR_clone,            CLONE_NEWPID, 0, 0, REFUSE(EPERM), ANY},
    {"a net namespace",  __NR_clone,            CLONE_NEWNET | CLONE_VM, 0, 0, REFUSE(EPERM), ANY},
    {"clone3",           __NR_clone3,           0, 0, 0, REFUSE(ENOSYS), ANY},
    {"unshare",          __NR_unshare,          CLONE_NEWUSER, 0, 0, REFUSE(EPERM), ANY},
    {"setns",            __NR_setns,            0, 0, 0, REFUSE(EPERM), ANY},
    {"ptrace",           __NR_ptrace,           PTRACE_TRACEME, 0, 0, REFUSE(EPERM), ANY},
    {"mount",            __NR_mount,            0, 0, 0, REFUSE(EPERM), ANY},
    {"bpf",              __NR_bpf,              0, 0, 0, REFUSE(EPERM), ANY},
    {"keyctl",           __NR_keyctl,           0, 0, 0, REFUSE(EPERM), ANY},
    {"io_uring_setup",   __NR_io_uring_setup,   0, 0, 0, REFUSE(ENOSYS), ANY},
    {"seccomp",          __NR_seccomp,          1, 0, 0, REFUSE(ENOSYS), ANY},
    {"a socket",         __NR_socket,           AF_INET, SOCK_STREAM, 0, REFUSE(EPERM), FILTER_PROFILE_NATIVE},
    {"a Unix socket",    __NR_socket,           AF_UNIX, SOCK_STREAM, 0, REFUSE(EPERM), FILTER_PROFILE_MANAGED},
    {"a server's",       __NR_socket,           AF_UNIX, SOCK_STREAM, 0, ALLOW, FILTER_PROFILE_SERVER},
    {"no network",       __NR_socket,           AF_INET, SOCK_STREAM, 0, REFUSE(EAFNOSUPPORT), FILTER_PROFILE_SERVER},
    {"a unix socket",    __NR_socket,           AF_UNIX, SOCK_STREAM, 0, REFUSE(EPERM), FILTER_PROFILE_NATIVE},
    {"connect",          __NR_connect,          0, 0, 0, REFUSE(EPERM), FILTER_PROFILE_NATIVE},
    {"a pair",           __NR_socketpair,       AF_UNIX, SOCK_STREAM, 0, ALLOW, ANY},
    {"a pair of inet",   __NR_socketpair,       AF_INET, SOCK_STREAM, 0, REFUSE(EAFNOSUPPORT), ANY},
    {"a name",           __NR_prctl,            PR_SET_NAME, 0, 0, ALLOW, ANY},
    {"securebits",       __NR_prctl,            PR_SET_SECUREBITS, 0, 0, REFUSE(EPERM), ANY},
    {"set mm",           __NR_prctl,            PR_SET_MM, 0, 0, REFUSE(EPERM), ANY},
    {"tcgets",           __NR_ioctl,            0, TCGETS, 0, ALLOW, ANY},
    {"tiocsti",          __NR_ioctl,            0, TIOCSTI, 0, REFUSE(ENOTTY), ANY},
    {"tiocsti, 64 bit",  __NR_ioctl,            0, 0x100000000u | TIOCSTI, 0, REFUSE(ENOTTY), ANY},
    {"dup by fcntl",     __NR_fcntl,            0, F_DUPFD, 3, ALLOW, ANY},
    {"a lease",          __NR_fcntl,            0, F_SETLEASE, 0, REFUSE(EPERM), FILTER_PROFILE_NATIVE},
    {"a notice",         __NR_fcntl,            0, F_NOTIFY, 0, REFUSE(EPERM), FILTER_PROFILE_NATIVE},
    {"personality?",     __NR_personality,      0xffffffff, 0, 0, ALLOW, ANY},
    {"no randomness",    __NR_personality,      0x0040000, 0, 0, REFUSE(EPERM), ANY},
    {"stack limit",      __NR_setrlimit,        RLIMIT_STACK, 1, 0, ALLOW, ANY},
    {"core limit",       __NR_setrlimit,        RLIMIT_CORE, 1, 0, REFUSE(EPERM), ANY},
    {"core limit?",      __NR_prlimit64,        0, RLIMIT_CORE, 0, ALLOW, ANY},
    {"core limit!",      __NR_prlimit64,        0, RLIMIT_CORE, 0x7fff0010, REFUSE(EPERM), ANY},
    {"file limit",       __NR_prlimit64,        0, RLIMIT_NOFILE, 0x7fff0010, ALLOW, ANY},
    {"flock",            __NR_flock,            0, 2, 0, REFUSE(EPERM), FILTER_PROFILE_NATIVE},
    {"a server's lock",  __NR_flock,            0, 2, 0, ALLOW, FILTER_PROFILE_SERVER},
    {"inotify",          __NR_inotify_init1,    0, 0, 0, REFUSE(EPERM), ANY},
    {"setuid",           __NR_setuid,           0, 0, 0, REFUSE(EPERM), ANY},
    {"nodes of memory",  __NR_get_mempolicy,    0, 0, 0, ALLOW, FILTER_PROFILE_MANAGED},
    {"nodes of memory",  __NR_get_mempolicy,    0, 0, 0, REFUSE(ENOSYS), FILTER_PROFILE_NATIVE},
    {"memfd_secret",     447,                   0, 0, 0, REFUSE(ENOSYS), ANY},
    {"999",              999,                   0, 0, 0, REFUSE(ENOSYS), ANY},
    {"the last",         0x3fffffff,            0, 0, 0, REFUSE(ENOSYS), ANY},
    {"-1",               -1,                    0, 0, 0, REFUSE(ENOSYS), ANY},
    {"-5",               -5,                    0, 0, 0, REFUSE(ENOSYS), ANY},
    {"x32 getpid",       0x40000000 + 39,       0, 0, 0, SECCOMP_RET_KILL_PROCESS, ANY},
};
/* clang-format on */

static struct filter_program programs[FILTER_PROFILE_COUNT];

static int build_all(void **state) {
    (void)state;
    for (int profile = 0; profile < FILTER_PROFILE_COUNT; profile++) {
        filter_build((enum filter_profile)profile, &programs[profile]);
    }
    return 0;
}

static void each_call_has_its_answer(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (int profile = 0; profile < FILTER_PROFILE_COUNT; profile++) {
            const struct row *row = &rows[i];
            if (row->profile != ANY && row->profile != profile) {
                continue;
            }
            uint32_t answer = machine_call(&programs[profile], row->number, row->a, row->b, row->c);
            if (answer != row->answer) {
                fail_msg("%s in profile %d: %#x instead of %#x", row->name, profile, answer,
                         row->answer);
            }
        }
    }
}

static void a_foreign_architecture_is_killed(void **state) {
    (void)state;
    struct seccomp_data i386 = {.nr = 20, .arch = AUDIT_ARCH_I386};
    struct seccomp_data arm = {.nr = 172, .arch = AUDIT_ARCH_AARCH64};
    for (int profile = 0; profile < FILTER_PROFILE_COUNT; profile++) {
        assert_int_equal(machine_run(&programs[profile], &i386), SECCOMP_RET_KILL_PROCESS);
        assert_int_equal(machine_run(&programs[profile], &arm), SECCOMP_RET_KILL_PROCESS);
    }
}

/* Whatever comes, the answer is one of ours: never a log, a trap or a trace. */
static void every_number_gets_an_answer(void **state) {
    (void)state;
    for (int profile = 0; profile < FILTER_PROFILE_COUNT; profile++) {
        for (int number = 0; number < 2048; number++) {
            uint32_t answer = machine_call(&programs[profile], number, 12345, 54321, 99);
            assert_true(answer == ALLOW || (answer & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO);
        }
    }
}

static void jumps_stay_inside(void **state) {
    (void)state;
    for (int profile = 0; profile < FILTER_PROFILE_COUNT; profile++) {
        const struct filter_program *program = &programs[profile];
        assert_true(program->length > 100);
        for (unsigned at = 0; at < program->length; at++) {
            const struct sock_filter *step = &program->code[at];
            if (BPF_CLASS(step->code) == BPF_JMP && BPF_OP(step->code) == BPF_JA) {
                assert_true(at + 1 + step->k < program->length);
            } else if (BPF_CLASS(step->code) == BPF_JMP) {
                assert_true(at + 1 + step->jt < program->length);
                assert_true(at + 1 + step->jf < program->length);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call_has_its_answer),
        cmocka_unit_test(a_foreign_architecture_is_killed),
        cmocka_unit_test(every_number_gets_an_answer),
        cmocka_unit_test(jumps_stay_inside),
    };
    return cmocka_run_group_tests(tests, build_all, NULL);
}
