/* Reading a package for judging it here. */
#include "local/loaded.h"

#include "base/limits.h"
#include "local/terminal.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define LIST_ARENA_BYTES ((size_t)4 * MIB)

bool loaded_find(struct loaded *loaded, const char *path, struct err *err) {
    char real[PATH_MAX];
    const char *shown = realpath(path, real);
    loaded->list_arena = arena_create(LIST_ARENA_BYTES);
    loaded->file_name = arena_str(loaded->list_arena, str_from(shown == NULL ? path : shown));
    return package_tree_open(path, &loaded->tree, err) &&
           package_list(loaded->tree, loaded->list_arena, &loaded->list, err);
}

bool loaded_read(struct loaded *loaded, int32_t index, struct err *err) {
    blob_map_free(loaded->blobs);
    arena_free(loaded->arena);
    loaded->blobs = NULL;
    loaded->arena = arena_create(PACKAGE_ARENA_BYTES);
    if (!blob_map_create(&loaded->blobs, err)) {
        return false;
    }
    const struct package_options options = {.list = &loaded->list,
                                            .index = index,
                                            .file_name = loaded->file_name,
                                            .recipes = true,
                                            .put = blob_map_put,
                                            .context = loaded->blobs};
    return package_read(loaded->tree, &options, loaded->arena, &loaded->problem, &loaded->report,
                        err);
}

bool loaded_open(struct loaded *loaded, const char *path, struct err *err) {
    if (!loaded_find(loaded, path, err)) {
        return false;
    }
    if (loaded->list.count > 1) {
        return err_set(err, ERR_INVALID, "bad_package",
                       "%s holds %d problems: name a package of one", path, loaded->list.count);
    }
    return loaded_read(loaded, 0, err);
}

void loaded_done(struct loaded *loaded) {
    if (loaded == NULL) {
        return;
    }
    package_tree_close(loaded->tree);
    blob_map_free(loaded->blobs);
    arena_free(loaded->arena);
    arena_free(loaded->list_arena);
    *loaded = (struct loaded){.arena = NULL};
}

static void print_notes(const char *kind, const struct package_notes *notes) {
    for (int32_t i = 0; i < notes->count; i++) {
        const struct package_note *note = &notes->items[i];
        (void)fprintf(stderr, "%s: ", kind);
        terminal_print(stderr, note->file);
        if (note->line > 0) {
            (void)fprintf(stderr, ":%d", note->line);
        }
        (void)fprintf(stderr, "%s", note->file.len > 0 ? ": " : "");
        terminal_print(stderr, note->text);
        (void)fputc('\n', stderr);
    }
}

void loaded_print_notes(const struct loaded *loaded, bool all) {
    print_notes("guessed", &loaded->report.guessed);
    print_notes("warning", &loaded->report.warnings);
    if (all) {
        print_notes("dropped", &loaded->report.dropped);
    }
}
