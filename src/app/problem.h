#ifndef APP_PROBLEM_H
#define APP_PROBLEM_H

#include "app/app.h"
#include "app/titles.h"
#include "data/json_write.h"
#include "domain/actor.h"
#include "domain/manifest.h"
#include "domain/verdict.h"
#include "package/package.h"

/* Problems: list, page, import. */

struct problem_summary {
    struct problem_id id;
    struct str code;
    struct text_by_language *titles;
    int title_count;
    int64_t time_limit_ms;
    int64_t memory_limit_kib;
    enum verdict my_best; /* ACCEPTED, NONE, or any other: tried */
};

struct problem_page {
    struct problem_summary *items;
    int count;
    int64_t next;
};
struct problem_filter {
    struct str search; /* part of code or title, without case; empty: all */
    int64_t cursor;
    int limit;
};
/* By id. ERR_INVALID "bad_parameter". */
checked bool problem_list(struct app *app, const struct actor *actor,
                          const struct problem_filter *filter, struct arena *arena,
                          struct problem_page *ret_page, struct err *err);

struct problem_statement {
    struct str language;
    struct str format; /* "markdown", "tex", "pdf", "html" */
    struct str text;   /* empty for pdf */
    struct str file;   /* name for problem_file_open, for pdf; else empty */
};
struct problem_sample {
    struct str name;
    struct str input;
    struct str answer;
};
struct problem_view {
    struct problem_summary summary;
    int64_t output_limit_kib;
    int64_t code_limit_kib;
    int32_t cases_total;
    char manifest_id[65];
    struct problem_statement *statements;
    int statement_count;
    struct problem_sample *samples;
    int sample_count;
    struct str languages; /* allowed ids separated by a space; empty: all */
    int64_t created_ms;
    int64_t held_ms;      /* since when its jobs wait for its files to be mended; 0: they do not */
    struct str held_code; /* of the last fault; only for administrators, who can mend it */
    struct str held_detail; /* likewise */
};
/* ERR_MISSING "no_problem". */
checked bool problem_get(struct app *app, const struct actor *actor, struct problem_id id,
                         struct arena *arena, struct problem_view *ret_problem, struct err *err);
/* A statement's file (image, PDF): never test data. ERR_MISSING "no_file". The descriptor is the
 * caller's. */
checked bool problem_file_open(struct app *app, const struct actor *actor, struct problem_id id,
                               struct str name, int *ret_fd, struct err *err);

struct problem_import_result {
    struct problem_summary problem; /* code and titles; without an id after a dry run */
    bool created;                   /* false: a new version of a problem with that code */
    struct package_report report;
    struct str error; /* not empty: this one was refused, and only the report is of use */
};
struct problem_import_list {
    struct problem_import_result *items; /* one for each problem of the package */
    int32_t count;
    int32_t imported;
};
/* A report as the API tells it. */
void problem_report_json(struct jw *json, const struct package_report *report);
/* Reads a package (zip in `fd`, or a folder when `folder` is set), problem by problem: stores its
 * blobs, then the problem and its manifest in one transaction, so that a refused one leaves
 * nothing. `code` may be empty: the package's own. The list says what became of each. Errors:
 * ERR_INVALID "bad_package" (none could be taken; the error is the first one's), ERR_TOO_LARGE;
 * ERR_SYSTEM. */
struct problem_import_request {
    int fd;
    const char *folder;
    struct str file_name; /* as uploaded, for the code when the package has none */
    struct str code;
    bool dry_run; /* nothing is stored; what is refused is no error */
};
checked bool problem_import(struct app *app, const struct actor *actor,
                            const struct problem_import_request *request, struct arena *arena,
                            struct problem_import_list *ret_list, struct err *err);

#endif
