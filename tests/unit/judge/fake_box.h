#ifndef TESTS_FAKE_BOX_H
#define TESTS_FAKE_BOX_H

/* A box that runs nothing, for tests of what the judge asks of it and makes of its answers. Its
 * "compiler" (any program but /w/main) copies the first file into each artifact, and a "program" is
 * its own text, one word and an argument:
 *
 *   cat          writes its input       say TEXT     writes TEXT
 *   exit N       ends with status N     signal N     ends by a signal
 *   cpu wall memory output start        passes that limit, or cannot be started (errno in N)
 *   error        as a source: the compiler refuses it
 *   accept TEXT  a checker that exits 42 with TEXT as message for the team; reject TEXT: 43
 *
 * Not thread-safe, one run at a time. Include it in one file of a test program. */

#include "base/file.h"
#include "box/box.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
    bool fail_open; /* what to refuse */
    bool fail_start;
    bool fail_wait;
    int deadlines; /* how often box_wait says "not yet" */
    /* how the next compiler ends, whatever its source; its artifacts are in that state */
    enum box_end override_end;
    int override_signal;
    enum box_output_state override_output;
    int64_t cpu_ms[4]; /* of the program's runs, each used once; 0: 3 ms */
    int cpu_at;
    int open_slots; /* what was seen */
    int starts;
    int kills;
    int compiles;
    char argv[1024];  /* of the last run, words joined by spaces */
    char names[1024]; /* its files, joined by spaces, "!" behind writable ones */
    struct box_run_spec spec;
    struct box_result pending;
} fake;

static inline struct box *fake_box(void) {
    static char somewhere;
    memset(&fake, 0, sizeof fake);
    return (struct box *)(void *)&somewhere;
}

static inline int fake_file(const char *text) {
    int fd = -1;
    struct err err = {0};
    assert_true(file_memory("fake", str_from(text), false, &fd, &err));
    return fd;
}

static inline void fake_read(int fd, char text[4096]) {
    ssize_t got = fd < 0 ? 0 : pread(fd, text, 4095, 0);
    text[got < 0 ? 0 : got] = '\0';
}

static inline void fake_write(int stream, const char *text) {
    if (fake.spec.streams[stream].kind == BOX_STREAM_CAPTURE) {
        fake.pending.stream_fds[stream] = fake_file(text);
    }
    fake.pending.stream_bytes[stream] = (int64_t)strlen(text);
}

static inline void fake_feedback(const char *name, const char *text) {
    for (size_t i = 0; fake.spec.outputs[i] != NULL; i++) {
        if (strcmp(fake.spec.outputs[i], name) == 0 && text[0] != '\0') {
            fake.pending.output_states[i] = BOX_OUTPUT_FILE;
            fake.pending.output_fds[i] = fake_file(text);
        }
    }
}

static inline void fake_override(void) {
    fake.pending.end = fake.override_end;
    fake.pending.signal = fake.override_signal;
    fake.override_end = BOX_END_NONE;
    fake_write(2, "some words\n");
    for (size_t i = 0; fake.spec.outputs[i] != NULL; i++) {
        fake.pending.output_states[i] = fake.override_output;
    }
}

static inline void fake_compile(const char *source) {
    fake.compiles++;
    if (fake.override_end != BOX_END_NONE) {
        fake_override();
        return;
    }
    if (strncmp(source, "error", 5) == 0) {
        fake.pending.exit_code = 1;
        fake_write(2, "main.cpp:1:1: error: no such word\n");
        return;
    }
    for (size_t i = 0; fake.spec.outputs[i] != NULL; i++) {
        fake.pending.output_states[i] = BOX_OUTPUT_FILE;
        fake.pending.output_fds[i] = fake_file(source);
    }
}

/* A test's own further words; true: it was one. */
static bool (*fake_word)(const char *word, const char *argument);

static inline void fake_program(const char *word, const char *argument) {
    if (fake_word != NULL && fake_word(word, argument)) {
        return;
    }
    static const struct {
        const char *word;
        enum box_end end;
    } ends[] = {{"cpu", BOX_END_CPU},       {"wall", BOX_END_WALL},   {"memory", BOX_END_MEMORY},
                {"output", BOX_END_OUTPUT}, {"start", BOX_END_START}, {"signal", BOX_END_SIGNAL}};
    char input[4096];
    int64_t number = 0;
    struct err err = {0};
    if (!str_to_i64(str_trim(str_from(argument)), 0, 1000, &number, &err)) {
        number = 0;
    }
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        if (strcmp(word, ends[i].word) == 0) {
            fake.pending.end = ends[i].end;
        }
    }
    int64_t cpu_ms = fake.cpu_at < 4 ? fake.cpu_ms[fake.cpu_at++] : 0;
    fake.pending.cpu_user_us = cpu_ms > 0 ? cpu_ms * 1000 : fake.pending.cpu_user_us;
    bool has_status = strcmp(word, "exit") == 0 || strcmp(word, "start") == 0;
    fake.pending.exit_code = has_status ? (int)number : 0;
    fake.pending.signal = (int)number;
    fake_write(2, "words on stderr\n");
    if (strcmp(word, "cat") == 0) {
        fake_read(fake.spec.streams[0].fd, input);
        fake_write(1, input);
    } else {
        fake_write(1, strcmp(word, "say") == 0 ? argument : "");
    }
    if (strcmp(word, "accept") == 0 || strcmp(word, "reject") == 0) {
        fake.pending.exit_code = strcmp(word, "accept") == 0 ? 42 : 43;
        fake_feedback("feedback/teammessage.txt", argument);
    }
    if (strcmp(word, "score") == 0) {
        fake.pending.exit_code = 42;
        fake_feedback("feedback/score.txt", argument);
    }
}

static inline void fake_note(const struct box_run_spec *spec) {
    size_t at = 0;
    fake.spec = *spec;
    for (size_t i = 0; spec->argv[i] != NULL; i++) {
        at += (size_t)snprintf(fake.argv + at, sizeof fake.argv - at, "%s%s", i == 0 ? "" : " ",
                               spec->argv[i]);
    }
    fake.names[0] = '\0';
    at = 0;
    for (size_t i = 0; i < spec->file_count; i++) {
        at += (size_t)snprintf(fake.names + at, sizeof fake.names - at, "%s%s%s", i == 0 ? "" : " ",
                               spec->files[i].name, spec->files[i].writable ? "!" : "");
    }
}

bool box_slot_open(struct box *box, int slot, struct err *err) {
    (void)box, (void)slot;
    if (fake.fail_open) {
        return err_set(err, ERR_SYSTEM, "box_failed", "no slot");
    }
    fake.open_slots++;
    return true;
}

bool box_slot_close(struct box *box, int slot, struct err *err) {
    (void)box, (void)slot, (void)err;
    fake.open_slots--;
    return true;
}

bool box_start(struct box *box, int slot, const struct box_run_spec *spec, uint32_t *ret_run,
               struct err *err) {
    char text[4096] = "";
    (void)box, (void)slot;
    if (fake.fail_start) {
        return err_set(err, ERR_INVALID, "bad_run", "not such a run");
    }
    assert_true(fake.open_slots > 0);
    fake_note(spec);
    box_result_init(&fake.pending);
    fake.pending.end = BOX_END_EXIT;
    fake.pending.wall_us = 7000;
    fake.pending.cpu_user_us = 3000;
    fake.pending.memory_peak_bytes = 2048 * 1024;
    if (spec->file_count > 0) {
        fake_read(spec->files[0].fd, text);
    }
    if (strstr(fake.argv, "--version") != NULL) {
        fake_write(1, "\nToy 1.2.3 \nmore\n");
    } else if (spec->profile == BOX_PROFILE_COMPILE) {
        fake_compile(text);
    } else {
        char *space = strchr(text, ' ');
        text[strcspn(text, " \n")] = '\0';
        fake_program(text, space == NULL ? "" : space + 1);
    }
    *ret_run = (uint32_t)++fake.starts;
    return true;
}

bool box_wait(struct box *box, int slot, int64_t timeout_ms, struct box_result *ret_result,
              struct err *err) {
    (void)box, (void)slot;
    if (fake.fail_wait) {
        return err_set(err, ERR_SYSTEM, "box_failed", "the box broke");
    }
    if (fake.deadlines > 0 && timeout_ms >= 0) {
        fake.deadlines--;
        return err_set(err, ERR_DEADLINE, "not_yet", "nothing yet");
    }
    *ret_result = fake.pending;
    return true;
}

bool box_kill(struct box *box, int slot, uint32_t run, struct err *err) {
    (void)box, (void)slot, (void)run, (void)err;
    fake.kills++;
    return true;
}

#include "fake_result.h"

#endif
