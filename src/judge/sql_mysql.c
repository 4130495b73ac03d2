/* The client library's calls, in their form that does not block: the thread waits in poll, where it
 * sees deadlines and withdrawals. */
#include "base/check.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/thread.h"
#include "judge/sql_link.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <mysql.h>

#define CONNECT_S 20 /* a server that was just started answers behind its start */
#define ANSWER_S 20
#define WAIT_MS 200
#define KILLED_MS 5000 /* to end after it was killed */
#define BINARY_CHARSET 63
#define TYPE_JSON 245
#define CODE_STATEMENT_TIME 1969 /* MariaDB */
#define CODE_QUERY_TIME 3024     /* MySQL */
#define CODE_INTERRUPTED 1317
#define CODE_KILLED 1927
#define CODE_CLIENT_FIRST 2000
#define CODE_CLIENT_LAST 2999

struct sql_link {
    MYSQL mysql;
    bool is_open;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void begin_library(void) {
    CHECK(mysql_library_init(0, NULL, NULL) == 0);
}

static bool refused(struct sql_link *link, const char *what, struct err *err) {
    return err_fault(err, FAULT_NODE, ERR_SYSTEM, "sql_server_failed", "%s: %s (%u)", what,
                     mysql_error(&link->mysql), mysql_errno(&link->mysql));
}

bool sql_link_open(const struct judge_sql_server *target, struct sql_link **ret_link,
                   struct err *err) {
    const unsigned connect_s = CONNECT_S;
    const unsigned answer_s = ANSWER_S;
    const unsigned no = 0;
    const my_bool off = 0;
    pthread_once(&once, begin_library);
    own(sql_link) link = calloc(1, sizeof *link);
    CHECK(link != NULL);
    CHECK(mysql_init(&link->mysql) != NULL);
    link->is_open = true;
    (void)mysql_options(&link->mysql, MYSQL_OPT_NONBLOCK, NULL);
    (void)mysql_options(&link->mysql, MYSQL_OPT_CONNECT_TIMEOUT, &connect_s);
    (void)mysql_options(&link->mysql, MYSQL_OPT_READ_TIMEOUT, &answer_s);
    (void)mysql_options(&link->mysql, MYSQL_OPT_LOCAL_INFILE, &no);
    (void)mysql_options(&link->mysql, MYSQL_OPT_RECONNECT, &off);
    (void)mysql_options(&link->mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    if (mysql_real_connect(&link->mysql, target->socket != NULL ? NULL : target->host, target->user,
                           target->password, target->schema,
                           target->socket != NULL ? 0 : target->port, target->socket,
                           CLIENT_MULTI_RESULTS) == NULL) {
        return refused(link, "connect to the judge database", err);
    }
    *ret_link = take(link);
    return true;
}

void sql_link_close(struct sql_link *link) {
    if (link == NULL) {
        return;
    }
    if (link->is_open) {
        mysql_close(&link->mysql);
    }
    free(link);
}

bool sql_link_do(struct sql_link *link, const char *statement, struct err *err) {
    char ignored[256];
    return sql_link_ask(link, statement, ignored, err);
}

bool sql_link_ask(struct sql_link *link, const char *statement, char ret_text[256],
                  struct err *err) {
    ret_text[0] = '\0';
    if (mysql_real_query(&link->mysql, statement, strlen(statement)) != 0) {
        return refused(link, "the judge database refused", err);
    }
    MYSQL_RES *result = mysql_store_result(&link->mysql);
    if (result == NULL) {
        return mysql_field_count(&link->mysql) == 0 ||
               refused(link, "the judge database refused", err);
    }
    MYSQL_ROW row = mysql_fetch_row(result);
    if (row != NULL && row[0] != NULL) {
        (void)snprintf(ret_text, 256, "%s", row[0]);
    }
    mysql_free_result(result);
    return true;
}

/* ---- waiting ---- */

struct waiting {
    struct sql_link *link;
    const struct sql_ask *ask;
    enum sql_end ended; /* why it was killed; SQL_END_DONE: it was not */
    int64_t give_up_ms; /* behind the kill */
};

static void kill_it(struct waiting *waiting, enum sql_end why) {
    char statement[64];
    struct err ignored = {0};
    waiting->ended = why;
    waiting->give_up_ms = clock_mono_ms(&clock_real) + KILLED_MS;
    (void)snprintf(statement, sizeof statement, "KILL %lu", mysql_thread_id(&waiting->link->mysql));
    if (!sql_link_do(waiting->ask->killer, statement, &ignored)) {
        waiting->give_up_ms = 0;
    }
}

static void look(struct waiting *waiting) {
    int64_t now_ms = clock_mono_ms(&clock_real);
    if (waiting->ended != SQL_END_DONE) {
        if (now_ms >= waiting->give_up_ms) { /* what it waits for ends with an error */
            waiting->ended = SQL_END_LOST;
            (void)shutdown((int)mysql_get_socket(&waiting->link->mysql), SHUT_RDWR);
        }
    } else if (now_ms >= waiting->ask->deadline_ms) {
        kill_it(waiting, SQL_END_TIME);
    } else if (!waiting->ask->wanted(waiting->ask->context)) {
        kill_it(waiting, SQL_END_UNWANTED);
    }
}

static int next_look_ms(const struct waiting *waiting) {
    int64_t left_ms = waiting->ask->deadline_ms - clock_mono_ms(&clock_real);
    bool soon = waiting->ended == SQL_END_DONE && left_ms < WAIT_MS;
    return soon ? (int)(left_ms < 0 ? 0 : left_ms) : WAIT_MS;
}

/* Until what the library waits for is there. Its own time-outs are not used. */
static int wait_for(struct waiting *waiting, int status) {
    struct pollfd ready = {.fd = (int)mysql_get_socket(&waiting->link->mysql)};
    ready.events = (short)(((status & MYSQL_WAIT_READ) != 0 ? POLLIN : 0) |
                           ((status & MYSQL_WAIT_WRITE) != 0 ? POLLOUT : 0) |
                           ((status & MYSQL_WAIT_EXCEPT) != 0 ? POLLPRI : 0));
    for (;;) {
        int count = poll(&ready, 1, next_look_ms(waiting));
        if (count > 0) {
            return ((ready.revents & (POLLIN | POLLHUP | POLLERR)) != 0 ? MYSQL_WAIT_READ : 0) |
                   ((ready.revents & POLLOUT) != 0 ? MYSQL_WAIT_WRITE : 0) |
                   ((ready.revents & POLLPRI) != 0 ? MYSQL_WAIT_EXCEPT : 0);
        }
        if (count < 0 && errno != EINTR) {
            return MYSQL_WAIT_TIMEOUT;
        }
        look(waiting);
    }
}

/* ---- results ---- */

static enum sql_class class_of(const MYSQL_FIELD *field) {
    switch ((int)field->type) {
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
    case MYSQL_TYPE_YEAR: return SQL_CLASS_INTEGER;
    case MYSQL_TYPE_DECIMAL:
    case MYSQL_TYPE_NEWDECIMAL: return SQL_CLASS_DECIMAL;
    case MYSQL_TYPE_FLOAT:
    case MYSQL_TYPE_DOUBLE: return SQL_CLASS_REAL;
    case MYSQL_TYPE_DATE:
    case MYSQL_TYPE_NEWDATE:
    case MYSQL_TYPE_DATETIME:
    case MYSQL_TYPE_TIMESTAMP: return SQL_CLASS_DATE;
    case MYSQL_TYPE_TIME: return SQL_CLASS_TIME;
    case MYSQL_TYPE_BIT:
    case MYSQL_TYPE_GEOMETRY: return SQL_CLASS_BYTES;
    case TYPE_JSON: return SQL_CLASS_TEXT;
    default: return field->charsetnr == BINARY_CHARSET ? SQL_CLASS_BYTES : SQL_CLASS_TEXT;
    }
}

struct reading {
    struct waiting *waiting;
    MYSQL_RES *result;
    const MYSQL_FIELD *fields;
    int32_t columns;
    struct sql_table *table; /* NULL: rows are dropped */
};

/* False: too large. */
static bool take_row(struct reading *reading, MYSQL_ROW row) {
    const struct sql_ask *ask = reading->waiting->ask;
    const unsigned long *lengths = mysql_fetch_lengths(reading->result);
    if (ask->left->rows_max-- <= 0) {
        return false;
    }
    for (int32_t i = 0; i < reading->columns; i++) {
        ask->left->bytes_max -= row[i] == NULL ? 0 : (int64_t)lengths[i];
    }
    if (ask->left->bytes_max < 0) {
        return false;
    }
    if (reading->table == NULL) {
        return true;
    }
    struct sql_value *values = sql_table_add_row(reading->table, ask->arena);
    for (int32_t i = 0; i < reading->columns; i++) {
        bool null = row[i] == NULL;
        values[i].class = null ? SQL_CLASS_NULL : class_of(&reading->fields[i]);
        values[i].text = null ? STR("") : arena_str(ask->arena, str_of(row[i], lengths[i]));
    }
    return true;
}

static bool begin_table(struct reading *reading) {
    const struct sql_ask *ask = reading->waiting->ask;
    reading->columns = (int32_t)mysql_num_fields(reading->result);
    reading->fields = mysql_fetch_fields(reading->result);
    if (ask->tables == NULL) {
        return true;
    }
    struct str *names = arena_array(ask->arena, (size_t)reading->columns, sizeof *names);
    for (int32_t i = 0; i < reading->columns; i++) {
        names[i] = arena_str(ask->arena, str_from(reading->fields[i].name));
    }
    reading->table = sql_tables_add(ask->tables, ask->arena, names, reading->columns);
    return reading->table != NULL;
}

static bool read_rows(struct reading *reading) {
    for (;;) {
        MYSQL_ROW row = NULL;
        int status = mysql_fetch_row_start(&row, reading->result);
        while (status != 0) {
            status =
                mysql_fetch_row_cont(&row, reading->result, wait_for(reading->waiting, status));
        }
        if (row == NULL) {
            return true;
        }
        if (!take_row(reading, row)) {
            return false;
        }
    }
}

/* Without the library's own wait for the rows that nobody will read. */
static void drop_result(struct waiting *waiting, MYSQL_RES *result) {
    int status = mysql_free_result_start(result);
    while (status != 0) {
        status = mysql_free_result_cont(result, wait_for(waiting, status));
    }
}

/* One result of the statement; an error is left in the library's hands. */
static bool read_result(struct waiting *waiting) {
    struct reading reading = {.waiting = waiting,
                              .result = mysql_use_result(&waiting->link->mysql)};
    if (reading.result == NULL) {
        return true; /* no rows, or an error */
    }
    bool fits = begin_table(&reading) && read_rows(&reading);
    if (!fits) {
        kill_it(waiting, SQL_END_LARGE);
    }
    drop_result(waiting, reading.result);
    return fits;
}

/* ---- one statement ---- */

static int send_statement(struct waiting *waiting, struct str statement) {
    int failed = 0;
    int status = mysql_real_query_start(&failed, &waiting->link->mysql, statement.ptr,
                                        (unsigned long)statement.len);
    while (status != 0) {
        status = mysql_real_query_cont(&failed, &waiting->link->mysql, wait_for(waiting, status));
    }
    return failed;
}

/* -1: there is no further one. */
static int next_result(struct waiting *waiting) {
    int failed = 0;
    int status = mysql_next_result_start(&failed, &waiting->link->mysql);
    while (status != 0) {
        status = mysql_next_result_cont(&failed, &waiting->link->mysql, wait_for(waiting, status));
    }
    return failed;
}

static enum sql_end end_of(const struct waiting *waiting, unsigned code) {
    if (waiting->ended != SQL_END_DONE) {
        return waiting->ended;
    }
    switch (code) {
    case 0: return SQL_END_DONE;
    case CODE_STATEMENT_TIME:
    case CODE_QUERY_TIME:
    case CODE_INTERRUPTED: return SQL_END_TIME;
    case CODE_KILLED: return SQL_END_LOST;
    default: break;
    }
    return code >= CODE_CLIENT_FIRST && code <= CODE_CLIENT_LAST ? SQL_END_LOST : SQL_END_ERROR;
}

struct sql_outcome sql_link_run(struct sql_link *link, struct str statement,
                                const struct sql_ask *ask) {
    struct waiting waiting = {.link = link, .ask = ask};
    struct sql_outcome outcome = {.end = SQL_END_DONE};
    bool more = send_statement(&waiting, statement) == 0;
    while (more) {
        more =
            read_result(&waiting) && mysql_errno(&link->mysql) == 0 && next_result(&waiting) == 0;
    }
    outcome.code = mysql_errno(&link->mysql);
    outcome.end = end_of(&waiting, outcome.code);
    if (outcome.end == SQL_END_ERROR) {
        (void)snprintf(outcome.text, sizeof outcome.text, "%s", mysql_error(&link->mysql));
    }
    return outcome;
}
