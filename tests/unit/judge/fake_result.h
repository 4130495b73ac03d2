#ifndef TESTS_FAKE_RESULT_H
#define TESTS_FAKE_RESULT_H

/* The two functions of the box's client that need no box; part of fake_box.h. */
#include "base/file.h"
#include "box/box.h"

#include <string.h>

void box_result_init(struct box_result *result) {
    memset(result, 0, sizeof *result);
    for (size_t i = 0; i < 3; i++) {
        result->stream_fds[i] = -1;
    }
    for (size_t i = 0; i < BOX_FILES_MAX; i++) {
        result->output_fds[i] = -1;
        result->output_states[i] = BOX_OUTPUT_MISSING;
    }
}

void box_result_done(struct box_result *result) {
    for (size_t i = 0; i < 3; i++) {
        fd_cleanup(&result->stream_fds[i]);
    }
    for (size_t i = 0; i < BOX_FILES_MAX; i++) {
        fd_cleanup(&result->output_fds[i]);
    }
}

#endif
