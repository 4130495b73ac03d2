#ifndef BOX_FILTER_TABLE_H
#define BOX_FILTER_TABLE_H

#include <stddef.h>

enum filter_action {
    FILTER_ENOSYS, /* zero: whatever no row names */
    FILTER_ALLOW,
    FILTER_EPERM,
    FILTER_CLONE, /* no new namespaces */
    FILTER_UNIX,  /* AF_UNIX only */
    FILTER_PRCTL,
    FILTER_IOCTL,
    FILTER_FCNTL, /* no leases, no directory notification, no question for others' locks */
    FILTER_PERSONALITY,
    FILTER_SETRLIMIT, /* RLIMIT_CORE stays: lowering it to 0 would wake a piped core handler */
    FILTER_PRLIMIT,
    FILTER_SCHEDULER,
    FILTER_ACTION_COUNT,
};

enum filter_profile {
    FILTER_PROFILE_COMPILE,
    FILTER_PROFILE_NATIVE,
    FILTER_PROFILE_MANAGED, /* a virtual machine of its own: Java, JavaScript */
    FILTER_PROFILE_SERVER,  /* a database or another service that programs talk to */
    FILTER_PROFILE_COUNT,
};
#define FILTER_BIT(profile) (1u << (profile))
#define FILTER_PROFILES_ALL (FILTER_BIT(FILTER_PROFILE_COUNT) - 1)

/* `names`: names of system calls, separated by spaces. */
struct filter_row {
    enum filter_action action;
    unsigned profiles;
    const char *names;
};

extern const struct filter_row filter_rows[];
extern const size_t filter_row_count;

/* One condition on one argument; the first that holds decides, else `otherwise`. */
enum filter_test { FILTER_EQUAL, FILTER_ANY_BIT };
struct filter_condition {
    enum filter_test test;
    unsigned argument;
    unsigned value; /* compared with the lower 32 bits, which is what the kernel takes here */
    int answer;     /* 0: allow, else the errno */
};
struct filter_check {
    const struct filter_condition *conditions;
    size_t count;
    int otherwise; /* 0: allow, else the errno */
};

/* By filter_action, from FILTER_CLONE on. */
extern const struct filter_check filter_checks[FILTER_ACTION_COUNT];

#endif
