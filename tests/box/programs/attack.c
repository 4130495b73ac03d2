/* Finds the program of the first argument. */
#include "attack.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int said;

static const struct attack *const lists[] = {attacks_time, attacks_memory, attacks_output,
                                             attacks_reading, attacks_kernel};

int64_t argument(int argc, char **argv, int index, int64_t otherwise) {
    if (index >= argc) {
        return otherwise;
    }
    int64_t value = 0;
    for (const char *c = argv[index]; *c != '\0'; c++) {
        value = value * 10 + (*c - '0');
    }
    return value;
}

void loop(void) {
    for (volatile unsigned long i = 0;; i++) {
    }
}

static int64_t thread_cpu_ms(void) {
    struct timespec now = {0};
    syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void burn_ms(int64_t cpu_ms) {
    int64_t end = thread_cpu_ms() + cpu_ms;
    while (thread_cpu_ms() < end) {
        for (volatile int i = 0; i < 20000; i++) {
        }
    }
}

void rest_ms(int ms) {
    poll(NULL, 0, ms);
}

void on_signal(int number, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler};
    sigaction(number, &action, NULL);
}

void say(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    said = 1;
}

int verdict(void) {
    if (said == 0) {
        puts("ok");
    }
    return said;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: attack NAME [ARGUMENT]...\n", stderr);
        return 2;
    }
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        for (const struct attack *attack = lists[i]; attack->name != NULL; attack++) {
            if (strcmp(attack->name, argv[1]) == 0) {
                return attack->run(argc - 1, argv + 1);
            }
        }
    }
    fprintf(stderr, "there is no attack %s\n", argv[1]);
    return 2;
}
