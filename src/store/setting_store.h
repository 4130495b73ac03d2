#ifndef STORE_SETTING_STORE_H
#define STORE_SETTING_STORE_H

#include "base/arena.h"
#include "store/db.h"

/* Settings that belong to the database, not to a server's configuration: "blob.store_id". */
#define SETTING_NAME_BYTES_MAX 64
#define SETTING_TEXT_BYTES_MAX 4096

/* *ret_found false: never set; *ret_text is then untouched. */
checked bool setting_store_get(struct db *db, struct str name, struct arena *arena, bool *ret_found,
                               struct str *ret_text, struct err *err);
checked bool setting_store_put(struct db *db, struct str name, struct str text, int64_t now_ms,
                               struct err *err);

#endif
