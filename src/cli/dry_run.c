/* A package is read, problem by problem, and told about. */
#include "cli/dry_run.h"

#include "cli/report_text.h"
#include "data/json.h"
#include "package/outcome.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define LIST_ARENA_BYTES ((size_t)4 * MIB)
#define TEXT_BYTES_MAX 4096

static void put_one(struct jw *json, const struct package_tree *tree,
                    const struct package_options *options, int *refused) {
    own(arena) arena = arena_create(PACKAGE_ARENA_BYTES);
    struct package_problem problem;
    struct package_report report;
    struct err err = {0};
    bool ok = package_read(tree, options, arena, &problem, &report, &err);
    const struct package_outcome outcome = {.name = options->list->items[options->index].name,
                                            .problem = ok ? &problem : NULL,
                                            .report = &report,
                                            .error = str_from(err.text)};
    *refused += ok ? 0 : 1;
    package_outcome_json(json, &outcome);
}

bool dry_run_json(const char *path, const char *code, struct buf *into, int *ret_refused,
                  struct err *err) {
    own(package_tree) tree = NULL;
    own(arena) arena = arena_create(LIST_ARENA_BYTES);
    char real[PATH_MAX];
    const char *shown = realpath(path, real);
    struct package_list list;
    struct jw json;
    *ret_refused = 0;
    if (!package_tree_open(path, &tree, err) || !package_list(tree, arena, &list, err)) {
        return false;
    }
    struct package_options options = {.list = &list,
                                      .code = str_from(code),
                                      .file_name = str_from(shown == NULL ? path : shown),
                                      .put = package_put_digest};
    jw_init(&json, into);
    jw_object_begin(&json);
    jw_put_cstr(&json, "package", path);
    jw_put_cstr(&json, "format", list.format);
    jw_key(&json, "problems");
    jw_array_begin(&json);
    for (; options.index < list.count && !into->full; options.index++) {
        put_one(&json, tree, &options, ret_refused);
    }
    jw_array_end(&json);
    jw_object_end(&json);
    return jw_finish(&json, "the report", err);
}

static void print_problem(const struct json *problem) {
    struct err ignored = {0};
    struct str name = STR("");
    struct str code = STR("");
    struct str title = STR("");
    struct str error = STR("");
    int64_t cases = 0;
    int64_t time_ms = 0;
    int64_t memory_kib = 0;
    (void)!jr_opt_str(problem, "name", TEXT_BYTES_MAX, &name, &ignored);
    if (jr_opt_str(problem, "error", TEXT_BYTES_MAX, &error, &ignored) && error.len > 0) {
        (void)printf(STR_FMT "%srefused: " STR_FMT "\n", STR_ARG(name), name.len > 0 ? ": " : "",
                     STR_ARG(error));
    } else if (jr_str(problem, "code", TEXT_BYTES_MAX, &code, &ignored) &&
               jr_str(problem, "title", TEXT_BYTES_MAX, &title, &ignored) &&
               jr_i64(problem, "cases", 0, INT32_MAX, &cases, &ignored) &&
               jr_i64(problem, "timeLimitMs", 0, INT32_MAX, &time_ms, &ignored) &&
               jr_i64(problem, "memoryLimitKb", 0, INT32_MAX, &memory_kib, &ignored)) {
        (void)printf(STR_FMT " (" STR_FMT "): %lld cases, %lld ms, %lld MiB\n", STR_ARG(code),
                     STR_ARG(title), (long long)cases, (long long)time_ms,
                     (long long)(memory_kib / KIB));
    }
    report_text_print(jr_get(problem, "report"));
}

void dry_run_print(struct str text) {
    own(json) root = NULL;
    struct err err = {0};
    struct str package = STR("");
    struct str format = STR("unknown");
    if (!jr_parse(text, &root, &err)) {
        (void)printf(STR_FMT "\n", STR_ARG(text)); /* too large to be read again: as it is */
        return;
    }
    const struct json *problems = jr_get(root, "problems");
    if (jr_str(root, "package", TEXT_BYTES_MAX, &package, &err) &&
        jr_opt_str(root, "format", TEXT_BYTES_MAX, &format, &err)) {
        (void)printf(STR_FMT ": format " STR_FMT ", %zu problem%s; nothing is stored\n",
                     STR_ARG(package), STR_ARG(format), jr_count(problems),
                     jr_count(problems) == 1 ? "" : "s");
    }
    for (size_t i = 0; i < jr_count(problems); i++) {
        print_problem(jr_at(problems, i));
    }
}
