/* A package becomes a problem. The package is read twice: first to see whether it can be taken at
 * all and which files are new, and only then, when something is, to store them. So a refused
 * package leaves nothing behind, and the same package again writes no file. */
#include "app/problem_internal.h"

#include "base/check.h"
#include "base/limits.h"
#include "domain/username.h"
#include "package/outcome.h"
#include <string.h>
#include <unistd.h>

#define WORK_ARENA_BYTES (PACKAGE_ARENA_BYTES + (size_t)16 * MIB)
#define SEARCH_TEXT_BYTES_MAX ((size_t)64 * KIB)
#define TITLES_MAX 64

/* ---- files ---- */

struct storing {
    struct app *app;
    bool store; /* else only look */
    int missing;
};

static bool put_file(void *context, int fd, struct blob_ref *ret_blob, struct err *err) {
    struct storing *storing = context;
    struct blob_info info;
    bool stored = false;
    if (!digest_of_fd(fd, PACKAGE_FILE_BYTES_MAX, &info.digest, &info.bytes, err) ||
        !blob_keep(storing->app->blobs, &info.digest, &stored, err)) {
        return false;
    }
    if (!stored && storing->store) {
        const struct blob_source source = {
            .fd = fd, .bytes_max = PACKAGE_FILE_BYTES_MAX, .expected = &info.digest};
        if (lseek(fd, 0, SEEK_SET) != 0) {
            return err_system(err, "blob_failed", "cannot go to the start of a file");
        }
        if (!blob_put(storing->app->blobs, &source, &info, err)) {
            return false;
        }
    }
    storing->missing += stored ? 0 : 1;
    memcpy(ret_blob->sha256, info.digest.bytes, sizeof(ret_blob->sha256));
    ret_blob->bytes = info.bytes;
    return true;
}

/* ---- what the rows say ---- */

struct blob_list {
    struct blob_ref *items;
    int count;
    int capacity;
};

static void add_blob(void *context, const struct blob_ref *blob) {
    struct blob_list *list = context;
    if (blob->bytes >= 0) {
        CHECK(list->count < list->capacity);
        list->items[list->count++] = *blob;
    }
}

static void count_blob(void *context, const struct blob_ref *blob) {
    (void)blob;
    (*(int *)context)++;
}

static void list_blobs(const struct package_problem *problem, const struct blob_ref *manifest,
                       struct arena *arena, struct problem_write *write) {
    struct blob_list list = {.capacity = problem->asset_count + 1};
    manifest_each_blob(&problem->manifest, count_blob, &list.capacity);
    list.items = arena_array(arena, (size_t)list.capacity, sizeof(*list.items));
    manifest_each_blob(&problem->manifest, add_blob, &list);
    for (int32_t i = 0; i < problem->asset_count; i++) {
        add_blob(&list, &problem->assets[i].blob);
    }
    add_blob(&list, manifest);
    write->blobs = list.items;
    write->blob_count = list.count;
}

/* One statement for each language and format: the first of them. */
static bool is_repeated(const struct package_problem *problem, int32_t index) {
    const struct package_statement *statement = &problem->statements[index];
    for (int32_t i = 0; i < index; i++) {
        const struct package_statement *other = &problem->statements[i];
        if (str_eq(other->language, statement->language) &&
            strcmp(other->format, statement->format) == 0) {
            return true;
        }
    }
    return false;
}

static void list_statements(const struct package_problem *problem, struct arena *arena,
                            struct problem_parts *parts) {
    struct statement_row *rows =
        arena_array(arena, (size_t)problem->statement_count, sizeof(*rows));
    int count = 0;
    for (int32_t i = 0; i < problem->statement_count && count < PROBLEM_STATEMENTS_MAX; i++) {
        const struct package_statement *statement = &problem->statements[i];
        if (is_repeated(problem, i)) {
            continue;
        }
        bool is_file = strcmp(statement->format, "pdf") == 0;
        rows[count++] = (struct statement_row){.language = statement->language,
                                               .format = str_from(statement->format),
                                               .body = statement->text,
                                               .file_name = is_file ? statement->file : STR("")};
    }
    parts->statements = rows;
    parts->statement_count = count;
}

static void list_parts(const struct package_problem *problem, struct arena *arena,
                       struct problem_parts *parts) {
    list_statements(problem, arena, parts);
    int samples =
        problem->sample_count < PROBLEM_SAMPLES_MAX ? problem->sample_count : PROBLEM_SAMPLES_MAX;
    struct sample_row *sample_rows = arena_array(arena, (size_t)samples, sizeof(*sample_rows));
    for (int i = 0; i < samples; i++) {
        const struct package_sample *sample = &problem->samples[i];
        sample_rows[i] = (struct sample_row){sample->name, sample->input, sample->answer};
    }
    struct problem_file_row *file_rows =
        arena_array(arena, (size_t)problem->asset_count, sizeof(*file_rows));
    for (int32_t i = 0; i < problem->asset_count; i++) {
        const struct package_asset *asset = &problem->assets[i];
        file_rows[i] = (struct problem_file_row){asset->name, asset->blob};
    }
    parts->samples = sample_rows;
    parts->sample_count = samples;
    parts->files = file_rows;
    parts->file_count = problem->asset_count;
}

/* As it is, and without spaces for who types "a+b" and means "A + B". */
static void append_search(struct str text, struct buf *search) {
    buf_append_char(search, '\n');
    text_fold(text, search);
    buf_append_char(search, '\n');
    struct str word;
    while (str_next_word(&text, &word)) {
        text_fold(word, search);
    }
}

static bool write_titles(const struct package_problem *problem, struct arena *arena,
                         struct problem_row *row, struct err *err) {
    struct text_by_language titles[TITLES_MAX];
    own_buf text = {0};
    own_buf search = {0};
    int count = problem->title_count < TITLES_MAX ? problem->title_count : TITLES_MAX;
    buf_init(&text, SEARCH_TEXT_BYTES_MAX);
    buf_init(&search, SEARCH_TEXT_BYTES_MAX);
    append_search(problem->code, &search);
    for (int i = 0; i < count; i++) {
        titles[i] = (struct text_by_language){problem->titles[i].language, problem->titles[i].text};
        append_search(titles[i].text, &search);
    }
    if (!titles_write(titles, count, &text, err) || !buf_ok(&search, "titles", err)) {
        return false;
    }
    row->titles = arena_str(arena, buf_str(&text));
    row->search_text = arena_str(arena, buf_str(&search));
    return true;
}

static bool fill_row(const struct package_problem *problem, struct arena *arena,
                     struct problem_row *row, struct err *err) {
    const struct manifest_limits *limits = &problem->manifest.limits;
    row->code = problem->code;
    row->time_limit_ms = limits->time_ms;
    row->memory_limit_kib = limits->memory_kib;
    row->output_limit_kib = limits->output_kib;
    row->code_limit_kib = limits->code_kib;
    row->job_total_ms = limits->job_total_ms;
    row->cases_total = problem->manifest.case_count;
    row->languages = problem->manifest.languages;
    return write_titles(problem, arena, row, err);
}

void problem_report_json(struct jw *json, const struct package_report *report) {
    package_report_json(json, report);
}

/* ---- the steps ---- */

static bool open_tree(const struct problem_import_request *request, struct package_tree **ret_tree,
                      struct err *err) {
    return request->folder != NULL ? package_tree_open(request->folder, ret_tree, err)
                                   : package_tree_open_zip(request->fd, ret_tree, err);
}

/* One of the package's problems on its way. */
struct importing {
    struct app *app;
    const struct actor *actor;
    const struct problem_import_request *request;
    const struct package_tree *tree;
    const struct package_list *list;
    struct arena *kept; /* what the answer needs */
};

static struct package_options options_of(const struct importing *importing, int32_t index,
                                         struct storing *storing) {
    return (struct package_options){
        .list = importing->list,
        .index = index,
        .code = importing->request->code,
        .file_name = importing->request->file_name,
        .put = importing->request->dry_run ? package_put_digest : put_file,
        .context = storing,
    };
}

/* The second reading, whose only use is what it hands to put_file. */
static bool store_files(const struct importing *importing, int32_t index, struct err *err) {
    own(arena) work = arena_create(WORK_ARENA_BYTES);
    struct storing storing = {.app = importing->app, .store = true};
    const struct package_options options = options_of(importing, index, &storing);
    struct package_problem again;
    struct package_report report;
    return package_read(importing->tree, &options, work, &again, &report, err) ||
           err_wrap(err, "store the files");
}

static bool store_manifest(struct app *app, const struct manifest *manifest,
                           struct blob_info *ret_info, struct err *err) {
    own_buf text = {0};
    buf_init(&text, MANIFEST_BYTES_MAX);
    if (!manifest_write(manifest, &text, err)) {
        return false;
    }
    struct blob_source source = {
        .bytes = buf_str(&text), .fd = -1, .bytes_max = MANIFEST_BYTES_MAX};
    return blob_put(app->blobs, &source, ret_info, err);
}

static bool write_problem(const struct importing *importing, const struct package_problem *problem,
                          struct arena *work, struct problem_import_result *result,
                          struct err *err) {
    struct problem_write write = {.actor = importing->actor, .arena = work};
    struct blob_info manifest;
    struct blob_ref ref;
    if (!fill_row(problem, work, &write.row, err)) {
        return false;
    }
    write.row.code = arena_str(importing->kept, write.row.code);
    write.row.titles = arena_str(importing->kept, write.row.titles);
    if (importing->request->dry_run) {
        problem_summary_from_row(&write.row, VERDICT_NONE, importing->kept, &result->problem);
        return true;
    }
    if (!store_manifest(importing->app, &problem->manifest, &manifest, err)) {
        return false;
    }
    memcpy(ref.sha256, manifest.digest.bytes, sizeof(ref.sha256));
    ref.bytes = manifest.bytes;
    write.row.manifest = manifest.digest;
    write.manifest_bytes = manifest.bytes;
    list_parts(problem, work, &write.parts);
    list_blobs(problem, &ref, work, &write);
    if (!problem_write(importing->app, &write, err)) {
        return false;
    }
    problem_summary_from_row(&write.row, VERDICT_NONE, importing->kept, &result->problem);
    result->created = write.created;
    return true;
}

/* Whatever is wrong with a package has one code; the text says what and where. */
static bool refuse_package(struct err *err) {
    if (err->kind == ERR_INVALID) {
        err->code = "bad_package";
    } else if (err->kind == ERR_TOO_LARGE) {
        err->code = "too_large";
    }
    return false;
}

/* ---- what is kept of a report ---- */

#define NOTES_BYTES_MAX ((size_t)24 * MIB) /* of the answer: of what is more, nothing is told */

static void keep_notes(struct arena *arena, struct package_notes *notes) {
    struct package_note *items = arena_array(arena, (size_t)notes->count, sizeof(items[0]));
    int32_t kept = 0;
    for (; kept < notes->count && arena_used(arena) < NOTES_BYTES_MAX; kept++) {
        items[kept].text = arena_str(arena, notes->items[kept].text);
        items[kept].file = arena_str(arena, notes->items[kept].file);
        items[kept].line = notes->items[kept].line;
    }
    notes->items = items;
    notes->count = kept;
}

static void keep_report(struct arena *arena, struct package_report *report) {
    keep_notes(arena, &report->refused);
    keep_notes(arena, &report->warnings);
    keep_notes(arena, &report->guessed);
    keep_notes(arena, &report->dropped);
    keep_notes(arena, &report->read);
}

/* ---- all of them ---- */

static bool import_one(const struct importing *importing, int32_t index,
                       struct problem_import_result *result, struct err *err) {
    own(arena) work = arena_create(WORK_ARENA_BYTES);
    struct storing looking = {.app = importing->app};
    const struct package_options options = options_of(importing, index, &looking);
    struct package_problem problem;
    bool ok = package_read(importing->tree, &options, work, &problem, &result->report, err);
    keep_report(importing->kept, &result->report);
    if (!ok) {
        return refuse_package(err);
    }
    if (looking.missing > 0 && !store_files(importing, index, err)) {
        return false;
    }
    return write_problem(importing, &problem, work, result, err);
}

static bool import_all(const struct importing *importing, struct problem_import_list *list,
                       struct err *err) {
    struct err first = {0};
    for (int32_t i = 0; i < list->count; i++) {
        struct err own_err = {0};
        struct problem_import_result *result = &list->items[i];
        if (import_one(importing, i, result, &own_err)) {
            list->imported++;
            continue;
        }
        first = first.kind == ERR_NONE ? own_err : first;
        result->error = arena_str(importing->kept, str_from(own_err.text));
        if (own_err.kind == ERR_SYSTEM) {
            *err = own_err;
            return false;
        }
    }
    if (list->imported == 0 && !importing->request->dry_run) {
        *err = first;
        return false;
    }
    return true;
}

bool problem_import(struct app *app, const struct actor *actor,
                    const struct problem_import_request *request, struct arena *arena,
                    struct problem_import_list *ret_list, struct err *err) {
    own(package_tree) tree = NULL;
    struct package_list problems;
    struct importing importing = {.app = app, .actor = actor, .request = request, .kept = arena};
    *ret_list = (struct problem_import_list){.count = 0};
    if (!actor_need_role(actor, ROLE_TEACHER, err)) {
        return false;
    }
    if (!open_tree(request, &tree, err) || !package_list(tree, arena, &problems, err)) {
        return refuse_package(err);
    }
    importing.tree = tree;
    importing.list = &problems;
    ret_list->count = problems.count;
    ret_list->items = arena_array(arena, (size_t)problems.count, sizeof(ret_list->items[0]));
    return import_all(&importing, ret_list, err);
}
