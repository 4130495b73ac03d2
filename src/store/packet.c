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

/* A table of the values, one SELECT a row: VALUES is spelled differently in MySQL and MariaDB. */
static void append_values(struct packet *packet, const struct rows_write *write,
                          const struct rows_value *values, int count) {
    packet_words(packet, "(");
    for (int row = 0; row < count; row++) {
        struct str columns = str_from(write->columns);
        struct str name = {0};
        packet_words(packet, row > 0 ? " UNION ALL SELECT " : "SELECT ");
        for (int i = 0; i < write->column_count && rows_next_column(&columns, &name); i++) {
            packet_words(packet, i > 0 ? "," : "");
            packet_value(packet, &values[row * write->column_count + i]);
            if (row == 0) {
                packet_words(packet, " AS ");
                packet_name(packet, name);
            }
        }
    }
    packet_words(packet, ") v STRAIGHT_JOIN ");
    packet_words(packet, write->table);
    packet_words(packet, " t ON ");
}

/* "t.a = v.a, t.b = v.b" of the columns from `first` on, before `end`. */
static void append_equal(struct packet *packet, const struct rows_write *write, int first, int end,
                         const char *between) {
    struct str columns = str_from(write->columns);
    struct str name = {0};
    for (int i = 0; i < end && rows_next_column(&columns, &name); i++) {
        if (i >= first) {
            packet_words(packet, i > first ? between : "");
            packet_words(packet, "t.");
            packet_name(packet, name);
            packet_words(packet, " = v.");
            packet_name(packet, name);
        }
    }
}

void packet_write(struct packet *packet, const struct rows_write *write,
                  const struct rows_value *values, int count) {
    CHECK(count > 0);
    switch (write->kind) {
    case ROWS_INSERT: append_insert(packet, write, values, count); break;
    case ROWS_UPDATE:
        packet_words(packet, "UPDATE ");
        append_values(packet, write, values, count);
        append_equal(packet, write, 0, write->key_count, " AND ");
        packet_words(packet, " SET ");
        append_equal(packet, write, write->key_count, write->column_count, ", ");
        break;
    case ROWS_DELETE:
        packet_words(packet, "DELETE t FROM ");
        append_values(packet, write, values, count);
        append_equal(packet, write, 0, write->key_count, " AND ");
        break;
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
