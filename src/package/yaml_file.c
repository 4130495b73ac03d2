/* YAML files of a package, and what several of them have in common. */
#include "base/path.h"
#include "data/suggest.h"
#include "package/reader_internal.h"
#include <string.h>

#define ARGS_BYTES_MAX 1024
#define ARGS_BYTES_TOTAL (2 * MIB)

/* Settings of groups may have constants in them. */
static bool is_group_file(struct str name) {
    return str_eq_c(path_base(name), "test_group.yaml");
}

bool yaml_file_again(struct package_reader *reader, struct str name, struct arena *arena,
                     const struct yaml **ret_root, struct err *err) {
    struct str text = STR("");
    const struct package_file *file = package_tree_find(reader->tree, name);
    *ret_root = NULL;
    if (file == NULL) {
        return true;
    }
    if (!package_tree_text(reader->tree, file, YAML_BYTES_MAX, arena, &text, err) ||
        (is_group_file(name) && !constants_apply(reader, false, &text, err))) {
        return false;
    }
    const char *shown = arena_cstr(reader->arena, name); /* messages may outlive `arena` */
    return yr_parse(arena, shown, text, ret_root, err) && yr_map(*ret_root, err);
}

bool yaml_file_read(struct package_reader *reader, struct str name, struct arena *arena,
                    const struct yaml **ret_root, struct err *err) {
    if (!yaml_file_again(reader, name, arena, ret_root, err)) {
        return false;
    }
    if (*ret_root != NULL) {
        note_read(reader, name);
    }
    return true;
}

static bool is_known(struct str key, const char *const known[], struct suggest *nearest) {
    for (size_t i = 0; known[i] != NULL; i++) {
        if (str_eq_c(key, known[i])) {
            return true;
        }
        suggest_offer(nearest, known[i]);
    }
    return false;
}

void yaml_warn_unknown(struct package_reader *reader, const struct yaml *map,
                       const char *const known[]) {
    for (YR_EACH(item, map)) {
        char hint[SUGGEST_TEXT_BYTES];
        struct suggest nearest = suggest_for(item->key);
        if (is_known(item->key, known, &nearest)) {
            continue;
        }
        suggest_text(&nearest, hint);
        note_warning(reader, str_from(item->file), item->line, "unknown key `" STR_FMT "`%s",
                     STR_ARG(item->key), hint);
    }
}

static bool append_word(struct buf *words, struct str word, const struct yaml *node,
                        struct err *err) {
    for (size_t i = 0; i < word.len; i++) {
        unsigned char c = (unsigned char)word.ptr[i];
        if (c <= ' ' || c == 0x7f || c == '\'' || c == '"') {
            return yr_error(node, err, "arguments with white space or quotes are not supported");
        }
    }
    if (word.len == 0) {
        return yr_error(node, err, "empty arguments are not supported");
    }
    if (words->len > 0) {
        buf_append_char(words, ' ');
    }
    buf_append(words, word);
    return true;
}

static bool append_words(struct buf *words, const struct yaml *node, struct err *err) {
    struct str text = STR("");
    struct str word = STR("");
    if (!yr_str(node, ARGS_BYTES_MAX, &text, err)) {
        return false;
    }
    while (str_next_word(&text, &word)) {
        if (!append_word(words, word, node, err)) {
            return false;
        }
    }
    return true;
}

static bool append_items(struct buf *words, const struct yaml *list, struct err *err) {
    for (YR_EACH(item, list)) {
        struct str word = STR("");
        if (!yr_str(item, ARGS_BYTES_MAX, &word, err) || !append_word(words, word, item, err)) {
            return false;
        }
    }
    return true;
}

bool yaml_words(struct package_reader *reader, const struct yaml *node, struct str *ret_words,
                struct err *err) {
    own_buf words;
    buf_init(&words, ARGS_BYTES_MAX);
    if (yr_is_null(node)) {
        *ret_words = STR("");
        return true;
    }
    bool ok =
        node->kind == YR_LIST ? append_items(&words, node, err) : append_words(&words, node, err);
    if (!ok || !buf_ok(&words, "list of arguments", err)) {
        return false;
    }
    reader->args_bytes += (int64_t)words.len;
    if (reader->args_bytes > ARGS_BYTES_TOTAL) {
        return yr_error(node, err, "the arguments of all cases together are too long");
    }
    *ret_words = arena_str(reader->arena, buf_str(&words));
    return true;
}
