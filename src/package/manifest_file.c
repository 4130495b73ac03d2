/* assize.manifest in an exported package: the manifest's canonical text, for what the ICPC form
 * cannot say (other checkers, exact points, limits of single cases). It counts only while every
 * file it names is in the package, by digest; once somebody changes one, the package is read as
 * what it is. */
#include "base/check.h"
#include "data/digest.h"
#include "package/reader_internal.h"
#include <stdlib.h>
#include <string.h>

struct digests {
    struct digest *items;
    size_t count;
    bool missing;
};

static int compare(const void *a, const void *b) {
    return memcmp(a, b, sizeof(struct digest));
}

static void look_up(void *context, const struct blob_ref *blob) {
    struct digests *all = context;
    struct digest key;
    memcpy(key.bytes, blob->sha256, sizeof(key.bytes));
    all->missing =
        all->missing || bsearch(&key, all->items, all->count, sizeof(key), compare) == NULL;
}

/* Every file of the package as it is. */
static bool gather(struct package_reader *reader, struct digests *all, struct err *err) {
    all->items =
        arena_array(reader->arena, package_tree_count(reader->tree), sizeof(all->items[0]));
    for (size_t i = 0; i < package_tree_count(reader->tree); i++) {
        struct blob_ref blob;
        if (!content_put(reader, package_tree_at(reader->tree, i), &blob, err)) {
            return false;
        }
        memcpy(all->items[all->count++].bytes, blob.sha256, sizeof(blob.sha256));
    }
    qsort(all->items, all->count, sizeof(all->items[0]), compare);
    return true;
}

bool manifest_file_read(struct package_reader *reader, struct err *err) {
    const struct package_file *file = package_tree_find(reader->tree, MANIFEST_FILE);
    struct str text = STR("");
    struct manifest manifest;
    struct digests all = {.count = 0};
    struct err ignored = {0};
    if (file == NULL) {
        return true;
    }
    if (!package_tree_text(reader->tree, file, MANIFEST_BYTES_MAX, reader->arena, &text, err)) {
        return false;
    }
    if (!manifest_read(text, reader->arena, &manifest, &ignored)) {
        note_warning(reader, MANIFEST_FILE, 0, "it is not understood and not used");
        return true;
    }
    if (!gather(reader, &all, err)) {
        return false;
    }
    manifest_each_blob(&manifest, look_up, &all);
    if (all.missing) {
        note_warning(reader, MANIFEST_FILE, 0,
                     "files were changed since it was written: not used, delete it");
        return true;
    }
    note_read(reader, MANIFEST_FILE);
    reader->problem.manifest = manifest;
    reader->exact_manifest = true;
    return true;
}
