/* Problems whose submissions are statements of SQL: `type: sql` and the map `sql` of problem.yaml,
 * the texts in sql/, a file of further statements for each case. docs/problem-packages.md. */
#include "base/path.h"
#include "package/reader_internal.h"
#include "sql/answer.h"
#include "sql/script.h"
#include "sql/verb.h"

#define FILE_NAME STR("problem.yaml")
#define WORD_BYTES_MAX 64
#define WORDS_MAX 64
#define DATA STR("data/")
#define EXTENSION STR(".sql")

static const char *const known_keys[] = {
    "dialect",      "statements", "ordered",      "column_names",
    "seed_version", "rows",       "result_bytes", NULL};

/* ---- problem.yaml ---- */

static bool read_dialect(struct package_reader *reader, const struct yaml *map, struct err *err) {
    struct manifest *manifest = &reader->problem.manifest;
    const struct yaml *node = NULL;
    struct str name = STR("");
    if (!yr_need(map, "dialect", &node, err) || !yr_str(node, WORD_BYTES_MAX, &name, err)) {
        return false;
    }
    if (sql_dialect_of(name) == SQL_DIALECT_NONE) {
        return package_refuse(err, FILE_NAME, node->line, "`dialect` is mysql or sqlite");
    }
    manifest->sql.dialect = arena_str(reader->arena, name);
    manifest->languages = manifest->sql.dialect; /* the languages have the dialects' names */
    return true;
}

static bool read_statements(struct package_reader *reader, const struct yaml *map,
                            struct err *err) {
    const struct yaml *node = yr_get(map, "statements");
    struct str words = STR("select");
    if (!yr_is_null(node) && !yaml_words(reader, node, &words, err)) {
        return false;
    }
    return sql_verb_list(words, reader->arena, &reader->problem.manifest.sql.statements, err) ||
           package_refuse(err, FILE_NAME, node == NULL ? map->line : node->line, "%s",
                          arena_cstr(reader->arena, str_from(err->text)));
}

bool sql_options_read(struct package_reader *reader, const struct yaml *root, struct err *err) {
    struct manifest_sql *sql = &reader->problem.manifest.sql;
    const struct yaml *type = yr_get(root, "type");
    const struct yaml *map = yr_get(root, "sql");
    bool is_sql = !yr_is_null(type) && type->kind == YR_SCALAR && str_eq_c(type->text, "sql");
    if (!is_sql) {
        return yr_is_null(map) ||
               package_refuse(err, FILE_NAME, map->line, "`sql` goes with `type: sql`");
    }
    if (yr_is_null(map)) {
        return package_refuse(err, FILE_NAME, type->line,
                              "a problem of `type: sql` needs the map `sql` with its dialect");
    }
    reader->problem.manifest.kinds |= PROBLEM_SQL;
    sql->seed_version = 1;
    sql->rows_max = SQL_ROWS_DEFAULT;
    sql->result_bytes_max = SQL_RESULT_BYTES_DEFAULT;
    return yr_map(map, err) && yr_refuse_unknown(map, known_keys, err) &&
           read_dialect(reader, map, err) && read_statements(reader, map, err) &&
           yr_opt_bool(map, "ordered", &sql->ordered, err) &&
           yr_opt_bool(map, "column_names", &sql->column_names, err) &&
           yr_opt_i64(map, "seed_version", 0, INT32_MAX, &sql->seed_version, err) &&
           yr_opt_i64(map, "rows", 1, SQL_ROWS_MAX, &sql->rows_max, err) &&
           yr_opt_i64(map, "result_bytes", 1, SQL_RESULT_BYTES_MAX, &sql->result_bytes_max, err);
}

/* ---- texts ---- */

/* Keeps the file and says where its statements are broken. */
static bool put_script(struct package_reader *reader, const struct package_file *file,
                       struct blob_ref *ret_blob, struct err *err) {
    struct str text = STR("");
    struct sql_script script = {.count = 0};
    own(arena) arena = arena_create(4 * (size_t)SQL_SCRIPT_BYTES_MAX);
    if (!package_tree_text(reader->tree, file, SQL_SCRIPT_BYTES_MAX, arena, &text, err)) {
        return false;
    }
    if (!sql_script_split(sql_dialect_of(reader->problem.manifest.sql.dialect), text, arena,
                          &script, err)) {
        return package_refuse(err, file->name, 0, "%s",
                              arena_cstr(reader->arena, str_from(err->text)));
    }
    return content_put_data(reader, file, ret_blob, err);
}

static bool read_texts(struct package_reader *reader, struct err *err) {
    struct manifest_sql *sql = &reader->problem.manifest.sql;
    const struct {
        const char *name;
        struct blob_ref *blob;
        bool needed;
    } texts[] = {
        {"sql/schema.sql", &sql->ddl, true},
        {"sql/seed.sql", &sql->seed, false},
        {"sql/reference.sql", &sql->reference, false},
        {"sql/check.sql", &sql->check, false},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct str name = str_from(texts[i].name);
        const struct package_file *file = package_tree_find(reader->tree, name);
        if (file == NULL && texts[i].needed) {
            return package_refuse(err, name, 0, "it is missing: it makes the tables");
        }
        if (file != NULL) {
            if (!put_script(reader, file, texts[i].blob, err)) {
                return false;
            }
            note_read(reader, name);
        }
    }
    return true;
}

/* ---- cases ---- */

static const struct package_file *beside(const struct package_reader *reader, struct str stem,
                                         const char *extension) {
    const char *name = arena_printf(reader->arena, STR_FMT "%s", STR_ARG(stem), extension);
    return package_tree_find(reader->tree, str_from(name));
}

static bool put_answer(struct package_reader *reader, const struct package_file *file,
                       struct manifest_case *row, struct err *err) {
    const struct manifest_sql *sql = &reader->problem.manifest.sql;
    const struct sql_bounds bounds = {.rows_max = sql->rows_max,
                                      .bytes_max = sql->result_bytes_max};
    struct sql_tables tables = {.count = 0};
    struct str text = STR("");
    own(arena) arena = arena_create(8 * (size_t)SQL_RESULT_BYTES_MAX);
    if (file == NULL) {
        return sql->reference.bytes >= 0 ||
               package_refuse(err, row->name, 0,
                              "it needs an answer (NAME.ans), or the package sql/reference.sql");
    }
    if (!package_tree_text(reader->tree, file, SQL_RESULT_BYTES_MAX, arena, &text, err)) {
        return false;
    }
    if (!sql_answer_read(text, &bounds, arena, &tables, err)) {
        return package_refuse(err, file->name, 0, "%s",
                              arena_cstr(reader->arena, str_from(err->text)));
    }
    return content_put_data(reader, file, &row->answer, err);
}

/* Shown are the case's own statements, and NAME.ans, or NAME.out where the reference answers. */
static bool show_sample(struct package_reader *reader, const struct package_file *file,
                        struct str stem, struct str name, struct err *err) {
    struct package_problem *problem = &reader->problem;
    struct package_sample *samples = (struct package_sample *)(uintptr_t)problem->samples;
    const struct package_file *out = beside(reader, stem, ".out");
    out = out != NULL ? out : beside(reader, stem, ".ans");
    if (problem->sample_count == PACKAGE_SAMPLES_MAX) {
        return true;
    }
    struct package_sample *sample = &samples[problem->sample_count++];
    *sample = (struct package_sample){.name = name, .input = STR(""), .answer = STR("")};
    return content_text(reader, file, PACKAGE_SAMPLE_BYTES_MAX, &sample->input, err) &&
           (out == NULL ||
            content_text(reader, out, PACKAGE_SAMPLE_BYTES_MAX, &sample->answer, err));
}

static bool read_case(struct package_reader *reader, const struct package_file *file, bool sample,
                      struct manifest_case *row, struct err *err) {
    struct str stem = str_sub(file->name, 0, file->name.len - EXTENSION.len);
    *row = (struct manifest_case){.sample = sample, .group = -1, .answer = {.bytes = -1}};
    row->name = arena_str(reader->arena, str_sub(stem, DATA.len, stem.len));
    return put_script(reader, file, &row->input, err) &&
           put_answer(reader, beside(reader, stem, ".ans"), row, err) &&
           (!sample || show_sample(reader, file, stem, row->name, err));
}

static bool is_script(const struct package_file *file) {
    return str_ends(file->name, EXTENSION);
}

static bool read_folder(struct package_reader *reader, struct str folder, bool sample,
                        struct manifest_case *cases, struct err *err) {
    size_t from = 0;
    size_t to = 0;
    int32_t *count = &reader->problem.manifest.case_count;
    package_tree_below(reader->tree, folder, &from, &to);
    for (size_t i = from; i < to; i++) {
        const struct package_file *file = package_tree_at(reader->tree, i);
        if (!is_script(file)) {
            continue;
        }
        if (*count == MANIFEST_CASES_MAX) {
            return package_refuse(err, STR(""), 0, "there are more than %d cases",
                                  MANIFEST_CASES_MAX);
        }
        if (!read_case(reader, file, sample, &cases[*count], err)) {
            return false;
        }
        (*count)++;
    }
    return true;
}

bool sql_cases_read(struct package_reader *reader, struct err *err) {
    size_t room = 0;
    for (size_t i = 0; i < package_tree_count(reader->tree); i++) {
        room += is_script(package_tree_at(reader->tree, i)) ? 1 : 0;
    }
    struct manifest_case *cases = arena_array(reader->arena, room + 1, sizeof *cases);
    reader->problem.samples =
        arena_array(reader->arena, PACKAGE_SAMPLES_MAX, sizeof(struct package_sample));
    if (!read_texts(reader, err) || !read_folder(reader, STR("data/sample"), true, cases, err)) {
        return false;
    }
    int32_t samples = reader->problem.manifest.case_count;
    if (!read_folder(reader, STR("data/secret"), false, cases, err)) {
        return false;
    }
    reader->problem.manifest.cases = cases;
    if (reader->problem.manifest.case_count == samples) {
        return package_refuse(err, STR("data/secret"), 0,
                              "there is no secret case: NAME.sql holds a case's own statements "
                              "(it may be empty), and without one a constant answer would do");
    }
    return true;
}
