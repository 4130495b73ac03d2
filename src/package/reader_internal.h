#ifndef PACKAGE_READER_INTERNAL_H
#define PACKAGE_READER_INTERNAL_H

#include "data/yaml.h"
#include "package/format.h"
#include "package/package.h"

/* What the parts of the ICPC reader share. Each part reads its own files of the package into
 * reader->problem and notes what it did. */

enum icpc_version { FORMAT_LEGACY, FORMAT_2023_07, FORMAT_2025_09 };

struct package_reader {
    const struct package_tree *tree;
    const struct package_options *options;
    struct arena *arena;
    struct package_report *report;
    struct package_problem problem;
    enum icpc_version format;
    struct str validator_flags; /* words of problem.yaml, for every case */
    int flags_line;
    bool custom_validator;
    int64_t yaml_time_ms; /* 0: not given */
    struct str ini_title;
    struct str ini_code;
    int32_t cr_files;   /* whose line ends were changed */
    int64_t args_bytes; /* of all groups and cases so far */
    const struct package_item *item;
    bool exact_manifest;         /* it was read as it was exported: nothing is added */
    struct constants *constants; /* of problem.yaml; NULL: none */
    int64_t constant_bytes;      /* of texts they were put into */
    bool validator_scores;       /* legacy: `validation: custom score` */
    bool score_marks;            /* a submission says its points as DOMjudge has it */
    int32_t number;              /* of the problem among several, from 1; 0: the only one */
};

/* report.c */
void note_read(struct package_reader *reader, struct str file);
void note_guessed(struct package_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void note_dropped(struct package_reader *reader, struct str file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void note_warning(struct package_reader *reader, struct str file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* What *err says, as the report's last word. */
void note_refused(struct package_reader *reader, const struct err *err);
/* "<file>:<line>: <text>" as ERR_INVALID "bad_package"; line 0 is left out. Returns false. */
bool package_refuse(struct err *err, struct str file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same as "unsupported_package". */
bool package_refuse_kind(struct err *err, struct str file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool package_unsupported(struct err *err, struct str file, int line, const char *what);

/* content.c */
/* Gives the file to options->put as it is. */
checked bool content_put(struct package_reader *reader, const struct package_file *file,
                         struct blob_ref *ret_blob, struct err *err);
/* The same with the line ends of text test data made LF and a BOM taken off. */
checked bool content_put_data(struct package_reader *reader, const struct package_file *file,
                              struct blob_ref *ret_blob, struct err *err);
/* The same for text that stands inside another file; as it is unless `data`. */
checked bool content_put_text(struct package_reader *reader, struct str text, bool data,
                              struct blob_ref *ret_blob, struct err *err);
/* The same for a plain file of any origin, borrowed, from its start. */
checked bool content_put_fd(struct package_reader *reader, int fd, struct blob_ref *ret_blob,
                            struct err *err);
/* UTF-8 with LF and without a BOM, in the reader's arena. */
checked bool content_text(struct package_reader *reader, const struct package_file *file,
                          size_t bytes_max, struct str *ret_text, struct err *err);

/* yaml_file.c */
/* Parses `name` into `arena`, which lives as long as the tree that comes back; an absent file is a
 * NULL. */
checked bool yaml_file_read(struct package_reader *reader, struct str name, struct arena *arena,
                            const struct yaml **ret_root, struct err *err);
#define YAML_ARENA_BYTES (YR_ARENA_BYTES + 4 * (size_t)MIB)
/* The same once more, of a file that is noted already. */
checked bool yaml_file_again(struct package_reader *reader, struct str name, struct arena *arena,
                             const struct yaml **ret_root, struct err *err);
/* Warns of each key of `map` that is not in `known`, which ends with NULL. */
void yaml_warn_unknown(struct package_reader *reader, const struct yaml *map,
                       const char *const known[]);
/* A text or a list of texts as words separated by one space, in the reader's arena.
 * Errors: white space or quotes inside an argument. */
checked bool yaml_words(struct package_reader *reader, const struct yaml *node,
                        struct str *ret_words, struct err *err);

#define PACKAGE_CONSTANTS_MAX 1000 /* with their variants */
#define PACKAGE_CONSTANT_NAME_BYTES_MAX 64
#define PACKAGE_CONSTANT_BYTES_MAX (4 * KIB)
#define PACKAGE_CONSTANT_TEXT_BYTES_MAX (2 * MIB)  /* larger files stay as they are */
#define PACKAGE_CONSTANT_TEXTS_BYTES_MAX (8 * MIB) /* statements and submissions, together */
/* constants.c: `constants` of problem.yaml and their use. Without any, nothing is changed. */
checked bool constants_read(struct package_reader *reader, const struct yaml *map, struct err *err);
/* Replaces {{name}}, or \constant{name} in TeX, in *text, which then is the reader's arena's.
 * Errors: ERR_TOO_LARGE. */
checked bool constants_apply(struct package_reader *reader, bool tex, struct str *text,
                             struct err *err);
/* As content_put, for sources and scripts. */
checked bool constants_put(struct package_reader *reader, const struct package_file *file,
                           struct blob_ref *ret_blob, struct err *err);

/* The parts of an ICPC package, in the order in which they are read. */
checked bool problem_yaml_read(struct package_reader *reader, struct err *err);
checked bool limits_read(struct package_reader *reader, const struct yaml *limits,
                         struct err *err);                                    /* of problem.yaml */
checked bool time_limit_read(struct package_reader *reader, struct err *err); /* whoever says it */
checked bool statement_read(struct package_reader *reader, struct err *err);
checked bool validator_read(struct package_reader *reader, struct err *err);
#define MANIFEST_FILE STR("assize.manifest")
/* Takes the manifest of an exported package, when all of its files are there. */
checked bool manifest_file_read(struct package_reader *reader, struct err *err);
checked bool input_validators_read(struct package_reader *reader, struct err *err);
checked bool cases_read(struct package_reader *reader, struct err *err);
/* sql.c: what problem.yaml says of `type: sql`, and the cases of such a problem. */
checked bool sql_options_read(struct package_reader *reader, const struct yaml *root,
                              struct err *err);
checked bool sql_cases_read(struct package_reader *reader, struct err *err);
checked bool includes_read(struct package_reader *reader, struct err *err);
/* scoring.c: groups and points of a scoring problem, once cases and submissions are read. */
checked bool scoring_read(struct package_reader *reader, struct err *err);
checked bool submissions_read(struct package_reader *reader, struct err *err);

/* The kinds: see package/format.h. */
#define PACKAGE_KIND(name)                                                                         \
    checked bool name##_recognise(const struct package_tree *tree, struct package_finds *finds,    \
                                  struct err *err);                                                \
    checked bool name##_read(struct package_reader *reader, struct err *err)
PACKAGE_KIND(icpc);
PACKAGE_KIND(polygon);
PACKAGE_KIND(hydro);
PACKAGE_KIND(qduoj);
PACKAGE_KIND(fps);
PACKAGE_KIND(dmoj);
/* A problem.yaml of Hydro's rather than of ICPC's; `text` is its beginning. */
bool hydro_is_problem(const struct package_tree *tree, const struct package_file *file,
                      struct str text);

/* program.c */
/* One program in `folder` of the package: its only source file, its only sub-folder, or all that is
 * in it when `whole`. */
checked bool program_read(struct package_reader *reader, struct str folder, bool whole,
                          struct manifest_program *ret_program, struct err *err);
/* A program of one source file. */
checked bool program_read_file(struct package_reader *reader, const struct package_file *file,
                               struct manifest_program *ret_program, struct err *err);
/* Language id by a file name's extension; empty when it is no source file. */
struct str program_language(struct str file_name);

/* flags.c */
/* Turns the words of the default validator into options of the checker.
 * Errors: ERR_INVALID "bad_package" without file and line. */
checked bool flags_to_checker(struct package_reader *reader, struct str words,
                              struct manifest_checker *checker, struct err *err);
/* "0.000001", "1E-6" and "1e-06" become "1e-6". ERR_INVALID "bad_package". */
checked bool flags_decimal(struct arena *arena, struct str text, struct str *ret_decimal,
                           struct err *err);

#endif
