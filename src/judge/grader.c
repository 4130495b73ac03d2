/* Function problems: the submission is linked with the package's grader. */
#include "judge/grader.h"

#include "base/check.h"
#include "judge/command.h"

#include <string.h>

static bool is_for(const struct manifest_include *include, const struct language *language) {
    return str_eq_c(include->language, language->id) || str_eq_c(include->language, "default");
}

bool grader_is_missing(const struct manifest *manifest, const struct language *language) {
    for (int32_t i = 0; i < manifest->include_count; i++) {
        if (is_for(&manifest->includes[i], language)) {
            return false;
        }
    }
    return (manifest->kinds & PROBLEM_FUNCTION) != 0;
}

struct str grader_source_name(const struct manifest *manifest, const struct language *language,
                              struct arena *arena) {
    struct str usual = str_from(language->source_name);
    for (int32_t i = 0; i < manifest->include_count; i++) {
        const struct manifest_include *include = &manifest->includes[i];
        if (is_for(include, language) && str_eq(include->file.name, usual)) {
            return str_from(arena_printf(arena, "solution%s", language->extensions[0]));
        }
    }
    return usual;
}

bool grader_place(struct work *work, const struct judge_request *request, struct fileset *files,
                  struct err *err) {
    for (int32_t i = 0; i < request->manifest->include_count; i++) {
        const struct manifest_include *include = &request->manifest->includes[i];
        own_fd fd = -1;
        if (!is_for(include, request->language)) {
            continue;
        }
        if (!command_path_is_safe(include->file.name)) {
            return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "bad_include",
                             "the problem includes a file with a name that is not allowed");
        }
        if (!work_open_blob(work, &include->file.blob, &fd, err) ||
            !fileset_add(files, work->arena, include->file.name, &fd,
                         (struct fileset_options){.replace = true}, err)) {
            return false;
        }
    }
    return true;
}

/* ---- whose error is it? ---- */

/* What a submission can cause in a grader: a name that it should have defined. */
static const char *const missing_names[] = {
    "symbol",       "ndefined",       "nresolved",    "annot find",  "not found",
    "not be found", "does not exist", "not in scope", "no exported", "No such file",
};

static bool is_about_a_name(struct str line) {
    for (size_t i = 0; i < sizeof missing_names / sizeof missing_names[0]; i++) {
        if (memmem(line.ptr, line.len, missing_names[i], strlen(missing_names[i])) != NULL) {
            return true;
        }
    }
    return false;
}

/* "grader.cpp:12:3: error: ..." or "File "main.py", line 12". */
static bool points_into(struct str line, struct str file) {
    const char *at = memmem(line.ptr, line.len, file.ptr, file.len);
    if (at == NULL) {
        return false;
    }
    struct str rest = str_sub(line, (size_t)(at - line.ptr) + file.len, SIZE_MAX);
    bool number = rest.len > 1 && (rest.ptr[0] == ':' || rest.ptr[0] == '(') &&
                  rest.ptr[1] >= '0' && rest.ptr[1] <= '9';
    return number || str_starts(rest, STR("\", line "));
}

bool grader_is_to_blame(const struct manifest *manifest, const struct language *language,
                        struct str log, struct str *ret_line) {
    struct str line = {0};
    while (str_next_line(&log, &line)) {
        bool error = memmem(line.ptr, line.len, "error", 5) != NULL ||
                     memmem(line.ptr, line.len, "\", line ", 8) != NULL;
        if (line.len == 0 || !error || is_about_a_name(line)) {
            continue;
        }
        for (int32_t i = 0; i < manifest->include_count; i++) {
            const struct manifest_include *include = &manifest->includes[i];
            if (is_for(include, language) && points_into(line, include->file.name)) {
                *ret_line = line;
                return true;
            }
        }
    }
    return false;
}

static bool compile_alone(struct work *work, const struct judge_request *request,
                          struct compile_result *ret_result, struct err *err) {
    own_fileset files = {.count = 0};
    own_program program = {.language = request->language};
    struct str name = grader_source_name(request->manifest, request->language, work->arena);
    struct compile_job job = {.language = request->language,
                              .files = &files,
                              .time_ms = request->manifest->limits.compile_time_ms,
                              .memory_kib = request->manifest->limits.compile_memory_kib};
    if (!fileset_add_text(&files, work->arena, name, STR("\n"),
                          (struct fileset_options){.executable = false}, err) ||
        !grader_place(work, request, &files, err)) {
        return work_node_fault(err);
    }
    return compile_program(work, &job, work->arena, &program, ret_result, err);
}

bool grader_prove(struct work *work, const struct judge_request *request, struct str log,
                  struct err *err) {
    struct compile_result alone = {.ok = false};
    struct str line = {0};
    if (!grader_is_to_blame(request->manifest, request->language, log, &line)) {
        return true;
    }
    if (!compile_alone(work, request, &alone, err)) {
        return false;
    }
    if (alone.ok || !grader_is_to_blame(request->manifest, request->language, alone.log, &line)) {
        return true;
    }
    return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "grader_compile",
                     "the grader of the problem does not compile in %s: " STR_FMT,
                     request->language->name, STR_ARG(str_utf8_prefix(line, 160)));
}
