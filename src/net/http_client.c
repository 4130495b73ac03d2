/* The multi interface is used although there is one transfer at a time, because only
 * curl_multi_wakeup can break off a waiting call from another thread at once. */
#include "net/http_client.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/file.h"
#include "net/curl_internal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define URL_BYTES_MAX 4096
#define ANSWER_HEADERS_BYTES_MAX 16384

struct http_client {
    CURLM *multi;
    CURL *easy;
    char *base_url;
    char *bearer_header;
    char *ca_file;
    char *user_agent;
    char *aws_scope; /* NULL: requests are not signed */
    char *aws_access_key;
    char *aws_secret_key;
    int64_t connect_ms;
    atomic_bool aborted;
};

struct transfer {
    const struct http_call *call;
    struct buf body;
    struct buf cookies;
    char words[CURL_ERROR_SIZE]; /* more than its code says */
    int64_t received;
    int64_t sent;
    int64_t retry_after_s;
    bool too_large;
    bool write_failed;
};

static void global_init(void) {
    CHECK(curl_global_init(CURL_GLOBAL_DEFAULT) == 0);
}

void curl_ready(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, global_init);
}

static char *copy_text(const char *text) {
    char *copy = text == NULL ? NULL : strdup(text);
    CHECK(text == NULL || copy != NULL);
    return copy;
}

void http_client_set_bearer(struct http_client *client, const char *bearer) {
    free(client->bearer_header);
    client->bearer_header = NULL;
    if (bearer != NULL) {
        CHECK(asprintf(&client->bearer_header, "Authorization: Bearer %s", bearer) > 0);
    }
}

static void copy_aws(struct http_client *client, const struct http_aws *aws) {
    if (aws != NULL) {
        CHECK(asprintf(&client->aws_scope, "aws:amz:%s:%s", aws->region, aws->service) > 0);
        client->aws_access_key = copy_text(aws->access_key);
        client->aws_secret_key = copy_text(aws->secret_key);
    }
}

static void wipe(char *text) {
    if (text != NULL) {
        explicit_bzero(text, strlen(text));
        free(text);
    }
}

bool http_client_open(const struct http_client_options *options, struct http_client **ret_client,
                      struct err *err) {
    curl_ready();
    struct str url = str_from(options->base_url);
    if (!str_starts(url, STR("http://")) && !str_starts(url, STR("https://"))) {
        return err_set(err, ERR_INVALID, "bad_url", "\"%s\" must begin with http:// or https://",
                       options->base_url);
    }
    struct http_client *client = calloc(1, sizeof *client);
    CHECK(client != NULL);
    client->multi = curl_multi_init();
    client->easy = curl_easy_init();
    CHECK(client->multi != NULL && client->easy != NULL);
    client->base_url = copy_text(options->base_url);
    size_t len = strlen(client->base_url);
    if (client->base_url[len - 1] == '/') {
        client->base_url[len - 1] = '\0';
    }
    client->ca_file = copy_text(options->ca_file);
    client->user_agent = copy_text(options->user_agent);
    client->connect_ms = options->connect_ms > 0 ? options->connect_ms : 5000;
    copy_aws(client, options->aws);
    http_client_set_bearer(client, options->bearer);
    *ret_client = client;
    return true;
}

void http_client_close(struct http_client *client) {
    if (client == NULL) {
        return;
    }
    curl_easy_cleanup(client->easy);
    curl_multi_cleanup(client->multi);
    free(client->base_url);
    free(client->bearer_header);
    free(client->ca_file);
    free(client->user_agent);
    free(client->aws_scope);
    free(client->aws_access_key);
    wipe(client->aws_secret_key);
    free(client);
}

void http_client_abort(struct http_client *client) {
    atomic_store(&client->aborted, true);
    (void)curl_multi_wakeup(client->multi);
}

static bool is_success(CURL *easy) {
    long status = 0;
    (void)curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    return status >= 200 && status < 300;
}

struct receive {
    struct transfer *transfer;
    CURL *easy;
};

static size_t receive_body(char *data, size_t size, size_t count, void *context) {
    struct receive *receive = context;
    struct transfer *transfer = receive->transfer;
    size_t bytes = size * count;
    transfer->received += (int64_t)bytes;
    if (transfer->received > transfer->call->answer_bytes_max) {
        transfer->too_large = true;
        return 0;
    }
    if (transfer->call->answer_to_fd && is_success(receive->easy)) {
        struct err err = {0};
        if (!file_write_all(transfer->call->answer_fd, str_of(data, bytes), &err)) {
            transfer->write_failed = true;
            return 0;
        }
        return bytes;
    }
    return buf_append(&transfer->body, str_of(data, bytes)) ? bytes : 0;
}

static void take_cookie(struct transfer *transfer, struct str value) {
    struct str pair = {0};
    struct str rest = {0};
    (void)str_cut(value, ';', &pair, &rest);
    if (transfer->cookies.len > 0) {
        (void)buf_append_c(&transfer->cookies, "; ");
    }
    (void)buf_append(&transfer->cookies, str_trim(pair));
}

static size_t receive_header(char *data, size_t size, size_t count, void *context) {
    struct transfer *transfer = context;
    struct str name = {0};
    struct str value = {0};
    struct err err = {0};
    if (str_cut(str_of(data, size * count), ':', &name, &value)) {
        value = str_trim(value);
        if (str_eq_nocase(name, STR("retry-after"))) {
            (void)!str_to_i64(value, 0, 3600, &transfer->retry_after_s, &err);
        } else if (str_eq_nocase(name, STR("set-cookie"))) {
            take_cookie(transfer, value);
        }
    }
    return size * count;
}

static size_t send_body(char *out, size_t size, size_t count, void *context) {
    struct transfer *transfer = context;
    int64_t left = transfer->call->body_fd_bytes - transfer->sent;
    size_t room = size * count;
    size_t want = left < (int64_t)room ? (size_t)left : room;
    ssize_t got = pread(transfer->call->body_fd, out, want, transfer->sent);
    if (got < 0) {
        return CURL_READFUNC_ABORT;
    }
    transfer->sent += got;
    return (size_t)got;
}

static struct curl_slist *header_list(struct http_client *client, const struct http_call *call) {
    /* An Expect that is only taken away would be signed as if it were sent (curl 7.88). */
    struct curl_slist *list = client->aws_scope == NULL ? curl_slist_append(NULL, "Expect:") : NULL;
    if (client->bearer_header != NULL) {
        list = curl_slist_append(list, client->bearer_header);
    }
    if (call->content_type != NULL) {
        char line[256];
        (void)snprintf(line, sizeof line, "Content-Type: %s", call->content_type);
        list = curl_slist_append(list, line);
    }
    for (const char *const *header = call->headers; header != NULL && *header != NULL; header++) {
        list = curl_slist_append(list, *header);
    }
    CHECK(list != NULL);
    return list;
}

static void set_body(CURL *easy, const struct http_call *call, struct transfer *transfer) {
    if (call->body_fd_bytes > 0) {
        curl_easy_setopt(easy, CURLOPT_POST, 1L);
        curl_easy_setopt(easy, CURLOPT_READFUNCTION, send_body);
        curl_easy_setopt(easy, CURLOPT_READDATA, transfer);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body_fd_bytes);
    } else if (call->content_type != NULL || call->method == HTTP_POST) {
        curl_easy_setopt(easy, CURLOPT_POST, 1L);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, call->body.len > 0 ? call->body.ptr : "");
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body.len);
    }
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, http_method_name(call->method));
}

static void set_options(struct http_client *client, const struct http_call *call,
                        struct transfer *transfer, struct receive *receive) {
    CURL *easy = client->easy;
    curl_easy_reset(easy); /* keeps the connection */
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_PROXY, ""); /* an environment's proxy must not see credentials */
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)client->connect_ms);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)call->timeout_ms);
    if (client->ca_file != NULL) {
        curl_easy_setopt(easy, CURLOPT_CAINFO, client->ca_file);
    }
    if (client->user_agent != NULL) {
        curl_easy_setopt(easy, CURLOPT_USERAGENT, client->user_agent);
    }
    if (client->aws_scope != NULL) {
        curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, client->aws_scope);
        curl_easy_setopt(easy, CURLOPT_USERNAME, client->aws_access_key);
        curl_easy_setopt(easy, CURLOPT_PASSWORD, client->aws_secret_key);
    }
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, receive);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, receive_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->words);
    set_body(easy, call, transfer);
}

static CURLcode perform(struct http_client *client) {
    CHECK(curl_multi_add_handle(client->multi, client->easy) == CURLM_OK);
    CURLcode code = CURLE_OK;
    int running = 1;
    while (running > 0 && !atomic_load(&client->aborted)) {
        if (curl_multi_perform(client->multi, &running) != CURLM_OK) {
            code = CURLE_RECV_ERROR;
            break;
        }
        if (running > 0) {
            (void)curl_multi_poll(client->multi, NULL, 0, 1000, NULL);
        }
    }
    int left = 0;
    for (CURLMsg *message = curl_multi_info_read(client->multi, &left); message != NULL;
         message = curl_multi_info_read(client->multi, &left)) {
        if (message->msg == CURLMSG_DONE) {
            code = message->data.result;
        }
    }
    (void)curl_multi_remove_handle(client->multi, client->easy);
    return code;
}

/* Not the network's fault, and no waiting mends it. */
static bool is_of_certificates(CURLcode code) {
    return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
           code == CURLE_SSL_ISSUER_ERROR || code == CURLE_SSL_INVALIDCERTSTATUS;
}

static bool explain(struct http_client *client, const struct transfer *transfer, CURLcode code,
                    struct err *err) {
    if (atomic_load(&client->aborted)) {
        return err_set(err, ERR_CANCELLED, "aborted", "the call was broken off");
    }
    if (transfer->too_large) {
        return err_set(err, ERR_TOO_LARGE, "answer_too_large",
                       "%s answered with more than %lld bytes", client->base_url,
                       (long long)transfer->call->answer_bytes_max);
    }
    if (transfer->write_failed) {
        return err_system(err, "write_failed", "cannot store the answer of %s", client->base_url);
    }
    if (code == CURLE_OPERATION_TIMEDOUT) {
        return err_set(err, ERR_DEADLINE, "timeout", "%s did not answer in time", client->base_url);
    }
    if (is_of_certificates(code)) {
        return err_set(err, ERR_BUSY, "untrusted", "the certificate of %s is not trusted: %s",
                       client->base_url,
                       transfer->words[0] != '\0' ? transfer->words : curl_easy_strerror(code));
    }
    return err_set(err, ERR_BUSY, "unreachable", "cannot talk to %s: %s", client->base_url,
                   curl_easy_strerror(code));
}

static void take_answer(struct http_client *client, struct transfer *transfer, struct arena *arena,
                        struct http_answer *ret_answer) {
    long status = 0;
    (void)curl_easy_getinfo(client->easy, CURLINFO_RESPONSE_CODE, &status);
    *ret_answer = (struct http_answer){.status = (int)status,
                                       .body = arena_str(arena, buf_str(&transfer->body)),
                                       .body_bytes = transfer->received,
                                       .retry_after_ms = transfer->retry_after_s * 1000,
                                       .cookies = arena_str(arena, buf_str(&transfer->cookies))};
}

bool http_client_call(struct http_client *client, const struct http_call *call, struct arena *arena,
                      struct http_answer *ret_answer, struct err *err) {
    CHECK(call->timeout_ms > 0 && call->answer_bytes_max > 0);
    if (atomic_load(&client->aborted)) {
        return err_set(err, ERR_CANCELLED, "aborted", "the call was broken off");
    }
    char url[URL_BYTES_MAX];
    int len = snprintf(url, sizeof url, "%s%s", client->base_url, call->path);
    if (len < 0 || (size_t)len >= sizeof url) {
        return err_set(err, ERR_TOO_LARGE, "url_too_long", "the address is too long");
    }
    struct transfer transfer = {.call = call};
    buf_init(&transfer.body, (size_t)call->answer_bytes_max);
    buf_init(&transfer.cookies, ANSWER_HEADERS_BYTES_MAX);
    struct receive receive = {&transfer, client->easy};
    set_options(client, call, &transfer, &receive);
    struct curl_slist *headers = header_list(client, call);
    curl_easy_setopt(client->easy, CURLOPT_URL, url);
    curl_easy_setopt(client->easy, CURLOPT_HTTPHEADER, headers);

    CURLcode code = perform(client);

    bool ok = code == CURLE_OK && !atomic_load(&client->aborted);
    if (ok) {
        take_answer(client, &transfer, arena, ret_answer);
    } else {
        (void)explain(client, &transfer, code, err);
    }
    curl_easy_setopt(client->easy, CURLOPT_ERRORBUFFER, NULL);
    curl_slist_free_all(headers);
    buf_done(&transfer.body);
    buf_done(&transfer.cookies);
    return ok;
}
