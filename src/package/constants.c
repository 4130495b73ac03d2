/* `constants` of 2025-09: {{name}} and {{name.variant}} stand for values in statements, programs,
 * submissions and the settings of groups; in TeX it is \constant{name}. What is not defined stays
 * as it is. */
#include "base/check.h"
#include "package/reader_internal.h"
#include <string.h>

#define FILE_NAME STR("problem.yaml")
#define OPEN STR("{{")
#define CLOSE STR("}}")
#define TEX_OPEN STR("\\constant{")
#define TEX_CLOSE STR("}")

struct constant {
    struct str name; /* "k", "k.value", "k.tex" */
    struct str value;
};

struct constants {
    struct constant items[PACKAGE_CONSTANTS_MAX];
    int32_t count;
};

static bool is_name(struct str name) {
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i > 0 && c >= '0' && c <= '9')) {
            return false;
        }
    }
    return name.len > 0 && name.len <= PACKAGE_CONSTANT_NAME_BYTES_MAX;
}

/* `key` empty: the name by itself. */
static bool add(struct package_reader *reader, const struct yaml *node, struct str name,
                struct str key, struct err *err) {
    struct constants *all = reader->constants;
    struct str value = STR("");
    if (all->count == PACKAGE_CONSTANTS_MAX) {
        return package_refuse(err, FILE_NAME, node->line, "there are more than %d constants",
                              PACKAGE_CONSTANTS_MAX);
    }
    if (!yr_str(node, PACKAGE_CONSTANT_BYTES_MAX, &value, err)) {
        return false;
    }
    const char *whole = arena_printf(reader->arena, STR_FMT "%s" STR_FMT, STR_ARG(name),
                                     key.len > 0 ? "." : "", STR_ARG(key));
    all->items[all->count++] =
        (struct constant){.name = str_from(whole), .value = arena_str(reader->arena, value)};
    return true;
}

static bool add_variants(struct package_reader *reader, const struct yaml *map, struct err *err) {
    const struct yaml *value = yr_get(map, "value");
    if (yr_is_null(value)) {
        return package_refuse(err, FILE_NAME, map->line,
                              "the constant `" STR_FMT "` has no `value`", STR_ARG(map->key));
    }
    for (YR_EACH(item, map)) {
        if (!is_name(item->key)) {
            return package_refuse(err, FILE_NAME, item->line,
                                  "variants of constants are called by letters, digits and _");
        }
        if (!add(reader, item, map->key, item->key, err)) {
            return false;
        }
    }
    return add(reader, value, map->key, STR(""), err);
}

bool constants_read(struct package_reader *reader, const struct yaml *map, struct err *err) {
    if (yr_is_null(map)) {
        return true;
    }
    if (reader->format == FORMAT_LEGACY) {
        note_warning(reader, FILE_NAME, map->line, "the legacy format has no `constants`");
        return true;
    }
    if (!yr_map(map, err)) {
        return false;
    }
    reader->constants = arena_new(reader->arena, struct constants);
    for (YR_EACH(item, map)) {
        if (!is_name(item->key)) {
            return package_refuse(err, FILE_NAME, item->line,
                                  "constants are called by letters, digits and _");
        }
        bool ok = item->kind == YR_MAP ? add_variants(reader, item, err)
                                       : add(reader, item, item->key, STR(""), err) &&
                                             add(reader, item, item->key, STR("value"), err);
        if (!ok) {
            return false;
        }
    }
    return true;
}

static const struct constant *find(const struct constants *all, struct str name) {
    for (int32_t i = 0; i < all->count; i++) {
        if (str_eq(all->items[i].name, name)) {
            return &all->items[i];
        }
    }
    return NULL;
}

static const char *next(struct str text, struct str what) {
    return text.len == 0 ? NULL : memmem(text.ptr, text.len, what.ptr, what.len);
}

/* The constant that `text`, which begins with `open`, names; NULL: none. */
static const struct constant *named(const struct constants *all, struct str text, struct str open,
                                    struct str close, size_t *ret_len) {
    struct str rest = str_sub(text, open.len, SIZE_MAX);
    struct str near = str_sub(rest, 0, 2 * PACKAGE_CONSTANT_NAME_BYTES_MAX + 1 + close.len);
    const char *end = next(near, close);
    if (end == NULL) {
        return NULL;
    }
    size_t len = (size_t)(end - rest.ptr);
    *ret_len = open.len + len + close.len;
    return find(all, str_sub(rest, 0, len));
}

static bool replace(const struct constants *all, struct str text, bool tex, struct buf *out) {
    struct str open = tex ? TEX_OPEN : OPEN;
    struct str close = tex ? TEX_CLOSE : CLOSE;
    bool any = false;
    for (const char *at = next(text, open); at != NULL; at = next(text, open)) {
        size_t before = (size_t)(at - text.ptr);
        size_t len = 1;
        const struct constant *constant =
            named(all, str_sub(text, before, SIZE_MAX), open, close, &len);
        buf_append(out, str_sub(text, 0, before));
        /* Of {{{k}} only the first brace is left out of the name. */
        buf_append(out, constant != NULL ? constant->value : str_sub(text, before, 1));
        text = str_sub(text, before + (constant != NULL ? len : 1), SIZE_MAX);
        any = any || constant != NULL;
    }
    buf_append(out, text);
    return any;
}

/* Into `out`, when *ret_any. */
static bool applied(const struct package_reader *reader, bool tex, struct str text, struct buf *out,
                    bool *ret_any, struct err *err) {
    *ret_any = reader->constants != NULL && next(text, tex ? TEX_OPEN : OPEN) != NULL &&
               replace(reader->constants, text, tex, out);
    return !*ret_any || buf_ok(out, "text with its constants", err);
}

bool constants_apply(struct package_reader *reader, bool tex, struct str *text, struct err *err) {
    bool any = false;
    own_buf out;
    buf_init(&out, PACKAGE_CONSTANT_TEXT_BYTES_MAX);
    if (!applied(reader, tex, *text, &out, &any, err) || !any) {
        return err->kind == ERR_NONE;
    }
    reader->constant_bytes += (int64_t)out.len;
    if (reader->constant_bytes > PACKAGE_CONSTANT_TEXTS_BYTES_MAX) {
        return err_set(err, ERR_TOO_LARGE, "package_too_large",
                       "the texts with constants in them are larger than %lld MiB together",
                       (long long)(PACKAGE_CONSTANT_TEXTS_BYTES_MAX / MIB));
    }
    *text = arena_str(reader->arena, buf_str(&out));
    return true;
}

bool constants_put(struct package_reader *reader, const struct package_file *file,
                   struct blob_ref *ret_blob, struct err *err) {
    struct str text = STR("");
    bool any = false;
    own_buf out;
    buf_init(&out, PACKAGE_CONSTANT_TEXT_BYTES_MAX);
    if (reader->constants == NULL || file->bytes > PACKAGE_CONSTANT_TEXT_BYTES_MAX) {
        return content_put(reader, file, ret_blob, err);
    }
    own(arena) arena = arena_create(2 * (size_t)PACKAGE_CONSTANT_TEXT_BYTES_MAX);
    if (!package_tree_text(reader->tree, file, PACKAGE_CONSTANT_TEXT_BYTES_MAX, arena, &text,
                           err) ||
        !applied(reader, false, text, &out, &any, err)) {
        return err_wrap(err, STR_FMT, STR_ARG(file->name));
    }
    return any ? content_put_text(reader, buf_str(&out), false, ret_blob, err)
               : content_put(reader, file, ret_blob, err);
}
