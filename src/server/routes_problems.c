/* Problems and the files of their statements. */
#include "app/problem.h"
#include "base/file.h"
#include "base/limits.h"
#include "server/server_internal.h"
#include "server/view_json.h"

static route_fn problem_list_route, problem_get_route, problem_file_route;

/* clang-format off */
const struct route routes_problems[] = {
    {HTTP_GET, "/api/v1/problems", ACCESS_USER, 0, RATE_READ, ROUTE_BLOCKING,
     problem_list_route, "problemList"},
    {HTTP_GET, "/api/v1/problems/{id}", ACCESS_USER, 0, RATE_READ, ROUTE_BLOCKING,
     problem_get_route, "problemGet"},
    {HTTP_GET, "/api/v1/problems/{id}/files/{name}", ACCESS_USER, 0, RATE_READ, ROUTE_BLOCKING,
     problem_file_route, "problemFileGet"},
    {0},
};
/* clang-format on */

#define SEARCH_BYTES_MAX 200

static void problem_list_route(struct call *call) {
    struct problem_page page = {0};
    struct problem_filter filter = {
        .search = str_utf8_prefix(http_query(call->http, "search"), SEARCH_BYTES_MAX)};
    struct err err = {0};
    if (!call_page(call, &filter.cursor, &filter.limit)) {
        return;
    }
    if (!problem_list(call->app, &call->actor, &filter, call->arena, &page, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_list_begin(call, &json);
    for (int i = 0; i < page.count; i++) {
        view_problem_summary(&json, &page.items[i], call_language(call));
    }
    call_list_end(call, &json, page.next);
}

static void problem_get_route(struct call *call) {
    struct problem_view problem = {0};
    struct problem_id id = {0};
    struct err err = {0};
    if (!call_id(call, 0, "no_problem", &id.value)) {
        return;
    }
    if (!problem_get(call->app, &call->actor, id, call->arena, &problem, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_reply_begin(call, &json);
    view_problem(&json, &problem, call_language(call));
    call_reply_end(call, &json, 200);
}

static const struct {
    const char *ending;
    const char *type;
} file_types[] = {
    {".pdf", "application/pdf"}, {".png", "image/png"},
    {".jpg", "image/jpeg"},      {".jpeg", "image/jpeg"},
    {".gif", "image/gif"},       {".svg", "image/svg+xml"},
    {".webp", "image/webp"},     {".txt", "text/plain; charset=utf-8"},
};

static const char *file_type(struct str name) {
    for (size_t i = 0; i < sizeof file_types / sizeof file_types[0]; i++) {
        struct str ending = str_from(file_types[i].ending);
        if (name.len >= ending.len &&
            str_eq_nocase(str_sub(name, name.len - ending.len, ending.len), ending)) {
            return file_types[i].type;
        }
    }
    return "application/octet-stream";
}

/* The files were uploaded by a problem's author: whatever they are, no script in them runs as ours.
 */
static void problem_file_route(struct call *call) {
    struct problem_id id = {0};
    own_fd fd = -1;
    int64_t bytes = 0;
    struct err err = {0};
    if (!call_id(call, 0, "no_problem", &id.value)) {
        return;
    }
    if (!problem_file_open(call->app, &call->actor, id, call->params[1], &fd, &err) ||
        !file_size(fd, &bytes, &err)) {
        call_fail(call, &err);
        return;
    }
    bool is_pdf = str_ends(call->params[1], STR(".pdf"));
    http_add_header(call->http, "X-Content-Type-Options", "nosniff");
    http_add_header(call->http, "Content-Security-Policy",
                    is_pdf ? "default-src 'none'; object-src 'self'; plugin-types application/pdf; "
                             "frame-ancestors 'self'"
                           : "sandbox; default-src 'none'; style-src 'unsafe-inline'");
    http_add_header(call->http, "Cache-Control", "private, max-age=300");
    http_send_fd(call->http, 200, file_type(call->params[1]), take_fd(&fd), bytes);
}
