/* Checkers that come as scripts: `build`, if there is one, makes `run`, and whatever else it makes
 * must stand beside `run` in each run. The box hands out single files, so the folder travels as one
 * archive. */
#include "judge/checker_cache.h"

static const char *const build_argv[] = {"/usr/bin/sh", "-c",
                                         "if [ -e build ]; then ./build || exit 1; fi\n"
                                         "tar -cf /tmp/built.tar . && mv /tmp/built.tar built.tar",
                                         NULL};
static const char *const run_argv[] = {"/usr/bin/sh", "-c",
                                       "tar -xf built.tar && exec ./run \"$@\"", "run", NULL};
static const char *const version_argv[] = {"/usr/bin/sh", "-c", "echo sh", NULL};
/* Commands such as cc are links through /etc/alternatives. */
static const char *const roots[] = {"/usr", "/bin", "/lib", "/lib64", "/etc/alternatives", NULL};
static const char *const env[] = {"PATH=/usr/bin:/bin", "HOME=/w", "LC_ALL=C.UTF-8", NULL};
static const char *const artifacts[] = {"built.tar", NULL};
/* Every file is a source: "" ends every name. */
static const char *const extensions[] = {"", NULL};

const struct language *checker_script_language(void) {
    static const char *const no_needs[] = {NULL};
    static const struct language script = {
        .id = "script",
        .name = "build and run scripts",
        .pool = "more",
        .editor_mode = "shell",
        .extensions = extensions,
        .source_name = "run",
        .compile = {.argv = build_argv, .roots = roots},
        .run = {.argv = run_argv, .roots = roots},
        .version = {.argv = version_argv, .roots = roots},
        .artifacts = artifacts,
        .needs = no_needs,
        .env = env,
        .profile = LANGUAGE_PROFILE_MANAGED,
        .time_permille = 1000,
        .pids_max = 64,
        .package_hint = "apt-get install dash tar",
        .hello_file = "",
    };
    return &script;
}
