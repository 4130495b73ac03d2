#ifndef WAKE_OUTBOX_H
#define WAKE_OUTBOX_H

#include "base/arena.h"
#include "wake/wake.h"

/* Messages that wait to be sent: bounded in number and bytes, filled by any thread, emptied by one.
 * What comes twice before it is sent is sent once. */

struct outbox;

struct outbox *outbox_create(void);
void outbox_free(struct outbox *outbox); /* accepts NULL */
OWN_DEFINE(outbox, outbox_free)

/* Copies the message. False when there was no room, or while the outbox is shut. */
bool outbox_put(struct outbox *outbox, const struct wake_message *message);
/* Takes the oldest out; its body lives in `arena`. False when it is empty. */
bool outbox_take(struct outbox *outbox, struct arena *arena, struct wake_message *ret_message);
/* Shut: takes nothing, and forgets what it has. */
void outbox_shut(struct outbox *outbox, bool shut);
/* How many messages were refused or forgotten since it was made. */
int64_t outbox_lost(struct outbox *outbox);

#endif
