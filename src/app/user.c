/* Accounts as administrators see them. */
#include "app/auth_internal.h"

#include "base/limits.h"
#include "domain/username.h"

/* No white space at the ends and no control characters: it stands in lists beside others. */
static bool check_display_name(struct str name, struct err *err) {
    bool plain = str_is_utf8(name) && str_trim(name).len == name.len;
    for (size_t i = 0; i < name.len; i++) {
        plain = plain && (uint8_t)name.ptr[i] >= 0x20 && name.ptr[i] != 0x7f;
    }
    if (name.len == 0 || name.len > DISPLAY_NAME_BYTES_MAX || !plain) {
        return err_set(err, ERR_INVALID, "bad_field",
                       "field `displayName` must be 1 to %d bytes of text on one line",
                       DISPLAY_NAME_BYTES_MAX);
    }
    return true;
}

static bool check_role(enum role role, struct err *err) {
    if (role <= ROLE_NONE || role >= ROLE_COUNT) {
        return err_set(err, ERR_INVALID, "bad_field",
                       "field `role` must be admin, teacher or student");
    }
    return true;
}

static bool check_password(struct str password, struct err *err) {
    if (password_check(password, err)) {
        return true;
    }
    return err_set(err, ERR_INVALID, "bad_field",
                   "field `password` must have %d to %d bytes of text", PASSWORD_BYTES_MIN,
                   PASSWORD_BYTES_MAX);
}

bool user_create(struct app *app, const struct actor *actor,
                 const struct user_create_request *request, struct arena *arena,
                 struct user_created *ret_created, struct err *err) {
    struct str password = request->password;
    char hash[PASSWORD_HASH_BYTES];
    char generated[PASSWORD_GENERATED_BYTES] = "";
    own_buf folded = {0};
    if (!actor_need_person(actor, err) || !actor_need_role(actor, ROLE_ADMIN, err) ||
        !username_check(request->username, err) ||
        !check_display_name(request->display_name, err) || !check_role(request->role, err) ||
        (password.len > 0 && !check_password(password, err))) {
        return false;
    }
    if (password.len == 0) {
        password_generate(app->random, generated);
        password = str_from(generated);
    }
    if (!password_gate_hash(app, password, hash, err)) {
        return false;
    }
    buf_init(&folded, USERNAME_BYTES_MAX);
    text_fold(request->username, &folded);
    const struct user_row user = {
        .username = request->username,
        .username_key = buf_str(&folded),
        .display_name = request->display_name,
        .role = request->role,
        .password_hash = str_from(hash),
    };
    struct user_row made;
    if (!account_create(app, actor, &user, arena, &made, err)) {
        return false;
    }
    user_view_from_row(&made, &ret_created->user);
    ret_created->password = arena_str(arena, str_from(generated));
    return true;
}

static bool check_update(const struct user_update_request *request, struct err *err) {
    return (request->display_name == NULL || check_display_name(*request->display_name, err)) &&
           (request->role == NULL || check_role(*request->role, err)) &&
           (request->password == NULL || check_password(*request->password, err));
}

bool user_update(struct app *app, const struct actor *actor,
                 const struct user_update_request *request, struct arena *arena,
                 struct user_view *ret_user, struct err *err) {
    char hash[PASSWORD_HASH_BYTES];
    struct user_row changed;
    if (!actor_need_person(actor, err) || !actor_need_role(actor, ROLE_ADMIN, err) ||
        !check_update(request, err)) {
        return false;
    }
    if (request->password != NULL && !password_gate_hash(app, *request->password, hash, err)) {
        return false;
    }
    const struct account_update update = {
        .actor = actor, .request = request, .fresh_hash = request->password != NULL ? hash : NULL};
    if (!account_update(app, &update, arena, &changed, err)) {
        return false;
    }
    user_view_from_row(&changed, ret_user);
    return true;
}

bool user_get(struct app *app, const struct actor *actor, struct user_id id, struct arena *arena,
              struct user_view *ret_user, struct err *err) {
    own(db_reader) reader = NULL;
    struct user_row row;
    if (!actor_need_user(actor, err)) {
        return false;
    }
    if (!actor_may_see(actor, id)) {
        return err_set(err, ERR_MISSING, "no_user", "there is no such user");
    }
    if (!db_pool_take(app->readers, &reader, err) ||
        !user_store_find(reader->db, id, arena, &row, err)) {
        return false;
    }
    user_view_from_row(&row, ret_user);
    return true;
}

bool user_list(struct app *app, const struct actor *actor, const struct user_filter *filter,
               struct arena *arena, struct user_page *ret_page, struct err *err) {
    own(db_reader) reader = NULL;
    struct user_rows rows = {0};
    int limit = filter->limit;
    if (!actor_need_role(actor, ROLE_ADMIN, err)) {
        return false;
    }
    if (limit < 1 || limit > LIST_LIMIT_MAX) {
        return err_set(err, ERR_INVALID, "bad_parameter", "`limit` must be 1 to %d",
                       LIST_LIMIT_MAX);
    }
    /* One more than asked for tells whether there is a next page. */
    if (!db_pool_take(app->readers, &reader, err) ||
        !user_store_page(reader->db, (struct user_id){filter->cursor}, limit + 1, arena, &rows,
                         err)) {
        return false;
    }
    struct user_page page = {.count = rows.count > limit ? limit : rows.count};
    page.items = arena_array(arena, (size_t)page.count, sizeof(*page.items));
    for (int i = 0; i < page.count; i++) {
        user_view_from_row(&rows.items[i], &page.items[i]);
    }
    page.next = rows.count > limit ? rows.items[limit - 1].id.value : 0;
    *ret_page = page;
    return true;
}
