#ifndef LANGUAGE_LANGUAGE_H
#define LANGUAGE_LANGUAGE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/str.h"

/* Languages are data: languages/<id>/language.yaml. Adding one is adding a folder. Everything lives
 * in the set's arena and never changes after loading; one set serves all threads. */

enum language_profile { LANGUAGE_PROFILE_NATIVE = 1, LANGUAGE_PROFILE_MANAGED };

/* What the words of a command may be, beside themselves. */
#define LANGUAGE_SOURCES "{sources}" /* the files to compile, one argument each */
#define LANGUAGE_ENTRY "{entry}"     /* the file the program begins in */
/* ... and what may stand inside one. */
#define LANGUAGE_PREPARED "{prepared}" /* the folder of what was prepared, which the step sees */
#define LANGUAGE_MEMORY "{memory_mib}" /* the memory limit, without memory_extra; run only */

struct language_command {
    const char *const *argv;  /* NULL-terminated, or NULL: no such step */
    const char *const *roots; /* read-only folders the step sees: "/usr"; NULL-terminated */
};

/* Made once on each machine, before the language is first used, by a run in the box that sees no
 * submission: compiled headers, class data, a start-up snapshot. */
struct language_prepare {
    struct language_command command; /* works on the support files; none: they are all there is */
    const char *const *produces;     /* files it leaves: names or paths of plain names */
    bool as_server; /* it runs a database: with the rights of a service (box/box.h) */
    bool optional;  /* only makes things faster: words with {prepared} are left out without it */
};

struct language {
    const char *id;   /* folder name: "cpp" */
    const char *name; /* for people: "C++20 (g++)" */
    const char *sql;  /* the dialect (sql/lexer.h) when sources are statements; else NULL */
    const char *pool; /* DESIGN section 1: "cpp" */
    const char *editor_mode;
    const char *variant_of; /* another language's id: files by that name are the other's; NULL */
    const char *const *extensions; /* ".cpp" ..., the first is the usual one; NULL-terminated */
    const char *source_name;       /* file the single source is stored as: "main.cpp" */
    struct language_command compile;
    struct language_command standby; /* the compiler, started ahead: judge/standby.h; its argv may
                                        be NULL */
    struct language_command run;
    struct language_command version; /* prints the exact version in its first line */
    struct language_prepare prepare;
    const char *const *support;   /* files of the language's folder, put into {prepared} */
    const char *folder;           /* languages/<id> */
    const char *const *artifacts; /* files the compile step leaves; none: the sources are run */
    const char *const *env;
    enum language_profile profile;
    int64_t time_permille;    /* multiplier of the time limit, 1000: none */
    int64_t memory_extra_kib; /* added to the memory limit for the runtime itself */
    int32_t pids_max;
    int32_t memory_signal;    /* the runtime's way to say that memory ran out; 0: it has none */
    const char *package_hint; /* how to install: "apt-get install g++" */
    const char *const *needs; /* paths without which it is not installed; NULL-terminated */
    const char *hello_file;   /* path of the hello program, prints "hello\n" */
    uint8_t digest[32];       /* SHA-256 of spec and support files: part of the compile cache key */
};

struct language_set;

/* Reads every folder below `folder`. A broken spec fails the whole load with file and line: a judge
 * with a language silently missing gives wrong answers. At most LANGUAGES_MAX. */
checked bool language_set_load(const char *folder, struct language_set **ret_set, struct err *err);
void language_set_free(struct language_set *set); /* accepts NULL */
OWN_DEFINE(language_set, language_set_free)

size_t language_count(const struct language_set *set);
/* By id, but variants behind the language that they vary. */
const struct language *language_at(const struct language_set *set, size_t index);
/* NULL when unknown. */
const struct language *language_find(const struct language_set *set, struct str id);
/* By file name extension; NULL when none or several fit. */
const struct language *language_by_file(const struct language_set *set, struct str file_name);
/* Does the name end in one of the language's extensions? Headers and data files do not. */
bool language_owns_file(const struct language *language, struct str file_name);

#endif
