#ifndef TESTS_CAPTURE_H
#define TESTS_CAPTURE_H

/* What a function prints to standard output and standard error, as one text. */
#include "base/file.h"
#include "base/limits.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

struct capture {
    int fd;
    int saved[2];
    char text[64 * KIB];
};

static inline void capture_begin(struct capture *capture) {
    (void)fflush(NULL);
    capture->fd = memfd_create("captured", MFD_CLOEXEC);
    assert_true(capture->fd >= 0);
    for (int i = 0; i < 2; i++) {
        capture->saved[i] = dup(i + 1);
        assert_true(dup2(capture->fd, i + 1) >= 0);
    }
}

static inline void capture_end(struct capture *capture) {
    (void)fflush(NULL);
    for (int i = 0; i < 2; i++) {
        assert_true(dup2(capture->saved[i], i + 1) >= 0);
        close(capture->saved[i]);
    }
    ssize_t got = pread(capture->fd, capture->text, sizeof capture->text - 1, 0);
    capture->text[got < 0 ? 0 : got] = '\0';
    close(capture->fd);
}

static inline void capture_said(const struct capture *capture, const char *text) {
    if (strstr(capture->text, text) == NULL) {
        fail_msg("\"%s\" is not in: %s", text, capture->text);
    }
}

#endif
