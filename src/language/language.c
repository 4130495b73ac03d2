/* Reads languages/<id>/language.yaml. Strict: an unknown key is a spelling mistake that would
 * silently change how programs are judged, so it is refused with file and line. */
#include "language/language.h"
#include "base/check.h"
#include "base/file.h"
#include "data/digest.h"
#include "data/yaml.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LANGUAGE_WORDS_MAX 64 /* of one command or list */
#define LANGUAGE_WORD_BYTES_MAX 512
#define LANGUAGE_SPEC_BYTES_MAX (64 * KIB)
#define LANGUAGE_ARENA_BYTES_MAX ((size_t)LANGUAGES_MAX * 256 * KIB)

struct language_set {
    struct arena *arena;
    size_t count;
    struct language languages[LANGUAGES_MAX];
};

/* What reading one spec needs at hand. */
struct spec {
    struct arena *arena; /* the set's */
    const struct yaml *root;
    const char *folder; /* languages/<id> */
    struct language *language;
};

/* ---- words and lists ---- */

static bool read_word(const struct yaml *node, struct arena *arena, const char **ret_word,
                      struct err *err) {
    struct str text = {0};
    if (!yr_str(node, LANGUAGE_WORD_BYTES_MAX, &text, err)) {
        return false;
    }
    if (text.len == 0) {
        return yr_error(node, err, "an empty text is not allowed here");
    }
    *ret_word = arena_cstr(arena, text);
    return true;
}

static bool read_text(const struct spec *spec, const char *name, const char **ret_text,
                      struct err *err) {
    const struct yaml *node = NULL;
    return yr_need(spec->root, name, &node, err) && read_word(node, spec->arena, ret_text, err);
}

static bool read_words(const struct yaml *map, const char *name, struct arena *arena,
                       const char *const **ret_words, struct err *err) {
    const struct yaml *list = NULL;
    if (!yr_need(map, name, &list, err) || !yr_list(list, LANGUAGE_WORDS_MAX, err)) {
        return false;
    }
    const char **words = arena_array(arena, list->count + 1, sizeof *words);
    size_t count = 0;
    for (YR_EACH(item, list)) {
        if (!read_word(item, arena, &words[count], err)) {
            return false;
        }
        count++;
    }
    *ret_words = words;
    return true;
}

static bool is_absolute(const char *word) {
    return word[0] == '/' && strstr(word, "/../") == NULL && !str_ends(str_from(word), STR("/.."));
}

static bool is_placeholder(const char *word) {
    return strcmp(word, LANGUAGE_SOURCES) == 0 || strcmp(word, LANGUAGE_ENTRY) == 0;
}

static bool check_argv(const struct yaml *map, const char *const *argv, struct err *err) {
    const struct yaml *node = yr_get(map, "command");
    if (argv[0] == NULL || !is_absolute(argv[0])) {
        return yr_error(node, err, "`command` must begin with the absolute path of a program");
    }
    for (size_t i = 0; argv[i] != NULL; i++) {
        if (strchr(argv[i], '{') != NULL && !is_placeholder(argv[i])) {
            return yr_error(node, err, "`%s` is unknown: a word is itself, %s or %s", argv[i],
                            LANGUAGE_SOURCES, LANGUAGE_ENTRY);
        }
    }
    return true;
}

static bool check_roots(const struct yaml *map, const char *const *roots, struct err *err) {
    for (size_t i = 0; roots[i] != NULL; i++) {
        if (!is_absolute(roots[i]) || roots[i][1] == '\0') {
            return yr_error(yr_get(map, "roots"), err, "`%s` is no absolute folder below the root",
                            roots[i]);
        }
    }
    return true;
}

static bool read_command(const struct yaml *map, struct arena *arena,
                         struct language_command *command, struct err *err) {
    return read_words(map, "command", arena, &command->argv, err) &&
           check_argv(map, command->argv, err) &&
           read_words(map, "roots", arena, &command->roots, err) &&
           check_roots(map, command->roots, err);
}

/* ---- the sections of a spec ---- */

/* A file inside the work folder: one plain name. */
static bool is_plain_name(const char *name) {
    return name[0] != '.' && name[0] != '-' && strchr(name, '/') == NULL;
}

static bool read_compile(const struct spec *spec, struct err *err) {
    static const char *const known[] = {"command", "roots", "produces", NULL};
    const struct yaml *map = yr_get(spec->root, "compile");
    static const char *const none[] = {NULL};
    spec->language->artifacts = none;
    if (map == NULL) {
        return true;
    }
    if (!yr_map(map, err) || !yr_refuse_unknown(map, known, err) ||
        !read_command(map, spec->arena, &spec->language->compile, err) ||
        !read_words(map, "produces", spec->arena, &spec->language->artifacts, err)) {
        return false;
    }
    for (size_t i = 0; spec->language->artifacts[i] != NULL; i++) {
        if (!is_plain_name(spec->language->artifacts[i])) {
            return yr_error(yr_get(map, "produces"), err, "`%s` is no plain file name",
                            spec->language->artifacts[i]);
        }
    }
    return true;
}

static bool read_profile(const struct yaml *map, struct language *language, struct err *err) {
    const struct yaml *node = NULL;
    struct str text = {0};
    if (!yr_need(map, "profile", &node, err) ||
        !yr_str(node, LANGUAGE_WORD_BYTES_MAX, &text, err)) {
        return false;
    }
    if (str_eq_c(text, "native")) {
        language->profile = LANGUAGE_PROFILE_NATIVE;
    } else if (str_eq_c(text, "managed")) {
        language->profile = LANGUAGE_PROFILE_MANAGED;
    } else {
        return yr_error(node, err, "`profile` must be native or managed");
    }
    return true;
}

static bool read_run(const struct spec *spec, struct err *err) {
    static const char *const known[] = {"command",         "roots",        "profile", "processes",
                                        "time_multiplier", "memory_extra", NULL};
    struct language *language = spec->language;
    const struct yaml *map = NULL;
    int64_t processes = 1;
    int64_t extra_mib = 0;
    language->time_permille = 1000;
    if (!yr_need(spec->root, "run", &map, err) || !yr_map(map, err) ||
        !yr_refuse_unknown(map, known, err) ||
        !read_command(map, spec->arena, &language->run, err) || !read_profile(map, language, err) ||
        !yr_opt_i64(map, "processes", 1, 4096, &processes, err) ||
        !yr_opt_scaled(map, "time_multiplier", 3, 100000, &language->time_permille, err) ||
        !yr_opt_i64(map, "memory_extra", 0, 4096, &extra_mib, err)) {
        return false;
    }
    if (language->time_permille == 0) {
        return yr_error(yr_get(map, "time_multiplier"), err, "`time_multiplier` must be over 0");
    }
    language->pids_max = (int32_t)processes;
    language->memory_extra_kib = extra_mib * KIB;
    return true;
}

/* The version command sees what the compile step sees, or the run step where nothing is compiled.
 */
static bool read_version(const struct spec *spec, struct err *err) {
    static const char *const known[] = {"command", NULL};
    struct language *language = spec->language;
    const struct yaml *map = NULL;
    if (!yr_need(spec->root, "version", &map, err) || !yr_map(map, err) ||
        !yr_refuse_unknown(map, known, err) ||
        !read_words(map, "command", spec->arena, &language->version.argv, err) ||
        !check_argv(map, language->version.argv, err)) {
        return false;
    }
    language->version.roots =
        language->compile.argv != NULL ? language->compile.roots : language->run.roots;
    return true;
}

static bool read_extensions(const struct spec *spec, struct err *err) {
    struct language *language = spec->language;
    const struct yaml *node = yr_get(spec->root, "extensions");
    if (!read_words(spec->root, "extensions", spec->arena, &language->extensions, err)) {
        return false;
    }
    if (language->extensions[0] == NULL) {
        return yr_error(node, err, "`extensions` needs at least one, such as .c");
    }
    for (size_t i = 0; language->extensions[i] != NULL; i++) {
        const char *extension = language->extensions[i];
        if (extension[0] != '.' || extension[1] == '\0' || strchr(extension, '/') != NULL) {
            return yr_error(node, err, "`%s` is no extension: write it as .c", extension);
        }
    }
    return true;
}

static bool read_environment(const struct spec *spec, struct err *err) {
    struct language *language = spec->language;
    if (!read_words(spec->root, "environment", spec->arena, &language->env, err)) {
        return false;
    }
    for (size_t i = 0; language->env[i] != NULL; i++) {
        const char *equals = strchr(language->env[i], '=');
        if (equals == NULL || equals == language->env[i]) {
            return yr_error(yr_get(spec->root, "environment"), err, "`%s` must be NAME=value",
                            language->env[i]);
        }
    }
    return true;
}

static bool read_files(const struct spec *spec, struct err *err) {
    struct language *language = spec->language;
    const char *hello = NULL;
    if (!read_text(spec, "source", &language->source_name, err) ||
        !read_text(spec, "hello", &hello, err)) {
        return false;
    }
    if (!is_plain_name(language->source_name) ||
        !language_owns_file(language, str_from(language->source_name))) {
        return yr_error(yr_get(spec->root, "source"), err,
                        "`source` must be a plain file name with one of the extensions");
    }
    struct stat status;
    language->hello_file = arena_printf(spec->arena, "%s/%s", spec->folder, hello);
    if (!is_plain_name(hello) || stat(language->hello_file, &status) != 0 ||
        !S_ISREG(status.st_mode)) {
        return yr_error(yr_get(spec->root, "hello"), err, "there is no file %s",
                        language->hello_file);
    }
    return true;
}

static bool read_spec(const struct spec *spec, struct err *err) {
    static const char *const known[] = {"name",    "pool",        "editor",  "extensions",
                                        "source",  "environment", "compile", "run",
                                        "version", "hello",       "package", NULL};
    struct language *language = spec->language;
    return yr_map(spec->root, err) && yr_refuse_unknown(spec->root, known, err) &&
           read_text(spec, "name", &language->name, err) &&
           read_text(spec, "pool", &language->pool, err) &&
           read_text(spec, "editor", &language->editor_mode, err) &&
           read_text(spec, "package", &language->package_hint, err) && read_extensions(spec, err) &&
           read_files(spec, err) && read_environment(spec, err) && read_compile(spec, err) &&
           read_run(spec, err) && read_version(spec, err);
}

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
    const char *file = arena_printf(set->arena, "%s/language.yaml", spec.folder);
    own_buf text = {0};
    buf_init(&text, LANGUAGE_SPEC_BYTES_MAX);
    own(arena) tree = arena_create(YR_ARENA_BYTES);
    if (!file_load(file, LANGUAGE_SPEC_BYTES_MAX, &text, err) ||
        !yr_parse(tree, file, buf_str(&text), &spec.root, err) || !read_spec(&spec, err)) {
        return false;
    }
    struct digest digest = digest_of(buf_str(&text));
    memcpy(language->digest, digest.bytes, sizeof language->digest);
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

bool language_set_load(const char *folder, struct language_set **ret_set, struct err *err) {
    struct arena *arena = arena_create(LANGUAGE_ARENA_BYTES_MAX);
    own(language_set) set = arena_new(arena, struct language_set);
    set->arena = arena;
    if (!load_all(set, folder, err)) {
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
        if (language_owns_file(&set->languages[i], file_name)) {
            if (found != NULL) {
                return NULL;
            }
            found = &set->languages[i];
        }
    }
    return found;
}
