/* From a join code to a credential on disk. */
#include "base/file.h"
#include "node/node.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];
static char file[128];
static int joins;
static bool refuse;
static int32_t protocol; /* the newest that the server speaks */

static bool fake_join(void *context, const struct machine_join *request, struct arena *arena,
                      struct machine_join_answer *ret_answer, struct err *err) {
    (void)context;
    joins++;
    if (refuse) {
        return err_set(err, ERR_UNAUTHENTICATED, "bad_join_code", "unknown, used or too old");
    }
    if (request->protocol > protocol) {
        return err_set(err, ERR_CONFLICT, "protocol_unsupported", "too new");
    }
    bool first = str_eq(request->join_code, STR("code-1"));
    assert_true(first || str_eq(request->join_code, STR("code-2")));
    *ret_answer = (struct machine_join_answer){
        .node = {5}, .credential = arena_str(arena, first ? STR("secret-9") : STR("secret-2"))};
    return true;
}

static const struct machine_api api = {.join = fake_join};

static bool enrol(const char *code, struct arena *arena, struct str *ret_credential,
                  struct err *err) {
    struct enrol_options options = {.api = &api, .file = file, .join_code = code, .name = "n"};
    return node_enrol(&options, arena, ret_credential, err);
}

static int set_up(void **state) {
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/assize-enrol-XXXXXX");
    joins = 0;
    refuse = false;
    protocol = MACHINE_PROTOCOL;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    (void)snprintf(file, sizeof file, "%s/credential", folder);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    struct err err = {0};
    return file_remove_tree(folder, &err) ? 0 : -1;
}

static void a_code_becomes_a_credential_that_only_the_node_reads(void **state) {
    (void)state;
    struct err err = {0};
    own(arena) arena = arena_create(1 << 20);
    struct str credential = {0};
    struct stat info;

    assert_true(enrol("code-1", arena, &credential, &err));

    assert_true(str_eq(credential, STR("secret-9")));
    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

static void a_stored_credential_needs_no_code(void **state) {
    (void)state;
    struct err err = {0};
    own(arena) arena = arena_create(1 << 20);
    struct str credential = {0};
    assert_true(enrol("code-1", arena, &credential, &err));

    assert_true(enrol("", arena, &credential, &err));

    assert_true(str_eq(credential, STR("secret-9")));
    assert_int_equal(joins, 1);
}

static void without_both_it_says_what_to_do(void **state) {
    (void)state;
    struct err err = {0};
    own(arena) arena = arena_create(1 << 20);
    struct str credential = {0};

    assert_false(enrol("", arena, &credential, &err));

    assert_string_equal(err.code, "not_joined");
    assert_int_equal(joins, 0);
}

static void a_refused_code_leaves_no_file(void **state) {
    (void)state;
    struct err err = {0};
    own(arena) arena = arena_create(1 << 20);
    struct str credential = {0};
    refuse = true;

    assert_false(enrol("code-2", arena, &credential, &err));

    assert_string_equal(err.code, "bad_join_code");
    assert_int_not_equal(access(file, F_OK), 0);
}

static void a_new_code_replaces_the_credential_and_an_old_one_does_not(void **state) {
    (void)state;
    own(arena) arena = arena_create(64 * 1024);
    struct str credential = {0};
    struct err err = {0};
    assert_true(enrol("code-1", arena, &credential, &err));
    assert_true(enrol("code-1", arena, &credential, &err));
    assert_int_equal(joins, 1); /* the code stays in the node's settings */

    assert_true(enrol("code-2", arena, &credential, &err));

    assert_true(str_eq_c(credential, "secret-2"));
    assert_int_equal(joins, 2);
    refuse = true;
    assert_true(enrol("code-1", arena, &credential, &err));
    assert_true(str_eq_c(credential, "secret-2"));
    assert_true(enrol("code-1", arena, &credential, &err));
    assert_int_equal(joins, 3);
}

static void a_server_of_the_version_before_is_joined(void **state) {
    (void)state;
    own(arena) arena = arena_create(64 * 1024);
    struct str credential = {0};
    struct err err = {0};
    protocol = MACHINE_PROTOCOL - 1;

    assert_true(enrol("code-1", arena, &credential, &err));

    assert_int_equal(joins, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_code_becomes_a_credential_that_only_the_node_reads,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_stored_credential_needs_no_code, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_both_it_says_what_to_do, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_refused_code_leaves_no_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_new_code_replaces_the_credential_and_an_old_one_does_not,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_server_of_the_version_before_is_joined, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
