#include "store/packet.h"
#include "base/check.h"
#include "store/lock_sql.h"

#include <string.h>

#define COLUMN_BYTES 64

void packet_init(struct packet *packet) {
    *packet = (struct packet){.statements = 0};
    buf_init(&packet->text, PACKET_BYTES_MAX);
}

void packet_done(struct packet *packet) {
    buf_done(&packet->text);
}

void packet_clear(struct packet *packet) {
    buf_clear(&packet->text);
    packet->statements = 0;
}

/* ---- the builder: everything goes through these ---- */

static bool is_safe(const char *words) {
    return strpbrk(words, ";\"\\#") == NULL && strstr(words, "--") == NULL;
}

void packet_words(struct packet *packet, const char *words) {
    CHECK(is_safe(words));
    (void)buf_append_c(&packet->text, words);
}

static void packet_name(struct packet *packet, struct str name) {
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        CHECK((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '`');
    }
    (void)buf_append(&packet->text, name);
}

static void packet_hex(struct packet *packet, struct str bytes) {
    (void)buf_append_c(&packet->text, "x'");
    char *out = buf_reserve(&packet->text, 2 * bytes.len);
    if (out != NULL) {
        hex_encode((const uint8_t *)bytes.ptr, bytes.len, out);
        buf_grew(&packet->text, 2 * bytes.len);
    }
    (void)buf_append_char(&packet->text, '\'');
}

void packet_value(struct packet *packet, const struct rows_value *value) {
    switch (value->type) {
    case ROWS_NULL: (void)buf_append_c(&packet->text, "NULL"); return;
    case ROWS_I64: (void)buf_append_i64(&packet->text, value->i64); return;
    case ROWS_TEXT:
    case ROWS_BLOB: packet_hex(packet, value->bytes); return;
    }
    CHECK(false);
}

void packet_end(struct packet *packet) {
    (void)buf_append_char(&packet->text, ';');
    packet->statements++;
}

/* ---- writes ---- */

static void append_tuple(struct packet *packet, const struct rows_value *values, int count,
                         const char *rest) {
    packet_words(packet, "(");
    for (int i = 0; i < count; i++) {
        packet_words(packet, i > 0 ? "," : "");
        packet_value(packet, &values[i]);
    }
    if (rest != NULL) {
        packet_words(packet, ", ");
        packet_words(packet, rest);
    }
    packet_words(packet, ")");
}

static void append_insert(struct packet *packet, const struct rows_write *write,
                          const struct rows_value *values, int count) {
    packet_words(packet, "INSERT INTO ");
    packet_words(packet, write->table);
    packet_words(packet, " (");
    packet_words(packet, write->columns);
    if (write->constants != NULL) {
        packet_words(packet, ", ");
        packet_words(packet, write->constant_columns);
    }
    packet_words(packet, ") VALUES ");
    for (int row = 0; row < count; row++) {
        packet_words(packet, row > 0 ? "," : "");
        append_tuple(packet, &values[row * write->column_count], write->column_count,
                     write->constants);
    }
}

/* The rows of an UPDATE or DELETE. What all rows say alike is said once, as a literal; the rest is
 * a table that the rows are joined to. */
struct change {
    const struct rows_write *write;
    const struct rows_value *values; /* row by row */
    int count;
    bool varies[ROWS_COLUMNS_MAX];
};

static bool is_same(const struct rows_value *a, const struct rows_value *b) {
    return a->type == b->type && a->i64 == b->i64 && str_eq(a->bytes, b->bytes);
}

static void find_what_varies(struct change *change) {
    int columns = change->write->column_count;
    for (int i = columns; i < change->count * columns; i++) {
        int column = i % columns;
        change->varies[column] =
            change->varies[column] || !is_same(&change->values[i], &change->values[column]);
    }
}

static void append_row(struct packet *packet, const struct change *change, int row) {
    struct str columns = str_from(change->write->columns);
    struct str name = {0};
    const char *between = "";
    for (int i = 0; i < change->write->column_count && rows_next_column(&columns, &name); i++) {
        if (change->varies[i]) {
            packet_words(packet, between);
            packet_value(packet, &change->values[row * change->write->column_count + i]);
            if (row == 0) {
                packet_words(packet, " AS ");
                packet_name(packet, name);
            }
            between = ",";
        }
    }
}

/* The first row names the columns. VALUES is spelled with ROW in MySQL, which alone reads such a
 * comment; a SELECT a row costs the server twice as much. */
static void append_table(struct packet *packet, const struct change *change) {
    packet_words(packet, "(SELECT ");
    append_row(packet, change, 0);
    for (int row = 1; row < change->count; row++) {
        packet_words(packet, row == 1 ? " UNION ALL VALUES " : ",");
        packet_words(packet, "/*!80019 ROW*/(");
        append_row(packet, change, row);
        packet_words(packet, ")");
    }
    packet_words(packet, ") v STRAIGHT_JOIN ");
}

/* "t.a = v.a, t.b = 5" of the columns from `first` on, before `end`. */
static void append_equal(struct packet *packet, const struct change *change, int first, int end,
                         const char *between) {
    struct str columns = str_from(change->write->columns);
    struct str name = {0};
    for (int i = 0; i < end && rows_next_column(&columns, &name); i++) {
        if (i < first) {
            continue;
        }
        packet_words(packet, i > first ? between : "");
        packet_words(packet, "t.");
        packet_name(packet, name);
        packet_words(packet, " = ");
        if (change->varies[i]) {
            packet_words(packet, "v.");
            packet_name(packet, name);
        } else {
            packet_value(packet, &change->values[i]);
        }
    }
}

static void append_keys_equal(struct packet *packet, const struct change *change) {
    append_equal(packet, change, 0, change->write->key_count, " AND ");
}

static void append_set(struct packet *packet, const struct change *change) {
    packet_words(packet, " SET ");
    append_equal(packet, change, change->write->key_count, change->write->column_count, ", ");
}

static void append_one(struct packet *packet, const struct change *change) {
    bool is_delete = change->write->kind == ROWS_DELETE;
    packet_words(packet, is_delete ? "DELETE t FROM " : "UPDATE ");
    packet_words(packet, change->write->table);
    packet_words(packet, " t");
    if (!is_delete) {
        append_set(packet, change);
    }
    packet_words(packet, " WHERE ");
    append_keys_equal(packet, change);
}

/* STRAIGHT_JOIN and never a list of keys: that is answered by a scan on a small table. */
static void append_many(struct packet *packet, const struct change *change) {
    bool is_delete = change->write->kind == ROWS_DELETE;
    packet_words(packet, is_delete ? "DELETE t FROM " : "UPDATE ");
    append_table(packet, change);
    packet_words(packet, change->write->table);
    packet_words(packet, " t ON ");
    append_keys_equal(packet, change);
    if (!is_delete) {
        append_set(packet, change);
    }
}

static void append_change(struct packet *packet, const struct rows_write *write,
                          const struct rows_value *values, int count) {
    struct change change = {.write = write, .values = values, .count = count};
    find_what_varies(&change);
    if (count == 1) {
        append_one(packet, &change);
    } else {
        append_many(packet, &change);
    }
}

void packet_write(struct packet *packet, const struct rows_write *write,
                  const struct rows_value *values, int count) {
    CHECK(count > 0);
    if (write->kind == ROWS_INSERT) {
        append_insert(packet, write, values, count);
    } else {
        append_change(packet, write, values, count);
    }
    packet_end(packet);
}

/* ---- reads ---- */

static void append_list(struct packet *packet, const struct rows_value *values, int count) {
    packet_words(packet, " IN ");
    append_tuple(packet, values, count, NULL);
}

/* One column: a list, which is a range of its index. More: each key by itself, since MariaDB makes
 * no range of a list of tuples. */
static void append_keys(struct packet *packet, const struct rows_read *read) {
    const struct rows_select *select = read->select;
    packet_words(packet, " WHERE ");
    if (select->key_count == 1) {
        packet_name(packet, str_from(select->keys[0]));
        append_list(packet, read->values, read->count);
        return;
    }
    for (int key = 0; key < read->count; key++) {
        packet_words(packet, key > 0 ? " OR (" : "(");
        for (int i = 0; i < select->key_count; i++) {
            packet_words(packet, i > 0 ? " AND " : "");
            packet_name(packet, str_from(select->keys[i]));
            packet_words(packet, " = ");
            packet_value(packet, &read->values[key * select->key_count + i]);
        }
        packet_words(packet, ")");
    }
}

/* The words with each ? replaced by the next value. */
static void append_filled(struct packet *packet, const char *words, const struct rows_value *values,
                          int count) {
    int next = 0;
    CHECK(is_safe(words));
    for (const char *c = words; *c != '\0'; c++) {
        if (*c == '?') {
            CHECK(next < count);
            packet_value(packet, &values[next++]);
        } else {
            (void)buf_append_char(&packet->text, *c);
        }
    }
    CHECK(next == count);
}

static const char *lock_words(const struct rows_read *read) {
    if (read->level == LOCK_NONE || read->select->key_count == 0) {
        return "";
    }
    return read->mode == LOCK_EXCLUSIVE ? " FOR UPDATE" : " LOCK IN SHARE MODE";
}

static void append_locks(struct packet *packet, const struct rows_read *read) {
    struct lock_words words = lock_sql_words(read->level, read->mode);
    packet_words(packet, words.before);
    for (int i = 0; i < read->count; i++) {
        packet_words(packet, i > 0 ? words.between : "");
        packet_value(packet, &read->values[i]);
    }
    packet_words(packet, words.after);
    packet_end(packet);
}

void packet_read(struct packet *packet, const struct rows_read *read) {
    const struct rows_select *select = read->select;
    if (select != NULL && select->key_count == 0) {
        append_filled(packet, select->sql, read->values, read->count);
        packet_end(packet);
        return;
    }
    if (read->count == 0) {
        return;
    }
    if (select == NULL) {
        append_locks(packet, read);
        return;
    }
    packet_words(packet, select->sql);
    append_keys(packet, read);
    packet_words(packet, select->tail != NULL ? select->tail : "");
    packet_words(packet, lock_words(read));
    packet_end(packet);
}
