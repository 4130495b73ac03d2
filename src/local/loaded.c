/* Reading a package for judging it here. */
#include "local/loaded.h"

#include "base/limits.h"
#include "local/terminal.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

bool loaded_open(struct loaded *loaded, const char *path, struct err *err) {
    char real[PATH_MAX];
    const char *shown = realpath(path, real);
    loaded->arena = arena_create(PACKAGE_ARENA_BYTES);
    struct package_options options = {
        .file_name = arena_str(loaded->arena, str_from(shown == NULL ? path : shown)),
        .put = blob_map_put};
    if (!blob_map_create(&loaded->blobs, err)) {
        return false;
    }
    options.context = loaded->blobs;
    return package_tree_open(path, &loaded->tree, err) &&
           package_read(loaded->tree, &options, loaded->arena, &loaded->problem, &loaded->report,
                        err);
}

void loaded_done(struct loaded *loaded) {
    if (loaded == NULL) {
        return;
    }
    package_tree_close(loaded->tree);
    blob_map_free(loaded->blobs);
    arena_free(loaded->arena);
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
