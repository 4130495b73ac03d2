#ifndef PACKAGE_FPS_INTERNAL_H
#define PACKAGE_FPS_INTERNAL_H

#include "package/builder.h"

/* The reader of FPS files in two parts: fps_item.c streams one <item> out of the file, however
 * large that is; fps.c makes a problem of it. */

#define FPS_TESTS_MAX MANIFEST_CASES_MAX
#define FPS_IMAGES_MAX 200
#define FPS_SOURCES_MAX 500

enum fps_field {
    FPS_NONE,
    FPS_TITLE,
    FPS_TIME,
    FPS_MEMORY,
    FPS_DESCRIPTION,
    FPS_INPUT,
    FPS_OUTPUT,
    FPS_HINT,
    FPS_SOURCE,
    FPS_URL,
    FPS_REMOTE,
    FPS_TEXTS, /* above: one text each */
    FPS_SAMPLE_INPUT,
    FPS_SAMPLE_OUTPUT,
    FPS_TEST_INPUT,
    FPS_TEST_OUTPUT,
    FPS_SOLUTION,
    FPS_SPJ,
    FPS_TPJ,
    FPS_INTERACTOR,
    FPS_TEMPLATE,
    FPS_IMG,
    FPS_IMG_SRC,
    FPS_IMG_BASE64,
    FPS_UNKNOWN,
};

/* Test data stay in a file: they may be larger than memory should hold. */
struct fps_test {
    struct str name; /* attribute; may be empty */
    int64_t offset, bytes;
    int line;
};

struct fps_tests {
    struct fps_test *rows;
    int32_t count;
};

struct fps_source {
    enum fps_field field; /* SOLUTION, SPJ, TPJ, INTERACTOR */
    struct str language;
    struct str code;
    int line;
};

struct fps_image {
    struct str src;
    struct str base64;
    struct str name; /* of the asset; empty: it is no picture */
};

struct fps_item {
    struct str texts[FPS_TEXTS];
    struct str units[FPS_TEXTS]; /* of time and memory */
    int lines[FPS_TEXTS];
    struct fps_tests samples[2]; /* inputs, outputs */
    struct fps_tests tests[2];
    struct fps_source *sources;
    int32_t source_count;
    struct fps_image *images;
    int32_t image_count;
    int32_t templates;
    int store_fd; /* of samples and tests */
};

/* Reads the item that begins at reader->item->place. Owns store_fd: close it.
 * Errors: ERR_INVALID with file and line. */
checked bool fps_item_read(struct package_reader *reader, struct fps_item *item, struct err *err);
/* The bytes of a test as a file; the caller's to close. */
checked bool fps_open(const struct fps_item *item, const struct fps_test *test, int *ret_fd,
                      struct err *err);

/* Base64 with any white space in it. False when it is none. */
bool fps_base64(struct str text, struct buf *out);

#endif
