/* A compiler that waits in the box: it compiles one submission and is another one then, says what
 * the usual way would say, and its end, at whatever moment, is nobody's trouble. */
#include "world.h"

#include "base/thread.h"
#include "judge/work.h"

#include <stdatomic.h>

#define KEEPER_SLOT 1
#define SUM                                                                                        \
    "import java.util.Scanner;\npublic class Main {\n  public static void main(String[] a) {\n"    \
    "    Scanner in = new Scanner(System.in);\n"                                                   \
    "    System.out.println(in.nextInt() + in.nextInt());\n  }\n}\n"
#define WRONG "public class Main {\n  int x = \"text\";\n}\n"

static struct keeper {
    pthread_t thread;
    atomic_bool stop;
    atomic_bool ended;
    struct err err;
    bool answer;
} keeper;

static bool go_on(void *context, const struct judge_progress *progress) {
    const struct keeper *one = context;
    (void)progress;
    return !atomic_load(&one->stop);
}

static void *keep(void *argument) {
    struct keeper *one = argument;
    const struct language *java = language_find(world.languages, STR("java"));
    one->answer = judge_keep_standby(world.judge, KEEPER_SLOT, java, go_on, one, &one->err);
    atomic_store(&one->ended, true);
    return NULL;
}

static int64_t taken(void) {
    mutex_lock(&world.judge->mutex);
    int64_t count = world.judge->standby.taken;
    mutex_unlock(&world.judge->mutex);
    return count;
}

static bool is_ready(void) {
    mutex_lock(&world.judge->mutex);
    bool ready = world.judge->standby.state == STANDBY_READY;
    mutex_unlock(&world.judge->mutex);
    return ready;
}

static void wait_ready(void) {
    for (int i = 0; i < 2400 && !is_ready() && !atomic_load(&keeper.ended); i++) {
        clock_sleep_ms(&clock_real, 50);
    }
    if (!is_ready()) {
        fail_msg("%s", keeper.err.text);
    }
}

static int begin(void **state) {
    (void)state;
    keeper.err = (struct err){0};
    atomic_store(&keeper.stop, false);
    atomic_store(&keeper.ended, false);
    world.judge->standby.taken = 0;
    keeper.thread = thread_start("keeper", keep, &keeper);
    wait_ready();
    return 0;
}

static int finish(void **state) {
    (void)state;
    atomic_store(&keeper.stop, true);
    thread_join(keeper.thread);
    return world.judge->standby.state == STANDBY_NONE ? 0 : -1;
}

static struct outcome_of_test judge_java(struct problem *problem, struct arena *arena,
                                         const char *text) {
    begin_sum(problem);
    return judge_text(problem, arena, "java", text);
}

static void each_submission_has_a_compiler_of_its_own(void **state) {
    (void)state;
    own(arena) arena = arena_create(16 * MIB);
    struct problem problem;
    uint32_t first = world.judge->standby.run;

    struct outcome_of_test outcome = judge_java(&problem, arena, SUM);

    assert_true(outcome.judged);
    assert_int_equal(outcome.judgement.verdict, VERDICT_ACCEPTED);
    assert_int_equal(taken(), 1);
    wait_ready();
    assert_int_not_equal(world.judge->standby.run, first);
    outcome = judge_java(&problem, arena, SUM "// once more\n");
    assert_int_equal(outcome.judgement.verdict, VERDICT_ACCEPTED);
    assert_int_equal(taken(), 2);
}

static void it_says_what_a_new_compiler_says(void **state) {
    (void)state;
    own(arena) arena = arena_create(16 * MIB);
    struct problem problem;

    struct outcome_of_test waiting = judge_java(&problem, arena, WRONG);
    assert_int_equal(taken(), 1);
    atomic_store(&keeper.stop, true);
    thread_join(keeper.thread);
    struct outcome_of_test usual = judge_java(&problem, arena, WRONG);
    assert_int_equal(taken(), 1);
    (void)begin(NULL);

    assert_int_equal(waiting.judgement.verdict, VERDICT_COMPILE_ERROR);
    assert_int_equal(usual.judgement.verdict, VERDICT_COMPILE_ERROR);
    assert_non_null(memmem(usual.judgement.compile.log.ptr, usual.judgement.compile.log.len,
                           "incompatible types", strlen("incompatible types")));
    assert_true(str_eq(waiting.judgement.compile.log, usual.judgement.compile.log));
}

static void several_files_are_compiled_together(void **state) {
    (void)state;
    own(arena) arena = arena_create(16 * MIB);
    struct problem problem;
    const struct judge_source sources[] = {
        {STR("Help.java"),
         STR("class Help {\n  static int add(int a, int b) { return a + b; }\n}\n")},
        {STR("Main.java"), STR("import java.util.Scanner;\npublic class Main {\n"
                               "  public static void main(String[] a) {\n"
                               "    Scanner in = new Scanner(System.in);\n"
                               "    System.out.println(Help.add(in.nextInt(), in.nextInt()));\n"
                               "  }\n}\n")},
    };
    begin_sum(&problem);

    struct outcome_of_test outcome = judge_sources(&problem, 0, arena, "java", sources, 2);

    assert_int_equal(outcome.judgement.verdict, VERDICT_ACCEPTED);
    assert_int_equal(taken(), 1);
}

static void other_limits_and_languages_leave_it_alone(void **state) {
    (void)state;
    own(arena) arena = arena_create(16 * MIB);
    struct problem problem;
    begin_sum(&problem);
    problem.manifest.limits.compile_time_ms += 1000;

    struct outcome_of_test outcome = judge_text(&problem, arena, "java", SUM "// other limits\n");

    assert_int_equal(outcome.judgement.verdict, VERDICT_ACCEPTED);
    begin_sum(&problem);
    outcome = judge_text(&problem, arena, "c",
                         "#include <stdio.h>\nint main(void) { int a, b; scanf(\"%d %d\", &a, &b);"
                         " printf(\"%d\\n\", a + b); }\n");
    assert_int_equal(outcome.judgement.verdict, VERDICT_ACCEPTED);
    assert_int_equal(taken(), 0);
    assert_true(is_ready());
}

static void one_that_was_killed_is_nobodys_trouble(void **state) {
    (void)state;
    own(arena) arena = arena_create(16 * MIB);
    struct problem problem;
    struct err err = {0};
    mutex_lock(&world.judge->mutex); /* the keeper does not see it meanwhile */
    assert_true(box_kill(world.box, KEEPER_SLOT, world.judge->standby.run, &err));
    clock_sleep_ms(&clock_real, 50);
    mutex_unlock(&world.judge->mutex);

    struct outcome_of_test outcome = judge_java(&problem, arena, SUM "// after a kill\n");

    assert_int_equal(outcome.judgement.verdict, VERDICT_ACCEPTED);
    assert_int_equal(taken(), 0);
}

static void its_end_is_noticed(void **state) {
    (void)state;
    struct err err = {0};
    assert_true(box_kill(world.box, KEEPER_SLOT, world.judge->standby.run, &err));

    thread_join(keeper.thread);

    assert_false(keeper.answer);
    assert_string_equal(keeper.err.code, "standby_failed");
    assert_int_equal(world.judge->standby.state, STANDBY_NONE);
    (void)begin(NULL);
}

#define STANDBY_TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void) {
    if (geteuid() != 0) {
        (void)fprintf(stderr, "skipped: the box needs root\n");
        return 77;
    }
    if (access("/usr/lib/jvm/java-17-openjdk-amd64/bin/javac", X_OK) != 0) {
        (void)fprintf(stderr, "skipped: Java is not installed\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        STANDBY_TEST(each_submission_has_a_compiler_of_its_own),
        STANDBY_TEST(it_says_what_a_new_compiler_says),
        STANDBY_TEST(several_files_are_compiled_together),
        STANDBY_TEST(other_limits_and_languages_leave_it_alone),
        STANDBY_TEST(one_that_was_killed_is_nobodys_trouble),
        STANDBY_TEST(its_end_is_noticed),
    };
    if (getenv("ONLY") != NULL) {
        cmocka_set_test_filter(getenv("ONLY"));
    }
    return cmocka_run_group_tests(tests, open_world, close_world);
}
