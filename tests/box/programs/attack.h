#ifndef ATTACK_H
#define ATTACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Small hostile and borderline programs, chosen by the first argument. Where a program can judge
 * by itself whether it was contained, it prints what it could do and ends with "ok" alone when it
 * could do nothing. */

struct attack {
    const char *name;
    int (*run)(int argc, char **argv);
};

extern const struct attack attacks_time[];
extern const struct attack attacks_memory[];
extern const struct attack attacks_output[];
extern const struct attack attacks_reading[];
extern const struct attack attacks_kernel[];

int64_t argument(int argc, char **argv, int index, int64_t otherwise);
_Noreturn void loop(void);    /* burns CPU for ever */
void burn_ms(int64_t cpu_ms); /* burns CPU time of this thread */
void rest_ms(int ms);         /* sleeps */
void on_signal(int number, void (*handler)(int));
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
int verdict(void); /* prints "ok" if nothing was said; the exit code */

#endif
