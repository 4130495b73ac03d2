#ifndef TESTS_PACKAGE_POLYGON_FIXTURE_H
#define TESTS_PACKAGE_POLYGON_FIXTURE_H

/* A Polygon package made by the tests. */

#include "fixture.h"

/* clang-format off */
#define POLYGON_LIMITS \
    "<time-limit>2000</time-limit><memory-limit>268435456</memory-limit>" \
    "<input-path-pattern>tests/%02d</input-path-pattern>" \
    "<answer-path-pattern>tests/%02d.a</answer-path-pattern>"
#define POLYGON_PROGRAM(path, type) "<source path='" path "' type='" type "'/>"
#define POLYGON_SOLUTION(tag, path)                                                                \
    "<solution tag='" tag "'>" POLYGON_PROGRAM(path, "cpp.g++17") "</solution>"
#define POLYGON_ASSETS                                                                             \
    "<assets><checker type='testlib'>" POLYGON_PROGRAM("files/check.cpp", "cpp.g++17")             \
    "</checker><validators><validator>" POLYGON_PROGRAM("files/val.cpp", "cpp.g++17")              \
    "</validator></validators><solutions>" POLYGON_SOLUTION("main", "solutions/main.cpp")          \
    POLYGON_SOLUTION("wrong-answer", "solutions/wa.cpp") "</solutions></assets>"
#define POLYGON_TESTS                                                                              \
    "<tests><test method='manual' sample='true'/><test method='manual'/></tests>"
#define POLYGON_HEAD                                                                               \
    "<?xml version='1.0' encoding='utf-8' standalone='no'?>\n"                                     \
    "<problem revision='3' short-name='sum'>"                                                      \
    "<names><name language='english' value='Sum'/></names>"                                        \
    "<statements><statement language='english' path='statements/english/problem.tex' "             \
    "type='application/x-tex'/></statements>\n"
#define POLYGON_FILES                                                                              \
    "<files><executables><executable>" POLYGON_PROGRAM("files/gen.cpp", "cpp.g++17")               \
    "</executable></executables></files>\n"
#define POLYGON(judging, testset, assets)                                                          \
    POLYGON_HEAD "<judging " judging "><testset name='tests'>" testset                             \
                 "</testset></judging>\n" POLYGON_FILES assets "</problem>"
/* clang-format on */

static inline void polygon(struct fixture *f, const char *xml) {
    fixture_init(f);
    fixture_put(f, "problem.xml", xml);
    fixture_put(f, "statements/english/problem-properties.json",
                "{\"name\":\"Sum\",\"legend\":\"Add \\\\textbf{both}.\",\"input\":\"Two $a_1$.\","
                "\"notes\":null}");
    for (int i = 1; i <= 2; i++) {
        fixture_put(f, arena_printf(f->arena, "tests/%02d", i), "1 2\r\n");
        fixture_put(f, arena_printf(f->arena, "tests/%02d.a", i), "3\r\n");
    }
    static const char *const programs[] = {"files/check.cpp", "files/val.cpp", "files/gen.cpp",
                                           "solutions/main.cpp", "solutions/wa.cpp"};
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        fixture_put(f, programs[i], "int main(){}\n");
    }
    fixture_put(f, "files/testlib.h", "/* the package's own */\n");
}

#endif
