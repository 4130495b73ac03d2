#ifndef STORE_USER_STORE_H
#define STORE_USER_STORE_H

#include "base/arena.h"
#include "domain/actor.h"
#include "store/db.h"

/* Accounts. Texts of rows live in the arena that was given. */

struct user_row {
    struct user_id id;
    struct str username;
    struct str username_key; /* text_fold of it: unique */
    struct str display_name;
    enum role role;
    struct str password_hash;
    bool disabled;
    int64_t revision;
    int64_t created_ms;
    int64_t password_changed_ms;
};

/* Errors: ERR_CONFLICT "conflict_username". */
checked bool user_store_insert(struct db *db, const struct user_row *row, struct err *err);
/* Errors: ERR_MISSING "no_user". */
checked bool user_store_find(struct db *db, struct user_id id, struct arena *arena,
                             struct user_row *ret_row, struct err *err);
checked bool user_store_find_name(struct db *db, struct str username_key, struct arena *arena,
                                  struct user_row *ret_row, struct err *err);
/* Writes display name, role, password and disabled, and makes the revision one larger. The user
 * must be locked. */
checked bool user_store_update(struct db *db, const struct user_row *row, struct err *err);
struct user_rows {
    struct user_row *items;
    int count;
};
/* At most `limit` rows with an id over `after`, ascending. */
checked bool user_store_page(struct db *db, struct user_id after, int limit, struct arena *arena,
                             struct user_rows *ret_rows, struct err *err);
/* Enabled administrators, at most `limit`, by id. */
checked bool user_store_admins(struct db *db, int limit, struct arena *arena,
                               struct user_id **ret_ids, int *ret_count, struct err *err);

#endif
