/* The programs as C text. */
#include "box_filter/filter.h"

static const char *const profile_names[FILTER_PROFILE_COUNT] = {
    [FILTER_PROFILE_COMPILE] = "BOX_PROFILE_COMPILE",
    [FILTER_PROFILE_NATIVE] = "BOX_PROFILE_NATIVE",
    [FILTER_PROFILE_MANAGED] = "BOX_PROFILE_MANAGED",
    [FILTER_PROFILE_SERVER] = "BOX_PROFILE_SERVER",
};

void filter_print(struct buf *out) {
    buf_append_c(out, "/* Made by box-filter-print from src/box_filter/table.c. */\n"
                      "#include \"box/launch.h\"\n\nconst struct filter box_filters[] = {\n");
    for (int profile = 0; profile < FILTER_PROFILE_COUNT; profile++) {
        struct filter_program program = {.length = 0};
        filter_build((enum filter_profile)profile, &program);
        buf_printf(out, "    [%s] = {%u, {\n", profile_names[profile], program.length);
        for (unsigned i = 0; i < program.length; i++) {
            const struct sock_filter *step = &program.code[i];
            buf_printf(out, "        {%#x, %u, %u, %#x},\n", step->code, step->jt, step->jf,
                       step->k);
        }
        buf_append_c(out, "    }},\n");
    }
    buf_append_c(out, "};\n");
}
