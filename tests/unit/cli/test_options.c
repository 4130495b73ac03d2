/* --server, --user and the password, the same for each command. */
#include "canned_server.h"
#include "cli/options.h"

/* cli_read with what it prints captured. */
static int read_options(struct cli *cli, const struct config_row *extra, int count, char **args) {
    capture_begin(&canned.said);
    int status = cli_read(cli, "assize test [...]", extra, count, args);
    capture_end(&canned.said);
    return status;
}

static void flags_beat_the_environment(void **state) {
    (void)state;
    struct cli cli;
    char server[] = "--server=http://elsewhere";
    char user[] = "--user";
    char name[] = "ann";
    char file[] = "a.cpp";
    char *args[] = {server, file, user, name};
    assert_int_equal(setenv("ASSIZE_USER", "bob", 1), 0);

    assert_int_equal(read_options(&cli, NULL, 4, args), -1);

    (void)unsetenv("ASSIZE_USER");
    assert_string_equal(config_text(cli.config, "server"), "http://elsewhere");
    assert_string_equal(config_text(cli.config, "user"), "ann");
    assert_int_equal(cli.count, 1);
    assert_string_equal(cli.arguments[0], "a.cpp");
    cli_done(&cli);
}

static void a_password_comes_from_a_file_but_never_from_a_flag(void **state) {
    (void)state;
    struct cli cli;
    struct err err = {0};
    char path[] = "/tmp/assize-password-XXXXXX";
    char flag[] = "--password=x";
    char *args[] = {flag};
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_true(file_write_all(fd, STR("from a file\n"), &err));
    close(fd);
    (void)unsetenv("ASSIZE_PASSWORD");
    assert_int_equal(setenv("ASSIZE_PASSWORD_FILE", path, 1), 0);

    assert_int_equal(read_options(&cli, NULL, 0, NULL), -1);
    assert_string_equal(config_text(cli.config, "password"), "from a file");
    cli_done(&cli);
    assert_int_equal(read_options(&cli, NULL, 1, args), EXIT_STATUS_USAGE);
    cli_done(&cli);

    (void)unsetenv("ASSIZE_PASSWORD_FILE");
    (void)unlink(path);
}

static void help_tells_where_the_password_comes_from(void **state) {
    (void)state;
    static const struct config_row extra[] = {
        {.name = "wait", .type = CONFIG_BOOL, .fallback = "no", .flag = "wait", .help = "wait so"},
        {0}};
    struct cli cli;
    char help[] = "--help";
    char *args[] = {help};

    assert_int_equal(read_options(&cli, extra, 1, args), EXIT_STATUS_OK);

    said("usage: assize test [...]");
    said("ASSIZE_PASSWORD");
    said("--server");
    said("wait so");
    cli_done(&cli);
}

static void what_nobody_knows_is_refused_with_the_usage(void **state) {
    (void)state;
    struct cli cli;
    char wrong[] = "--sever=x";
    char *one[] = {wrong};
    char *many[CLI_ARGUMENTS_MAX + 1];
    for (int i = 0; i <= CLI_ARGUMENTS_MAX; i++) {
        many[i] = wrong;
    }

    assert_int_equal(read_options(&cli, NULL, 1, one), EXIT_STATUS_USAGE);
    said("--server"); /* the nearest */
    said("usage: assize test [...]");
    cli_done(&cli);
    assert_int_equal(read_options(&cli, NULL, CLI_ARGUMENTS_MAX + 1, many), EXIT_STATUS_USAGE);
    cli_done(&cli);
}

static void without_a_password_and_a_terminal_it_says_what_to_set(void **state) {
    (void)state;
    struct cli cli;
    struct client *client = NULL;
    int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int stdin_fd = dup(0);
    (void)unsetenv("ASSIZE_PASSWORD");
    assert_true(dup2(null_fd, 0) == 0);
    assert_int_equal(read_options(&cli, NULL, 0, NULL), -1);

    capture_begin(&canned.said);
    bool connected = cli_connect(&cli, &client);
    capture_end(&canned.said);

    (void)dup2(stdin_fd, 0);
    close(stdin_fd);
    close(null_fd);
    assert_false(connected);
    said("ASSIZE_PASSWORD");
    assert_int_equal(canned.asked_count, 0);
    cli_done(&cli);
}

static void connecting_signs_in(void **state) {
    (void)state;
    struct cli cli;
    own(client) client = NULL;
    assert_int_equal(read_options(&cli, NULL, 0, NULL), -1);

    assert_true(cli_connect(&cli, &client));

    assert_non_null(strstr(asked_last()->body, "\"username\":\"admin\""));
    assert_non_null(strstr(asked_last()->body, "\"password\":\"secret words\""));
    cli_done(&cli);
}

static void a_failure_of_ours_and_a_no_have_different_statuses(void **state) {
    (void)state;
    static const struct {
        enum err_kind kind;
        int status;
    } rows[] = {{ERR_SYSTEM, EXIT_STATUS_FAILED},    {ERR_BUSY, EXIT_STATUS_FAILED},
                {ERR_DEADLINE, EXIT_STATUS_FAILED},  {ERR_INVALID, EXIT_STATUS_NEGATIVE},
                {ERR_MISSING, EXIT_STATUS_NEGATIVE}, {ERR_UNAUTHENTICATED, EXIT_STATUS_NEGATIVE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err = {0};
        (void)err_set(&err, rows[i].kind, "x", "why it failed");
        capture_begin(&canned.said);
        int status = cli_fail(&err);
        capture_end(&canned.said);
        assert_int_equal(status, rows[i].status);
        said("assize: why it failed\n");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CLI_TEST(flags_beat_the_environment),
        CLI_TEST(a_password_comes_from_a_file_but_never_from_a_flag),
        CLI_TEST(help_tells_where_the_password_comes_from),
        CLI_TEST(what_nobody_knows_is_refused_with_the_usage),
        CLI_TEST(without_a_password_and_a_terminal_it_says_what_to_set),
        CLI_TEST(connecting_signs_in),
        CLI_TEST(a_failure_of_ours_and_a_no_have_different_statuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
