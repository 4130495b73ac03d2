#ifndef TESTS_PACKAGE_TEX_FIXTURE_H
#define TESTS_PACKAGE_TEX_FIXTURE_H

#include "fixture.h"
#include "package/tex.h"

struct tex_row {
    const char *tex, *markdown;
};

static inline void tex_count(void *context, struct str name) {
    (void)name;
    (*(int *)context)++;
}

static inline void tex_check(const struct tex_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        own_buf out;
        struct err err = {0};
        int unknown = 0;
        buf_init(&out, MIB);
        assert_true(tex_to_markdown(str_from(rows[i].tex), &out, tex_count, &unknown, &err));
        struct str text = str_trim(buf_str(&out));
        if (!str_eq_c(text, rows[i].markdown)) {
            print_error("tex: %s\ngot: " STR_FMT "\nexpected: %s\n", rows[i].tex, STR_ARG(text),
                        rows[i].markdown);
        }
        assert_true(str_eq_c(text, rows[i].markdown));
    }
}

#endif
