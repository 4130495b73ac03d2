#ifndef STORE_PACKET_H
#define STORE_PACKET_H

#include "base/buf.h"
#include "store/rows.h"

/* Several statements as one text, for MySQL's queue transactions: the only place where values stand
 * in SQL. A value is an integer, a hex literal (x'0a') or NULL, whatever it means; words are
 * literals of this program. So no byte that came from outside can end a literal or begin a
 * statement: the property of tests/fuzz/fuzz_packet.c. See docs/decisions/0013-packets.md. */

#define PACKET_BYTES_MAX (12 * 1024 * 1024) /* below the server's max_allowed_packet of 16 MiB */

struct packet {
    struct buf text;
    int statements;
};

void packet_init(struct packet *packet);
void packet_done(struct packet *packet); /* accepts a zeroed one */
#define own_packet __attribute__((cleanup(packet_done))) struct packet
void packet_clear(struct packet *packet);

/* Words, with static storage. CHECKs that they hold nothing that ends a statement or a literal. */
void packet_words(struct packet *packet, const char *words);
void packet_value(struct packet *packet, const struct rows_value *value);
void packet_end(struct packet *packet); /* of a statement */

/* One statement for `count` rows of a purpose, from `values` on. */
void packet_write(struct packet *packet, const struct rows_write *write,
                  const struct rows_value *values, int count);
/* The locks, or the rows with theirs: one statement, none without keys. */
void packet_read(struct packet *packet, const struct rows_read *read);

#endif
