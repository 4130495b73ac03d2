/* Statements of students in the real servers: verdicts, attacks, what the next job finds. The
 * attacks run past the policy (src/sql/policy.c), as if it were not there: rights, limits, watchdog
 * and box have to hold by themselves. */
#include "world.h"

#include "judge/sql_case.h"
#include "judge/sql_names.h"
#include "judge/sql_server.h"
#include "sql/policy.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define TIME_MS 100
#define EVERYTHING                                                                                 \
    "ALTER_TABLE BEGIN CALL COMMIT CREATE_FUNCTION CREATE_INDEX CREATE_PROCEDURE CREATE_TABLE "    \
    "CREATE_TRIGGER CREATE_VIEW DELETE DROP_FUNCTION DROP_INDEX DROP_PROCEDURE DROP_TABLE "        \
    "DROP_TRIGGER DROP_VIEW INSERT REPLACE ROLLBACK SAVEPOINT SELECT START TRUNCATE UPDATE "       \
    "VALUES WITH"

static bool has_server(void) {
    return access("/usr/sbin/mariadbd", X_OK) == 0;
}

/* ---- problems ---- */

static void begin_sql(struct problem *problem, const char *dialect, const char *statements) {
    begin_problem(problem);
    problem->manifest.kinds = PROBLEM_PASS_FAIL | PROBLEM_SQL;
    problem->manifest.limits.time_ms = 1000;
    problem->manifest.limits.memory_kib = 256 * KIB;
    problem->manifest.sql.dialect = str_from(dialect);
    problem->manifest.sql.statements = str_from(statements);
    problem->manifest.sql.rows_max = 1000;
    problem->manifest.sql.result_bytes_max = 100 * KIB;
    problem->manifest.sql.ddl = add_blob(problem, "CREATE TABLE t (a INT PRIMARY KEY, b TEXT);");
    add_case(problem, "INSERT INTO t VALUES (1, 'one'), (2, NULL);", "");
    problem->cases[0].answer.bytes = -1;
}

static struct outcome_of_test judge_statements(struct problem *problem, struct arena *arena,
                                               const char *text) {
    const char *dialect = problem->manifest.sql.dialect.ptr;
    struct outcome_of_test outcome = judge_text(problem, arena, dialect, text);
    if (!outcome.judged) {
        fail_msg("%s: %s", text, outcome.err.text);
    }
    return outcome;
}

/* An ordinary job on the same slot gets its verdict. */
static void next_job_is_as_ever(const char *after) {
    own(arena) arena = arena_create((size_t)64 * MIB);
    struct problem problem;
    begin_sql(&problem, "mysql", "INSERT SELECT");
    problem.manifest.sql.reference =
        add_blob(&problem, "INSERT INTO t VALUES (3, 'x'); SELECT COUNT(*), SUM(a) FROM t");

    struct outcome_of_test outcome = judge_text(
        &problem, arena, "mysql", "INSERT INTO t VALUES (3, 'x'); SELECT COUNT(a), SUM(a) FROM t");

    if (!outcome.judged || outcome.judgement.verdict != VERDICT_ACCEPTED) {
        fail_msg("after: %s\n%s %s", after, outcome.err.text,
                 outcome.judged ? outcome.judgement.cases[0].message.ptr : "");
    }
}

/* ---- attacks ---- */

static const struct attack {
    const char *text;
    bool passes; /* the policy lets it pass where the verbs are allowed: harmless by itself */
} attacks[] = {
    {"SELECT SLEEP(30)", false},
    {"SET max_statement_time = 0; SELECT SLEEP(30)", false},
    {"SET STATEMENT max_statement_time = 0 FOR SELECT SLEEP(30)", false},
    {"SELECT BENCHMARK(2000000000, SHA2('a', 512))", false},
    {"BEGIN NOT ATOMIC WHILE 1 DO SET @a = 1; END WHILE; END", false},
    {"SET max_statement_time = 0; BEGIN NOT ATOMIC WHILE 1 DO SET @a = 1; END WHILE; END", false},
    {"WITH RECURSIVE n AS (SELECT 1 i UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT COUNT(*) "
     "FROM n a, n b, n c, n d",
     true},
    {"SET max_recursive_iterations = 4000000000; WITH RECURSIVE n AS (SELECT 1 i UNION ALL SELECT "
     "i "
     "+ 1 FROM n) SELECT COUNT(*) FROM n",
     false},
    {"SELECT GET_LOCK('all', 1)", false},
    {"XA START 'x'; INSERT INTO t VALUES (9, 'x'); XA END 'x'; XA PREPARE 'x'", false},
    {"START TRANSACTION; DELETE FROM t; SELECT * FROM t FOR UPDATE", true},
    {"LOCK TABLES t WRITE", false},
    {"FLUSH TABLES WITH READ LOCK", false},
    {"SET GLOBAL max_connections = 1", false},
    {"SET GLOBAL read_only = 1", false},
    {"SET PASSWORD = PASSWORD('mine')", false},
    {"SELECT LOAD_FILE('/etc/passwd')", false},
    {"SELECT 'x' INTO OUTFILE '/tmp/assize-out'", false},
    {"SELECT 'x' INTO DUMPFILE '/w/data/x'", false},
    {"LOAD DATA INFILE '/etc/passwd' INTO TABLE t", false},
    {"LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t", false},
    {"CREATE TABLE d (a INT) DATA DIRECTORY = '/tmp'", false},
    {"CREATE TABLE m (a INT) ENGINE = MyISAM DATA DIRECTORY = '/tmp'", false},
    {"CREATE TABLE f (a INT) ENGINE = FEDERATED CONNECTION = 'mysql://root@localhost/mysql/user'",
     true},
    {"CREATE TABLE c (a INT NOT NULL) ENGINE = CSV", true},
    {"SELECT * FROM mysql.user", false},
    {"SELECT * FROM mysql.global_priv", false},
    {"INSERT INTO mysql.user (host, user) VALUES ('%', 'me')", false},
    {"UPDATE mysql.global_priv SET priv = '{}'", false},
    {"CREATE USER me", false},
    {"GRANT ALL ON *.* TO CURRENT_USER", false},
    {"CREATE DATABASE other", false},
    {"DROP DATABASE mysql", false},
    {"USE mysql", false},
    {"INSTALL SONAME 'ha_connect'", false},
    {"INSTALL PLUGIN x SONAME 'x.so'", false},
    {"CREATE FUNCTION sys_exec RETURNS INT SONAME 'udf.so'", false},
    {"CREATE EVENT e ON SCHEDULE EVERY 1 SECOND DO DELETE FROM t", false},
    {"SHUTDOWN", false},
    {"KILL 1", false},
    {"SHOW PROCESSLIST", false},
    {"SHOW ENGINE INNODB STATUS", false},
    {"PURGE BINARY LOGS BEFORE NOW()", false},
    {"RESET MASTER", false},
    {"CHANGE MASTER TO MASTER_HOST = '127.0.0.1'", false},
    {"EXECUTE IMMEDIATE CONCAT('SELECT SL', 'EEP(30)')", false},
    {"PREPARE s FROM 'SELECT SLEEP(30)'; EXECUTE s", false},
    {"CREATE PROCEDURE p() BEGIN SET max_statement_time = 0; WHILE 1 DO SET @a = 1; END WHILE; "
     "END; CALL p()",
     true},
    {"CREATE DEFINER = root@localhost PROCEDURE p() SQL SECURITY DEFINER DROP DATABASE mysql",
     false},
    {"CREATE DEFINER = root@localhost VIEW v AS SELECT * FROM mysql.user", false},
    {"SELECT /*!50000 SLEEP(30) */", false},
    {"SELECT REPEAT('a', 2000000000)", true},
    {"SELECT RPAD('a', 16000000, 'b'), RPAD('a', 16000000, 'b')", true},
    {"SET max_session_mem_used = 18446744073709551615, tmp_table_size = 4000000000, "
     "max_heap_table_size = 4000000000; WITH RECURSIVE n AS (SELECT 1 i UNION ALL SELECT i + 1 "
     "FROM "
     "n WHERE i < 990) SELECT COUNT(*) FROM (SELECT DISTINCT a.i, b.i AS j, c.i AS k, "
     "REPEAT('x', 200) FROM n a, n b, n c) s",
     false},
    {"INSERT INTO t SELECT a.i * 1000 + b.i + 10, REPEAT('x', 60000) FROM (WITH RECURSIVE n AS "
     "(SELECT 1 i UNION ALL SELECT i + 1 FROM n WHERE i < 990) SELECT i FROM n) a, (WITH RECURSIVE "
     "n "
     "AS (SELECT 1 i UNION ALL SELECT i + 1 FROM n WHERE i < 990) SELECT i FROM n) b",
     true},
    {"HANDLER t OPEN", false},
    {"DO SLEEP(30)", false},
    {"CALL mysql.AddGeometryColumn('', '', '', '', 1)", false},
    {"BACKUP STAGE START", false},
    {"SELECT EXTRACTVALUE(1, CONCAT(0x7e, (SELECT MAX(b) FROM t)))", true},
    {"DROP TABLE t", true},
};

static bool policy_lets_pass(const char *text) {
    own(arena) arena = arena_create((size_t)4 * MIB);
    struct sql_script script = {.count = 0};
    struct err err = {0};
    bool code = false;
    const struct sql_policy policy = {
        .dialect = SQL_MYSQL, .verbs = STR(EVERYTHING), .statements_max = 100};
    return sql_script_split(SQL_MYSQL, str_from(text), arena, &script, &err) &&
           sql_policy_check(&policy, &script, &code, &err);
}

static bool split(struct arena *arena, const char *text, struct sql_script *script) {
    struct err err = {0};
    return sql_script_split(SQL_MYSQL, str_from(text), arena, script, &err);
}

/* Runs it as a student of a problem that allows everything, without asking the policy. */
static enum verdict run_raw(const char *text) {
    own(arena) arena = arena_create((size_t)256 * MIB);
    struct problem problem;
    struct work work = {.judge = world.judge, .slot = 0, .arena = arena};
    struct judge_request request = {.manifest = &problem.manifest,
                                    .language = language_find(world.languages, STR("mysql"))};
    struct sql_job job = {.request = &request,
                          .dialect = SQL_MYSQL,
                          .bounds = {.rows_max = 1000, .bytes_max = 100 * KIB},
                          .writes = true};
    struct sql_script none = {.count = 0};
    struct sql_case_run run = {.job = &job, .index = 0, .data = &none, .statements = &job.student};
    struct sql_case_outcome outcome = {.verdict = VERDICT_NONE};
    struct sql_engine *engine = NULL;
    struct err err = {0};
    begin_sql(&problem, "mysql", EVERYTHING);
    problem.manifest.limits.time_ms = TIME_MS;
    assert_true(split(arena,
                      "CREATE TABLE t (a INT PRIMARY KEY, b TEXT); INSERT INTO t VALUES (1, 'one')",
                      &job.ddl));
    if (!split(arena, text, &job.student)) { /* what the splitter refuses: one statement */
        struct sql_statement *whole = arena_new(arena, struct sql_statement);
        *whole = (struct sql_statement){.text = str_from(text), .line = 1};
        job.student = (struct sql_script){.statements = whole, .count = 1};
    }
    assert_true(box_slot_open(world.box, 0, &err));
    bool good =
        sql_mysql_begin(&work, &job, &engine, &err) && sql_mysql_run(engine, &run, &outcome, &err);
    sql_mysql_end(engine);
    if (!good) {
        fail_msg("%s: %s", text, err.text);
    }
    assert_true(box_slot_close(world.box, 0, &err));
    return outcome.verdict;
}

static void every_attack_is_refused_or_harmless(void **state) {
    (void)state;
    if (!has_server()) {
        skip();
    }
    for (size_t i = 0; i < sizeof attacks / sizeof attacks[0]; i++) {
        if (policy_lets_pass(attacks[i].text) != attacks[i].passes) {
            fail_msg("the policy: %s", attacks[i].text);
        }

        (void)run_raw(attacks[i].text);

        next_job_is_as_ever(attacks[i].text);
    }
    assert_int_not_equal(access("/tmp/assize-out", F_OK), 0);
}

/* ---- verdicts ---- */

static void the_verdicts_are_those_of_programs(void **state) {
    (void)state;
    static const struct {
        const char *dialect; /* NULL: both */
        const char *text;
        enum verdict verdict;
    } rows[] = {
        {NULL, "SELECT a FROM t", VERDICT_ACCEPTED},
        {NULL, "SELECT a FROM t ORDER BY a DESC", VERDICT_ACCEPTED},
        {NULL, "SELECT a FROM t WHERE a = 1", VERDICT_WRONG_ANSWER},
        {NULL, "SELECT a, b FROM t", VERDICT_WRONG_ANSWER},
        {NULL, "SELECT b FROM t", VERDICT_WRONG_ANSWER},
        {NULL, "SELECT a FROM t; SELECT a FROM t", VERDICT_WRONG_ANSWER},
        {NULL, "DELETE FROM t", VERDICT_COMPILE_ERROR},
        {NULL, "SELECT 'open", VERDICT_COMPILE_ERROR},
        {NULL, "SELECT x FROM t", VERDICT_RUNTIME_ERROR},
        {NULL,
         "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 990) SELECT "
         "COUNT(*) FROM n a, n b, n c, n d WHERE a.i + b.i + c.i > d.i",
         VERDICT_TIME_LIMIT_EXCEEDED},
        {NULL,
         "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 990) SELECT "
         "a.i FROM n a, n b",
         VERDICT_OUTPUT_LIMIT_EXCEEDED},
        {"sqlite", "SELECT zeroblob(15000000), zeroblob(15000000)", VERDICT_OUTPUT_LIMIT_EXCEEDED},
        {"sqlite",
         "SELECT LENGTH(GROUP_CONCAT(x)) FROM (SELECT hex(zeroblob(8000000)) x UNION ALL "
         "SELECT hex(zeroblob(8000000)))",
         VERDICT_OUTPUT_LIMIT_EXCEEDED},
        {"sqlite", "ATTACH 'x' AS y", VERDICT_COMPILE_ERROR},
    };
    static const char *const dialects[] = {"mysql", "sqlite"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t k = has_server() ? 0 : 1; k < 2; k++) {
            own(arena) arena = arena_create((size_t)64 * MIB);
            struct problem problem;
            if (rows[i].dialect != NULL && strcmp(rows[i].dialect, dialects[k]) != 0) {
                continue;
            }
            begin_sql(&problem, dialects[k], "SELECT VALUES WITH");
            problem.manifest.limits.time_ms = 300;
            problem.manifest.sql.reference = add_blob(&problem, "SELECT a FROM t");

            struct outcome_of_test outcome = judge_statements(&problem, arena, rows[i].text);

            if (outcome.judgement.verdict != rows[i].verdict) {
                fail_msg("%s: %s: %s", dialects[k], rows[i].text,
                         verdict_code(outcome.judgement.verdict));
            }
        }
    }
}

static void a_message_shows_rows_of_samples_only(void **state) {
    (void)state;
    own(arena) arena = arena_create((size_t)64 * MIB);
    struct problem problem;
    begin_sql(&problem, "sqlite", "SELECT");
    problem.manifest.sql.reference = add_blob(&problem, "SELECT b FROM t WHERE a = 1");

    struct outcome_of_test secret =
        judge_statements(&problem, arena, "SELECT 'x' FROM t WHERE a = 1");
    problem.cases[0].sample = true;
    struct outcome_of_test sample =
        judge_statements(&problem, arena, "SELECT 'x' FROM t WHERE a = 1");

    assert_null(strstr(arena_cstr(arena, secret.judgement.cases[0].message), "one"));
    assert_non_null(strstr(arena_cstr(arena, sample.judgement.cases[0].message), "'one'"));
}

static void a_reference_that_fails_is_the_problems_fault(void **state) {
    (void)state;
    static const char *const dialects[] = {"mysql", "sqlite"};
    for (size_t k = has_server() ? 0 : 1; k < 2; k++) {
        own(arena) arena = arena_create((size_t)64 * MIB);
        struct problem problem;
        begin_sql(&problem, dialects[k], "SELECT");
        problem.manifest.sql.reference = add_blob(&problem, "SELECT missing FROM t");

        struct outcome_of_test outcome = judge_text(&problem, arena, dialects[k], "SELECT 1");

        assert_false(outcome.judged);
        assert_int_equal(outcome.err.fault, FAULT_PROBLEM);
    }
}

static void both_dialects_prove_themselves(void **state) {
    (void)state;
    static const char *const dialects[] = {"mysql", "sqlite"};
    for (size_t k = has_server() ? 0 : 1; k < 2; k++) {
        own(arena) arena = arena_create((size_t)64 * MIB);
        struct str version = STR("");
        struct err err = {0};
        const struct language *language = language_find(world.languages, str_from(dialects[k]));

        if (!judge_prove_language(world.judge, 0, language, arena, &version, &err)) {
            fail_msg("%s: %s", dialects[k], err.text);
        }

        assert_true(version.len > 0);
    }
}

/* ---- the server dies ---- */

/* The process of that name whose parent is the box's launcher; found in /proc as a stranger would.
 */
static pid_t find_process(const char *name) {
    DIR *folder = opendir("/proc");
    pid_t found = 0;
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[300];
        char cgroup[600] = "";
        char comm[32] = "";
        (void)snprintf(path, sizeof path, "/proc/%s/comm", entry->d_name);
        FILE *file = fopen(path, "re");
        bool ours = file != NULL && fgets(comm, sizeof comm, file) != NULL &&
                    strncmp(comm, name, strlen(name)) == 0;
        if (file != NULL) {
            (void)fclose(file);
        }
        (void)snprintf(path, sizeof path, "/proc/%s/cgroup", entry->d_name);
        file = ours ? fopen(path, "re") : NULL;
        size_t length = file != NULL ? fread(cgroup, 1, sizeof cgroup - 1, file) : 0;
        cgroup[length] = '\0';
        if (file != NULL) {
            (void)fclose(file);
        }
        if (strstr(cgroup, "assize-test-judge") != NULL) {
            struct err err = {0};
            int64_t pid = 0;
            assert_true(str_to_i64(str_from(entry->d_name), 1, INT32_MAX, &pid, &err));
            found = (pid_t)pid;
        }
    }
    (void)closedir(folder);
    return found;
}

static bool kill_in_progress(void *context, const struct judge_progress *progress) {
    bool *killed = context;
    if (progress->stage == JUDGE_STAGE_JUDGING && !*killed) {
        pid_t server = find_process("mariadbd");
        *killed = server > 0 && kill(server, SIGKILL) == 0;
    }
    return true;
}

static void a_server_that_stops_is_the_nodes_fault_and_replaced(void **state) {
    (void)state;
    if (!has_server()) {
        skip();
    }
    own(arena) arena = arena_create((size_t)64 * MIB);
    struct problem problem;
    struct sql_work_of_test {
        bool killed;
    } context = {false};
    next_job_is_as_ever("nothing"); /* a server is up */
    begin_sql(&problem, "mysql", "SELECT");
    struct work work = {.judge = world.judge,
                        .slot = 0,
                        .arena = arena,
                        .progress = kill_in_progress,
                        .context = &context,
                        .now = {.stage = JUDGE_STAGE_JUDGING}};
    struct judge_request request = {.manifest = &problem.manifest,
                                    .language = language_find(world.languages, STR("mysql"))};
    struct sql_job job = {
        .request = &request, .dialect = SQL_MYSQL, .bounds = {.rows_max = 10, .bytes_max = KIB}};
    struct sql_script none = {.count = 0};
    struct sql_case_run run = {.job = &job, .index = 0, .data = &none, .statements = &job.student};
    struct sql_case_outcome outcome = {.verdict = VERDICT_NONE};
    struct sql_engine *engine = NULL;
    struct err err = {0};
    assert_true(split(arena, "SELECT SLEEP(30)", &job.student));
    assert_true(box_slot_open(world.box, 0, &err));

    bool good =
        sql_mysql_begin(&work, &job, &engine, &err) && sql_mysql_run(engine, &run, &outcome, &err);
    sql_mysql_end(engine);

    assert_true(context.killed);
    assert_false(good);
    assert_int_equal(err.fault, FAULT_NODE);
    assert_true(box_slot_close(world.box, 0, &err));
    next_job_is_as_ever("the server was killed");
}

/* ---- a configured server ---- */

#define PLAIN_NODE "node of a configured server"

/* A server outside of the box, as an administrator would give one to the judge. */
static pid_t start_plain_server(const char *folder) {
    char command[2048];
    (void)snprintf(command, sizeof command,
                   "cd %s && gzip -dc %s/prepared/*/template.tar.gz | tar -xf - --no-same-owner && "
                   "exec /usr/sbin/mariadbd --no-defaults --user=root --datadir=%s/data "
                   "--socket=%s/s --pid-file=%s/pid --skip-networking --skip-name-resolve "
                   "--lc-messages=en_US --innodb-data-file-path=ibdata1:5M:autoextend "
                   "--innodb-undo-tablespaces=0 --innodb-log-file-size=8M --aria-log-file-size=8M "
                   "--innodb-use-native-aio=0 >/dev/null 2>&1",
                   folder, world.folder, folder, folder, folder);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) { /* gone with this test, whatever becomes of it, and without its descriptors */
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)close_range(3, ~0u, 0);
        (void)execl("/usr/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    return pid;
}

static struct sql_link *connect_plain(const struct judge_sql_server *server) {
    struct sql_link *link = NULL;
    struct err err = {0};
    for (int i = 0; i < 400; i++) {
        if (access(server->socket, F_OK) == 0 && sql_link_open(server, &link, &err)) {
            return link;
        }
        clock_sleep_ms(&clock_real, 50);
    }
    fail_msg("%s", err.text);
    return NULL;
}

static void check_plain_server(const struct judge_sql_server *server) {
    own(arena) arena = arena_create((size_t)64 * MIB);
    own(sql_link) link = connect_plain(server);
    struct judge *usual = world.judge;
    struct problem problem;
    struct sql_names left;
    char statement[256];
    char text[256];
    struct err err = {0};
    sql_names_make(PLAIN_NODE, 7, 1, &left);
    (void)snprintf(statement, sizeof statement, "CREATE DATABASE %s", left.schema);
    assert_true(sql_link_do(link, statement, &err));
    (void)snprintf(statement, sizeof statement, "CREATE USER '%s'@'%%'", left.student);
    assert_true(sql_link_do(link, statement, &err));
    const struct judge_sql sql = {.node = PLAIN_NODE, .server = *server};
    world.judge = judge_create(&(struct judge_options){
        .box = world.box, .languages = world.languages, .cache_folder = world.folder, .sql = &sql});
    begin_sql(&problem, "mysql", "CREATE_PROCEDURE INSERT SELECT");
    problem.manifest.sql.reference = add_blob(&problem, "SELECT a FROM t");

    struct outcome_of_test good = judge_text(&problem, arena, "mysql", "SELECT a FROM t");
    struct outcome_of_test stored =
        judge_text(&problem, arena, "mysql", "CREATE PROCEDURE p() SELECT 1");
    judge_free(world.judge);
    world.judge = usual;

    if (!good.judged) {
        fail_msg("%s", good.err.text);
    }
    assert_int_equal(good.judgement.verdict, VERDICT_ACCEPTED);
    assert_false(stored.judged);
    assert_string_equal(stored.err.code, "sql_server_shared");
    assert_true(sql_link_ask(link,
                             "SELECT (SELECT COUNT(*) FROM information_schema.schemata WHERE "
                             "schema_name LIKE 'az%') + (SELECT COUNT(*) FROM mysql.user WHERE "
                             "user LIKE 'az%')",
                             text, &err));
    assert_string_equal(text, "0");
}

static void a_configured_server_judges_and_is_left_clean(void **state) {
    (void)state;
    if (!has_server()) {
        skip();
    }
    char folder[] = "/tmp/assize-plain-sql-XXXXXX";
    char path[64];
    struct err err = {0};
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/s", folder);
    pid_t server = start_plain_server(folder);

    check_plain_server(&(struct judge_sql_server){.socket = path, .user = "root", .password = ""});

    assert_int_equal(kill(server, SIGKILL), 0);
    assert_int_equal(waitpid(server, NULL, 0), server);
    assert_true(file_remove_tree(folder, &err));
}

int main(void) {
    if (geteuid() != 0) {
        (void)printf("1..0 # SKIP the sandbox needs root\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_verdicts_are_those_of_programs),
        cmocka_unit_test(a_message_shows_rows_of_samples_only),
        cmocka_unit_test(a_reference_that_fails_is_the_problems_fault),
        cmocka_unit_test(both_dialects_prove_themselves),
        cmocka_unit_test(a_server_that_stops_is_the_nodes_fault_and_replaced),
        cmocka_unit_test(a_configured_server_judges_and_is_left_clean),
        cmocka_unit_test(every_attack_is_refused_or_harmless),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
