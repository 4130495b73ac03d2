/* Which file of a submission answers which case. */
#include "judge/answers.h"

#include "base/limits.h"
#include "domain/answer_files.h"

static const char *const endings[] = {".out", ".ans", ".a", ".txt", ".answer", ""};

/* "group1_02" is "group1/02", because a single upload has no folders. */
static bool same_name(struct str file, struct str name) {
    if (file.len != name.len) {
        return false;
    }
    for (size_t i = 0; i < file.len; i++) {
        bool slash = name.ptr[i] == '/' && file.ptr[i] == '_';
        if (file.ptr[i] != name.ptr[i] && !slash) {
            return false;
        }
    }
    return true;
}

/* How much of the case's name the file has; 0: it is another's. */
static size_t match(struct str file, struct str name) {
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        struct str ending = str_from(endings[i]);
        if (file.len <= ending.len || !str_ends(file, ending)) {
            continue;
        }
        struct str stem = str_sub(file, 0, file.len - ending.len);
        bool at_part = stem.len == name.len ||
                       (stem.len < name.len && name.ptr[name.len - stem.len - 1] == '/');
        if (at_part && same_name(stem, str_sub(name, name.len - stem.len, SIZE_MAX))) {
            return stem.len;
        }
    }
    return 0;
}

const struct judge_source *answers_find(const struct judge_request *request, int32_t index) {
    const struct manifest *manifest = request->manifest;
    const struct judge_source *found = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < request->source_count; i++) {
        size_t length = match(request->sources[i].name, manifest->cases[index].name);
        if (length > longest) {
            longest = length;
            found = &request->sources[i];
        }
    }
    bool only = manifest->case_count == 1 && request->source_count == 1;
    return found == NULL && only ? &request->sources[0] : found;
}

bool answers_open(const struct judge_request *request, struct arena *arena,
                  struct judge_request *ret_request, struct err *err) {
    *ret_request = *request;
    if (request->source_count != 1 || !answer_files_are_several(request->sources[0].text)) {
        return true;
    }
    struct str rest = request->sources[0].text;
    struct judge_source *files = arena_array(arena, SOURCE_FILES_MAX, sizeof files[0]);
    struct judge_source file = {.name = STR("")};
    ret_request->source_count = 0;
    while (answer_files_next(&rest, &file.name, &file.text)) {
        if (ret_request->source_count == SOURCE_FILES_MAX) {
            return err_set(err, ERR_TOO_LARGE, "bad_answers", "There are more than %d files.",
                           SOURCE_FILES_MAX);
        }
        files[ret_request->source_count++] = file;
    }
    ret_request->sources = files;
    return true;
}
