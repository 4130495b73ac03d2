/* Rows and keys in packets. A long statement is cut into several, and a packet is sent when it has
 * become long, so that no value makes one too long for the server. */
#include "base/check.h"
#include "base/limits.h"
#include "store/db_driver_internal.h"
#include "store/packet.h"
#include "store/rows_internal.h"

#define STATEMENT_BYTES (512 * KIB) /* of values, as they are */
#define SEND_BYTES (1 * MIB)
#define ANSWERS_MAX 512

/* What each statement of the packet is expected to change, or whom it answers. */
struct sending {
    struct packet packet;
    struct packet_answer answers[ANSWERS_MAX];
    int expected[ANSWERS_MAX];
    bool may_miss[ANSWERS_MAX];
};

static bool send(struct sending *sending, struct db *db, struct err *err) {
    int count = sending->packet.statements;
    if (count == 0) {
        return true;
    }
    if (!buf_ok(&sending->packet.text, "a packet", err) ||
        !db->driver->packet(db, buf_str(&sending->packet.text), sending->answers, count, err)) {
        return false;
    }
    rows_count(db_rows(db), count, 1);
    packet_clear(&sending->packet);
    return true;
}

/* ---- writes ---- */

static bool send_writes(struct sending *sending, struct db *db, struct err *err) {
    int count = sending->packet.statements;
    if (!send(sending, db, err)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        int64_t changes = sending->answers[i].changes;
        CHECK(changes == sending->expected[i] ||
              (sending->may_miss[i] && changes < sending->expected[i]));
    }
    return true;
}

/* How many of the rows from `first` on go into one statement. */
static int rows_that_fit(const struct rows_group *group, int first) {
    size_t bytes = 0;
    int count = 0;
    int columns = group->write->column_count;
    while (first + count < group->count && (count == 0 || bytes < STATEMENT_BYTES)) {
        for (int i = 0; i < columns; i++) {
            bytes += group->values[(first + count) * columns + i].bytes.len;
        }
        count++;
    }
    return count;
}

static bool add_group(struct sending *sending, struct db *db, const struct rows_group *group,
                      struct err *err) {
    if (!db_fault_passes(db, DB_POINT_STEP, rows_write_sql(db_rows(db), group->write), err)) {
        return false;
    }
    for (int first = 0; first < group->count;) {
        int count = rows_that_fit(group, first);
        int at = sending->packet.statements;
        sending->answers[at] = (struct packet_answer){.changes = -1};
        sending->expected[at] = count;
        sending->may_miss[at] = group->write->may_miss;
        packet_write(&sending->packet, group->write,
                     &group->values[first * group->write->column_count], count);
        first += count;
        bool is_long = sending->packet.text.len > SEND_BYTES || at + 1 == ANSWERS_MAX;
        if (is_long && !send_writes(sending, db, err)) {
            return false;
        }
    }
    return true;
}

bool rows_packet_write(struct db *db, const struct rows_group *groups, int count, struct err *err) {
    struct sending sending = {.packet = {.statements = 0}};
    packet_init(&sending.packet);
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        ok = add_group(&sending, db, &groups[i], err);
    }
    ok = ok && send_writes(&sending, db, err);
    packet_done(&sending.packet);
    return ok;
}

/* ---- reads ---- */

/* The order is held here; the statement takes the locks in the same order. */
static void note_locks(struct db *db, const struct rows_read *read) {
    for (int i = 0; read->level != LOCK_NONE && i < read->count; i++) {
        CHECK(read->values[i].type == ROWS_I64);
        db_lock_found(db, read->level, read->mode, read->values[i].i64);
    }
}

static bool add_read(struct sending *sending, struct db *db, const struct rows_read *read,
                     struct err *err) {
    const struct rows_select *select = read->select;
    int at = sending->packet.statements;
    CHECK(at < ANSWERS_MAX);
    if (read->count == 0 && (select == NULL || select->key_count > 0)) {
        return true;
    }
    if (select != NULL && !db_fault_passes(db, DB_POINT_STEP, select->sql, err)) {
        return false;
    }
    note_locks(db, read);
    sending->answers[at] =
        (struct packet_answer){.row = select != NULL ? read->row : NULL, .context = read->context};
    packet_read(&sending->packet, read);
    return true;
}

static void take_now(void *context, struct db_stmt *row) {
    int64_t *now_ms = context;
    *now_ms = db_i64(row, 0);
}

static void add_clock(struct sending *sending, struct db *db, int64_t *ret_now_ms) {
    int at = sending->packet.statements;
    CHECK(at < ANSWERS_MAX);
    sending->answers[at] = (struct packet_answer){.row = take_now, .context = ret_now_ms};
    packet_words(&sending->packet, db->driver->clock_sql);
    packet_end(&sending->packet);
}

bool rows_packet_read(struct db *db, const struct rows_read *reads, int count, int64_t *ret_now_ms,
                      struct err *err) {
    struct sending sending = {.packet = {.statements = 0}};
    packet_init(&sending.packet);
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        ok = add_read(&sending, db, &reads[i], err);
    }
    if (ok && ret_now_ms != NULL) {
        add_clock(&sending, db, ret_now_ms);
    }
    ok = ok && send(&sending, db, err);
    packet_done(&sending.packet);
    return ok;
}
