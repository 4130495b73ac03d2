#ifndef PACKAGE_PACKAGE_H
#define PACKAGE_PACKAGE_H

#include "base/limits.h"
#include "domain/manifest.h"
#include "domain/verdict.h"
#include "package/tree.h"

/* Reads problem packages: ICPC/Kattis (legacy, legacy-icpc, 2023-07, 2025-09), Polygon, Hydro,
 * QDUOJ, FPS, DMOJ. Which kind it is is found by what is inside. Everything returned lives in the
 * caller's arena, except the files of bundled submissions, which belong to the tree. Nothing of a
 * package is ever run here. */

struct package_text {
    struct str language; /* tag: "en", "zh" */
    struct str text;
};

struct package_statement {
    struct str language;
    const char *format; /* "markdown", "tex", "pdf", "html" */
    struct str file;    /* name among the assets: "problem.en.pdf" */
    struct str text;    /* UTF-8; empty for a PDF */
};

/* A file that statements refer to, named relative to them; a PDF statement is one as well. */
struct package_asset {
    struct str name;
    struct blob_ref blob;
};

/* For display: what the package wants shown, which may differ from the case's files. */
struct package_sample {
    struct str name;
    struct str input;
    struct str answer;
};

#define PACKAGE_EXPECT(verdict) (1u << (verdict))

/* A bundled submission and the verdicts that its folder, mark or submissions.yaml promises. */
struct package_submission {
    struct str path;   /* "submissions/accepted/add.cpp", or a folder */
    uint32_t expected; /* PACKAGE_EXPECT bits; 0: the package does not say */
    bool has_score;    /* the package promises points as well */
    int64_t score_min_micro, score_max_micro;
    struct str language;                     /* only when the package says; else by file names */
    const struct package_file *const *files; /* in the tree */
    const struct str *names;                 /* what each is called for the compiler */
    const struct str *texts; /* instead of `files`, where the package keeps sources inside others */
    int32_t file_count;
};

/* Test data that the package only says how to make: by its own programs, so only where there is a
 * sandbox. Until then the case has no such file. */
struct package_recipe {
    int32_t case_index;
    const struct manifest_program
        *generator;          /* its standard output is the input; NULL: it is there */
    struct str args;         /* words */
    struct blob_ref input;   /* of the generator; bytes -1: none */
    bool answer;             /* what the model solution prints is the answer */
    bool answer_from_errors; /* what the generator prints on standard error is */
};

struct package_note {
    struct str text;
    struct str file; /* empty: the package as a whole */
    int32_t line;    /* 0: none */
};

#define PACKAGE_NOTES_MAX 1000
struct package_notes {
    struct package_note *items;
    int32_t count;
    int32_t capacity;
};

/* What was done with what was found. Also filled, as far as it went, when reading fails. */
struct package_report {
    const char *format;           /* "icpc-legacy", "icpc-2023-07", "icpc-2025-09", "hydro", ... */
    struct package_notes read;    /* `file` says what */
    struct package_notes guessed; /* a default was used */
    struct package_notes dropped; /* understood, but not used */
    struct package_notes warnings;
    struct package_notes refused; /* why there is no problem; one note at most */
};

/* How to find a time limit that is not given. */
struct package_time_rule {
    int64_t multiplier_milli; /* times the slowest accepted submission; 5000 is five times */
    int64_t resolution_ms;    /* rounded up to a multiple of it */
};

struct package_problem {
    struct str
        code; /* short name: letters, digits, '-', '_', '.', at most PACKAGE_CODE_BYTES_MAX */
    const struct package_text *titles; /* at least one */
    int32_t title_count;
    const struct package_statement *statements;
    int32_t statement_count;
    const struct package_asset *assets;
    int32_t asset_count;
    const struct package_sample *samples;
    int32_t sample_count;
    const struct package_submission *submissions;
    int32_t submission_count;
    const struct manifest_program *validators; /* of inputs; run by `assize problem check` only */
    int32_t validator_count;
    const struct package_recipe *recipes;
    int32_t recipe_count;
    int32_t model; /* index of the submission that makes answers; -1: there is none */
    struct package_time_rule time_rule;
    bool time_limit_given; /* else it is a default, and the bundled submissions may say better */
    struct manifest manifest;
};

#define PACKAGE_CODE_BYTES_MAX 64
#define PACKAGE_TITLE_BYTES_MAX 256
#define PACKAGE_SAMPLE_BYTES_MAX (1 * MIB)     /* longer ones are cut for display */
#define PACKAGE_SAMPLES_BYTES_MAX (4 * MIB)    /* together */
#define PACKAGE_STATEMENTS_BYTES_MAX (6 * MIB) /* texts, together */
#define PACKAGE_SAMPLES_MAX 100
#define PACKAGE_ARENA_BYTES ((size_t)64 * MIB) /* what the arena must have to spare */

/* Keeps the content of `fd` (a plain file, from its start; borrowed) and says its digest. The same
 * content may come several times. */
typedef bool package_put_fn(void *context, int fd, struct blob_ref *ret_blob, struct err *err);

/* One of the problems in a package: most formats may hold many. */
struct package_item {
    struct str name;   /* as the package calls it, for people; may be empty */
    struct str folder; /* in the tree; "" is the whole of it */
    struct str file;   /* private: that says so */
    int64_t place;     /* private: in that file */
};

struct package_list {
    const char *format; /* NULL: of no known kind */
    const struct package_item *items;
    int32_t count; /* at least 1: of no known kind is one problem that cannot be read */
};

#define PACKAGE_PROBLEMS_MAX 2000

/* Which kind of package this is, and the problems in it. Everything lives in `arena` and `tree`.
 * Errors: as package_read. */
checked bool package_list(const struct package_tree *tree, struct arena *arena,
                          struct package_list *ret_list, struct err *err);

struct package_options {
    const struct package_list *list; /* of the same tree; NULL: package_read looks itself */
    int32_t index;                   /* of the problem in the list */
    struct str code;                 /* overrides the package's short name; may be empty */
    struct str
        file_name;       /* as uploaded, or the folder: for the code when nothing better is there */
    bool recipes;        /* take packages whose test data are still to be made; else refuse them */
    bool keep_line_ends; /* else CRLF becomes LF in text test data, and a BOM is taken off */
    package_put_fn *put;
    void *context; /* of put */
};

/* On failure *ret_problem is untouched, *report holds what was found so far.
 *
 * Errors: ERR_INVALID "bad_package" or "bad_yaml", the text beginning with file and line;
 *         ERR_INVALID "unsupported_package": a kind of problem that is not judged yet;
 *         ERR_TOO_LARGE "package_too_large"; ERR_SYSTEM; whatever `put` returns. */
checked bool package_read(const struct package_tree *tree, const struct package_options *options,
                          struct arena *arena, struct package_problem *ret_problem,
                          struct package_report *report, struct err *err);

#endif
