#include "node/health.h"
#include "base/check.h"
#include "base/limits.h"
#include "base/thread.h"
#include "net/http.h"
#include "wire/health_json.h"
#include "wire/machine_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_BYTES_MAX (4 * KIB)

struct node_health {
    struct http_server *http;
    char name[NODE_NAME_BYTES_MAX * 4];
    struct digest key;
    struct mutex lock; /* config */
    char config[DIGEST_HEX_BYTES];
};

static void begin(void *context, struct http_request *request) {
    (void)context;
    http_accept_body(request, 0, false);
}

static bool is_challenge(struct str text) {
    uint8_t unused[HEALTH_CHALLENGE_CHARS / 2];
    return hex_decode(text, unused, sizeof unused);
}

static struct str answer(struct node_health *health, struct http_request *request,
                         struct str challenge) {
    own_buf out = {0};
    struct err err = {0};
    buf_init(&out, ANSWER_BYTES_MAX);
    mutex_lock(&health->lock);
    struct str config = arena_str(http_arena(request), str_from(health->config));
    mutex_unlock(&health->lock);
    struct health text = {
        .name = str_utf8_prefix(str_from(health->name), NODE_NAME_BYTES_MAX),
        .protocol_min = MACHINE_PROTOCOL_MIN,
        .protocol_max = MACHINE_PROTOCOL,
        .config_digest = config,
        .proof = health_proof(&health->key, arena_cstr(http_arena(request), challenge))};
    CHECK(health_encode(&text, &out, &err));
    return arena_str(http_arena(request), buf_str(&out));
}

static void handle(void *context, struct http_request *request) {
    struct str challenge = http_header(request, HEALTH_CHALLENGE_HEADER);
    if (http_method(request) != HTTP_GET || !str_eq(http_path(request), STR(HEALTH_PATH))) {
        http_send(request, 404, "text/plain", STR("nothing here\n"));
    } else if (!is_challenge(challenge)) {
        http_send(request, 400, "text/plain", STR("no challenge\n"));
    } else {
        http_send(request, 200, "application/json", answer(context, request, challenge));
    }
}

static void end(void *context, struct http_request *request) {
    (void)context;
    (void)request;
}

bool node_health_open(const struct node_health_options *options, struct node_health **ret_health,
                      struct err *err) {
    struct node_health *health = calloc(1, sizeof *health);
    CHECK(health != NULL);
    (void)snprintf(health->name, sizeof health->name, "%s", options->name);
    health->key = digest_of(options->credential);
    mutex_init(&health->lock);
    struct http_server_options http = {.listen_fd = options->listen_fd,
                                       .handler = {health, begin, handle, end},
                                       .event_threads = 1,
                                       .worker_threads = 1,
                                       .tls_certificate = options->certificate,
                                       .tls_key = options->key};
    if (!http_server_open(&http, &health->http, err)) {
        mutex_done(&health->lock);
        free(health);
        return err_wrap(err, "the node's health address (certificate and key?)");
    }
    *ret_health = health;
    return true;
}

void node_health_close(struct node_health *health) {
    if (health != NULL) {
        http_server_quiesce(health->http);
        http_server_close(health->http);
        mutex_done(&health->lock);
        free(health);
    }
}

void node_health_set_config(struct node_health *health, const struct digest *config) {
    if (health != NULL) {
        mutex_lock(&health->lock);
        digest_hex(config, health->config);
        mutex_unlock(&health->lock);
    }
}
