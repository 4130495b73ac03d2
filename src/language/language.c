/* The set of all languages: one folder each. */
#include "language/language.h"
#include "base/check.h"
#include "base/file.h"
#include "data/digest.h"
#include "language/spec.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LANGUAGE_SPEC_BYTES_MAX (64 * KIB)
#define LANGUAGE_ARENA_BYTES_MAX ((size_t)LANGUAGES_MAX * 256 * KIB)

struct language_set {
    struct arena *arena;
    size_t count;
    struct language languages[LANGUAGES_MAX];
};

/* ---- the folder ---- */

static bool is_id(struct str name) {
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!word && (i == 0 || (c != '-' && c != '_'))) {
            return false;
        }
    }
    return name.len > 0 && name.len <= LANGUAGE_ID_BYTES_MAX;
}

/* Of the spec and of every support file, each with its length. */
static bool add_digest(struct language *language, struct str spec, struct err *err) {
    struct digest_stream stream;
    digest_begin(&stream);
    digest_add_field(&stream, spec);
    for (size_t i = 0; language->support[i] != NULL; i++) {
        char path[PATH_MAX];
        own_buf content = {0};
        buf_init(&content, SPEC_SUPPORT_BYTES_MAX);
        (void)snprintf(path, sizeof path, "%s/%s", language->folder, language->support[i]);
        if (!file_load(path, SPEC_SUPPORT_BYTES_MAX, &content, err)) {
            return false;
        }
        digest_add_field(&stream, str_from(language->support[i]));
        digest_add_field(&stream, buf_str(&content));
    }
    struct digest digest = digest_end(&stream);
    memcpy(language->digest, digest.bytes, sizeof language->digest);
    return true;
}

static bool load_one(struct language_set *set, const char *folder, const char *id,
                     struct err *err) {
    if (!is_id(str_from(id))) {
        return err_set(err, ERR_INVALID, "bad_language",
                       "%s/%s: a language's folder is named by small letters, digits, - and _, at "
                       "most %d of them",
                       folder, id, LANGUAGE_ID_BYTES_MAX);
    }
    if (set->count == LANGUAGES_MAX) {
        return err_set(err, ERR_TOO_LARGE, "too_many_languages", "%s: more than %d languages",
                       folder, LANGUAGES_MAX);
    }
    struct language *language = &set->languages[set->count];
    language->id = arena_cstr(set->arena, str_from(id));
    struct spec spec = {.arena = set->arena,
                        .folder = arena_printf(set->arena, "%s/%s", folder, id),
                        .language = language};
    language->folder = spec.folder;
    const char *file = arena_printf(set->arena, "%s/language.yaml", spec.folder);
    own_buf text = {0};
    buf_init(&text, LANGUAGE_SPEC_BYTES_MAX);
    own(arena) tree = arena_create(YR_ARENA_BYTES);
    if (!file_load(file, LANGUAGE_SPEC_BYTES_MAX, &text, err) ||
        !yr_parse(tree, file, buf_str(&text), &spec.root, err) || !spec_read(&spec, err) ||
        !add_digest(language, buf_str(&text), err)) {
        return false;
    }
    set->count++;
    return true;
}

static int is_candidate(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static bool is_folder(struct arena *arena, const char *parent, const char *name) {
    struct stat status;
    return stat(arena_printf(arena, "%s/%s", parent, name), &status) == 0 &&
           S_ISDIR(status.st_mode);
}

static int by_bytes(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool load_all(struct language_set *set, const char *folder, struct err *err) {
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_candidate, by_bytes);
    if (count < 0 && errno == ENOENT) {
        return err_set(err, ERR_MISSING, "no_languages", "there is no folder %s", folder);
    }
    if (count < 0) {
        return err_system(err, "languages_unreadable", "read folder %s", folder);
    }
    bool good = true;
    for (int i = 0; i < count; i++) {
        if (good && is_folder(set->arena, folder, entries[i]->d_name)) {
            good = load_one(set, folder, entries[i]->d_name, err);
        }
        free(entries[i]);
    }
    free(entries);
    if (good && set->count == 0) {
        return err_set(err, ERR_MISSING, "no_languages", "%s holds no language", folder);
    }
    return good;
}

/* Behind each language its variants, so that the first one whose extension fits is the usual one
 * wherever the set is listed. */
static bool put_variants_behind(struct language_set *set, const char *folder, struct err *err) {
    struct language *ordered = arena_array(set->arena, set->count, sizeof *ordered);
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct language *main = &set->languages[i];
        if (main->variant_of != NULL) {
            continue;
        }
        ordered[count++] = *main;
        for (size_t j = 0; j < set->count; j++) {
            const char *of = set->languages[j].variant_of;
            if (of != NULL && strcmp(of, main->id) == 0) {
                ordered[count++] = set->languages[j];
            }
        }
    }
    if (count != set->count) {
        return err_set(err, ERR_INVALID, "bad_language",
                       "%s: `variant_of` must name a language that is there and no variant itself",
                       folder);
    }
    memcpy(set->languages, ordered, count * sizeof *ordered);
    return true;
}

bool language_set_load(const char *folder, struct language_set **ret_set, struct err *err) {
    struct arena *arena = arena_create(LANGUAGE_ARENA_BYTES_MAX);
    own(language_set) set = arena_new(arena, struct language_set);
    set->arena = arena;
    if (!load_all(set, folder, err) || !put_variants_behind(set, folder, err)) {
        return false;
    }
    *ret_set = take(set);
    return true;
}

void language_set_free(struct language_set *set) {
    if (set != NULL) {
        arena_free(set->arena); /* the set itself lives in it */
    }
}

size_t language_count(const struct language_set *set) {
    return set->count;
}

const struct language *language_at(const struct language_set *set, size_t index) {
    CHECK(index < set->count);
    return &set->languages[index];
}

const struct language *language_find(const struct language_set *set, struct str id) {
    for (size_t i = 0; i < set->count; i++) {
        if (str_eq_c(id, set->languages[i].id)) {
            return &set->languages[i];
        }
    }
    return NULL;
}

bool language_owns_file(const struct language *language, struct str file_name) {
    for (size_t i = 0; language->extensions[i] != NULL; i++) {
        struct str extension = str_from(language->extensions[i]);
        if (file_name.len > extension.len && str_ends(file_name, extension)) {
            return true;
        }
    }
    return false;
}

const struct language *language_by_file(const struct language_set *set, struct str file_name) {
    const struct language *found = NULL;
    for (size_t i = 0; i < set->count; i++) {
        if (set->languages[i].variant_of == NULL &&
            language_owns_file(&set->languages[i], file_name)) {
            if (found != NULL) {
                return NULL;
            }
            found = &set->languages[i];
        }
    }
    return found;
}
