#ifndef SERVER_SERVER_INTERNAL_H
#define SERVER_SERVER_INTERNAL_H

#include "base/random.h"
#include "server/call.h"
#include "server/server.h"

struct rate_table;

/* A listener and what it lets in. */
struct door {
    struct server *server;
    enum { DOOR_ALL, DOOR_PUBLIC, DOOR_MACHINE } kind;
};

struct server {
    struct app *app;
    const struct random *random;
    struct http_server *http;
    struct http_server *machine_http; /* NULL: not apart */
    struct door door;
    struct door machine_door;
    int web_fd; /* folder of the built pages, or -1 */
    char *trusted_proxies;
    struct probe_rules probe_rules;
    char *probe_ca_file;
    struct rate_table *rates;
};

/* router.c: all route tables, ended by a row without a path. */
extern const struct route *const route_tables[];
extern const size_t route_table_count;

enum match { MATCH_NONE, MATCH_FOUND, MATCH_OTHER_METHOD };
/* Finds the row for method and path. For MATCH_OTHER_METHOD *ret_route is a row of that path. */
enum match router_match(enum http_method method, struct str path, const struct route **ret_route,
                        struct str params[CALL_PARAMS_MAX]);

/* access.c: finds out who asks; answers 401, 403 or 429 itself. True: go on. */
checked bool access_check(struct call *call);
/* Before a long body is taken: strangers must not fill memory or disk. Answers itself. True: go on.
 */
checked bool access_check_early(struct call *call);
/* Answers a request that shows no credential at all, which counts as any other failure. */
void access_refuse_unnamed(struct call *call);
/* Without touching the database: false when only a database read can tell. */
bool access_is_quick(struct call *call);
/* Sets and clears the cookies of a session. */
struct session_view;
void access_set_cookies(struct call *call, const struct session_view *session);
void access_clear_cookies(struct call *call);

/* origin.c */
/* False when a browser says that the request came from a page of another site. */
bool origin_is_own(struct str origin, struct str fetch_site, struct str host);
/* True when `address` is one of the words of `list`. */
bool origin_is_trusted(const char *list, struct str address);

/* rate.c: token buckets by class and key, in a fixed table. */
struct rate_table *rate_create(const struct clock *clock);
void rate_free(struct rate_table *table);
/* False when the bucket is empty: *ret_retry_s tells when to come again. */
bool rate_take(struct rate_table *table, enum rate_class rate, struct str key,
               int64_t *ret_retry_s);
/* As rate_take, and takes nothing. */
bool rate_has(struct rate_table *table, enum rate_class rate, struct str key, int64_t *ret_retry_s);

/* static_files.c: the web pages. */
void static_files_answer(struct call *call);

/* event_stream.c: the events of one submission until its verdict. Answers the request. */
void event_stream_open(struct call *call, int64_t submission);

extern const struct route routes_session[];
extern const struct route routes_problems[];
extern const struct route routes_languages[];
extern const struct route routes_submissions[];
extern const struct route routes_admin[];
extern const struct route routes_judgers[];
extern const struct route routes_judger_checks[];
extern const struct route routes_pools[];
extern const struct route routes_tokens[];
extern const struct route routes_machine_checks[];
extern const struct route routes_jobs[];
extern const struct route routes_rejudgings[];
extern const struct route routes_system[];
extern const struct route routes_machine[];
extern const struct route routes_machine_jobs[];

#endif
