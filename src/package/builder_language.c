/* Names of languages, of people and of programs, as the formats write them. */
#include "package/builder.h"

#include <string.h>

/* ---- of programs ---- */

static const struct alias {
    const char *prefix; /* without case; the first that fits */
    const char *id;
} aliases[] = {
    {"c++", "cpp"},
    {"cpp", "cpp"},
    {"cc", "cpp"},
    {"g++", "cpp"},
    {"gnu c++", "cpp"},
    {"clang++", "cpp"},
    {"csharp", "csharp"},
    {"c#", "csharp"},
    {"cs", "csharp"},
    {"clang", "c"},
    {"javascript", "javascript"},
    {"js", "javascript"},
    {"node", "javascript"},
    {"java", "java"},
    {"pypy2", "python2"},
    {"python2", "python2"},
    {"py2", "python2"},
    {"pypy", "pypy3"},
    {"python", "python3"},
    {"py", "python3"},
    {"typescript", "typescript"},
    {"ts", "typescript"},
    {"golang", "go"},
    {"go", "go"},
    {"rust", "rust"},
    {"rs", "rust"},
    {"kotlin", "kotlin"},
    {"kt", "kotlin"},
    {"pascal", "pascal"},
    {"pas", "pascal"},
    {"fpc", "pascal"},
    {"delphi", "pascal"},
    {"ruby", "ruby"},
    {"rb", "ruby"},
    {"php", "php"},
    {"lua", "lua"},
    {"haskell", "haskell"},
    {"hs", "haskell"},
    {"ocaml", "ocaml"},
    {"perl", "perl"},
    {"c", "c"},
};

static const struct extension {
    const char *id, *text;
} extensions[] = {
    {"cpp", "cpp"},    {"c", "c"},      {"java", "java"},     {"python3", "py"},
    {"python2", "py"}, {"pypy3", "py"}, {"javascript", "js"}, {"typescript", "ts"},
    {"csharp", "cs"},  {"go", "go"},    {"rust", "rs"},       {"kotlin", "kt"},
    {"pascal", "pas"}, {"ruby", "rb"},  {"php", "php"},       {"lua", "lua"},
    {"haskell", "hs"}, {"ocaml", "ml"}, {"perl", "pl"},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

struct str build_language_id(struct str name) {
    name = str_trim(name);
    for (size_t i = 0; i < COUNT(aliases); i++) {
        size_t len = strlen(aliases[i].prefix);
        if (!str_eq_nocase(str_sub(name, 0, len), str_from(aliases[i].prefix))) {
            continue;
        }
        /* "c" is no beginning of "clojure". */
        char next = name.len > len ? name.ptr[len] : ' ';
        bool letter = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
        if (!letter) {
            return str_from(aliases[i].id);
        }
    }
    return STR("");
}

struct str build_source_name(struct arena *arena, const char *stem, struct str language) {
    for (size_t i = 0; i < COUNT(extensions); i++) {
        if (str_eq_c(language, extensions[i].id)) {
            return str_from(arena_printf(arena, "%s.%s", stem, extensions[i].text));
        }
    }
    return str_from(arena_printf(arena, "%s.txt", stem));
}

/* ---- of people ---- */

static const struct tongue {
    const char *name, *tag;
} tongues[] = {
    {"english", "en"},    {"russian", "ru"},    {"chinese", "zh"},     {"ukrainian", "uk"},
    {"spanish", "es"},    {"french", "fr"},     {"german", "de"},      {"polish", "pl"},
    {"portuguese", "pt"}, {"italian", "it"},    {"japanese", "ja"},    {"korean", "ko"},
    {"kazakh", "kk"},     {"armenian", "hy"},   {"azerbaijani", "az"}, {"georgian", "ka"},
    {"vietnamese", "vi"}, {"persian", "fa"},    {"turkish", "tr"},     {"romanian", "ro"},
    {"belarusian", "be"}, {"uzbek", "uz"},      {"hungarian", "hu"},   {"croatian", "hr"},
    {"serbian", "sr"},    {"indonesian", "id"}, {"arabic", "ar"},
};

struct str build_language(struct arena *arena, struct str name) {
    for (size_t i = 0; i < COUNT(tongues); i++) {
        if (str_eq_nocase(name, str_from(tongues[i].name))) {
            return str_from(tongues[i].tag);
        }
    }
    char *text = arena_alloc(arena, name.len + 1);
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        text[i] = fine ? c : '-';
    }
    return str_sub(str_of(text, name.len), 0, 16);
}

/* Three bytes, of the blocks that Chinese text is written in. */
static bool is_cjk(struct str text, size_t at) {
    unsigned char first = (unsigned char)text.ptr[at];
    return str_utf8_len(str_sub(text, at, 4)) == 3 && first >= 0xe4 && first <= 0xe9;
}

struct str build_guess_language(struct str text) {
    for (size_t i = 0; i < text.len; i++) {
        if (is_cjk(text, i)) {
            return STR("zh");
        }
    }
    return STR("en");
}

static const char *const headings[][HEADING_COUNT] = {
    {"Input", "Output", "Interaction", "Scoring", "Notes", "Source"},
    {"输入格式", "输出格式", "交互", "评分", "说明", "来源"},
    {"Входные данные", "Выходные данные", "Протокол взаимодействия", "Система оценки", "Примечание",
     "Источник"},
};

const char *build_heading(struct str language, enum build_heading heading) {
    size_t row = str_starts(language, STR("zh")) ? 1 : str_starts(language, STR("ru")) ? 2 : 0;
    return headings[row][heading];
}
