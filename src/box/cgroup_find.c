/* Reading the kernel's two tables about cgroups. */
#include "box/cgroup_find.h"

#include "base/check.h"
#include <stdio.h>
#include <string.h>

static const char *const controllers[CGROUP_TREES] = {
    [CGROUP_UNIFIED] = "",
    [CGROUP_MEMORY] = "memory",
    [CGROUP_PIDS] = "pids",
    [CGROUP_CPUACCT] = "cpuacct",
};

/* One line of mountinfo: id parent device root mount options optional... - type source super */
struct mount_line {
    struct str root;
    struct str mount;
    struct str type;
    struct str super;
};

bool cgroup_has_word(struct str text, const char *word) {
    struct str next = STR("");
    while (str_next_word(&text, &next)) {
        if (str_eq_c(next, word)) {
            return true;
        }
    }
    return false;
}

static bool has_option(struct str options, const char *name) {
    struct str head = STR("");
    bool more = true;
    while (more) {
        more = str_cut(options, ',', &head, &options);
        if (str_eq_c(head, name)) {
            return true;
        }
    }
    return false;
}

bool cgroup_key(struct str text, const char *key, int64_t *ret_value) {
    struct str line = STR("");
    while (str_next_line(&text, &line)) {
        struct str name = STR("");
        struct str value = STR("");
        struct err err = {0};
        if (str_cut(line, ' ', &name, &value) && str_eq_c(name, key)) {
            return str_to_i64(str_trim(value), 0, INT64_MAX, ret_value, &err);
        }
    }
    return false;
}

static bool read_mount(struct str line, struct mount_line *ret_line) {
    struct str word = STR("");
    for (int i = 0; i < 5; i++) {
        if (!str_next_word(&line, &word)) {
            return false;
        }
        ret_line->root = i == 3 ? word : ret_line->root;
        ret_line->mount = word;
    }
    while (str_next_word(&line, &word) && !str_eq_c(word, "-")) {
    }
    struct str source = STR("");
    return str_next_word(&line, &ret_line->type) && str_next_word(&line, &source) &&
           str_next_word(&line, &ret_line->super);
}

static bool tree_of_mount(const struct mount_line *line, enum cgroup_tree *ret_tree) {
    if (str_eq_c(line->type, "cgroup2")) {
        *ret_tree = CGROUP_UNIFIED;
        return true;
    }
    for (int tree = CGROUP_MEMORY; tree < CGROUP_TREES; tree++) {
        if (str_eq_c(line->type, "cgroup") && has_option(line->super, controllers[tree])) {
            *ret_tree = (enum cgroup_tree)tree;
            return true;
        }
    }
    return false;
}

/* The own path in one tree, from a line "<number>:<controllers>:<path>". */
static bool own_path(struct str self, enum cgroup_tree tree, struct str *ret_path) {
    struct str line = STR("");
    while (str_next_line(&self, &line)) {
        struct str number = STR("");
        struct str names = STR("");
        struct str rest = STR("");
        if (!str_cut(line, ':', &number, &rest) || !str_cut(rest, ':', &names, ret_path)) {
            continue;
        }
        bool unified = tree == CGROUP_UNIFIED;
        if (unified ? str_eq_c(number, "0") && names.len == 0
                    : has_option(names, controllers[tree])) {
            return true;
        }
    }
    return false;
}

/* The own path as seen below a mount that shows the tree from `root` on. A group outside of what
 * the mount shows (a container's view) counts as its top. */
static struct str below_root(struct str path, struct str root) {
    if (str_eq_c(root, "/")) {
        return str_eq_c(path, "/") || str_starts(path, STR("/..")) ? STR("") : path;
    }
    if (str_starts(path, root) && path.len > root.len && path.ptr[root.len] == '/') {
        return str_sub(path, root.len, path.len);
    }
    return STR("");
}

void cgroup_find(struct str mountinfo, struct str self, struct cgroup_place *ret_places) {
    memset(ret_places, 0, sizeof(*ret_places) * CGROUP_TREES);
    struct str text = STR("");
    while (str_next_line(&mountinfo, &text)) {
        struct mount_line line = {0};
        enum cgroup_tree tree = CGROUP_UNIFIED;
        struct str own = STR("");
        if (!read_mount(text, &line) || !tree_of_mount(&line, &tree) || ret_places[tree].found ||
            !own_path(self, tree, &own)) {
            continue;
        }
        struct cgroup_place *place = &ret_places[tree];
        struct str below = below_root(own, line.root);
        struct err err = {0};
        place->found = str_to_c(line.mount, place->mount, sizeof(place->mount), &err) &&
                       str_to_c(below, place->own, sizeof(place->own), &err);
    }
}
