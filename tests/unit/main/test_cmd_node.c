/* assize node: what it needs before it starts. */
#include "program.h"

static struct program program;

static void it_must_be_told_its_pool(void **state) {
    (void)state;

    assert_int_equal(PROGRAM_RUN(&program, "node"), 2);

    program_said(&program, "--pool");
    program_said(&program, "JUDGE_POOL");
}

static void the_environment_may_name_the_pool(void **state) {
    (void)state;
    static const char *const args[] = {"node", "--print-config", NULL};
    static const char *const env[] = {"JUDGE_POOL=python", "JUDGE_LOCAL_SLOTS=3",
                                      "JUDGE_JOIN_CODE=open-sesame", NULL};

    assert_int_equal(program_run(&program, args, env), 0);

    program_said(&program, "python");
    program_said(&program, "JUDGE_POOL");
    program_said(&program, "3");
    assert_null(strstr(program.out, "open-sesame"));
}

/* Each name by the environment, by its flag, and by a file; the first word of --print-config is the
 * setting, the last where it comes from. */
static const struct setting_row {
    const char *setting, *env, *flag, *value;
} settings[] = {
    {"judge.mode", "JUDGE_MODE", NULL, "pool"},
    {"judge.pool", "JUDGE_POOL", "--pool", "python"},
    {"judge.control_url", "JUDGE_CONTROL_URL", "--server", "https://judge.example.org"},
    {"judge.ca_file", "JUDGE_CA_FILE", "--ca-file", "/etc/ca.pem"},
    {"judge.credential_file", "JUDGE_CREDENTIAL_FILE", "--credential-file", "/var/lib/key"},
    {"judge.slots", "JUDGE_LOCAL_SLOTS", "--slots", "3"},
    {"judge.workspace", "JUDGE_WORKSPACE", "--workspace", "/var/lib/work"},
    {"judge.compile_time", "JUDGE_COMPILE_TIME", "--compile-time", "20s"},
    {"judge.compile_memory", "JUDGE_COMPILE_MEMORY", "--compile-memory", "512MiB"},
    {"judge.run_time", "JUDGE_RUN_TIME", "--run-time", "15s"},
    {"judge.run_memory", "JUDGE_RUN_MEMORY", "--run-memory", "300MiB"},
    {"judge.scratch", "JUDGE_SCRATCH", "--scratch", "400MiB"},
    {"judge.processes", "JUDGE_PROCESSES", "--processes", "77"},
};

static void shows(const struct setting_row *row, const char *const args[],
                  const char *const env[]) {
    char line[256];
    assert_int_equal(program_run(&program, args, env), 0);
    (void)snprintf(line, sizeof line, "%s = %s", row->setting, row->value);
    program_said(&program, line);
}

static void each_setting_has_its_three_ways(void **state) {
    (void)state;
    char folder[64];
    char text[512];
    char path[128];
    struct err err = {0};
    program_folder(folder, sizeof folder);
    (void)snprintf(path, sizeof path, "%s/node.conf", folder);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const struct setting_row *row = &settings[i];
        const char *const plain[] = {"node", "--print-config", NULL};
        const char *const flag[] = {"node", "--print-config", row->flag, row->value, NULL};
        const char *const file[] = {"node", "--print-config", "--config", path, NULL};
        (void)snprintf(text, sizeof text, "%s=%s", row->env, row->value);
        const char *const env[] = {text, NULL};
        shows(row, plain, env);
        if (row->flag != NULL) {
            shows(row, flag, NULL);
        }
        (void)snprintf(text, sizeof text, "%s = %s\n", row->setting, row->value);
        assert_true(file_save_atomic(path, str_from(text), 0600, &err));
        shows(row, file, NULL);
    }
    assert_true(file_remove_tree(folder, &err));
}

static void what_makes_no_sense_is_a_mistake(void **state) {
    (void)state;
    static const struct {
        const char *flag, *value, *says;
    } rows[] = {{"--slots", "-1", "slots"},
                {"--slots", "1000000", "slots"},
                {"--cache-size", "12", "cache"},
                {"--drain", "soon", "drain"},
                {"--scratch", "1MiB", "judge.scratch"},
                {"--run-memory", "900TiB", "run_memory"},
                {"--server-url", "x", "--server"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(
            PROGRAM_RUN(&program, "node", "--pool", "python", rows[i].flag, rows[i].value), 2);
        program_said(&program, rows[i].says);
    }
}

static void a_user_that_is_not_there_is_told(void **state) {
    (void)state;

    assert_int_equal(PROGRAM_RUN(&program, "node", "--pool", "python", "--user", "no-such-user"),
                     2);

    program_said(&program, "no-such-user");
}

static void without_language_specs_it_does_not_start(void **state) {
    (void)state;
    char folder[64];
    struct err err = {0};
    program_folder(folder, sizeof folder);

    int status = PROGRAM_RUN(&program, "node", "--pool", "python", "--data", folder,
                             "--languages-dir", "/no/such/folder");

    assert_int_equal(status, 3);
    assert_true(file_remove_tree(folder, &err));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_must_be_told_its_pool),
        cmocka_unit_test(the_environment_may_name_the_pool),
        cmocka_unit_test(each_setting_has_its_three_ways),
        cmocka_unit_test(what_makes_no_sense_is_a_mistake),
        cmocka_unit_test(a_user_that_is_not_there_is_told),
        cmocka_unit_test(without_language_specs_it_does_not_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
