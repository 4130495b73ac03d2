#ifndef TESTS_LANGUAGE_TOY_H
#define TESTS_LANGUAGE_TOY_H

/* A folder of language specs in a test's hands. Include it in one file of a test program. */

#include "base/file.h"
#include "language/language.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char good_spec[] = "name: Toy\n"
                                "pool: more\n"
                                "editor: toy\n"
                                "extensions: [.toy, .ty]\n"
                                "source: main.toy\n"
                                "environment: [PATH=/usr/bin]\n"
                                "compile:\n"
                                "  command: [/usr/bin/toyc, -o, main, \"{sources}\"]\n"
                                "  roots: [/usr]\n"
                                "  produces: [main]\n"
                                "run:\n"
                                "  command: [/w/main]\n"
                                "  roots: []\n"
                                "  profile: native\n"
                                "  processes: 5\n"
                                "  time_multiplier: 1.5\n"
                                "  memory_extra: 3\n"
                                "version:\n"
                                "  command: [/usr/bin/toyc, --version]\n"
                                "hello: hello.toy\n"
                                "package: apt-get install toy\n";

struct folder {
    char path[64];
};

static inline int make_folder(void **state) {
    struct folder *folder = calloc(1, sizeof *folder);
    (void)snprintf(folder->path, sizeof folder->path, "/tmp/assize-language-XXXXXX");
    *state = folder;
    return mkdtemp(folder->path) == NULL ? -1 : 0;
}

static inline int remove_folder(void **state) {
    struct folder *folder = *state;
    struct err err = {0};
    bool good = file_remove_tree(folder->path, &err);
    free(folder);
    return good ? 0 : -1;
}

static inline void put(const struct folder *folder, const char *name, struct str content) {
    char path[256];
    struct err err = {0};
    (void)snprintf(path, sizeof path, "%s/%s", folder->path, name);
    assert_true(file_save_atomic(path, content, 0644, &err));
}

static inline void add_language(const struct folder *folder, const char *id, const char *spec) {
    char name[128];
    (void)snprintf(name, sizeof name, "%s/%s", folder->path, id);
    assert_int_equal(mkdir(name, 0755), 0);
    (void)snprintf(name, sizeof name, "%s/hello.toy", id);
    put(folder, name, STR("hello\n"));
    (void)snprintf(name, sizeof name, "%s/language.yaml", id);
    put(folder, name, str_from(spec));
}

/* The good spec with `from` replaced by `to`. */
static inline void add_changed(const struct folder *folder, const char *id, const char *from,
                               const char *to) {
    char spec[2048];
    const char *at = strstr(good_spec, from);
    assert_non_null(at);
    (void)snprintf(spec, sizeof spec, "%.*s%s%s", (int)(at - good_spec), good_spec, to,
                   at + strlen(from));
    add_language(folder, id, spec);
}

#endif
