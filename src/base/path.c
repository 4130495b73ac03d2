/* Which names may be used below a folder of ours. */
#include "base/path.h"

#include "base/limits.h"

#define PART_BYTES_MAX 255

static bool is_clean(struct str path) {
    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.ptr[i];
        if (c < 0x20 || c == 0x7f || c == '\\') {
            return false;
        }
    }
    return str_is_utf8(path);
}

static bool is_part(struct str part) {
    return part.len > 0 && part.len <= PART_BYTES_MAX && !str_eq_c(part, ".") &&
           !str_eq_c(part, "..");
}

bool path_is_plain(struct str path) {
    if (path.len == 0 || path.len > PACKAGE_PATH_BYTES_MAX || !is_clean(path)) {
        return false;
    }
    bool more = true;
    for (int depth = 0; more; depth++) {
        struct str part = STR("");
        more = str_cut(path, '/', &part, &path);
        if (!is_part(part) || depth >= PACKAGE_DEPTH_MAX) {
            return false;
        }
    }
    return true;
}

bool path_is_name(struct str path) {
    struct str head = STR("");
    struct str tail = STR("");
    return !str_cut(path, '/', &head, &tail) && path_is_plain(path);
}

struct str path_base(struct str path) {
    struct str head = STR("");
    struct str tail = STR("");
    return str_cut_last(path, '/', &head, &tail) ? tail : path;
}

struct str path_extension(struct str path) {
    struct str base = path_base(path);
    struct str head = STR("");
    struct str tail = STR("");
    if (!str_cut_last(base, '.', &head, &tail) || head.len == 0) {
        return STR("");
    }
    return str_sub(base, head.len, base.len);
}
