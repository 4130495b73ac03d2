/* Runs a fuzz target over the files of its corpus, as an ordinary test under any compiler. Every
 * crash that was fixed stays in the corpus. usage: fuzz_x FOLDER */
#include "base/buf.h"
#include "base/file.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUT_BYTES_MAX (16 * 1024 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static bool run_input(const char *folder, const char *name, struct err *err) {
    char path[4096];
    if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path)) {
        return err_set(err, ERR_TOO_LARGE, "long_path", "%s is too long", name);
    }
    own_buf content = {0};
    buf_init(&content, INPUT_BYTES_MAX);
    if (!file_load(path, INPUT_BYTES_MAX, &content, err)) {
        return false;
    }
    /* Named first: when it crashes, the last line says which input. A copy of the exact size lets
     * the sanitizers see a read of one byte too many. */
    fprintf(stderr, "%s\n", path);
    struct str text = buf_str(&content);
    own_text copy = malloc(text.len > 0 ? text.len : 1);
    if (copy == NULL) {
        return err_set(err, ERR_SYSTEM, "no_memory", "no memory for %s", name);
    }
    if (text.len > 0) {
        memcpy(copy, text.ptr, text.len);
    }
    LLVMFuzzerTestOneInput((const uint8_t *)copy, text.len);
    return true;
}

static int is_input(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    struct dirent **entries = NULL;
    int count = scandir(argv[1], &entries, is_input, alphasort);
    if (count <= 0) {
        fprintf(stderr, "%s has no inputs: a corpus needs at least one\n", argv[1]);
        return 1;
    }
    int failed = 0;
    for (int i = 0; i < count; i++) {
        struct err err = {0};
        if (!run_input(argv[1], entries[i]->d_name, &err)) {
            fprintf(stderr, "%s\n", err.text);
            failed++;
        }
        free(entries[i]);
    }
    free(entries);
    printf("%d passed, %d failed\n", count - failed, failed);
    return failed > 0;
}
