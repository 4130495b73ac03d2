/* Reading the files of a submission, and finding its language. */
#include "local/sources.h"

#include "base/file.h"
#include "base/path.h"
#include "package/answers.h"
#include <string.h>

static bool refuse_twice(const struct sources *sources, struct err *err) {
    for (size_t i = 0; i < sources->count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (str_eq(sources->items[i].name, sources->items[k].name)) {
                return err_set(err, ERR_INVALID, "bad_source",
                               "two files of the submission are called " STR_FMT,
                               STR_ARG(sources->items[i].name));
            }
        }
    }
    return true;
}

static bool check_sources(const struct sources *sources, struct err *err) {
    size_t bytes = 0;
    for (size_t i = 0; i < sources->count; i++) {
        bytes += sources->items[i].text.len;
    }
    if (bytes == 0) {
        return err_set(err, ERR_INVALID, "bad_source", "the source is empty");
    }
    if (bytes > SOURCE_BYTES_MAX) {
        return err_set(err, ERR_TOO_LARGE, "source_too_large",
                       "the source has %zu bytes, more than %d KiB", bytes, SOURCE_BYTES_MAX / KIB);
    }
    return refuse_twice(sources, err);
}

static bool load_zip(const char *path, struct arena *arena, struct judge_source *into,
                     struct err *err) {
    own_fd fd = -1;
    into->name = STR("answers.txt");
    return file_open_read(path, &fd, err) && package_answers_read(fd, arena, &into->text, err);
}

static bool load_one(const char *path, struct arena *arena, struct judge_source *into,
                     struct err *err) {
    own_buf text;
    buf_init(&text, SOURCE_BYTES_MAX + 1);
    if (str_ends(str_from(path), STR(".zip"))) {
        return load_zip(path, arena, into, err);
    }
    if (!file_load(path, SOURCE_BYTES_MAX, &text, err)) {
        return false;
    }
    into->name = arena_str(arena, path_base(str_from(path)));
    into->text = arena_str(arena, buf_str(&text));
    return path_is_name(into->name) ||
           err_set(err, ERR_INVALID, "bad_source", "%s: this file name is not supported", path);
}

bool sources_load(const char *const *paths, int count, struct arena *arena,
                  struct sources *ret_sources, struct err *err) {
    struct sources sources = {.count = (size_t)count};
    if (count < 1 || count > SOURCE_FILES_MAX) {
        return err_set(err, ERR_INVALID, "bad_source", "a submission has 1 to %d files",
                       SOURCE_FILES_MAX);
    }
    sources.items = arena_array(arena, sources.count, sizeof(sources.items[0]));
    for (int i = 0; i < count; i++) {
        if (!load_one(paths[i], arena, &sources.items[i], err)) {
            return false;
        }
    }
    if (!check_sources(&sources, err)) {
        return false;
    }
    *ret_sources = sources;
    return true;
}

bool sources_bundled(const struct package_tree *tree, const struct package_submission *submission,
                     struct arena *arena, struct sources *ret_sources, struct err *err) {
    struct sources sources = {.count = (size_t)submission->file_count};
    sources.items = arena_array(arena, sources.count, sizeof(sources.items[0]));
    for (size_t i = 0; i < sources.count; i++) {
        sources.items[i].name = submission->names[i];
        if (submission->texts != NULL) {
            sources.items[i].text = submission->texts[i];
            continue;
        }
        if (!package_tree_text(tree, submission->files[i], SOURCE_BYTES_MAX, arena,
                               &sources.items[i].text, err)) {
            return false;
        }
    }
    if (!check_sources(&sources, err)) {
        return err_wrap(err, STR_FMT, STR_ARG(submission->path));
    }
    *ret_sources = sources;
    return true;
}

static bool unknown(const struct language_set *languages, struct str id, struct err *err) {
    own_buf known;
    buf_init(&known, KIB);
    for (size_t i = 0; i < language_count(languages); i++) {
        buf_append_c(&known, i == 0 ? "" : " ");
        buf_append_c(&known, language_at(languages, i)->id);
    }
    if (id.len > 0) {
        return err_set(err, ERR_INVALID, "unknown_language",
                       "there is no language " STR_FMT "; there are: " STR_FMT, STR_ARG(id),
                       STR_ARG(buf_str(&known)));
    }
    return err_set(err, ERR_INVALID, "unknown_language",
                   "the file names do not say which language it is: name it by --language, one "
                   "of: " STR_FMT,
                   STR_ARG(buf_str(&known)));
}

/* C files among C++ files are C++: the language that most extensions name. */
static bool is_mixed_c(const struct language *a, const struct language *b) {
    return (strcmp(a->id, "c") == 0 && strcmp(b->id, "cpp") == 0) ||
           (strcmp(a->id, "cpp") == 0 && strcmp(b->id, "c") == 0);
}

bool sources_language(const struct language_set *languages, const struct manifest *manifest,
                      const struct sources *sources, struct str id,
                      const struct language **ret_language, struct err *err) {
    id = (manifest->kinds & PROBLEM_SUBMIT_ANSWER) != 0 ? STR("text") : id;
    const struct language *found = id.len > 0 ? language_find(languages, id) : NULL;
    if (id.len > 0) {
        *ret_language = found;
        return found != NULL || unknown(languages, id, err);
    }
    for (size_t i = 0; i < sources->count; i++) {
        const struct language *language = language_by_file(languages, sources->items[i].name);
        if (language == NULL) {
            continue; /* a header, or data */
        }
        if (found != NULL && found != language && !is_mixed_c(found, language)) {
            return err_set(err, ERR_INVALID, "unknown_language",
                           "the files are of several languages, %s and %s", found->id,
                           language->id);
        }
        found = found == NULL || strcmp(language->id, "cpp") == 0 ? language : found;
    }
    *ret_language = found;
    return found != NULL || unknown(languages, id, err);
}
