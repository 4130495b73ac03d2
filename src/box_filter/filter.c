/* From the lists to a program of the kernel's filter machine. */
#include "box_filter/filter.h"

#include "base/check.h"
#include "base/str.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stddef.h>
#include <string.h>

#define NUMBERS_MAX 1024        /* system call numbers of x86-64 are below it */
#define FOREIGN_BIT 0x40000000u /* x32 */
#define NEGATIVE_BIT 0x80000000u

/* Numbers from `first` to the next segment's first have one action. */
struct segment {
    unsigned first;
    enum filter_action action;
};

struct builder {
    struct filter_program *filter;
    struct segment segments[NUMBERS_MAX];
    size_t segment_count;
    size_t jumps[NUMBERS_MAX]; /* places that jump to a check, patched when the checks stand */
    enum filter_action jump_targets[NUMBERS_MAX];
    size_t jump_count;
};

static size_t emit(struct filter_program *filter, unsigned short code, unsigned k, size_t yes,
                   size_t no) {
    CHECK(filter->length < FILTER_LENGTH_MAX);
    CHECK(yes < 256);
    CHECK(no < 256);
    filter->code[filter->length] = (struct sock_filter){
        .code = code, .jt = (unsigned char)yes, .jf = (unsigned char)no, .k = k};
    return filter->length++;
}

static void emit_load(struct filter_program *filter, size_t offset) {
    emit(filter, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

static void emit_answer(struct filter_program *filter, int answer) {
    emit(filter, BPF_RET | BPF_K,
         answer == 0 ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | (unsigned)answer, 0, 0);
}

static void emit_leaf(struct builder *builder, enum filter_action action) {
    switch (action) {
    case FILTER_ENOSYS: emit_answer(builder->filter, ENOSYS); return;
    case FILTER_ALLOW: emit_answer(builder->filter, 0); return;
    case FILTER_EPERM: emit_answer(builder->filter, EPERM); return;
    case FILTER_CLONE:
    case FILTER_UNIX:
    case FILTER_PRCTL:
    case FILTER_IOCTL:
    case FILTER_FCNTL:
    case FILTER_PERSONALITY:
    case FILTER_SETRLIMIT:
    case FILTER_PRLIMIT:
    case FILTER_SCHEDULER:
        CHECK(builder->jump_count < NUMBERS_MAX);
        builder->jump_targets[builder->jump_count] = action;
        builder->jumps[builder->jump_count++] = emit(builder->filter, BPF_JMP | BPF_JA, 0, 0, 0);
        return;
    case FILTER_ACTION_COUNT: break;
    }
    CHECK(false);
}

/* A binary search over segments [from, to), the number being in the accumulator. */
static void emit_search(struct builder *builder, size_t from, size_t to) {
    CHECK(from < to);
    if (to - from == 1) {
        emit_leaf(builder, builder->segments[from].action);
        return;
    }
    size_t middle = from + (to - from) / 2;
    size_t jump =
        emit(builder->filter, BPF_JMP | BPF_JGE | BPF_K, builder->segments[middle].first, 0, 0);
    emit_search(builder, from, middle);
    size_t distance = builder->filter->length - jump - 1;
    CHECK(distance < 256);
    builder->filter->code[jump].jt = (unsigned char)distance;
    emit_search(builder, middle, to);
}

static void emit_check(struct filter_program *filter, const struct filter_check *check) {
    for (size_t i = 0; i < check->count; i++) {
        const struct filter_condition *condition = &check->conditions[i];
        emit_load(filter,
                  offsetof(struct seccomp_data, args) + condition->argument * sizeof(__u64));
        unsigned short test = condition->test == FILTER_EQUAL ? BPF_JEQ : BPF_JSET;
        emit(filter, (unsigned short)(BPF_JMP | BPF_K | test), condition->value, 0, 1);
        emit_answer(filter, condition->answer);
    }
    emit_answer(filter, check->otherwise);
}

/* Each check stands once, behind the search; its jumps are patched to it. */
static void emit_checks(struct builder *builder) {
    for (int action = FILTER_CLONE; action < FILTER_ACTION_COUNT; action++) {
        size_t start = builder->filter->length;
        for (size_t i = 0; i < builder->jump_count; i++) {
            if ((int)builder->jump_targets[i] == action) {
                builder->filter->code[builder->jumps[i]].k =
                    (unsigned)(start - builder->jumps[i] - 1);
            }
        }
        emit_check(builder->filter, &filter_checks[action]);
    }
}

static void emit_head(struct filter_program *filter) {
    emit_load(filter, offsetof(struct seccomp_data, arch));
    emit(filter, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
    emit(filter, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
    emit_load(filter, offsetof(struct seccomp_data, nr));
    emit(filter, BPF_JMP | BPF_JSET | BPF_K, NEGATIVE_BIT, 0, 1);
    emit_answer(filter, ENOSYS);
    emit(filter, BPF_JMP | BPF_JSET | BPF_K, FOREIGN_BIT, 0, 1);
    emit(filter, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
}

/* Fills in one row. A name that this machine's libseccomp or architecture does not know is left to
 * the default, ENOSYS: nothing is allowed by accident. */
static void read_row(const struct filter_row *row, enum filter_action *actions) {
    struct str rest = str_from(row->names);
    struct str word = STR("");
    while (str_next_word(&rest, &word)) {
        char name[64];
        CHECK(word.len < sizeof(name));
        memcpy(name, word.ptr, word.len);
        name[word.len] = '\0';
        int number = seccomp_syscall_resolve_name_arch(SCMP_ARCH_X86_64, name);
        if (number >= 0) {
            CHECK(number < NUMBERS_MAX);
            actions[number] = row->action;
        }
    }
}

static void make_segments(struct builder *builder, const enum filter_action *actions) {
    for (unsigned number = 0; number < NUMBERS_MAX; number++) {
        if (number == 0 || actions[number] != actions[number - 1]) {
            builder->segments[builder->segment_count++] =
                (struct segment){.first = number, .action = actions[number]};
        }
    }
}

void filter_build(enum filter_profile profile, struct filter_program *ret_program) {
    struct builder builder = {.filter = ret_program};
    enum filter_action actions[NUMBERS_MAX] = {FILTER_ENOSYS};
    for (size_t i = 0; i < filter_row_count; i++) {
        if ((filter_rows[i].profiles & FILTER_BIT(profile)) != 0) {
            read_row(&filter_rows[i], actions);
        }
    }
    *ret_program = (struct filter_program){.length = 0};
    make_segments(&builder, actions);
    emit_head(ret_program);
    emit_search(&builder, 0, builder.segment_count);
    emit_checks(&builder);
}
