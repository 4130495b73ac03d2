#ifndef WAKE_WAKE_TEXT_H
#define WAKE_WAKE_TEXT_H

#include "base/buf.h"
#include "wake/wake.h"

/* A message as it goes to other servers: "assize1 SENDER TOPIC ID COUNT\n" and the body. Servers of
 * the next version may send what this one does not know: that is dropped. */

#define WAKE_SENDER_CHARS 16
#define WAKE_TEXT_BYTES_MAX (WAKE_BODY_BYTES_MAX + 128)

void wake_text_write(const char *sender, const struct wake_message *message, struct buf *into);
/* False when it is none of ours, or one of `self`'s own. The body points into `text`. */
bool wake_text_read(struct str text, const char *self, struct wake_message *ret_message);

#endif
