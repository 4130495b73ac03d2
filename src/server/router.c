/* All route tables, and finding a row. */
#include "base/check.h"
#include "server/server_internal.h"

const struct route *const route_tables[] = {
    routes_session,       routes_problems, routes_languages,    routes_submissions,
    routes_admin,         routes_judgers,  routes_jobs,         routes_rejudgings,
    routes_system,        routes_machine,  routes_machine_jobs, routes_machine_checks,
    routes_judger_checks, routes_pools,    routes_tokens,
};
const size_t route_table_count = sizeof route_tables / sizeof route_tables[0];

/* Compares part by part; {name} takes one part that is not empty. */
static bool path_matches(struct str pattern, struct str path, struct str params[CALL_PARAMS_MAX]) {
    int param = 0;
    while (pattern.len > 0 && path.len > 0) {
        struct str want = {0};
        struct str have = {0};
        bool more_pattern = str_cut(pattern, '/', &want, &pattern);
        bool more_path = str_cut(path, '/', &have, &path);
        if (want.len > 0 && want.ptr[0] == '{') {
            CHECK(param < CALL_PARAMS_MAX);
            if (have.len == 0) {
                return false;
            }
            params[param++] = have;
        } else if (!str_eq(want, have)) {
            return false;
        }
        if (more_pattern != more_path) {
            return false;
        }
    }
    return pattern.len == 0 && path.len == 0;
}

enum match router_match(enum http_method method, struct str path, const struct route **ret_route,
                        struct str params[CALL_PARAMS_MAX]) {
    enum match best = MATCH_NONE;
    for (size_t table = 0; table < route_table_count; table++) {
        for (const struct route *row = route_tables[table]; row->path != NULL; row++) {
            if (!path_matches(str_from(row->path), path, params)) {
                continue;
            }
            *ret_route = row;
            if (row->method == method) {
                return MATCH_FOUND;
            }
            best = MATCH_OTHER_METHOD;
        }
    }
    return best;
}
