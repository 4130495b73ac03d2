/* Several statements as one text. */
#include "store/packet.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const struct rows_write turn_in = {.kind = ROWS_INSERT,
                                          .table = "lane_turn",
                                          .columns = "queue_id, user_id, last_key",
                                          .column_count = 3,
                                          .key_count = 2,
                                          .constant_columns = "note",
                                          .constants = "''"};
static const struct rows_write turn_set = {.kind = ROWS_UPDATE,
                                           .table = "lane_turn",
                                           .columns = "queue_id, user_id, last_key",
                                           .column_count = 3,
                                           .key_count = 2};
static const struct rows_write turn_out = {.kind = ROWS_DELETE,
                                           .table = "lane_turn",
                                           .columns = "queue_id, user_id",
                                           .column_count = 2,
                                           .key_count = 2};
static const struct rows_select by_id = {
    .sql = "SELECT j.id FROM job j", .keys = {"j.id"}, .key_count = 1};
static const struct rows_select by_two = {
    .sql = "SELECT t.a FROM t", .keys = {"t.a", "t.b"}, .key_count = 2, .tail = " GROUP BY t.a"};
static const struct rows_select whole = {.sql = "SELECT a FROM t WHERE b = ? LIMIT ?"};

static const struct rows_value six[] = {
    {.type = ROWS_I64, .i64 = 1}, {.type = ROWS_I64, .i64 = 2},
    {.type = ROWS_NULL},          {.type = ROWS_I64, .i64 = -3},
    {.type = ROWS_I64, .i64 = 4}, {.type = ROWS_TEXT, .bytes = {"a';", 3}}};

static void expect(struct packet *packet, const char *text) {
    assert_string_equal(buf_c(&packet->text), text);
    packet_done(packet);
}

static void rows_become_one_statement(void **state) {
    (void)state;
    struct packet packet;
    packet_init(&packet);

    packet_write(&packet, &turn_in, six, 2);

    assert_int_equal(packet.statements, 1);
    expect(&packet, "INSERT INTO lane_turn (queue_id, user_id, last_key, note) VALUES "
                    "(1,2,NULL, ''),(-3,4,x'61273b', '');");
}

static void changes_address_rows_by_their_key(void **state) {
    (void)state;
    struct packet packet;
    packet_init(&packet);

    packet_write(&packet, &turn_set, six, 2);
    packet_write(&packet, &turn_out, six, 1);

    assert_int_equal(packet.statements, 2);
    expect(&packet, "UPDATE (SELECT 1 AS queue_id,2 AS user_id,NULL AS last_key UNION ALL VALUES "
                    "/*!80019 ROW*/(-3,4,x'61273b')) v STRAIGHT_JOIN lane_turn t ON t.queue_id = "
                    "v.queue_id AND t.user_id = v.user_id SET t.last_key = v.last_key;"
                    "DELETE t FROM lane_turn t WHERE t.queue_id = 1 AND t.user_id = 2;");
}

static void what_all_rows_say_is_said_once(void **state) {
    (void)state;
    struct packet packet;
    packet_init(&packet);
    const struct rows_value same[] = {rows_i64(7), rows_i64(1), rows_text(STR("a")),
                                      rows_i64(7), rows_i64(2), rows_text(STR("a"))};

    packet_write(&packet, &turn_set, same, 2);
    packet_write(&packet, &turn_set, same, 1);

    assert_int_equal(packet.statements, 2);
    expect(&packet, "UPDATE (SELECT 1 AS user_id UNION ALL VALUES /*!80019 ROW*/(2)) v "
                    "STRAIGHT_JOIN lane_turn t ON t.queue_id = 7 AND t.user_id = v.user_id SET "
                    "t.last_key = x'61';"
                    "UPDATE lane_turn t SET t.last_key = x'61' WHERE t.queue_id = 7 AND "
                    "t.user_id = 1;");
}

static void reads_name_all_keys_and_lock_as_asked(void **state) {
    (void)state;
    struct packet packet;
    packet_init(&packet);
    struct rows_read read = {
        .select = &by_id, .values = six, .count = 2, .level = LOCK_JOB, .mode = LOCK_EXCLUSIVE};

    packet_read(&packet, &read);
    read.mode = LOCK_SHARED;
    packet_read(&packet, &read);
    packet_read(&packet, &(struct rows_read){.select = &by_two, .values = six, .count = 1});
    packet_read(&packet, &(struct rows_read){.select = &whole, .values = six, .count = 2});
    packet_read(&packet, &(struct rows_read){.select = &by_id, .values = six, .count = 0});

    assert_int_equal(packet.statements, 4);
    expect(&packet, "SELECT j.id FROM job j WHERE j.id IN (1,2) FOR UPDATE;"
                    "SELECT j.id FROM job j WHERE j.id IN (1,2) LOCK IN SHARE MODE;"
                    "SELECT t.a FROM t WHERE (t.a = 1 AND t.b = 2) GROUP BY t.a;"
                    "SELECT a FROM t WHERE b = 1 LIMIT 2;");
}

static void locks_are_one_statement_a_level(void **state) {
    (void)state;
    struct packet packet;
    packet_init(&packet);

    packet_read(&packet, &(struct rows_read){
                             .values = six, .count = 2, .level = LOCK_NODE, .mode = LOCK_SHARED});
    packet_read(&packet,
                &(struct rows_read){
                    .values = six, .count = 2, .level = LOCK_USER_TURN, .mode = LOCK_EXCLUSIVE});

    assert_int_equal(packet.statements, 2);
    expect(&packet, "SELECT id FROM node FORCE INDEX (PRIMARY) WHERE id IN (1,2) LOCK IN SHARE "
                    "MODE;INSERT INTO lock_row (kind, id) VALUES ('turn', 1), ('turn', 2) ON "
                    "DUPLICATE KEY UPDATE id = id;");
}

static bool aborts(const char *words) {
    pid_t child = fork();
    if (child == 0) {
        struct packet packet;
        (void)close(STDERR_FILENO);
        packet_init(&packet);
        packet_words(&packet, words);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void words_that_end_a_statement_abort(void **state) {
    (void)state;

    assert_true(aborts("SELECT 1; DROP TABLE job"));
    assert_true(aborts("SELECT 1 -- "));
    assert_true(aborts("SELECT 1 #"));
    assert_true(aborts("SELECT \"a\""));
    assert_true(aborts("SELECT '\\'"));
    assert_false(aborts("SELECT 1"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_become_one_statement),
        cmocka_unit_test(changes_address_rows_by_their_key),
        cmocka_unit_test(what_all_rows_say_is_said_once),
        cmocka_unit_test(reads_name_all_keys_and_lock_as_asked),
        cmocka_unit_test(locks_are_one_statement_a_level),
        cmocka_unit_test(words_that_end_a_statement_abort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
