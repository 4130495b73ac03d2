#ifndef EXPECT_H
#define EXPECT_H

/* What an answer must be, with the answer shown when it is another. */
#include "ask.h"

#define expect(reply, status_)                                                                     \
    do {                                                                                           \
        if ((reply).status != (status_)) {                                                         \
            fail_msg("%s:%d: status %d: " STR_FMT, __FILE__, __LINE__, (reply).status,             \
                     STR_ARG((reply).body));                                                       \
        }                                                                                          \
    } while (0)

#define expect_error(reply, status_, code_)                                                        \
    do {                                                                                           \
        expect(reply, status_);                                                                    \
        if (!reply_is(&(reply), "code", code_)) {                                                  \
            fail_msg("%s:%d: " STR_FMT, __FILE__, __LINE__, STR_ARG((reply).body));                \
        }                                                                                          \
        assert_true(strstr((reply).head, "application/problem+json") != NULL);                     \
        assert_int_equal(reply_i64(&(reply), "status"), status_);                                  \
        assert_true(reply_str(&(reply), "detail").len > 0);                                        \
        assert_int_equal(reply_str(&(reply), "traceId").len, 32);                                  \
    } while (0)

#endif
