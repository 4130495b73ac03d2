#ifndef APP_NODE_TEXT_H
#define APP_NODE_TEXT_H

#include "app/judger.h"
#include "base/buf.h"

/* A node's languages as stored: a line each, id, tab, version. */
checked bool node_languages_write(const struct node_language *languages, int count,
                                  struct buf *into, struct err *err);
/* Lives in `arena`, the texts in `stored`. */
int node_languages_read(struct str stored, struct arena *arena,
                        struct node_language **ret_languages);

#endif
