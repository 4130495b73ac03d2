#ifndef PACKAGE_BUILDER_H
#define PACKAGE_BUILDER_H

#include "package/reader_internal.h"

/* A problem put together piece by piece, for the formats whose parts stand in several places. What
 * is added lives in the reader's arena; build_finish makes the problem of it. */

struct builder {
    struct package_reader *reader;
    struct package_text *titles;
    int32_t title_count;
    struct package_statement *statements;
    int32_t statement_count;
    struct package_asset *assets;
    int32_t asset_count;
    struct package_sample *samples;
    int32_t sample_count;
    struct package_submission *submissions;
    int32_t submission_count;
    struct manifest_case *cases;
    int32_t case_count;
    struct manifest_group *groups;
    int32_t group_count;
    struct manifest_program *validators;
    int32_t validator_count;
    struct package_recipe *recipes;
    int32_t recipe_count;
    int64_t sample_bytes;
    int64_t read_bytes;  /* of texts that were read */
    int64_t text_bytes;  /* of statements and samples */
    struct buf sections; /* the statement that is being put together */
};

void builder_init(struct builder *builder, struct package_reader *reader);
void builder_done(struct builder *builder);
#define own_builder __attribute__((cleanup(builder_done))) struct builder

/* Files of the reader's tree. NULL: there is no such file. */
const struct package_file *build_find(const struct builder *builder, struct str folder,
                                      struct str name);
/* Its text in UTF-8, LF. Errors: there is none, not UTF-8, too large. */
checked bool build_text(struct builder *builder, const struct package_file *file, size_t bytes_max,
                        struct str *ret_text, struct err *err);

void build_title(struct builder *builder, struct str language, struct str text);
/* The format is "markdown", "html", "tex" or "pdf" (then `file` is an asset and the text empty).
 * TeX becomes Markdown. */
checked bool build_statement(struct builder *builder, struct str language, const char *format,
                             struct str text, struct err *err);
/* Statements of several parts: heading and text, one after the other; build_statement_end takes
 * what came since the last one. Empty parts are left out. */
void build_section(struct builder *builder, const char *heading, const char *format,
                   struct str text);
checked bool build_statement_end(struct builder *builder, struct str language, const char *format,
                                 struct err *err);
/* Headings of a statement's parts in its language. */
enum build_heading {
    HEADING_INPUT,
    HEADING_OUTPUT,
    HEADING_INTERACTION,
    HEADING_SCORING,
    HEADING_NOTES,
    HEADING_SOURCE,
    HEADING_COUNT
};
const char *build_heading(struct str language, enum build_heading heading);
/* "english" and "zh_CN" become "en" and "zh-CN". */
struct str build_language(struct arena *arena, struct str name);
/* A guess from the letters: "zh" or "en". */
struct str build_guess_language(struct str text);

checked bool build_asset(struct builder *builder, const struct package_file *file, struct str name,
                         struct err *err);
void build_asset_blob(struct builder *builder, struct str name, const struct blob_ref *blob);
void build_sample(struct builder *builder, struct str input, struct str answer);
/* The same from files; what is too large is noted. */
checked bool build_sample_files(struct builder *builder, const struct package_file *input,
                                const struct package_file *answer, struct err *err);

/* A new case, with neither input nor answer yet. Errors: too many, its name is no plain path or
 * taken. */
checked bool build_case(struct builder *builder, struct str name, bool sample,
                        struct manifest_case **ret_case, struct err *err);
checked bool build_group(struct builder *builder, struct str name,
                         enum score_aggregation aggregation, struct manifest_group **ret_group,
                         struct err *err);
/* Makes it a scoring problem whose parts add up: cases without a group, and groups. */
void build_scoring(struct builder *builder);
/* Points of all as micro-points: "5.0", "12". Errors: no such number. */
checked bool build_points(struct str text, int64_t *ret_micro, struct err *err);

/* A program of files of the tree; names are those for the compiler. Headers of `folder` that the
 * package brings ("testlib.h") go with it. */
struct build_program {
    const struct package_file *file;
    struct str folder; /* where its headers are */
    struct str language;
    enum program_adapter adapter;
};
checked bool build_program(struct builder *builder, const struct build_program *spec,
                           struct manifest_program *ret_program, struct err *err);
/* The same from a text. */
checked bool build_program_text(struct builder *builder, struct str name, struct str text,
                                enum program_adapter adapter, struct manifest_program *ret_program,
                                struct err *err);
/* Files beside every submission, in any order. Errors: two of one name. */
checked bool build_includes(struct builder *builder, struct manifest_include *rows, int32_t count,
                            struct err *err);
void build_validator(struct builder *builder, const struct manifest_program *program);

/* A bundled submission; `text` instead of `file` when that is NULL. What no language here takes is
 * noted. */
void build_submission(struct builder *builder, struct str path, const struct package_file *file,
                      struct str text, uint32_t expected);
/* As the formats write it: "C++", "Python", "cc.cc17o2", "CPP14"; empty: none of ours. */
struct str build_language_id(struct str name);
/* A file name for a source in this language: "main.cpp". */
struct str build_source_name(struct arena *arena, const char *stem, struct str language);

/* For the last case. Errors: not asked for. */
checked bool build_recipe(struct builder *builder, const struct package_recipe *recipe,
                          struct err *err);
/* A builtin checker. */
void build_checker(struct builder *builder, enum checker_kind kind);

/* Numbers in names by value: "2" before "10". For qsort of struct package_file pointers. */
int build_compare_names(const void *a, const void *b);
int build_compare_natural(struct str a, struct str b);

/* Errors: no test data; a checker that needs answers where some are missing. */
checked bool build_finish(struct builder *builder, struct err *err);

#endif
