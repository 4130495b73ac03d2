/* Compiled checkers on disk. */
#include "base/file.h"
#include "judge/checker_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct disk {
    char folder[64];
    struct arena *arena;
    struct digest key;
    char list[256]; /* path of the program's list */
    char first[256];
};

static int make_disk(void **state) {
    struct disk *disk = calloc(1, sizeof *disk);
    char hex[DIGEST_HEX_BYTES];
    (void)snprintf(disk->folder, sizeof disk->folder, "/tmp/assize-checker-XXXXXX");
    disk->arena = arena_create(1 * MIB);
    disk->key = digest_of(STR("key"));
    *state = disk;
    if (mkdtemp(disk->folder) == NULL) {
        return -1;
    }
    digest_hex(&disk->key, hex);
    (void)snprintf(disk->list, sizeof disk->list, "%s/%s.list", disk->folder, hex);
    (void)snprintf(disk->first, sizeof disk->first, "%s/%s.0", disk->folder, hex);
    return 0;
}

static int remove_disk(void **state) {
    struct disk *disk = *state;
    struct err err = {0};
    bool good = file_remove_tree(disk->folder, &err);
    arena_free(disk->arena);
    free(disk);
    return good ? 0 : -1;
}

static void save(struct disk *disk) {
    struct program program = {.entry = "main.py"};
    struct err err = {0};
    assert_true(fileset_add_text(&program.files, disk->arena, STR("main"),
                                 STR("\x7f"
                                     "ELF\0x"),
                                 (struct fileset_options){.executable = true}, &err));
    assert_true(fileset_add_text(&program.files, disk->arena, STR("sub/data"), STR("text"),
                                 (struct fileset_options){.executable = false}, &err));
    assert_true(checker_save(disk->folder, &disk->key, &program, &err));
    fileset_done(&program.files);
}

static bool load(struct disk *disk, struct program *program, struct err *err) {
    *program = (struct program){.entry = NULL};
    return checker_load(disk->folder, &disk->key, disk->arena, program, err);
}

static void what_was_saved_comes_back(void **state) {
    struct disk *disk = *state;
    struct program program = {.entry = NULL};
    struct err err = {0};
    char content[8] = "";
    save(disk);

    assert_true(load(disk, &program, &err));

    assert_string_equal(program.entry, "main.py");
    assert_int_equal(program.files.count, 2);
    assert_string_equal(program.files.files[0].name, "main");
    assert_true(program.files.files[0].executable);
    assert_int_equal(pread(program.files.files[0].fd, content, sizeof content, 0), 6);
    assert_memory_equal(content,
                        "\x7f"
                        "ELF\0x",
                        6);
    assert_string_equal(program.files.files[1].name, "sub/data");
    assert_false(program.files.files[1].executable);
    fileset_done(&program.files);
}

static void a_changed_cut_or_missing_file_is_no_checker(void **state) {
    struct disk *disk = *state;
    struct program program = {.entry = NULL};
    struct err err = {0};
    assert_false(load(disk, &program, &err)); /* nothing there */
    save(disk);

    assert_true(file_save_atomic(disk->first,
                                 STR("\x7f"
                                     "ELF\0y"),
                                 0600, &err));
    assert_false(load(disk, &program, &err));
    assert_int_equal(err.kind, ERR_MISSING);
    assert_int_equal(truncate(disk->first, 2), 0);
    assert_false(load(disk, &program, &err));
    assert_int_equal(unlink(disk->first), 0);
    assert_false(load(disk, &program, &err));
    assert_int_equal(program.files.count, 0); /* nothing is held */
}

static void a_broken_list_is_no_checker(void **state) {
    struct disk *disk = *state;
    static const char *const lists[] = {
        "",           "entry x\n", "entry x\nnonsense\n", "entry x\n0 x main\n", "something else\n",
        "entry x\n\n"};
    save(disk);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct program program = {.entry = NULL};
        struct err err = {0};
        assert_true(file_save_atomic(disk->list, str_from(lists[i]), 0600, &err));

        if (load(disk, &program, &err)) {
            fail_msg("list %zu was believed", i);
        }
    }
}

static void a_folder_that_cannot_be_written_is_an_error(void **state) {
    struct disk *disk = *state;
    struct program program = {.entry = ""};
    struct err err = {0};
    assert_true(fileset_add_text(&program.files, disk->arena, STR("main"), STR("x"),
                                 (struct fileset_options){.executable = true}, &err));

    assert_false(checker_save("/nonexistent/folder", &disk->key, &program, &err));

    assert_true(strlen(err.text) > 0);
    fileset_done(&program.files);
}

#define DISK_TEST(name) cmocka_unit_test_setup_teardown(name, make_disk, remove_disk)

int main(void) {
    const struct CMUnitTest tests[] = {
        DISK_TEST(what_was_saved_comes_back),
        DISK_TEST(a_changed_cut_or_missing_file_is_no_checker),
        DISK_TEST(a_broken_list_is_no_checker),
        DISK_TEST(a_folder_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
