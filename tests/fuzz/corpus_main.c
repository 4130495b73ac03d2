/* Runs a fuzz target over the files of its corpus and over a few fixed variations of each, as an
 * ordinary test under any compiler. Every crash that was fixed stays in the corpus.
 * usage: fuzz_x FOLDER */
#include "base/buf.h"
#include "base/check.h"
#include "base/file.h"
#include "base/random.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUT_BYTES_MAX (16 * 1024 * 1024)
#define VARIATIONS 50
#define VARIED_BYTES_MAX (64 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* A copy of the exact size lets the sanitizers see a read of one byte too many. */
static void run_bytes(struct str text) {
    char *copy = malloc(text.len > 0 ? text.len : 1);
    CHECK(copy != NULL);
    if (text.len > 0) {
        memcpy(copy, text.ptr, text.len);
    }
    LLVMFuzzerTestOneInput((const uint8_t *)copy, text.len);
    free(copy);
}

/* One small damage: a byte changed, a part left out, or a part said twice. */
static void vary(const struct random *random, struct str text, struct buf *out) {
    int64_t len = (int64_t)text.len;
    size_t from = (size_t)random_below(random, len);
    size_t part = (size_t)random_below(random, len - (int64_t)from) + 1;
    int64_t kind = random_below(random, 3);
    buf_append(out, str_sub(text, 0, from));
    if (kind == 0) {
        buf_append_char(out, (char)random_below(random, 256));
        part = 1;
    } else if (kind == 1) {
        buf_append(out, str_sub(text, from, part));
        part = 0;
    }
    buf_append(out, str_sub(text, from + part, text.len));
}

/* The same ones at each run, so that a failure comes back. */
static void run_variations(const char *path, struct str text) {
    struct random_seeded seeded;
    random_seeded_init(&seeded, text.len);
    for (int i = 0; i < VARIATIONS && text.len > 0 && text.len <= VARIED_BYTES_MAX; i++) {
        own_buf varied = {0};
        buf_init(&varied, INPUT_BYTES_MAX);
        vary(&seeded.random, text, &varied);
        fprintf(stderr, "%s, variation %d\n", path, i);
        run_bytes(buf_str(&varied));
    }
}

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
    fprintf(stderr, "%s\n", path); /* first: when it crashes, the last line says which input */
    run_bytes(buf_str(&content));
    run_variations(path, buf_str(&content));
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
