/* assize admin token */
#include "canned_server.h"
#include "cli/commands.h"

#include <sys/stat.h>

#define LIST "/api/v1/tokens"
#define TOKEN                                                                                      \
    "{\"id\":4,\"name\":\"ci\",\"scope\":\"read\",\"createdAt\":\"now\",\"expiresAt\":\"later\"}"

static void tokens_are_listed_and_revoked_by_name(void **state) {
    (void)state;
    canned_add(HTTP_GET, LIST, 200, "{\"items\":[" TOKEN "],\"next\":null}");
    canned_add(HTTP_DELETE, LIST "/4", 204, "");

    assert_int_equal(RUN(command_admin_token, "list"), EXIT_STATUS_OK);
    said("     4  ci                        read   until later\n");
    assert_int_equal(RUN(command_admin_token, "revoke", "ci"), EXIT_STATUS_OK);
    assert_string_equal(asked_last()->path, LIST "/4");
    assert_int_equal(RUN(command_admin_token, "revoke", "other"), EXIT_STATUS_NEGATIVE);
}

/* Names come again: the old token must not stay because the new one was ended. */
static void of_two_of_a_name_the_number_is_asked_for(void **state) {
    (void)state;
    canned_add(HTTP_GET, LIST, 200,
               "{\"items\":[{\"id\":5,\"name\":\"ci\"},{\"id\":12,\"name\":\"5\"}," TOKEN
               "],\"next\":null}");
    canned_add(HTTP_DELETE, LIST "/5", 204, "");

    assert_int_equal(RUN(command_admin_token, "revoke", "ci"), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_token, "revoke", "5"), EXIT_STATUS_OK);

    assert_string_equal(asked_last()->path, LIST "/5");
}

static void a_file_without_token_is_nobody_else_s_password(void **state) {
    char path[] = "/tmp/assize-token-XXXXXX";
    (void)state;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    int before = canned.asked_count;

    assert_int_not_equal(RUN(command_admin_token, "list", "--token-file", path), EXIT_STATUS_OK);

    assert_int_equal(canned.asked_count, before);
    assert_int_equal(unlink(path), 0);
}

static void a_token_is_made_and_printed_or_kept_for_its_owner_alone(void **state) {
    char path[] = "/tmp/assize-token-XXXXXX";
    struct stat stat_buf;
    (void)state;
    canned_add(HTTP_POST, LIST, 201, "{\"token\":" TOKEN ",\"secret\":\"assize_s\"}");

    assert_int_equal(RUN(command_admin_token, "create", "ci", "--scope", "write", "--days", "7"),
                     EXIT_STATUS_OK);
    said("token, shown only now, good until later: assize_s\n");
    assert_string_equal(asked_last()->body, "{\"name\":\"ci\",\"scope\":\"write\",\"days\":7}");

    int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(RUN(command_admin_token, "create", "ci", "--out", path), EXIT_STATUS_OK);
    assert_null(strstr(canned.said.text, "assize_s"));
    assert_int_equal(stat(path, &stat_buf), 0);
    assert_int_equal(stat_buf.st_mode & 0777, 0600);

    canned_add(HTTP_GET, LIST, 200, "{\"items\":[],\"next\":null}");
    int before = canned.asked_count;
    assert_int_equal(RUN(command_admin_token, "list", "--token-file", path), EXIT_STATUS_OK);
    assert_string_equal(asked_last()->bearer, "Bearer assize_s");
    assert_int_equal(canned.asked_count, before + 1); /* nobody signed in */
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_not_equal(RUN(command_admin_token, "list", "--token-file", path), EXIT_STATUS_OK);
    assert_int_equal(unlink(path), 0);
}

static void the_environment_gives_a_token(void **state) {
    (void)state;
    canned_add(HTTP_GET, LIST, 200, "{\"items\":[],\"next\":null}");
    assert_int_equal(setenv("ASSIZE_TOKEN", "assize_e", 1), 0);

    int status = RUN(command_admin_token, "list");
    assert_int_equal(unsetenv("ASSIZE_TOKEN"), 0);

    assert_int_equal(status, EXIT_STATUS_OK);
    assert_string_equal(asked_last()->bearer, "Bearer assize_e");
}

static void what_is_typed_wrong_is_refused(void **state) {
    (void)state;
    assert_int_equal(RUN(command_admin_token, "create"), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_token, "create", "x", "--scope", "all"), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_token, "create", "x", "--days", "400"), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_token, "--help"), EXIT_STATUS_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CLI_TEST(tokens_are_listed_and_revoked_by_name),
        CLI_TEST(of_two_of_a_name_the_number_is_asked_for),
        CLI_TEST(a_file_without_token_is_nobody_else_s_password),
        CLI_TEST(a_token_is_made_and_printed_or_kept_for_its_owner_alone),
        CLI_TEST(the_environment_gives_a_token),
        CLI_TEST(what_is_typed_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
