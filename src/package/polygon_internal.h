#ifndef PACKAGE_POLYGON_INTERNAL_H
#define PACKAGE_POLYGON_INTERNAL_H

#include "package/builder.h"
#include "package/xml.h"

/* The reader of Polygon packages in two parts. */

/* polygon_tests.c: limits, tests, groups, points of the first testset called "tests". */
checked bool polygon_tests_read(struct builder *builder, const struct xml *root, struct err *err);

/* A program with testlib by its <source>. Errors: it is missing. */
checked bool polygon_program(struct builder *builder, const struct xml *node,
                             struct manifest_program *ret_program, struct err *err);
/* "problem.xml:<line>: <text>"; returns false. */
bool polygon_refuse(const struct xml *node, struct err *err, const char *text);

#endif
