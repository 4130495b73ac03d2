/* Command lines for the box. */
#include "judge/command.h"

#include <string.h>

#define NAME_BYTES_MAX 255

static bool too_long(struct err *err) {
    return err_set(err, ERR_INVALID, "bad_args", "a command of more than %d words",
                   COMMAND_WORDS_MAX);
}

bool command_split(struct str text, struct arena *arena, struct command_words *ret_words,
                   struct err *err) {
    const char **words = arena_array(arena, COMMAND_WORDS_MAX, sizeof *words);
    size_t count = 0;
    struct str word = {0};
    if (str_has_nul(text)) {
        return err_set(err, ERR_INVALID, "bad_args", "arguments with a NUL inside");
    }
    while (str_next_word(&text, &word)) {
        if (count == COMMAND_WORDS_MAX) {
            return too_long(err);
        }
        words[count++] = arena_cstr(arena, word);
    }
    *ret_words = (struct command_words){.words = words, .count = count};
    return true;
}

/* `word` with `part` replaced, or itself where that does not occur. */
static const char *replace(const char *word, const char *part, const char *with,
                           struct arena *arena) {
    const char *at = strstr(word, part);
    return at == NULL ? word
                      : arena_printf(arena, "%.*s%s%s", (int)(at - word), word, with,
                                     replace(at + strlen(part), part, with, arena));
}

static struct command_words one_word(const char *word, struct arena *arena) {
    const char **words = arena_array(arena, 1, sizeof *words);
    words[0] = word;
    return (struct command_words){.words = words, .count = 1};
}

static struct command_words words_for(const char *word, const struct command_fill *fill,
                                      struct arena *arena) {
    if (strcmp(word, LANGUAGE_SOURCES) == 0) {
        return fill->sources;
    }
    if (strcmp(word, LANGUAGE_ENTRY) == 0) {
        return one_word(fill->entry, arena);
    }
    if (strstr(word, LANGUAGE_PREPARED) != NULL) {
        if (fill->prepared == NULL) {
            return (struct command_words){.count = 0};
        }
        word = replace(word, LANGUAGE_PREPARED, fill->prepared, arena);
    }
    const char *memory = arena_printf(arena, "%lld", (long long)fill->memory_mib);
    return one_word(replace(word, LANGUAGE_MEMORY, memory, arena), arena);
}

static bool add_words(const char **argv, size_t *count, struct command_words words) {
    for (size_t i = 0; i < words.count; i++) {
        if (*count == COMMAND_WORDS_MAX) {
            return false;
        }
        argv[(*count)++] = words.words[i];
    }
    return true;
}

bool command_build(const struct language_command *command, const struct command_fill *fill,
                   struct arena *arena, const char *const **ret_argv, struct err *err) {
    const char **argv = arena_array(arena, COMMAND_WORDS_MAX + 1, sizeof *argv);
    size_t count = 0;
    for (size_t i = 0; command->argv[i] != NULL; i++) {
        if (!add_words(argv, &count, words_for(command->argv[i], fill, arena))) {
            return too_long(err);
        }
    }
    if (!add_words(argv, &count, fill->extra)) {
        return too_long(err);
    }
    *ret_argv = argv;
    return true;
}

static bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool command_name_is_safe(struct str name) {
    if (name.len == 0 || name.len > NAME_BYTES_MAX || !is_word_char(name.ptr[0])) {
        return false;
    }
    for (size_t i = 1; i < name.len; i++) {
        char c = name.ptr[i];
        if (!is_word_char(c) && c != '.' && c != '+' && c != '-') {
            return false;
        }
    }
    return true;
}

bool command_path_is_safe(struct str path) {
    struct str part = {0};
    if (path.len > NAME_BYTES_MAX) {
        return false;
    }
    bool more = true;
    while (more) {
        more = str_cut(path, '/', &part, &path);
        if (!command_name_is_safe(part)) {
            return false;
        }
    }
    return true;
}
