/* A problem as a folder in ICPC form. */
#include "local/export.h"

#include "base/file.h"
#include "base/path.h"
#include "data/digest.h"
#include "package/outcome.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEP_BYTES ((size_t)64 * KIB)
#define YAML_BYTES ((size_t)1 * MIB)

struct target {
    const struct loaded *loaded;
    const char *folder;
    struct arena *arena;
};

static bool create(const struct target *target, struct str name, mode_t mode, int *ret_fd,
                   struct err *err) {
    const char *path = arena_printf(target->arena, "%s/" STR_FMT, target->folder, STR_ARG(name));
    struct str parent = STR("");
    struct str base = STR("");
    if (!path_is_plain(name)) {
        return err_set(err, ERR_INVALID, "bad_package", "a file of the problem has no plain name");
    }
    str_cut_last(str_from(path), '/', &parent, &base);
    return file_make_dirs(arena_cstr(target->arena, parent), 0755, err) &&
           file_open_at(AT_FDCWD, path, O_CREAT | O_EXCL | O_WRONLY, mode, ret_fd, err);
}

static bool put_text(const struct target *target, struct str name, struct str text,
                     struct err *err) {
    own_fd fd = -1;
    return create(target, name, 0644, &fd, err) && file_write_all(fd, text, err);
}

static bool put_blob(const struct target *target, struct str name, const struct blob_ref *blob,
                     struct err *err) {
    own_fd from = -1;
    own_fd to = -1;
    own_text step = malloc(STEP_BYTES);
    ssize_t got = 1;
    if (blob->bytes < 0) {
        return true;
    }
    if (!blob_map_open(target->loaded->blobs, blob, &from, err) ||
        !create(target, name, 0755, &to, err)) {
        return false;
    }
    for (int64_t offset = 0; step != NULL && got > 0; offset += got) {
        got = pread(from, step, STEP_BYTES, offset);
        if (got < 0 || !file_write_all(to, str_of(step, (size_t)got), err)) {
            return err_system(err, "write_failed", "cannot write " STR_FMT, STR_ARG(name));
        }
    }
    return true;
}

static struct str joined(const struct target *target, const char *folder, struct str name,
                         const char *end) {
    return str_from(arena_printf(target->arena, "%s/" STR_FMT "%s", folder, STR_ARG(name), end));
}

static bool put_files(const struct target *target, const char *folder,
                      const struct manifest_file *files, int32_t count, struct err *err) {
    for (int32_t i = 0; i < count; i++) {
        if (!put_blob(target, joined(target, folder, files[i].name, ""), &files[i].blob, err)) {
            return false;
        }
    }
    return true;
}

/* Names say whether a case is a sample; what is neither becomes secret. */
static bool put_case(const struct target *target, const struct manifest_case *row,
                     struct err *err) {
    bool known = str_starts(row->name, STR("sample/")) || str_starts(row->name, STR("secret/"));
    const char *folder = known ? "data" : row->sample ? "data/sample" : "data/secret";
    const char *files =
        arena_printf(target->arena, "%s/" STR_FMT ".files", folder, STR_ARG(row->name));
    return put_blob(target, joined(target, folder, row->name, ".in"), &row->input, err) &&
           put_blob(target, joined(target, folder, row->name, ".ans"), &row->answer, err) &&
           put_files(target, files, row->files, row->file_count, err);
}

static bool put_data(const struct target *target, struct err *err) {
    const struct manifest *manifest = &target->loaded->problem.manifest;
    for (int32_t i = 0; i < manifest->case_count; i++) {
        if (!put_case(target, &manifest->cases[i], err)) {
            return false;
        }
    }
    const struct manifest_sql *sql = &manifest->sql;
    for (int32_t i = 0; i < manifest->include_count; i++) {
        const struct manifest_include *row = &manifest->includes[i];
        const char *folder =
            arena_printf(target->arena, "include/" STR_FMT, STR_ARG(row->language));
        if (!put_blob(target, joined(target, folder, row->file.name, ""), &row->file.blob, err)) {
            return false;
        }
    }
    return put_blob(target, STR("sql/ddl.sql"), &sql->ddl, err) &&
           put_blob(target, STR("sql/seed.sql"), &sql->seed, err) &&
           put_blob(target, STR("sql/reference.sql"), &sql->reference, err) &&
           put_blob(target, STR("sql/check.sql"), &sql->check, err);
}

static bool put_programs(const struct target *target, struct err *err) {
    const struct package_problem *problem = &target->loaded->problem;
    const struct manifest_program *checker = &problem->manifest.checker.program;
    const struct manifest_program *interactor = &problem->manifest.interactor;
    bool one = checker->file_count == 0;
    if (!put_files(target, "output_validator", checker->files, checker->file_count, err) ||
        !put_files(target, one ? "output_validator" : "interactor", interactor->files,
                   interactor->file_count, err)) {
        return false;
    }
    for (int32_t i = 0; i < problem->validator_count; i++) {
        const char *folder = arena_printf(target->arena, "input_validators/validator%d", i + 1);
        if (!put_files(target, folder, problem->validators[i].files,
                       problem->validators[i].file_count, err)) {
            return false;
        }
    }
    return true;
}

static bool put_statements(const struct target *target, struct err *err) {
    const struct package_problem *problem = &target->loaded->problem;
    for (int32_t i = 0; i < problem->statement_count; i++) {
        const struct package_statement *row = &problem->statements[i];
        bool html = strcmp(row->format, "html") == 0;
        const char *name =
            arena_printf(target->arena, "statement/problem." STR_FMT ".%s", STR_ARG(row->language),
                         strcmp(row->format, "tex") == 0 ? "tex"
                         : html                          ? "html"
                                                         : "md");
        if (row->text.len > 0 && !put_text(target, str_from(name), row->text, err)) {
            return false;
        }
    }
    for (int32_t i = 0; i < problem->asset_count; i++) {
        const struct package_asset *row = &problem->assets[i];
        if (!put_blob(target, joined(target, "statement", row->name, ""), &row->blob, err)) {
            return false;
        }
    }
    return true;
}

static bool put_submission(const struct target *target, const struct package_submission *row,
                           struct err *err) {
    bool folder = row->file_count > 1 || !str_eq(path_base(row->path), row->names[0]);
    for (int32_t i = 0; i < row->file_count; i++) {
        struct str text = row->texts != NULL ? row->texts[i] : STR("");
        struct str name = row->path;
        if (folder) {
            name = joined(target, arena_cstr(target->arena, row->path), row->names[i], "");
        }
        if (!str_starts(name, STR("submissions/"))) {
            name = joined(target, "submissions/other", name, "");
        }
        if (row->texts == NULL &&
            !package_tree_text(target->loaded->tree, row->files[i], PACKAGE_FILE_BYTES_MAX,
                               target->arena, &text, err)) {
            return false;
        }
        if (!put_text(target, name, text, err)) {
            return false;
        }
    }
    return true;
}

/* Derived from the manifest: the same problem has the same one. */
static void append_uuid(const char hex[DIGEST_HEX_BYTES], struct buf *out) {
    (void)buf_printf(out, "uuid: %.8s-%.4s-4%.3s-8%.3s-%.12s\n", hex, hex + 8, hex + 12, hex + 15,
                     hex + 18);
}

static void append_types(uint32_t kinds, struct buf *out) {
    static const struct {
        enum problem_kind kind;
        const char *name;
    } rows[] = {{PROBLEM_PASS_FAIL, "pass-fail"},
                {PROBLEM_SCORING, "scoring"},
                {PROBLEM_INTERACTIVE, "interactive"},
                {PROBLEM_MULTI_PASS, "multi-pass"},
                {PROBLEM_SUBMIT_ANSWER, "submit-answer"}};
    buf_append_c(out, "type:\n");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if ((kinds & (uint32_t)rows[i].kind) != 0) {
            (void)buf_printf(out, "- %s\n", rows[i].name);
        }
    }
}

static bool put_yaml(const struct target *target, struct err *err) {
    const struct package_problem *problem = &target->loaded->problem;
    const struct manifest_limits *limits = &problem->manifest.limits;
    char hex[DIGEST_HEX_BYTES];
    own_buf out;
    buf_init(&out, YAML_BYTES);
    if (!package_manifest_id(problem, hex, err)) {
        return false;
    }
    buf_append_c(&out, "problem_format_version: 2025-09\nname:\n");
    for (int32_t i = 0; i < problem->title_count; i++) {
        (void)buf_printf(&out, "  " STR_FMT ": ", STR_ARG(problem->titles[i].language));
        buf_append_json(&out, problem->titles[i].text); /* JSON's texts are YAML's */
        buf_append_char(&out, '\n');
    }
    append_uuid(hex, &out);
    append_types(problem->manifest.kinds, &out);
    (void)buf_printf(&out, "limits:\n  time_limit: %lld.%03lld\n  memory: %lld\n  output: %lld\n",
                     (long long)(limits->time_ms / 1000), (long long)(limits->time_ms % 1000),
                     (long long)((limits->memory_kib + KIB - 1) / KIB),
                     (long long)((limits->output_kib + KIB - 1) / KIB));
    return buf_ok(&out, "problem.yaml", err) &&
           put_text(target, STR("problem.yaml"), buf_str(&out), err);
}

static bool put_manifest(const struct target *target, struct err *err) {
    own_buf text;
    buf_init(&text, MANIFEST_BYTES_MAX);
    return manifest_write(&target->loaded->problem.manifest, &text, err) &&
           put_text(target, STR("assize.manifest"), buf_str(&text), err);
}

bool export_folder(const struct loaded *loaded, const char *folder, struct err *err) {
    own(arena) arena = arena_create(512 * (size_t)MIB);
    const struct target target = {.loaded = loaded, .folder = folder, .arena = arena};
    const struct package_problem *problem = &loaded->problem;
    if (mkdir(folder, 0755) != 0) {
        return errno == EEXIST ? err_set(err, ERR_CONFLICT, "exists", "%s is there already", folder)
                               : err_system(err, "write_failed", "cannot make %s", folder);
    }
    if (!put_yaml(&target, err) || !put_manifest(&target, err) || !put_statements(&target, err) ||
        !put_data(&target, err) || !put_programs(&target, err)) {
        return false;
    }
    for (int32_t i = 0; i < problem->submission_count; i++) {
        if (!put_submission(&target, &problem->submissions[i], err)) {
            return false;
        }
    }
    return true;
}
