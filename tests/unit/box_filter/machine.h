#ifndef MACHINE_H
#define MACHINE_H

#include "box_filter/filter.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/audit.h>
#include <linux/seccomp.h>

/* The kernel's filter machine, as far as our programs use it. */

static inline uint32_t machine_load(const struct seccomp_data *data, uint32_t offset) {
    uint32_t value = 0;
    assert_true(offset + sizeof(value) <= sizeof(*data));
    __builtin_memcpy(&value, (const char *)data + offset, sizeof(value));
    return value;
}

/* The filter's answer to a call; fails on whatever the kernel would refuse to load. */
static inline uint32_t machine_run(const struct filter_program *program,
                                   const struct seccomp_data *data) {
    uint32_t accumulator = 0;
    for (unsigned at = 0; at < program->length; at++) {
        const struct sock_filter *step = &program->code[at];
        switch (step->code) {
        case BPF_LD | BPF_W | BPF_ABS: accumulator = machine_load(data, step->k); break;
        case BPF_JMP | BPF_JA: at += step->k; break;
        case BPF_JMP | BPF_JEQ | BPF_K: at += accumulator == step->k ? step->jt : step->jf; break;
        case BPF_JMP | BPF_JGE | BPF_K: at += accumulator >= step->k ? step->jt : step->jf; break;
        case BPF_JMP | BPF_JSET | BPF_K:
            at += (accumulator & step->k) != 0 ? step->jt : step->jf;
            break;
        case BPF_RET | BPF_K: return step->k;
        default: fail_msg("step %u has the code %#x", at, step->code);
        }
    }
    fail_msg("the program has no end");
    return 0;
}

static inline uint32_t machine_call(const struct filter_program *program, int number, uint64_t a,
                                    uint64_t b, uint64_t c) {
    struct seccomp_data data = {.nr = number, .arch = AUDIT_ARCH_X86_64, .args = {a, b, c}};
    return machine_run(program, &data);
}

#endif
