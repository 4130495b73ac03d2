#ifndef TESTS_FAKE_CHECK_H
#define TESTS_FAKE_CHECK_H

/* What the fake server hears of a node's self-tests. */
#include "../judge/fake_obey.h"
#include "fake_server.h"

static inline bool fake_check_result(void *context, const struct machine_check_result *request,
                                     struct err *err) {
    (void)context;
    (void)err;
    mutex_lock(&server.lock);
    server.check_results++;
    server.check_passed = request->passed;
    server.check_programs = request->program_count;
    assert_true(str_to_c(str_utf8_prefix(request->message, 255), server.check_message,
                         sizeof server.check_message, err));
    mutex_unlock(&server.lock);
    return true;
}

static inline bool fake_out_of_service(void *context, const struct machine_out *request,
                                       struct err *err) {
    (void)context;
    mutex_lock(&server.lock);
    server.outs++;
    assert_true(str_to_c(str_utf8_prefix(request->reason, 255), server.out_reason,
                         sizeof server.out_reason, err));
    mutex_unlock(&server.lock);
    return true;
}

#endif
