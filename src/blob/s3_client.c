#include "blob/s3_client.h"
#include "base/check.h"
#include "base/limits.h"
#include "base/thread.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONNECTIONS_MAX 8
#define TRIES 4
#define FIRST_PAUSE_MS 100
#define CALL_MS 15000
#define BYTES_A_SECOND_MIN (512 * KIB) /* slower is as good as broken */
#define NAME_BYTES_MAX 512
#define PATH_BYTES 2048

struct s3_client {
    struct mutex mutex;
    struct cond returned;
    struct http_client *free[CONNECTIONS_MAX];
    int free_count;
    int lent;
    char *texts[7];
    const struct clock *clock;
    char root[NAME_BYTES_MAX * 2];
};

enum { ENDPOINT, BUCKET, PREFIX, REGION, ACCESS_KEY, SECRET_KEY, CA_FILE };

/* ---- opening ---- */

/* What can stand in an address, a key and a signature without being encoded. */
static bool is_plain(const char *text, const char *more, size_t bytes_min) {
    size_t len = strlen(text);
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '-' || c == '.' || c == '_' || strchr(more, c) != NULL;
        if (!plain) {
            return false;
        }
    }
    return len >= bytes_min && len <= NAME_BYTES_MAX;
}

static bool check_options(const struct s3_options *options, struct err *err) {
    if (!is_plain(options->bucket, "", 3)) {
        return err_set(err, ERR_INVALID, "bad_s3_setting",
                       "the bucket needs a name of letters, digits, dots and dashes");
    }
    bool closed = options->prefix[0] == '\0' || str_ends(str_from(options->prefix), STR("/"));
    if (!is_plain(options->prefix, "/", 0) || options->prefix[0] == '/' || !closed) {
        return err_set(err, ERR_INVALID, "bad_s3_setting",
                       "the prefix must be empty or end in /, of letters, digits, . - _ and /");
    }
    if (!is_plain(options->region, "", 1) || !is_plain(options->access_key, "/+=", 1) ||
        options->secret_key[0] == '\0') {
        return err_set(err, ERR_INVALID, "bad_s3_setting",
                       "the S3 store needs a region, an access key and a secret key");
    }
    return true;
}

static bool open_connection(const struct s3_client *client, struct http_client **ret_http,
                            struct err *err) {
    const struct http_aws aws = {.region = client->texts[REGION],
                                 .service = "s3",
                                 .access_key = client->texts[ACCESS_KEY],
                                 .secret_key = client->texts[SECRET_KEY]};
    const struct http_client_options options = {
        .base_url = client->texts[ENDPOINT],
        .ca_file = client->texts[CA_FILE][0] == '\0' ? NULL : client->texts[CA_FILE],
        .user_agent = "assize",
        .connect_ms = 3000,
        .aws = &aws};
    return http_client_open(&options, ret_http, err);
}

bool s3_client_open(const struct s3_options *options, struct s3_client **ret_client,
                    struct err *err) {
    if (!check_options(options, err)) {
        return false;
    }
    const char *const texts[] = {options->endpoint, options->bucket,     options->prefix,
                                 options->region,   options->access_key, options->secret_key,
                                 options->ca_file};
    struct s3_client *client = calloc(1, sizeof *client);
    CHECK(client != NULL);
    mutex_init(&client->mutex);
    cond_init(&client->returned);
    client->clock = options->clock;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        client->texts[i] = strdup(texts[i]);
        CHECK(client->texts[i] != NULL);
    }
    (void)snprintf(client->root, sizeof client->root, "/%s/%s", options->bucket, options->prefix);
    if (!open_connection(client, &client->free[0], err)) { /* the address may be nonsense */
        s3_client_close(client);
        return false;
    }
    client->free_count = 1;
    *ret_client = client;
    return true;
}

void s3_client_close(struct s3_client *client) {
    if (client == NULL) {
        return;
    }
    CHECK(client->lent == 0);
    while (client->free_count > 0) {
        http_client_close(client->free[--client->free_count]);
    }
    for (size_t i = 0; i < sizeof client->texts / sizeof client->texts[0]; i++) {
        explicit_bzero(client->texts[i], strlen(client->texts[i]));
        free(client->texts[i]);
    }
    cond_done(&client->returned);
    mutex_done(&client->mutex);
    free(client);
}

const char *s3_client_prefix(const struct s3_client *client) {
    return client->texts[PREFIX];
}

/* ---- connections ---- */

static bool take_connection(struct s3_client *client, struct http_client **ret_http,
                            struct err *err) {
    struct http_client *http = NULL;
    mutex_lock(&client->mutex);
    while (client->lent == CONNECTIONS_MAX) {
        cond_wait(&client->returned, &client->mutex);
    }
    client->lent++;
    if (client->free_count > 0) {
        http = client->free[--client->free_count];
    }
    mutex_unlock(&client->mutex);
    bool opened = http != NULL || open_connection(client, &http, err);
    if (!opened) {
        mutex_lock(&client->mutex);
        client->lent--;
        mutex_unlock(&client->mutex);
        return false;
    }
    *ret_http = http;
    return true;
}

static void give_connection(struct s3_client *client, struct http_client *http) {
    mutex_lock(&client->mutex);
    client->lent--;
    client->free[client->free_count++] = http;
    cond_signal(&client->returned);
    mutex_unlock(&client->mutex);
}

/* ---- calls ---- */

enum outcome { OUTCOME_FINE, OUTCOME_AGAIN, OUTCOME_REFUSED };

static bool empty_answer(const struct s3_call *call, struct err *err) {
    if (call->answer_to_fd &&
        (ftruncate(call->answer_fd, 0) != 0 || lseek(call->answer_fd, 0, SEEK_SET) != 0)) {
        return err_system(err, "blob_failed", "cannot empty a temporary file");
    }
    return true;
}

/* The store's own code, out of "<Code>NoSuchBucket</Code>". */
static struct str code_of(struct str body) {
    static const char open[] = "<Code>";
    const char *at = body.len == 0 ? NULL : memmem(body.ptr, body.len, open, strlen(open));
    if (at == NULL) {
        return STR("no code");
    }
    size_t from = (size_t)(at - body.ptr) + strlen(open);
    struct str code = {0};
    struct str rest = {0};
    (void)str_cut(str_sub(body, from, body.len), '<', &code, &rest);
    return str_utf8_prefix(code, 60);
}

static enum outcome judge_answer(const struct http_answer *answer, struct err *err) {
    if ((answer->status >= 200 && answer->status < 300) || answer->status == 404) {
        return OUTCOME_FINE;
    }
    bool again = answer->status >= 500 || answer->status == 429;
    (void)err_set(err, again ? ERR_BUSY : ERR_DENIED, again ? "blob_unavailable" : "blob_refused",
                  "the S3 store answers %d (" STR_FMT ")", answer->status,
                  STR_ARG(code_of(answer->body)));
    return again ? OUTCOME_AGAIN : OUTCOME_REFUSED;
}

static enum outcome call_once(struct s3_client *client, const struct http_call *http_call,
                              struct arena *arena, struct http_answer *ret_answer,
                              struct err *err) {
    struct http_client *http = NULL;
    if (!take_connection(client, &http, err)) {
        return OUTCOME_REFUSED;
    }
    bool answered = http_client_call(http, http_call, arena, ret_answer, err);
    give_connection(client, http);
    if (answered) {
        return judge_answer(ret_answer, err);
    }
    if (err->kind == ERR_BUSY || err->kind == ERR_DEADLINE) {
        err->kind = ERR_BUSY;
        err->code = "blob_unavailable";
        return OUTCOME_AGAIN;
    }
    return OUTCOME_REFUSED;
}

bool s3_client_call(struct s3_client *client, const struct s3_call *call, struct arena *arena,
                    struct http_answer *ret_answer, struct err *err) {
    char path[PATH_BYTES];
    char sha256[DIGEST_HEX_BYTES];
    char digest_header[sizeof "x-amz-content-sha256: " + DIGEST_HEX_BYTES];
    struct digest nothing = digest_of(STR(""));
    digest_hex(call->digest != NULL ? call->digest : &nothing, sha256);
    (void)snprintf(digest_header, sizeof digest_header, "x-amz-content-sha256: %s", sha256);
    int len = call->key != NULL ? snprintf(path, sizeof path, "%s%s%s", client->root, call->key,
                                           call->query != NULL ? call->query : "")
                                : snprintf(path, sizeof path, "/%s%s", client->texts[BUCKET],
                                           call->query != NULL ? call->query : "");
    CHECK(len > 0 && (size_t)len < sizeof path);
    const char *headers[] = {digest_header, NULL};
    struct http_call http_call = {
        .method = call->method,
        .path = path,
        .content_type = call->method == HTTP_PUT ? "application/octet-stream" : NULL,
        .body = call->body,
        .body_fd = call->body_fd,
        .body_fd_bytes = call->body_fd_bytes,
        .headers = headers,
        .timeout_ms =
            CALL_MS + (call->body_fd_bytes + call->answer_bytes_max) * 1000 / BYTES_A_SECOND_MIN,
        .answer_bytes_max = call->answer_bytes_max,
        .answer_fd = call->answer_fd,
        .answer_to_fd = call->answer_to_fd};
    int64_t pause_ms = FIRST_PAUSE_MS;
    for (int i = 1;; i++) {
        struct err failure = {0};
        if (!empty_answer(call, err)) {
            return false;
        }
        enum outcome outcome = call_once(client, &http_call, arena, ret_answer, &failure);
        if (outcome == OUTCOME_FINE) {
            return true;
        }
        if (outcome == OUTCOME_REFUSED || i == TRIES) {
            *err = failure;
            return false;
        }
        clock_sleep_ms(client->clock, pause_ms);
        pause_ms *= 2;
    }
}
