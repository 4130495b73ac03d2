/* Languages that a submission can be written in. */
#include "app/judger.h"
#include "language/language.h"
#include "server/server_internal.h"

static route_fn language_list;

/* clang-format off */
const struct route routes_languages[] = {
    {HTTP_GET, "/api/v1/languages", ACCESS_USER, 0, RATE_READ, ROUTE_BLOCKING,
     language_list, "languageList"},
    {0},
};
/* clang-format on */

/* The version that an enabled node reported, empty when none did. */
static struct str version_of(const char *id, const struct node_view *nodes, int node_count) {
    for (int i = 0; i < node_count; i++) {
        if (nodes[i].config != NODE_ENABLED) {
            continue;
        }
        for (int j = 0; j < nodes[i].language_count; j++) {
            if (str_eq_c(nodes[i].languages[j].id, id)) {
                return nodes[i].languages[j].version;
            }
        }
    }
    return (struct str){0};
}

static void put_language(struct call *call, struct jw *json, const struct language *language,
                         struct str version) {
    jw_object_begin(json);
    jw_put_cstr(json, "id", language->id);
    jw_put_cstr(json, "name", language->name);
    if (version.len > 0) {
        jw_put_str(json, "version", version);
    } else {
        jw_put_null(json, "version");
    }
    jw_put_cstr(json, "pool", language->pool);
    jw_key(json, "extensions");
    jw_array_begin(json);
    for (const char *const *extension = language->extensions; *extension != NULL; extension++) {
        jw_cstr(json, *extension);
    }
    jw_array_end(json);
    jw_put_cstr(json, "editorMode", language->editor_mode);
    jw_put_bool(json, "available", judger_language_available(call->app, str_from(language->id)));
    jw_object_end(json);
}

static void language_list(struct call *call) {
    static const struct actor system = {.kind = ACTOR_SYSTEM};
    const struct language_set *languages = app_languages(call->app);
    struct node_view *nodes = NULL;
    int node_count = 0;
    struct err err = {0};
    if (!judger_list(call->app, &system, call->arena, &nodes, &node_count, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_list_begin(call, &json);
    for (size_t i = 0; i < language_count(languages); i++) {
        const struct language *language = language_at(languages, i);
        put_language(call, &json, language, version_of(language->id, nodes, node_count));
    }
    call_list_end(call, &json, 0);
}
