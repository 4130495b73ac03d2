/* What waits to be written. Rows of one purpose form a group, groups keep the order in which they
 * were begun. A row joins the newest group of its purpose unless a later group has touched the same
 * key of the same table: then it begins a group of its own (1). */
#include "base/arena.h"
#include "base/check.h"
#include "base/limits.h"
#include "store/db_driver_internal.h"
#include "store/rows_internal.h"

#include <stdlib.h>
#include <string.h>

#define WAITING_BYTES_MAX (4 * MIB) /* then it is sent, commit or not */
#define ARENA_BYTES_MAX (32 * MIB)  /* one value more may be as long as a result */
#define GROUPS_MAX 64
#define ROWS_MAX 4096 /* that wait at once */
#define TOUCHED_SLOTS (4 * ROWS_MAX)
#define TEXT_SLOTS 512
#define SQL_BYTES_MAX (4 * KIB)

/* A key that a waiting row has: by its hash alone, since taking two for one only costs a group. */
struct touched {
    uint64_t hash; /* 0: free */
    int group;
    int row;
};

struct text {
    const void *spec;
    char *sql;
};

struct rows {
    struct rows_group groups[GROUPS_MAX];
    int group_count;
    int count; /* of all groups */
    struct arena *bytes;
    struct touched *touched; /* TOUCHED_SLOTS, in use only while something waits */
    bool sending;            /* or reading: what is prepared meanwhile is ours */
    struct text texts[TEXT_SLOTS];
    int text_count;
    struct rows_counts counts;
    struct db_meter *meter; /* NULL: none */
};

struct rows *rows_create(struct db_meter *meter) {
    struct rows *rows = calloc(1, sizeof *rows);
    CHECK(rows != NULL);
    rows->touched = calloc(TOUCHED_SLOTS, sizeof rows->touched[0]);
    CHECK(rows->touched != NULL);
    rows->meter = meter;
    return rows;
}

void rows_free(struct rows *rows) {
    if (rows == NULL) {
        return;
    }
    rows_forget(rows);
    for (int i = 0; i < GROUPS_MAX; i++) {
        free(rows->groups[i].values);
    }
    for (int i = 0; i < TEXT_SLOTS; i++) {
        free(rows->texts[i].sql);
    }
    free(rows->touched);
    free(rows);
}

bool rows_wait(const struct rows *rows) {
    return rows->count > 0 && !rows->sending;
}

void rows_count(struct rows *rows, int64_t statements, int64_t trips) {
    rows->counts.statements += statements;
    rows->counts.trips += trips;
    if (rows->meter != NULL) {
        atomic_fetch_add(&rows->meter->statements, statements);
        atomic_fetch_add(&rows->meter->trips, trips);
    }
}

void rows_count_alone(struct rows *rows) {
    if (!rows->sending) {
        rows_count(rows, 1, 1);
    }
}

struct rows_group *rows_groups(struct rows *rows, int *ret_count) {
    *ret_count = rows->group_count;
    return rows->groups;
}

void rows_forget(struct rows *rows) {
    if (rows->count > 0) {
        memset(rows->touched, 0, TOUCHED_SLOTS * sizeof rows->touched[0]);
    }
    for (int i = 0; i < rows->group_count; i++) {
        rows->groups[i].count = 0;
    }
    rows->group_count = 0;
    rows->count = 0;
    arena_free(rows->bytes);
    rows->bytes = NULL;
}

struct rows_counts db_counts(struct db *db) {
    return db_rows(db)->counts;
}

/* ---- the texts ---- */

static char **find_text(struct rows *rows, const void *spec) {
    size_t slot = (size_t)(((uint64_t)(uintptr_t)spec * UINT64_C(0x9E3779B97F4A7C15)) >> 55);
    while (rows->texts[slot].spec != NULL && rows->texts[slot].spec != spec) {
        slot = (slot + 1) % TEXT_SLOTS;
    }
    if (rows->texts[slot].spec == NULL) {
        CHECK(rows->text_count < TEXT_SLOTS / 2);
        rows->text_count++;
        rows->texts[slot].spec = spec;
    }
    return &rows->texts[slot].sql;
}

static char *keep(struct buf *sql) {
    char *kept = strdup(buf_c(sql));
    CHECK(kept != NULL);
    return kept;
}

bool rows_next_column(struct str *columns, struct str *ret_name) {
    if (!str_next_word(columns, ret_name)) {
        return false;
    }
    ret_name->len -= ret_name->ptr[ret_name->len - 1] == ',' ? 1 : 0;
    return true;
}

/* "a = ?, b = ?" of the columns from `first` on, before `end`. */
static void append_equal(struct buf *sql, struct str columns, int first, int end,
                         const char *between) {
    struct str name = {0};
    for (int i = 0; i < end && rows_next_column(&columns, &name); i++) {
        if (i >= first) {
            buf_printf(sql, "%s" STR_FMT " = ?", i > first ? between : "", STR_ARG(name));
        }
    }
}

static void append_insert(struct buf *sql, const struct rows_write *write) {
    bool more = write->constants != NULL;
    buf_printf(sql, "INSERT INTO %s (%s%s%s) VALUES (", write->table, write->columns,
               more ? ", " : "", more ? write->constant_columns : "");
    for (int i = 0; i < write->column_count; i++) {
        buf_append_c(sql, i > 0 ? ", ?" : "?");
    }
    buf_printf(sql, "%s%s)", more ? ", " : "", more ? write->constants : "");
}

static void append_write(struct buf *sql, const struct rows_write *write) {
    struct str columns = str_from(write->columns);
    switch (write->kind) {
    case ROWS_INSERT: append_insert(sql, write); return;
    case ROWS_UPDATE:
        buf_printf(sql, "UPDATE %s SET ", write->table);
        append_equal(sql, columns, write->key_count, write->column_count, ", ");
        break;
    case ROWS_DELETE: buf_printf(sql, "DELETE FROM %s", write->table); break;
    }
    buf_append_c(sql, " WHERE ");
    append_equal(sql, columns, 0, write->key_count, " AND ");
}

const char *rows_write_sql(struct rows *rows, const struct rows_write *write) {
    char **text = find_text(rows, write);
    if (*text == NULL) {
        own_buf sql = {0};
        buf_init(&sql, SQL_BYTES_MAX);
        append_write(&sql, write);
        *text = keep(&sql);
    }
    return *text;
}

const char *rows_select_sql(struct rows *rows, const struct rows_select *select) {
    if (select->key_count == 0) {
        return select->sql;
    }
    char **text = find_text(rows, select);
    if (*text == NULL) {
        own_buf sql = {0};
        buf_init(&sql, SQL_BYTES_MAX);
        buf_append_c(&sql, select->sql);
        for (int i = 0; i < select->key_count; i++) {
            buf_printf(&sql, " %s %s = ?", i == 0 ? "WHERE" : "AND", select->keys[i]);
        }
        buf_append_c(&sql, select->tail != NULL ? select->tail : "");
        *text = keep(&sql);
    }
    return *text;
}

/* ---- what waits ---- */

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ (hash >> 29);
}

static uint64_t hash_key(const struct rows_write *write, const struct rows_value *values) {
    uint64_t hash = 1;
    for (const char *c = write->table; *c != '\0'; c++) {
        hash = mix(hash, (unsigned char)*c);
    }
    for (int i = 0; i < write->key_count; i++) {
        CHECK(values[i].type == ROWS_I64);
        hash = mix(hash, (uint64_t)values[i].i64);
    }
    return hash | 1;
}

static struct touched *find_touched(struct rows *rows, uint64_t hash) {
    size_t slot = (size_t)(hash >> 32) % TOUCHED_SLOTS;
    while (rows->touched[slot].hash != 0 && rows->touched[slot].hash != hash) {
        slot = (slot + 1) % TOUCHED_SLOTS;
    }
    return &rows->touched[slot];
}

/* The newest group of the purpose, -1 when there is none. */
static int newest_group(const struct rows *rows, const struct rows_write *write) {
    int found = rows->group_count - 1;
    while (found >= 0 && rows->groups[found].write != write) {
        found--;
    }
    return found;
}

static int begin_group(struct rows *rows, const struct rows_write *write) {
    CHECK(rows->group_count < GROUPS_MAX);
    rows->groups[rows->group_count].write = write;
    return rows->group_count++;
}

static struct rows_value *add_row(struct rows_group *group) {
    int columns = group->write->column_count;
    if (group->room < (group->count + 1) * columns) {
        group->room = 2 * (group->count + 8) * columns;
        group->values = realloc(group->values, (size_t)group->room * sizeof group->values[0]);
        CHECK(group->values != NULL);
    }
    return &group->values[group->count++ * columns];
}

static void copy_values(struct rows *rows, struct rows_value *to, const struct rows_value *from,
                        int count) {
    for (int i = 0; i < count; i++) {
        to[i] = from[i];
        if (from[i].bytes.len > 0) {
            to[i].bytes = arena_str(rows->bytes, from[i].bytes);
        }
    }
}

static void add(struct rows *rows, const struct rows_write *write,
                const struct rows_value *values) {
    struct touched *touched = find_touched(rows, hash_key(write, values));
    int earlier = touched->hash != 0 ? touched->group : -1;
    int group = newest_group(rows, write);
    rows->bytes = rows->bytes != NULL ? rows->bytes : arena_create(ARENA_BYTES_MAX);
    if (group >= 0 && group == earlier && write->kind == ROWS_UPDATE) { /* the last value counts */
        copy_values(rows, &rows->groups[group].values[touched->row * write->column_count], values,
                    write->column_count);
        return;
    }
    group = group > earlier ? group : begin_group(rows, write);
    *touched = (struct touched){
        .hash = hash_key(write, values), .group = group, .row = rows->groups[group].count};
    copy_values(rows, add_row(&rows->groups[group]), values, write->column_count);
    rows->count++;
}

static size_t bytes_of(const struct rows_write *write, const struct rows_value *values) {
    size_t bytes = 0;
    for (int i = 0; i < write->column_count; i++) {
        bytes += values[i].bytes.len;
    }
    return bytes;
}

static bool is_full(const struct rows *rows, size_t more_bytes) {
    return rows->count >= ROWS_MAX || rows->group_count >= GROUPS_MAX - 1 ||
           (rows->bytes != NULL && arena_used(rows->bytes) + more_bytes > WAITING_BYTES_MAX);
}

bool db_put(struct db *db, const struct rows_write *write, const struct rows_value *values,
            struct err *err) {
    struct rows *rows = db_rows(db);
    CHECK(write->key_count > 0 && write->column_count <= ROWS_COLUMNS_MAX);
    if (is_full(rows, bytes_of(write, values)) && !db_flush(db, err)) {
        return false;
    }
    add(rows, write, values);
    return db_in_transaction(db) || db_flush(db, err);
}

/* ---- leaving ---- */

static bool send_one_by_one(struct rows *rows, struct db *db, struct err *err) {
    bool sent = true;
    for (int i = 0; sent && i < rows->group_count; i++) {
        rows_count(rows, 1, 1);
        sent = rows_one_write(db, &rows->groups[i], err);
    }
    return sent;
}

bool db_flush(struct db *db, struct err *err) {
    struct rows *rows = db_rows(db);
    if (!rows_wait(rows)) {
        return true;
    }
    rows->sending = true;
    bool sent = db->driver->packet != NULL
                    ? rows_packet_write(db, rows->groups, rows->group_count, err)
                    : send_one_by_one(rows, db, err);
    rows->sending = false;
    rows_forget(rows);
    return sent;
}

/* ---- reads ---- */

/* Rows that were found and locked by their own statement: noted when all have been found, since
 * they come in the order of a queue. All are of one level. */
struct found {
    enum lock_level level;
    enum lock_mode mode;
    int64_t *ids;
    int count;
    int room;
};

struct note {
    struct found *found;
    const struct rows_read *read;
};

static void note_found(void *context, struct db_stmt *row) {
    struct note *note = context;
    struct found *found = note->found;
    if (found->count == found->room) {
        found->room = 2 * found->room + 64;
        found->ids = realloc(found->ids, (size_t)found->room * sizeof found->ids[0]);
        CHECK(found->ids != NULL);
    }
    found->ids[found->count++] = db_i64(row, 0);
    note->read->row(note->read->context, row);
}

static int compare_ids(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void lock_found(struct db *db, struct found *found) {
    if (found->count > 1) {
        qsort(found->ids, (size_t)found->count, sizeof found->ids[0], compare_ids);
    }
    for (int i = 0; i < found->count; i++) {
        db_lock_found(db, found->level, found->mode, found->ids[i]);
    }
    free(found->ids);
}

static bool finds_locks(const struct rows_read *read) {
    return read->level != LOCK_NONE && read->select != NULL && read->select->key_count == 0;
}

/* The reads with those wrapped that find their locks themselves. */
static const struct rows_read *wrap(const struct rows_read *reads, int count, struct found *found,
                                    struct rows_read *wrapped, struct note *notes) {
    for (int i = 0; i < count; i++) {
        wrapped[i] = reads[i];
        if (finds_locks(&reads[i])) {
            notes[i] = (struct note){found, &reads[i]};
            found->level = reads[i].level;
            found->mode = reads[i].mode;
            wrapped[i].level = LOCK_NONE;
            wrapped[i].row = note_found;
            wrapped[i].context = &notes[i];
        }
    }
    return wrapped;
}

static bool read_one_by_one(struct db *db, struct rows *rows, const struct rows_read *reads,
                            int count, struct err *err) {
    for (int i = 0; i < count; i++) {
        int64_t one = reads[i].select != NULL && reads[i].count > 0 ? 1 : 0;
        rows_count(rows, one, one);
        if (!rows_one_read(db, &reads[i], err)) {
            return false;
        }
    }
    return true;
}

bool db_read(struct db *db, const struct rows_read *reads, int count, int64_t *ret_now_ms,
             struct err *err) {
    struct rows *rows = db_rows(db);
    struct rows_read wrapped[ROWS_READS_MAX];
    struct note notes[ROWS_READS_MAX];
    struct found found = {.count = 0};
    CHECK(count <= ROWS_READS_MAX);
    if (!db_flush(db, err)) {
        return false;
    }
    reads = wrap(reads, count, &found, wrapped, notes);
    bool ask_along =
        ret_now_ms != NULL && db->clock == &clock_real && db->driver->clock_sql != NULL;
    int64_t now_ms = 0;
    rows->sending = true;
    bool ok = db->driver->packet != NULL
                  ? rows_packet_read(db, reads, count, ask_along ? &now_ms : NULL, err)
                  : read_one_by_one(db, rows, reads, count, err);
    rows->sending = false;
    lock_found(db, &found);
    if (ok && ask_along) {
        lock_order_seal(&db->locks);
        *ret_now_ms = now_ms;
        return true;
    }
    return ok && (ret_now_ms == NULL || db_now(db, ret_now_ms, err));
}
