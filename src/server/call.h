#ifndef SERVER_CALL_H
#define SERVER_CALL_H

#include "app/app.h"
#include "data/json.h"
#include "data/json_write.h"
#include "domain/actor.h"
#include "net/http.h"

/* One API request on its way: what a route's function gets. Lives in the request's arena. */

struct server;
struct call;
typedef void route_fn(struct call *call);

enum access { ACCESS_NONE, ACCESS_USER, ACCESS_TEACHER, ACCESS_ADMIN, ACCESS_NODE };
enum rate_class {
    RATE_READ,
    RATE_WRITE,
    RATE_LOGIN,
    RATE_MACHINE,
    RATE_STRANGER, /* no route's: requests that show no good credential, by address */
    RATE_CLASS_COUNT
};
enum route_flag { /* bits */
                  ROUTE_BLOCKING =
                      1, /* runs in a worker thread: reads the database, hashes, imports */
                  ROUTE_SPOOL = 2, /* the body goes to a file */
                  ROUTE_RAW = 4,   /* the body is not JSON: the function checks its type */
                  ROUTE_SLOW =
                      16, /* ROUTE_BLOCKING, for seconds: in one of few threads of its own */
                  ROUTE_INTERNAL = 8, /* not in the OpenAPI document: probes for load balancers */
};

struct route {
    enum http_method method;
    const char *path; /* "/api/v1/submissions/{id}/events" */
    enum access access;
    int64_t body_bytes_max; /* 0: no body */
    enum rate_class rate;
    uint32_t flags;
    route_fn *run;
    const char *operation; /* operationId of the OpenAPI document */
};

#define CALL_PARAMS_MAX 2

struct call {
    struct http_request *http;
    struct server *server;
    struct app *app;
    struct arena *arena;
    const struct route *route;
    struct str params[CALL_PARAMS_MAX]; /* the {parts} of the path, in order */
    struct actor actor;
    bool later;    /* handed over to another thread */
    bool is_known; /* who asks was found out before the body came */
    void *pending; /* the route's own, for when the client hangs up meanwhile */
    char trace_id[33];
    struct buf out;
    struct json *body;
};

/* ---- the question ---- */

/* The body as one JSON object with no members but `known` (NULL-terminated). Answers the error
 * itself. */
checked bool call_json(struct call *call, const char *const known[], const struct json **ret_body);
/* params[index] as an id. Answers 404 `missing_code` itself when it is none. */
checked bool call_id(struct call *call, int index, const char *missing_code, int64_t *ret_id);
/* `limit` and `cursor`. Answers 400 itself. */
checked bool call_page(struct call *call, int64_t *ret_cursor, int *ret_limit);
/* An optional integer of the query, 0 when absent. Answers 400 itself. */
checked bool call_query_id(struct call *call, const char *name, int64_t *ret_value);
/* True when the client reached us by TLS, by a trusted proxy's word. */
bool call_is_tls(const struct call *call);
/* The client's address: the peer's, or by a trusted proxy's word. */
struct str call_client(const struct call *call);
/* "zh" or "en", by Accept-Language. */
const char *call_language(const struct call *call);

/* Before the call is given to app functions that answer from another thread. */
void call_later(struct call *call);

/* ---- the answer, once ---- */

/* A JSON answer: begin, write one value, end. */
void call_reply_begin(struct call *call, struct jw *json);
void call_reply_end(struct call *call, struct jw *json, int status);
void call_reply_text(struct call *call, int status, struct str json);
void call_reply_empty(struct call *call, int status);
/* For an answer of 503 or 429: when to come again; 0: the usual moment. call_fail does it itself.
 */
void call_retry_after(struct call *call, int wait_ms);
void call_fail(struct call *call, const struct err *err);
/* With the fields or places that are wrong. */
struct problem_field;
void call_fail_fields(struct call *call, const struct err *err, const struct problem_field *fields,
                      int count);
void call_fail_at(struct call *call, enum err_kind kind, const char *code, const char *text);

/* A list's reply: between the two its items are written. `next`: the cursor of the page behind, 0
 * for none. */
void call_list_begin(struct call *call, struct jw *json);
void call_list_end(struct call *call, struct jw *json, int64_t next);

#endif
