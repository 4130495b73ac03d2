#ifndef STORE_API_TOKEN_STORE_H
#define STORE_API_TOKEN_STORE_H

#include "base/arena.h"
#include "data/digest.h"
#include "domain/api_token.h"
#include "domain/ids.h"
#include "store/db.h"

/* API tokens. The token itself is never stored. Changes need the user's lock. */

struct api_token_row {
    struct api_token_id id;
    struct user_id user;
    struct str name;
    struct digest secret; /* SHA-256 of it; only written */
    enum token_scope scope;
    int64_t created_ms;
    int64_t expires_ms;
    int64_t revoked_ms; /* 0: live */
};

checked bool api_token_store_insert(struct db *db, const struct api_token_row *row,
                                    struct err *err);
/* Whatever its state. Texts live in `arena`. */
checked bool api_token_store_find(struct db *db, const struct digest *secret, struct arena *arena,
                                  struct api_token_row *ret_row, bool *ret_found, struct err *err);
/* The user's live ones, the newest first. Texts live in `arena`. */
struct api_token_rows {
    struct api_token_row rows[API_TOKENS_MAX];
    int count;
};
checked bool api_token_store_list(struct db *db, struct user_id user, int64_t now_ms,
                                  struct arena *arena, struct api_token_rows *ret_rows,
                                  struct err *err);
/* Of this user only; *ret_changed false: there is no live one of that id. */
checked bool api_token_store_revoke(struct db *db, struct user_id user, struct api_token_id id,
                                    int64_t now_ms, bool *ret_changed, struct err *err);
/* All of the user's. */
checked bool api_token_store_revoke_all(struct db *db, struct user_id user, int64_t now_ms,
                                        struct err *err);
/* Removes the user's tokens that are over. */
checked bool api_token_store_prune(struct db *db, struct user_id user, int64_t now_ms,
                                   struct err *err);

#endif
