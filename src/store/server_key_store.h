#ifndef STORE_SERVER_KEY_STORE_H
#define STORE_SERVER_KEY_STORE_H

#include "data/jwt.h"
#include "store/db.h"

/* Keys that sign access tokens. The newest whose time has not run out signs; older ones are
 * accepted a little longer, until what they signed has expired. */

struct server_key_row {
    struct jwt_key key;
    int64_t created_ms;
    int64_t signs_until_ms;
    int64_t accepted_until_ms;
};

#define SERVER_KEYS_MAX 16

checked bool server_key_store_insert(struct db *db, const struct server_key_row *row,
                                     struct err *err);
/* Those accepted at now_ms, newest first; room for SERVER_KEYS_MAX. */
checked bool server_key_store_list(struct db *db, int64_t now_ms, struct server_key_row *ret_rows,
                                   int *ret_count, struct err *err);
checked bool server_key_store_delete_expired(struct db *db, int64_t now_ms, struct err *err);

#endif
