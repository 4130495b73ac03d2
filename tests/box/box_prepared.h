#ifndef TESTS_BOX_PREPARED_H
#define TESTS_BOX_PREPARED_H

/* One box for a test program, and runs of the attack program that a test can change before they
 * start. Include it in one file of a test program. */

#include "box_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct fixture fixture;

/* A spec with the storage it points into. */
struct prepared {
    struct box_run_spec spec;
    struct box_file file;
    const char *argv[16];
};

static inline void prepare(struct prepared *prepared, const char *name, const char *word) {
    const char *argv[] = {name, word, NULL};
    prepared->spec = fixture_spec(&fixture, argv, prepared->argv, &prepared->file);
}

static inline void must(bool done, const struct err *err) {
    if (!done) {
        fail_msg("%s (%s, %s)", err->text, err->code, err->where);
    }
}

static inline void run_it(struct prepared *prepared, struct box_result *ret_result) {
    struct err err = {0};
    box_result_init(ret_result);
    must(box_run(fixture.box, 0, &prepared->spec, ret_result, &err), &err);
}

#endif
