/* What is found again, what is not, and what is thrown out. */
#include "fake_problem.h"
#include "judge/compile_cache.h"

#define CACHE_BYTES 1000

struct ask {
    const char *language;
    const char *name;
    const char *text;
    const char *second_text; /* of a second file; NULL: none */
    const char *entry;
    int64_t time_ms;
};

static const struct ask usual = {
    .language = "cpp", .name = "main.cpp", .text = "cat", .entry = "", .time_ms = 5000};

static void compile(struct fake_world *world, const struct ask *ask, struct program *program,
                    struct compile_result *result) {
    own_fileset files = {.count = 0};
    struct err err = {0};
    if (world->judge->compiled == NULL) {
        world->judge->compiled = compile_cache_create(CACHE_BYTES);
    }
    assert_true(fileset_add_text(&files, world->arena, str_from(ask->name), str_from(ask->text),
                                 (struct fileset_options){.executable = false}, &err));
    if (ask->second_text != NULL) {
        assert_true(fileset_add_text(&files, world->arena, STR("two.h"), str_from(ask->second_text),
                                     (struct fileset_options){.executable = false}, &err));
    }
    struct compile_job job = {.language = fake_language(world, ask->language),
                              .files = &files,
                              .entry = str_from(ask->entry),
                              .time_ms = ask->time_ms,
                              .memory_kib = 300 * KIB};
    fake.open_slots = 1;
    if (!compile_cached(&world->work, &job, world->arena, program, result, &err)) {
        fail_msg("%s", err.text);
    }
}

/* Compiles and forgets; tells how often the compiler ran meanwhile. */
static int compiles(struct fake_world *world, const struct ask *ask) {
    own_program program = {.entry = ""};
    struct compile_result result = {.ok = false};
    int before = fake.compiles;
    compile(world, ask, &program, &result);
    return fake.compiles - before;
}

static void the_same_source_is_compiled_once(void **state) {
    struct fake_world *world = *state;
    own_program first = {.entry = ""};
    own_program second = {.entry = ""};
    struct compile_result results[2] = {{.ok = false}, {.ok = false}};
    char text[4096];

    compile(world, &usual, &first, &results[0]);
    compile(world, &usual, &second, &results[1]);

    assert_int_equal(fake.compiles, 1);
    assert_true(results[1].ran && results[1].ok);
    assert_int_equal(results[1].cpu_ms, results[0].cpu_ms);
    assert_int_equal(second.files.count, 1);
    assert_string_equal(second.files.files[0].name, "main");
    assert_true(second.files.files[0].executable);
    assert_string_equal(second.entry, first.entry);
    assert_ptr_equal(second.language, first.language);
    fake_read(second.files.files[0].fd, text);
    assert_string_equal(text, "cat");
}

static void what_was_found_stays_when_the_cache_lets_go(void **state) {
    struct fake_world *world = *state;
    own_program program = {.entry = ""};
    struct compile_result result = {.ok = false};
    char text[4096];
    (void)compiles(world, &usual);
    compile(world, &usual, &program, &result);

    compile_cache_free(world->judge->compiled);
    world->judge->compiled = NULL;

    fake_read(program.files.files[0].fd, text);
    assert_string_equal(text, "cat");
}

static void anything_else_is_compiled_anew(void **state) {
    struct fake_world *world = *state;
    const struct ask others[] = {
        {"cpp", "main.cpp", "say 1", NULL, "", 5000},
        {"cpp", "other.cpp", "cat", NULL, "", 5000},
        {"cpp", "main.cpp", "cat", "x", "", 5000},
        {"cpp", "main.cpp", "cat", "y", "", 5000},
        {"cpp", "main.cpp", "cat", NULL, "", 5001},
        {"cpp17", "main.cpp", "cat", NULL, "", 5000},
        {"cpp", "main.cpp", "cat", NULL, "main.cpp", 5000},
    };
    assert_int_equal(compiles(world, &usual), 1);

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_int_equal(compiles(world, &others[i]), 1);
    }

    assert_int_equal(compiles(world, &usual), 0);
}

static void another_compiler_version_compiles_anew(void **state) {
    struct fake_world *world = *state;
    size_t place = 0;
    assert_int_equal(compiles(world, &usual), 1);
    place = judge_place_of(world->judge, fake_language(world, "cpp"));

    (void)snprintf(world->judge->toolchains[place].version, JUDGE_VERSION_BYTES_MAX, "g++ 99");

    assert_int_equal(compiles(world, &usual), 1);
    assert_int_equal(compiles(world, &usual), 0);
}

static void a_refusal_is_not_kept(void **state) {
    struct fake_world *world = *state;
    struct ask wrong = usual;
    wrong.text = "error";

    assert_int_equal(compiles(world, &wrong), 1);
    assert_int_equal(compiles(world, &wrong), 1);
    fake.override_end = BOX_END_CPU; /* the machine was slow */
    assert_int_equal(compiles(world, &usual), 1);
    assert_int_equal(compiles(world, &usual), 1);
}

static void a_checked_script_is_kept_as_it_is(void **state) {
    struct fake_world *world = *state;
    const struct ask script = {"python3", "main.py", "cat", NULL, "", 5000};
    own_program program = {.entry = ""};
    struct compile_result result = {.ok = false};
    assert_int_equal(compiles(world, &script), 1);

    compile(world, &script, &program, &result);

    assert_int_equal(fake.compiles, 1);
    assert_int_equal(program.files.count, 1);
    assert_string_equal(program.entry, "main.py");
}

static void the_oldest_is_thrown_out_for_want_of_room(void **state) {
    struct fake_world *world = *state;
    char texts[3][451];
    struct ask asks[3];
    for (int i = 0; i < 3; i++) { /* 450 bytes each: two fit */
        memset(texts[i], 'a' + i, 450);
        memcpy(texts[i], "cat ", 4);
        texts[i][450] = '\0';
        asks[i] = usual;
        asks[i].text = texts[i];
    }
    assert_int_equal(compiles(world, &asks[0]), 1);
    assert_int_equal(compiles(world, &asks[1]), 1);
    assert_int_equal(compiles(world, &asks[0]), 0); /* used again: the other is older now */

    assert_int_equal(compiles(world, &asks[2]), 1);

    assert_int_equal(compiles(world, &asks[0]), 0);
    assert_int_equal(compiles(world, &asks[1]), 1);
}

static void more_programs_than_places_are_no_trouble(void **state) {
    struct fake_world *world = *state;
    char text[32];
    struct ask ask = usual;
    ask.text = text;
    for (int i = 0; i < 600; i++) {
        (void)snprintf(text, sizeof text, "%d", i % 300);
        assert_int_equal(compiles(world, &ask), 1); /* each came round again too late */
    }
}

static void one_that_is_too_large_is_not_kept(void **state) {
    struct fake_world *world = *state;
    char text[CACHE_BYTES + 2];
    struct ask ask = usual;
    memset(text, 'a', sizeof text);
    text[CACHE_BYTES + 1] = '\0';
    ask.text = text;

    assert_int_equal(compiles(world, &usual), 1);
    assert_int_equal(compiles(world, &ask), 1);

    assert_int_equal(compiles(world, &ask), 1);
    assert_int_equal(compiles(world, &usual), 0);
}

static void without_room_there_is_no_cache(void **state) {
    (void)state;
    assert_null(compile_cache_create(0));
    compile_cache_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FAKE_TEST(the_same_source_is_compiled_once),
        FAKE_TEST(what_was_found_stays_when_the_cache_lets_go),
        FAKE_TEST(anything_else_is_compiled_anew),
        FAKE_TEST(another_compiler_version_compiles_anew),
        FAKE_TEST(a_refusal_is_not_kept),
        FAKE_TEST(a_checked_script_is_kept_as_it_is),
        FAKE_TEST(the_oldest_is_thrown_out_for_want_of_room),
        FAKE_TEST(more_programs_than_places_are_no_trouble),
        FAKE_TEST(one_that_is_too_large_is_not_kept),
        FAKE_TEST(without_room_there_is_no_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
