#include "data/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/limits.h"
#include "config_rows.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void read_file_text(struct config *config, const char *text) {
    struct err err = {0};
    if (!config_read_text(config, "assize.conf", str_from(text), &err)) {
        fail_msg("%s", err.text);
    }
}

static void a_file_has_sections_dots_comments_and_quotes(void **state) {
    (void)state;
    own(config) config = example_config();

    read_file_text(config, "\xef\xbb\xbf# Assize\n"
                           "verbose = on\n"
                           "log.level=debug  # dotted\r\n"
                           "\n"
                           "  [server] # a section\n"
                           "listen = [::1]:99\n"
                           "workers\t=\t8\n"
                           "secret = \"a # \\\"b\\\\ \" # quoted\n"
                           "[judge]\n"
                           "pool = c#p # no comment without a space\n");

    assert_true(config_bool(config, "verbose"));
    assert_string_equal(config_text(config, "log.level"), "debug");
    assert_string_equal(config_address(config, "server.listen")->host, "::1");
    assert_int_equal(config_i64(config, "server.workers"), 8);
    assert_string_equal(config_text(config, "server.secret"), "a # \"b\\ ");
    assert_string_equal(config_text(config, "judge.pool"), "c#p");
    assert_string_equal(config_source(config, "server.workers"), "assize.conf:7");
}

static void mistakes_in_a_file_are_told_with_their_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *code, *error;
    } cases[] = {
        {"\nserver.lisen = :80\n", "unknown_setting",
         "assize.conf:2: there is no setting `server.lisen` (did you mean `server.listen`?)"},
        {"[server]\nx = 1\n", "unknown_setting", "assize.conf:2: there is no setting `server.x`"},
        {"[server]\nserver.listen = :80\n", "unknown_setting",
         "assize.conf:2: there is no setting `server.server.listen`"},
        {"verbose\n", "bad_config",
         "assize.conf:1: a line is `name = value`, `[section]` or a # comment"},
        {"= 1\n", "bad_config", "assize.conf:1: the name before `=` must have 1 to 128 bytes"},
        {"[server\n", "bad_config", "assize.conf:1: a section is written as [name]"},
        {"[ ]\n", "bad_config", "assize.conf:1: a section needs a name of at most 128 bytes"},
        {"judge.pool = \"x\n", "bad_config", "assize.conf:1: the closing quote is missing"},
        {"judge.pool = \"x\" y\n", "bad_config",
         "assize.conf:1: something stands behind the closing quote"},
        {"judge.pool = \"\\n\"\n", "bad_config",
         "assize.conf:1: only \\\" and \\\\ may stand after a backslash"},
        {"judge.pool = \"x\\", "bad_config",
         "assize.conf:1: only \\\" and \\\\ may stand after a backslash"},
        {"verbose = on\nverbose = on\n", "bad_config",
         "assize.conf:2: `verbose` is set a second time"},
        {"server.workers = many\n", "bad_config",
         "assize.conf:1: server.workers: \"many\" is not a whole number from 1 to 64"},
        {"judge.pool = \xff\n", "bad_config", "assize.conf:1: judge.pool: the value is not UTF-8"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        own(config) config = example_config();
        struct err err = {0};
        assert_false(config_read_text(config, "assize.conf", str_from(cases[i].text), &err));
        assert_string_equal(err.text, cases[i].error);
        assert_string_equal(err.code, cases[i].code);
        assert_int_equal(err.kind, ERR_INVALID);
    }
}

static void two_files_may_name_the_same_setting(void **state) {
    (void)state;
    own(config) config = example_config();

    read_file_text(config, "judge.pool = cpp\n");
    read_file_text(config, "judge.pool = java\n");

    assert_string_equal(config_text(config, "judge.pool"), "java");
}

static void an_endless_file_is_refused(void **state) {
    (void)state;
    own(config) config = example_config();
    struct err err = {0};
    static char text[CONFIG_BYTES_MAX + 1];
    memset(text, '#', sizeof(text));

    assert_true(config_read_text(config, "c", str_of(text, CONFIG_BYTES_MAX), &err));
    assert_false(config_read_text(config, "c", str_of(text, CONFIG_BYTES_MAX + 1), &err));
    assert_int_equal(err.kind, ERR_TOO_LARGE);
    assert_false(config_read_file(config, "/nonexistent/assize.conf", &err));
    assert_int_equal(err.kind, ERR_MISSING);
}

static void the_environment_has_derived_and_old_names(void **state) {
    (void)state;
    own(config) config = example_config();
    struct err err = {0};
    const char *environment[] = {"PATH=/bin",
                                 "ASSIZE_SERVER_BODY_MAX=1MiB",
                                 "JUDGE_POOL=old",
                                 "ASSIZE_LOG_LEVEL=",
                                 "ASSIZE_SERVER_WORKERSX=7",
                                 "ASSIZE_UNKNOWN=1",
                                 "OLD_SECRET=hush",
                                 NULL};

    assert_true(config_read_env(config, environment, &err));

    assert_int_equal(config_i64(config, "server.body-max"), 1 << 20);
    assert_string_equal(config_text(config, "judge.pool"), "old");
    assert_string_equal(config_source(config, "judge.pool"), "JUDGE_POOL");
    assert_string_equal(config_text(config, "log.level"), "info"); /* empty is not set */
    assert_int_equal(config_i64(config, "server.workers"), 4);
    assert_string_equal(config_text(config, "server.secret"), "hush");
    const char *both[] = {"ASSIZE_JUDGE_POOL=new", "JUDGE_POOL=old", NULL};
    assert_true(config_read_env(config, both, &err));
    assert_string_equal(config_text(config, "judge.pool"), "new");
    const char *wrong[] = {"ASSIZE_SERVER_WORKERS=x", NULL};
    assert_false(config_read_env(config, wrong, &err));
    assert_true(str_starts(str_from(err.text), STR("ASSIZE_SERVER_WORKERS: server.workers: ")));
}

/* Reads the environment with `variable` naming a file that holds `content`. */
static bool read_secret(struct config *config, const char *variable, const char *content,
                        struct err *err) {
    char path[] = "/tmp/assize-secret-XXXXXX";
    own_fd fd = mkostemp(path, O_CLOEXEC);
    assert_true(fd >= 0);
    assert_true(file_write_all(fd, str_from(content), err));
    char setting[128];
    snprintf(setting, sizeof(setting), "%s=%s", variable, path);
    const char *environment[] = {setting, NULL};
    bool fine = config_read_env(config, environment, err);
    unlink(path);
    return fine;
}

static void a_secret_may_come_from_a_file(void **state) {
    (void)state;
    own(config) config = example_config();
    struct err err = {0};

    assert_true(read_secret(config, "ASSIZE_SERVER_SECRET_FILE", "swordfish\n", &err));
    assert_string_equal(config_text(config, "server.secret"), "swordfish");
    assert_string_equal(config_source(config, "server.secret"), "ASSIZE_SERVER_SECRET_FILE");

    assert_true(read_secret(config, "OLD_SECRET_FILE", "no newline", &err));
    assert_string_equal(config_text(config, "server.secret"), "no newline");

    assert_false(read_secret(config, "ASSIZE_SERVER_SECRET_FILE", "two\nlines\n", &err));
    assert_non_null(strstr(err.text, "must hold exactly one line"));
    assert_null(strstr(err.text, "two"));
    assert_false(read_secret(config, "ASSIZE_SERVER_SECRET_FILE", "", &err));

    assert_true(read_secret(config, "ASSIZE_JUDGE_POOL_FILE", "x", &err)); /* no secret: no twin */
    assert_string_equal(config_text(config, "judge.pool"), "");
}

static void a_secret_given_twice_or_in_a_missing_file_is_refused(void **state) {
    (void)state;
    own(config) config = example_config();
    struct err err = {0};
    const char *both[] = {"ASSIZE_SERVER_SECRET=a", "ASSIZE_SERVER_SECRET_FILE=/x", NULL};
    const char *missing[] = {"ASSIZE_SERVER_SECRET_FILE=/nonexistent/secret", NULL};

    assert_false(config_read_env(config, both, &err));
    assert_string_equal(err.text,
                        "ASSIZE_SERVER_SECRET and ASSIZE_SERVER_SECRET_FILE are both set: "
                        "keep one");
    assert_false(config_read_env(config, missing, &err));
    assert_int_equal(err.kind, ERR_MISSING);
    assert_true(str_starts(str_from(err.text), STR("ASSIZE_SERVER_SECRET_FILE: ")));
}

static void flags_and_other_arguments_mix(void **state) {
    (void)state;
    own(config) config = example_config();
    struct err err = {0};
    const char *args[] = {"PACKAGE",     "--pool", "cpp",     "--listen=:1", "-",
                          "--verbose",   "a.cpp",  "--lease", "7s",          "--no-colour",
                          "--workers=2", "--",     "--pool",  "-x"};
    const char *rest[COUNT(args)];
    int rest_count = 0;

    assert_true(config_read_args(config, (int)COUNT(args), args, rest, &rest_count, &err));

    static const char *const expected[] = {"PACKAGE", "-", "a.cpp", "--pool", "-x"};
    assert_int_equal(rest_count, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_string_equal(rest[i], expected[i]);
    }
    assert_string_equal(config_text(config, "judge.pool"), "cpp");
    assert_int_equal(config_address(config, "server.listen")->port, 1);
    assert_int_equal(config_i64(config, "judge.lease"), 7000);
    assert_true(config_bool(config, "verbose"));
    assert_false(config_bool(config, "colour"));
    assert_string_equal(config_source(config, "colour"), "--no-colour");
}

static void one_flag(struct config *config, const char *first, const char *second, bool *ret_fine,
                     struct err *err) {
    char a[64];
    char b[64];
    snprintf(a, sizeof(a), "%s", first);
    snprintf(b, sizeof(b), "%s", second == NULL ? "" : second);
    const char *args[] = {a, b};
    const char *rest[2];
    int rest_count = 0;
    *ret_fine = config_read_args(config, second == NULL ? 1 : 2, args, rest, &rest_count, err);
}

static void wrong_flags_are_told(void **state) {
    (void)state;
    static const struct {
        const char *first, *second, *error;
    } cases[] = {
        {"--lisen=:1", NULL, "there is no flag --lisen (did you mean --listen?)"},
        {"--zzz", NULL, "there is no flag --zzz"},
        {"--zzz=1", NULL, "there is no flag --zzz"},
        {"-v", NULL, "there is no flag -v: flags begin with two dashes"},
        {"--pool", NULL, "--pool needs a value: --pool=VALUE"},
        {"--pool", "--verbose", "--pool needs a value: --pool=VALUE"},
        {"--no-pool", NULL, "there is no flag --no-pool"},
        {"--no-verbose=true", NULL, "there is no flag --no-verbose (did you mean --verbose?)"},
        {"--verbose=maybe", NULL, "--verbose: verbose: \"maybe\" is not true or false"},
        {"--workers", "x", "--workers: server.workers: \"x\" is not a whole number from 1 to 64"},
        {"--body-max=1", NULL, "there is no flag --body-max"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        own(config) config = example_config();
        struct err err = {0};
        bool fine = true;
        one_flag(config, cases[i].first, cases[i].second, &fine, &err);
        assert_false(fine);
        assert_string_equal(err.text, cases[i].error);
    }
}

static void short_help_is_understood(void **state) {
    (void)state;
    own(config) config = example_config();
    struct err err = {0};
    bool fine = false;

    one_flag(config, "-h", NULL, &fine, &err);

    assert_true(fine);
    assert_true(config_bool(config, "help"));
}

static void the_strongest_place_wins_whatever_the_order(void **state) {
    (void)state;
    /* f: file, e: environment, a: arguments */
    static const char *const orders[] = {"fea", "fae", "efa", "eaf", "afe", "aef"};
    const char *environment[] = {"ASSIZE_JUDGE_POOL=env", "ASSIZE_LOG_LEVEL=warn", NULL};
    for (size_t i = 0; i < COUNT(orders); i++) {
        own(config) config = example_config();
        struct err err = {0};
        bool fine = true;
        for (const char *place = orders[i]; *place != '\0'; place++) {
            if (*place == 'f') {
                read_file_text(config, "judge.pool=file\nlog.level=debug\nserver.workers=9\n");
            } else if (*place == 'e') {
                fine = fine && config_read_env(config, environment, &err);
            } else {
                one_flag(config, "--pool", "flag", &fine, &err);
            }
        }
        assert_true(fine);
        assert_string_equal(config_text(config, "judge.pool"), "flag");
        assert_string_equal(config_text(config, "log.level"), "warn");
        assert_int_equal(config_i64(config, "server.workers"), 9);
    }
}

static void a_mistake_in_a_weaker_place_is_told_all_the_same(void **state) {
    (void)state;
    own(config) config = example_config();
    struct err err = {0};
    bool fine = false;
    one_flag(config, "--workers", "2", &fine, &err);

    assert_false(config_read_text(config, "c", STR("server.workers = x\n"), &err));

    assert_int_equal(config_i64(config, "server.workers"), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_has_sections_dots_comments_and_quotes),
        cmocka_unit_test(mistakes_in_a_file_are_told_with_their_line),
        cmocka_unit_test(two_files_may_name_the_same_setting),
        cmocka_unit_test(an_endless_file_is_refused),
        cmocka_unit_test(the_environment_has_derived_and_old_names),
        cmocka_unit_test(a_secret_may_come_from_a_file),
        cmocka_unit_test(a_secret_given_twice_or_in_a_missing_file_is_refused),
        cmocka_unit_test(flags_and_other_arguments_mix),
        cmocka_unit_test(wrong_flags_are_told),
        cmocka_unit_test(short_help_is_understood),
        cmocka_unit_test(the_strongest_place_wins_whatever_the_order),
        cmocka_unit_test(a_mistake_in_a_weaker_place_is_told_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
