/* Users and the import of problems. */
#include "app/auth.h"
#include "app/problem.h"
#include "base/limits.h"
#include "server/server_internal.h"
#include "server/view_json.h"
#include "wire/problem_json.h"

static route_fn problem_import_route, user_list_route, user_create_route, user_update_route;

/* clang-format off */
const struct route routes_admin[] = {
    {HTTP_POST, "/api/v1/admin/problems", ACCESS_ADMIN, PACKAGE_BYTES_MAX, RATE_WRITE,
     ROUTE_BLOCKING | ROUTE_SPOOL | ROUTE_RAW, problem_import_route, "problemImport"},
    {HTTP_GET, "/api/v1/admin/users", ACCESS_ADMIN, 0, RATE_READ, ROUTE_BLOCKING,
     user_list_route, "userList"},
    {HTTP_POST, "/api/v1/admin/users", ACCESS_ADMIN, 4 * KIB, RATE_WRITE, ROUTE_BLOCKING,
     user_create_route, "userCreate"},
    {HTTP_PATCH, "/api/v1/admin/users/{id}", ACCESS_ADMIN, 4 * KIB, RATE_WRITE, ROUTE_BLOCKING,
     user_update_route, "userUpdate"},
    {0},
};
/* clang-format on */

#define FILE_NAME_BYTES_MAX 255

/* ---- problems ---- */

/* "file:line: what is wrong" becomes a field error, so that a page can show it beside the file. */
static void fail_import(struct call *call, const struct err *err) {
    struct str head = {0};
    struct str rest = {0};
    struct problem_field field = {.message = str_from(err->text)};
    bool has_place = str_cut(str_from(err->text), ' ', &head, &rest) && head.len > 1 &&
                     head.ptr[head.len - 1] == ':';
    if (has_place) {
        field.field = str_sub(head, 0, head.len - 1);
        field.message = rest;
    }
    call_fail_fields(call, err, &field, err->kind == ERR_SYSTEM ? 0 : 1);
}

static bool check_zip_type(struct call *call) {
    struct str type = http_header(call->http, "Content-Type");
    static const char *const types[] = {"application/zip", "application/x-zip-compressed",
                                        "application/xml", "text/xml"};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (str_starts(type, str_from(types[i]))) {
            return true;
        }
    }
    call_fail_at(call, ERR_INVALID, "wrong_content_type",
                 "send the package as a zip with Content-Type: application/zip, or an FPS file as "
                 "application/xml");
    return false;
}

static void problem_import_route(struct call *call) {
    struct problem_import_list list = {0};
    struct problem_import_request request = {.fd = http_body_fd(call->http)};
    struct err err = {0};
    if (!check_zip_type(call)) {
        return;
    }
    if (request.fd < 0) {
        (void)err_set(&err, ERR_INVALID, "bad_package", "the package is empty");
        fail_import(call, &err);
        return;
    }
    request.code = http_query(call->http, "code");
    request.dry_run = str_eq_c(http_query(call->http, "dryRun"), "true");
    request.file_name = str_utf8_prefix(http_query(call->http, "fileName"), FILE_NAME_BYTES_MAX);
    if (!problem_import(call->app, &call->actor, &request, call->arena, &list, &err)) {
        fail_import(call, &err);
        return;
    }
    struct jw json;
    call_reply_begin(call, &json);
    view_import(&json, &list, call_language(call));
    call_reply_end(call, &json, request.dry_run ? 200 : 201);
}

/* ---- users ---- */

static void user_list_route(struct call *call) {
    struct user_page page = {0};
    struct user_filter filter = {0};
    struct err err = {0};
    if (!call_page(call, &filter.cursor, &filter.limit)) {
        return;
    }
    if (!user_list(call->app, &call->actor, &filter, call->arena, &page, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_list_begin(call, &json);
    for (int i = 0; i < page.count; i++) {
        view_user(&json, &page.items[i]);
    }
    call_list_end(call, &json, page.next);
}

static bool parse_role(struct str text, enum role *ret_role, struct err *err) {
    char name[16];
    if (!str_to_c(text, name, sizeof name, err) || !role_parse(name, ret_role)) {
        return err_set(err, ERR_INVALID, "bad_field",
                       "field `role` must be admin, teacher or student");
    }
    return true;
}

static void user_create_route(struct call *call) {
    static const char *const known[] = {"username", "displayName", "role", "password", NULL};
    const struct json *body = NULL;
    struct user_create_request request = {0};
    struct user_created created = {0};
    struct str role = {0};
    struct err err = {0};
    if (!call_json(call, known, &body)) {
        return;
    }
    if (!jr_str(body, "username", USERNAME_BYTES_MAX, &request.username, &err) ||
        !jr_str(body, "displayName", DISPLAY_NAME_BYTES_MAX, &request.display_name, &err) ||
        !jr_str(body, "role", 16, &role, &err) || !parse_role(role, &request.role, &err) ||
        !jr_opt_str(body, "password", PASSWORD_BYTES_MAX, &request.password, &err) ||
        !user_create(call->app, &call->actor, &request, call->arena, &created, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_reply_begin(call, &json);
    jw_object_begin(&json);
    jw_key(&json, "user");
    view_user(&json, &created.user);
    if (created.password.len > 0) {
        jw_put_str(&json, "password", created.password);
    }
    jw_object_end(&json);
    call_reply_end(call, &json, 201);
}

struct user_update_fields {
    struct str display_name;
    struct str role_text;
    enum role role;
    bool disabled;
    struct str password;
};

static bool read_update(const struct json *body, struct user_update_fields *fields,
                        struct user_update_request *request, struct err *err) {
    if (!jr_opt_str(body, "displayName", DISPLAY_NAME_BYTES_MAX, &fields->display_name, err) ||
        !jr_opt_str(body, "role", 16, &fields->role_text, err) ||
        !jr_opt_bool(body, "disabled", &fields->disabled, err) ||
        !jr_opt_str(body, "password", PASSWORD_BYTES_MAX, &fields->password, err) ||
        (fields->role_text.ptr != NULL && !parse_role(fields->role_text, &fields->role, err))) {
        return false;
    }
    request->display_name = fields->display_name.ptr != NULL ? &fields->display_name : NULL;
    request->role = fields->role_text.ptr != NULL ? &fields->role : NULL;
    request->disabled = jr_kind(jr_get(body, "disabled")) == JR_BOOL ? &fields->disabled : NULL;
    request->password = fields->password.ptr != NULL ? &fields->password : NULL;
    return true;
}

static void user_update_route(struct call *call) {
    static const char *const known[] = {"displayName", "role", "disabled", "password", NULL};
    const struct json *body = NULL;
    struct user_update_fields fields = {0};
    struct user_update_request request = {0};
    struct user_view user = {0};
    struct err err = {0};
    if (!call_id(call, 0, "no_user", &request.id.value) || !call_json(call, known, &body)) {
        return;
    }
    if (!read_update(body, &fields, &request, &err) ||
        !user_update(call->app, &call->actor, &request, call->arena, &user, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_reply_begin(call, &json);
    view_user(&json, &user);
    call_reply_end(call, &json, 200);
}
