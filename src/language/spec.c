/* Reads one languages/<id>/language.yaml. Strict: an unknown key is a spelling mistake that would
 * silently change how programs are judged, so it is refused with file and line. */
#include "language/spec.h"
#include "base/path.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#define LANGUAGE_WORDS_MAX 64 /* of one command or list */
#define LANGUAGE_WORD_BYTES_MAX 512

static const char *const no_words[] = {NULL};

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

/* npm packages come by our own script, beside those of Debian. */
static bool read_installing(const struct spec *spec, struct err *err) {
    struct language *language = spec->language;
    const char *npm = NULL;
    language->needs = no_words;
    if (!read_text(spec, "package", &language->package_hint, err) ||
        (yr_get(spec->root, "needs") != NULL &&
         !read_words(spec->root, "needs", spec->arena, &language->needs, err))) {
        return false;
    }
    if (yr_get(spec->root, "npm") == NULL) {
        return true;
    }
    language->package_hint =
        arena_printf(spec->arena, "script/bootstrap --languages %s", language->id);
    return read_text(spec, "npm", &npm, err);
}

static bool is_absolute(const char *word) {
    return word[0] == '/' && strstr(word, "/../") == NULL && !str_ends(str_from(word), STR("/.."));
}

/* The word's placeholders, each of which may stand inside a longer word. */
static bool knows_placeholders(const char *word) {
    static const char *const parts[] = {LANGUAGE_PREPARED, LANGUAGE_MEMORY};
    const char *at = strcmp(word, LANGUAGE_SOURCES) == 0 || strcmp(word, LANGUAGE_ENTRY) == 0
                         ? NULL
                         : strchr(word, '{');
    while (at != NULL) {
        size_t length = 0;
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            length = str_starts(str_from(at), str_from(parts[i])) ? strlen(parts[i]) : length;
        }
        if (length == 0) {
            return false;
        }
        at = strchr(at + length, '{');
    }
    return true;
}

static bool check_argv(const struct yaml *map, const char *const *argv, struct err *err) {
    const struct yaml *node = yr_get(map, "command");
    if (argv[0] == NULL || !is_absolute(argv[0])) {
        return yr_error(node, err, "`command` must begin with the absolute path of a program");
    }
    for (size_t i = 0; argv[i] != NULL; i++) {
        if (!knows_placeholders(argv[i])) {
            return yr_error(node, err, "`%s` is unknown: a word is %s, %s, or text with %s or %s",
                            argv[i], LANGUAGE_SOURCES, LANGUAGE_ENTRY, LANGUAGE_PREPARED,
                            LANGUAGE_MEMORY);
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

/* The file names that the map lists under `name`: they stay below the folder they are used in. */
static bool read_names(const struct yaml *map, const char *name, struct arena *arena,
                       const char *const **ret_names, struct err *err) {
    if (!read_words(map, name, arena, ret_names, err)) {
        return false;
    }
    for (size_t i = 0; (*ret_names)[i] != NULL; i++) {
        if (!path_is_plain(str_from((*ret_names)[i])) || (*ret_names)[i][0] == '-') {
            return yr_error(yr_get(map, name), err, "`%s` is no plain file name", (*ret_names)[i]);
        }
    }
    return true;
}

static bool read_compile(const struct spec *spec, struct err *err) {
    static const char *const known[] = {"command", "roots", "produces", NULL};
    const struct yaml *map = yr_get(spec->root, "compile");
    spec->language->artifacts = no_words;
    return map == NULL ||
           (yr_map(map, err) && yr_refuse_unknown(map, known, err) &&
            read_command(map, spec->arena, &spec->language->compile, err) &&
            read_names(map, "produces", spec->arena, &spec->language->artifacts, err));
}

/* It sees what the compile step sees. */
static bool read_standby(const struct spec *spec, struct err *err) {
    static const char *const known[] = {"command", NULL};
    struct language *language = spec->language;
    const struct yaml *map = yr_get(spec->root, "standby");
    if (map == NULL) {
        return true;
    }
    if (language->compile.argv == NULL) {
        return yr_error(map, err, "`standby` needs `compile`");
    }
    language->standby.roots = language->compile.roots;
    return yr_map(map, err) && yr_refuse_unknown(map, known, err) &&
           read_words(map, "command", spec->arena, &language->standby.argv, err) &&
           check_argv(map, language->standby.argv, err);
}

static bool read_prepare(const struct spec *spec, struct err *err) {
    static const char *const known[] = {"command", "roots", "produces", "optional", "server", NULL};
    const struct yaml *map = yr_get(spec->root, "prepare");
    struct language_prepare *prepare = &spec->language->prepare;
    prepare->produces = no_words;
    return map == NULL || (yr_map(map, err) && yr_refuse_unknown(map, known, err) &&
                           read_command(map, spec->arena, &prepare->command, err) &&
                           read_names(map, "produces", spec->arena, &prepare->produces, err) &&
                           yr_opt_bool(map, "server", &prepare->as_server, err) &&
                           yr_opt_bool(map, "optional", &prepare->optional, err));
}

/* Is there such a file in the language's folder? */
static bool is_own_file(const struct spec *spec, const char *name, const char **ret_path) {
    struct stat status;
    *ret_path = arena_printf(spec->arena, "%s/%s", spec->folder, name);
    return is_plain_name(name) && stat(*ret_path, &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_size <= SPEC_SUPPORT_BYTES_MAX;
}

static bool read_support(const struct spec *spec, struct err *err) {
    const struct yaml *node = yr_get(spec->root, "support");
    struct language *language = spec->language;
    language->support = no_words;
    if (node == NULL) {
        return true;
    }
    if (!read_names(spec->root, "support", spec->arena, &language->support, err)) {
        return false;
    }
    for (size_t i = 0; language->support[i] != NULL; i++) {
        const char *path = NULL;
        if (!is_own_file(spec, language->support[i], &path)) {
            return yr_error(node, err, "there is no file %s of at most %d KiB", path,
                            SPEC_SUPPORT_BYTES_MAX / KIB);
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
    static const char *const known[] = {"command",
                                        "roots",
                                        "profile",
                                        "processes",
                                        "time_multiplier",
                                        "memory_extra",
                                        "out_of_memory_signal",
                                        NULL};
    struct language *language = spec->language;
    const struct yaml *map = NULL;
    int64_t processes = 1;
    int64_t extra_mib = 0;
    int64_t memory_signal = 0;
    language->time_permille = 1000;
    if (!yr_need(spec->root, "run", &map, err) || !yr_map(map, err) ||
        !yr_refuse_unknown(map, known, err) ||
        !read_command(map, spec->arena, &language->run, err) || !read_profile(map, language, err) ||
        !yr_opt_i64(map, "processes", 1, 4096, &processes, err) ||
        !yr_opt_scaled(map, "time_multiplier", 3, 100000, &language->time_permille, err) ||
        !yr_opt_i64(map, "memory_extra", 0, 4096, &extra_mib, err) ||
        !yr_opt_i64(map, "out_of_memory_signal", 1, SIGRTMAX, &memory_signal, err)) {
        return false;
    }
    if (language->time_permille == 0) {
        return yr_error(yr_get(map, "time_multiplier"), err, "`time_multiplier` must be over 0");
    }
    language->pids_max = (int32_t)processes;
    language->memory_extra_kib = extra_mib * KIB;
    language->memory_signal = (int32_t)memory_signal;
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

/* Sources are statements for a database. */
static bool read_sql(const struct spec *spec, struct err *err) {
    const struct yaml *node = yr_get(spec->root, "sql");
    return node == NULL || read_word(node, spec->arena, &spec->language->sql, err);
}

/* A second compiler or standard for the same files. */
static bool read_variant(const struct spec *spec, struct err *err) {
    const struct yaml *node = yr_get(spec->root, "variant_of");
    return node == NULL || read_word(node, spec->arena, &spec->language->variant_of, err);
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
    if (!is_own_file(spec, hello, &language->hello_file)) {
        return yr_error(yr_get(spec->root, "hello"), err, "there is no file %s",
                        language->hello_file);
    }
    return true;
}

/* Whoever names {prepared} must say what is in it. */
static bool check_prepared(const struct spec *spec, struct err *err) {
    const struct language *language = spec->language;
    bool has = language->support[0] != NULL || language->prepare.command.argv != NULL;
    const char *const *const commands[] = {language->compile.argv, language->standby.argv,
                                           language->run.argv};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        for (size_t k = 0; commands[i] != NULL && commands[i][k] != NULL; k++) {
            if (!has && strstr(commands[i][k], LANGUAGE_PREPARED) != NULL) {
                return yr_error(spec->root, err, "%s is empty without `prepare` or `support`",
                                LANGUAGE_PREPARED);
            }
        }
    }
    return true;
}

bool spec_read(const struct spec *spec, struct err *err) {
    static const char *const known[] = {
        "name",       "pool",    "editor", "extensions", "source",  "environment", "compile",
        "run",        "version", "hello",  "package",    "prepare", "support",     "npm",
        "variant_of", "needs",   "sql",    "standby",    NULL};
    struct language *language = spec->language;
    return yr_map(spec->root, err) && yr_refuse_unknown(spec->root, known, err) &&
           read_text(spec, "name", &language->name, err) &&
           read_text(spec, "pool", &language->pool, err) &&
           read_text(spec, "editor", &language->editor_mode, err) && read_installing(spec, err) &&
           read_extensions(spec, err) && read_variant(spec, err) && read_sql(spec, err) &&
           read_files(spec, err) && read_support(spec, err) && read_environment(spec, err) &&
           read_prepare(spec, err) && read_compile(spec, err) && read_standby(spec, err) &&
           read_run(spec, err) && check_prepared(spec, err) && read_version(spec, err);
}
