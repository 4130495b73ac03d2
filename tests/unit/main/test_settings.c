/* Settings as a command reads them: which place wins, and what is said when they are wrong. */
#include "capture.h"
#include "main/settings.h"

#include <stdlib.h>

static struct capture capture;
static char folder[64];
static char file[128];

static struct config *server_config(void) {
    struct config *config = config_create();
    config_add(config, "General", settings_common);
    config_add(config, "Server", settings_server);
    config_add(config, "Dispatch", settings_dispatch);
    return config;
}

/* Reads with the words of `line` as arguments. */
static enum settings_answer read_line(struct config *config, const char *line) {
    char words[512];
    char *args[80];
    int count = 0;
    (void)snprintf(words, sizeof words, "%s", line);
    for (char *at = words; *at != '\0'; at++) {
        if (*at != ' ' && (at == words || at[-1] == '\0')) {
            args[count++] = at;
        }
        *at = *at == ' ' ? '\0' : *at;
    }
    capture_begin(&capture);
    enum settings_answer answer = settings_read(config, "assize server [...]", count, args);
    capture_end(&capture);
    return answer;
}

static void write_file(const char *text) {
    struct err err = {0};
    assert_true(file_save_atomic(file, str_from(text), 0600, &err));
}

static void a_flag_beats_the_environment_beats_the_file_beats_the_default(void **state) {
    (void)state;
    char line[256];
    own(config) config = server_config();
    write_file("server.threads = 2\nserver.listen = 127.0.0.1:1\ndata = /from/file\n");
    assert_int_equal(setenv("ASSIZE_SERVER_LISTEN", "127.0.0.1:2", 1), 0);
    assert_int_equal(setenv("ASSIZE_DATA", "/from/environment", 1), 0);
    (void)snprintf(line, sizeof line, "--data=/from/flag --config %s", file);

    enum settings_answer answer = read_line(config, line);

    (void)unsetenv("ASSIZE_SERVER_LISTEN");
    (void)unsetenv("ASSIZE_DATA");
    assert_int_equal(answer, SETTINGS_GO);
    assert_string_equal(config_text(config, "data"), "/from/flag");
    assert_string_equal(config_text(config, "server.listen"), "127.0.0.1:2");
    assert_int_equal(config_i64(config, "server.threads"), 2);
    assert_string_equal(config_text(config, "languages"), "languages");
}

static void names_of_the_environment_that_people_know_are_read(void **state) {
    (void)state;
    static const struct {
        const char *name, *value, *setting;
    } rows[] = {{"JUDGE_POOL", "java", "judge.pool"},
                {"JUDGE_CONTROL_URL", "https://judge.example", "judge.control_url"},
                {"JUDGE_NAME", "node-7", "judge.name"},
                {"JUDGE_WORKSPACE", "/work", "judge.workspace"},
                {"JUDGE_CREDENTIAL_FILE", "/etc/c", "judge.credential_file"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        own(config) config = config_create();
        config_add(config, "General", settings_common);
        config_add(config, "Node", settings_node);
        assert_int_equal(setenv(rows[i].name, rows[i].value, 1), 0);

        enum settings_answer answer = read_line(config, "");

        (void)unsetenv(rows[i].name);
        assert_int_equal(answer, SETTINGS_GO);
        assert_string_equal(config_text(config, rows[i].setting), rows[i].value);
    }
}

static void help_shows_every_flag_and_does_nothing_else(void **state) {
    (void)state;
    own(config) config = server_config();

    assert_int_equal(read_line(config, "--nonsense --help"), SETTINGS_HELP_SHOWN);

    capture_said(&capture, "usage: assize server [...]");
    capture_said(&capture, "--listen");
    capture_said(&capture, "--lease");
    capture_said(&capture, "--config FILE");
}

static void what_is_wrong_is_named(void **state) {
    (void)state;
    static const struct {
        const char *line, *says;
    } rows[] = {
        {"--lisen x", "--listen"},     /* the nearest name */
        {"--threads 65", "64"},        /* the limit */
        {"--lease soon", "lease"},     /* not a duration */
        {"--log-level loud", "debug"}, /* the choices */
        {"extra", "unknown argument \"extra\""},
        {"--config", "--config needs a file"},
        {"--config /no/such/file", "/no/such/file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        own(config) config = server_config();
        if (read_line(config, rows[i].line) != SETTINGS_BAD) {
            fail_msg("%s was taken", rows[i].line);
        }
        capture_said(&capture, rows[i].says);
    }
}

static void a_file_with_an_unknown_setting_is_refused_by_line_and_name(void **state) {
    (void)state;
    char line[256];
    own(config) config = server_config();
    write_file("data = /x\nserver.lisen = :1\n");
    (void)snprintf(line, sizeof line, "--config=%s", file);

    assert_int_equal(read_line(config, line), SETTINGS_BAD);

    capture_said(&capture, "2");
    capture_said(&capture, "server.lisen");
    capture_said(&capture, "server.listen");
}

static void too_many_arguments_are_refused(void **state) {
    (void)state;
    char line[512] = "";
    own(config) config = server_config();
    for (int i = 0; i < 65; i++) {
        (void)snprintf(line + strlen(line), sizeof line - strlen(line), "a%s", i < 64 ? " " : "");
    }

    assert_int_equal(read_line(config, line), SETTINGS_BAD);
}

static void printing_the_settings_masks_secrets(void **state) {
    (void)state;
    own(config) config = config_create();
    config_add(config, "General", settings_common);
    config_add(config, "Node", settings_node);

    assert_int_equal(read_line(config, "--print-config --join-code open-sesame --pool cpp"),
                     SETTINGS_HELP_SHOWN);

    capture_said(&capture, "judge.pool");
    capture_said(&capture, "cpp");
    assert_null(strstr(capture.text, "open-sesame"));
}

static void a_lease_is_renewed_at_least_four_times(void **state) {
    (void)state;
    struct app_settings settings;
    own(config) config = server_config();
    assert_int_equal(read_line(config, "--lease 8s --renew 7s --attempts 5 --heartbeat 1s"),
                     SETTINGS_GO);

    settings_fill_app(config, &settings);

    assert_int_equal(settings.lease_ms, 8000);
    assert_int_equal(settings.renew_ms, 2000);
    assert_int_equal(settings.attempts_max, 5);
    assert_int_equal(settings.heartbeat_ms, 1000);
    assert_int_equal(settings.offline_ms, 30000);
    assert_int_equal(settings.reap_ms, 2000);
    assert_false(settings.password_hash_fast);
}

static int set_up(void **state) {
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/assize-settings-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    (void)snprintf(file, sizeof file, "%s/assize.conf", folder);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    struct err err = {0};
    return file_remove_tree(folder, &err) ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flag_beats_the_environment_beats_the_file_beats_the_default),
        cmocka_unit_test(names_of_the_environment_that_people_know_are_read),
        cmocka_unit_test(help_shows_every_flag_and_does_nothing_else),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(a_file_with_an_unknown_setting_is_refused_by_line_and_name),
        cmocka_unit_test(too_many_arguments_are_refused),
        cmocka_unit_test(printing_the_settings_masks_secrets),
        cmocka_unit_test(a_lease_is_renewed_at_least_four_times),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
