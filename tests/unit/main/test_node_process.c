/* A node as its own process, with the real box, against canned answers. */
#include "../cli/canned_server.h"
#include "program.h"

#define INTERNAL "/api/v1/internal/judgers/"
#define SESSION                                                                                    \
    "{\"sessionEpoch\":1,\"leaseMs\":60000,\"renewMs\":15000,\"heartbeatMs\":1000,"                \
    "\"protocolVersion\":1}"

static char folder[64];
static char data[96];
static char workspace[128];
static char credential[160];
static char languages[1024];
static struct program node;

static int set_up(void **state) {
    program_folder(folder, sizeof folder);
    (void)snprintf(data, sizeof data, "%s/data", folder);
    (void)snprintf(workspace, sizeof workspace, "%s/node", folder);
    (void)snprintf(credential, sizeof credential, "%s/credential", workspace);
    (void)snprintf(languages, sizeof languages, "%s/languages", program_source_root());
    return canned_open(state);
}

static int tear_down(void **state) {
    struct err err = {0};
    (void)canned_close(state);
    return file_remove_tree(folder, &err) ? 0 : -1;
}

static void start(const char *code) {
    program_need_root();
    program_start(&node,
                  (const char *const[]){"node", "--pool", "python", "--server", canned.url,
                                        "--data", data, "--workspace", workspace, "--languages-dir",
                                        languages, "--slots", "1", "--join-code", code, NULL},
                  NULL);
}

static bool was_asked(const char *path) {
    bool found = false;
    mutex_lock(&canned.lock);
    for (int i = 0; i < canned.asked_count && i < 64; i++) {
        found = found || strcmp(canned.asked[i].path, path) == 0;
    }
    mutex_unlock(&canned.lock);
    return found;
}

static void wait_asked(const char *path) {
    for (int i = 0; i < 2000 && !was_asked(path); i++) {
        clock_sleep_ms(&clock_real, 10);
    }
    if (!was_asked(path)) {
        (void)kill(node.pid, SIGKILL);
        (void)program_read(&node, NULL, 1000);
        fail_msg("the node never asked for %s: %s", path, node.out);
    }
}

static void it_joins_proves_itself_and_claims_until_told_to_stop(void **state) {
    (void)state;
    struct stat info;
    canned_add(HTTP_POST, INTERNAL "join", 200,
               "{\"nodeId\":4,\"credential\":\"a-long-credential\",\"protocolVersion\":1,"
               "\"serverTime\":\"2026-11-30T10:03:11.042Z\"}");
    canned_add(HTTP_POST, INTERNAL "session", 200, SESSION);
    canned_add(HTTP_POST, INTERNAL "heartbeat", 200,
               "{\"sessionEpoch\":1,\"configState\":\"ENABLED\",\"slots\":1}");
    canned_add(HTTP_POST, INTERNAL "jobs/claim", 200, "{\"jobs\":[]}");

    start("open-sesame");
    wait_asked(INTERNAL "jobs/claim");
    wait_asked(INTERNAL "heartbeat");

    assert_int_equal(program_stop(&node), 0);
    program_said(&node, "session.opened");
    assert_null(strstr(node.out, "a-long-credential"));
    assert_null(strstr(node.out, "open-sesame"));
    assert_int_equal(stat(credential, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_not_equal(info.st_uid, 0);
    for (int i = 0; i < canned.asked_count && i < 64; i++) {
        bool joins = strcmp(canned.asked[i].path, INTERNAL "join") == 0;
        assert_string_equal(canned.asked[i].bearer, joins ? "" : "Bearer a-long-credential");
        assert_true(!joins || strstr(canned.asked[i].body, "open-sesame") != NULL);
    }
}

static void without_credential_and_code_it_says_what_to_do(void **state) {
    (void)state;

    start("");

    assert_int_equal(program_end(&node), 3);
    program_said(&node, "--join-code");
    assert_int_equal(canned.asked_count, 0);
}

static void a_refused_code_ends_it(void **state) {
    (void)state;
    canned_add(HTTP_POST, INTERNAL "join", 401,
               "{\"status\":401,\"code\":\"bad_join_code\",\"detail\":\"used or too old\"}");

    start("old");

    assert_int_equal(program_end(&node), 3);
    program_said(&node, "bad_join_code");
    assert_int_not_equal(access(credential, F_OK), 0);
}

static void a_refused_credential_ends_it_and_stays(void **state) {
    (void)state;
    struct err err = {0};
    program_need_root();
    assert_true(file_make_dirs(workspace, 0755, &err));
    assert_true(file_save_atomic(credential, STR("kept\n"), 0644, &err));
    canned_add(HTTP_POST, INTERNAL "session", 401,
               "{\"status\":401,\"code\":\"bad_credential\",\"detail\":\"unknown\"}");

    start("");

    assert_int_equal(program_end(&node), 3);
    program_said(&node, "bad_credential");
    assert_int_equal(access(credential, F_OK), 0); /* an administrator decides */
}

static void a_server_that_is_not_up_yet_is_waited_for(void **state) {
    (void)state;
    canned_once(HTTP_POST, INTERNAL "join", 503,
                "{\"status\":503,\"code\":\"busy\",\"detail\":\"starting\"}");
    canned_add(HTTP_POST, INTERNAL "join", 401,
               "{\"status\":401,\"code\":\"bad_join_code\",\"detail\":\"used or too old\"}");

    start("open-sesame");

    assert_int_equal(program_end(&node), 3);
    assert_int_equal(canned.asked_count, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(it_joins_proves_itself_and_claims_until_told_to_stop),
        TEST(without_credential_and_code_it_says_what_to_do),
        TEST(a_refused_code_ends_it),
        TEST(a_refused_credential_ends_it_and_stays),
        TEST(a_server_that_is_not_up_yet_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
