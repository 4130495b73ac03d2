#include "net/probe.h"
#include "base/buf.h"
#include "base/check.h"
#include "base/clock.h"
#include "net/curl_internal.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ADDRESS_BITS 128
#define V4_PREFIX_BITS 96
#define URL_BYTES 1024

/* ---- the rules ---- */

static void map_v4(const struct in_addr *v4, uint8_t out[16]) {
    memset(out, 0, 10);
    memset(out + 10, 0xff, 2);
    memcpy(out + 12, v4, 4);
}

static bool parse_address(const char *text, uint8_t out[16], bool *ret_v4) {
    struct in_addr v4;
    *ret_v4 = inet_pton(AF_INET, text, &v4) == 1;
    if (*ret_v4) {
        map_v4(&v4, out);
        return true;
    }
    return inet_pton(AF_INET6, text, out) == 1;
}

static bool parse_network(struct str word, struct probe_network *ret_network) {
    struct str address = {0};
    struct str bits = {0};
    struct err ignored = {0};
    char text[64];
    int64_t count = 0;
    bool v4 = false;
    bool has_bits = str_cut(word, '/', &address, &bits);
    if (!str_to_c(address, text, sizeof text, &ignored) ||
        !parse_address(text, ret_network->bytes, &v4)) {
        return false;
    }
    int most = v4 ? ADDRESS_BITS - V4_PREFIX_BITS : ADDRESS_BITS;
    count = most;
    if (has_bits && !str_to_i64(bits, 0, most, &count, &ignored)) {
        return false;
    }
    ret_network->bits = (int)count + (v4 ? V4_PREFIX_BITS : 0);
    return true;
}

static bool bad_rule(struct str word, const char *what, struct err *err) {
    return err_set(err, ERR_INVALID, "bad_probe_rule", "\"" STR_FMT "\" is no %s",
                   STR_ARG(str_utf8_prefix(word, 64)), what);
}

bool probe_rules_parse(struct str networks, struct str ports, struct probe_rules *ret_rules,
                       struct err *err) {
    struct str word = {0};
    *ret_rules = (struct probe_rules){0};
    while (str_next_word(&networks, &word)) {
        if (ret_rules->network_count == PROBE_RULES_MAX ||
            !parse_network(word, &ret_rules->networks[ret_rules->network_count++])) {
            return bad_rule(word, "network such as 10.0.0.0/8 or fd00::/8", err);
        }
    }
    while (str_next_word(&ports, &word)) {
        int64_t port = 0;
        if (ret_rules->port_count == PROBE_RULES_MAX || !str_to_i64(word, 1, 65535, &port, err)) {
            return bad_rule(word, "port", err);
        }
        ret_rules->ports[ret_rules->port_count++] = (int)port;
    }
    return true;
}

static bool address_bytes(const struct sockaddr *address, uint8_t out[16]) {
    if (address->sa_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, address, sizeof v4);
        map_v4(&v4.sin_addr, out);
        return true;
    }
    struct sockaddr_in6 v6;
    memcpy(&v6, address, sizeof v6);
    memcpy(out, &v6.sin6_addr, 16);
    return address->sa_family == AF_INET6;
}

static bool has_prefix(const uint8_t address[16], const struct probe_network *network) {
    for (int bit = 0; bit < network->bits; bit++) {
        uint8_t mask = (uint8_t)(0x80 >> (bit % 8));
        if ((address[bit / 8] & mask) != (network->bytes[bit / 8] & mask)) {
            return false;
        }
    }
    return true;
}

bool probe_allows(const struct probe_rules *rules, const struct sockaddr *address) {
    uint8_t bytes[16] = {0};
    if (!address_bytes(address, bytes)) {
        return false;
    }
    for (int i = 0; i < rules->network_count; i++) {
        if (has_prefix(bytes, &rules->networks[i])) {
            return true;
        }
    }
    return false;
}

static bool allows_port(const struct probe_rules *rules, int port) {
    for (int i = 0; i < rules->port_count; i++) {
        if (rules->ports[i] == port) {
            return true;
        }
    }
    return false;
}

/* ---- resolving ---- */

/* A question that the resolver's thread still works on keeps its memory. */
struct question {
    struct gaicb request;
    struct addrinfo hints;
    char host[256];
};

static void take_addresses(const struct addrinfo *list, struct probe_addresses *addresses) {
    for (; list != NULL && addresses->count < PROBE_ADDRESSES_MAX; list = list->ai_next) {
        if (list->ai_addrlen <= sizeof addresses->items[0]) {
            memcpy(&addresses->items[addresses->count++], list->ai_addr, list->ai_addrlen);
        }
    }
}

static bool resolve_by_system(void *context, const char *host, int64_t timeout_ms,
                              struct probe_addresses *ret_addresses, struct err *err) {
    (void)context;
    struct question *question = calloc(1, sizeof *question);
    CHECK(question != NULL);
    (void)snprintf(question->host, sizeof question->host, "%s", host);
    question->hints = (struct addrinfo){.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    question->request.ar_name = question->host;
    question->request.ar_request = &question->hints;
    struct gaicb *list[] = {&question->request};
    const struct gaicb *wait[] = {&question->request};
    struct timespec limit = {timeout_ms / 1000, timeout_ms % 1000 * 1000000};
    if (getaddrinfo_a(GAI_NOWAIT, list, 1, NULL) != 0) {
        free(question);
        return err_set(err, ERR_BUSY, "resolver_busy", "the resolver takes no questions");
    }
    (void)gai_suspend(wait, 1, &limit);
    int status = gai_error(&question->request);
    if (status == EAI_INPROGRESS && gai_cancel(&question->request) == EAI_NOTCANCELED) {
        return err_set(err, ERR_DEADLINE, "timeout", "the name did not resolve in time");
    }
    *ret_addresses = (struct probe_addresses){0};
    if (status == 0) {
        take_addresses(question->request.ar_result, ret_addresses);
        freeaddrinfo(question->request.ar_result);
    }
    free(question);
    return ret_addresses->count > 0 || err_set(err, ERR_MISSING, "no_address", "%s",
                                               status == 0 ? "no address" : gai_strerror(status));
}

/* ---- the call ---- */

struct look {
    const struct probe_options *options;
    struct arena *arena;
    struct probe_result *result;
    struct sockaddr_storage address; /* checked */
    struct buf body;
    bool too_large;
    bool other_address;
};

static void text_of(const struct sockaddr_storage *address, char out[INET6_ADDRSTRLEN]) {
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    memcpy(&v4, address, sizeof v4);
    memcpy(&v6, address, sizeof v6);
    const void *bytes =
        address->ss_family == AF_INET ? (const void *)&v4.sin_addr : (const void *)&v6.sin6_addr;
    if (inet_ntop(address->ss_family, bytes, out, INET6_ADDRSTRLEN) == NULL) {
        out[0] = '\0';
    }
}

static void fail(struct look *look, enum probe_step step, const char *text) {
    look->result->failed = step;
    look->result->text = arena_str(look->arena, str_from(text));
}

/* Every address must be allowed: of a name with one good and one bad address nobody knows which is
 * meant. */
static bool check_network(struct look *look, const struct probe_addresses *addresses) {
    const struct probe_options *options = look->options;
    if (options->rules->network_count == 0) {
        fail(look, PROBE_NETWORK, "no network is allowed: set probe.networks on the server");
        return false;
    }
    if (!allows_port(options->rules, options->port)) {
        fail(look, PROBE_NETWORK,
             arena_printf(look->arena, "port %d is not allowed: see probe.ports", options->port));
        return false;
    }
    for (int i = 0; i < addresses->count; i++) {
        char text[INET6_ADDRSTRLEN];
        text_of(&addresses->items[i], text);
        if (!probe_allows(options->rules, (const struct sockaddr *)&addresses->items[i])) {
            fail(
                look, PROBE_NETWORK,
                arena_printf(look->arena, "%s is in no allowed network: see probe.networks", text));
            return false;
        }
    }
    return true;
}

static size_t take_body(char *data, size_t size, size_t count, void *context) {
    struct look *look = context;
    size_t bytes = size * count;
    if ((int64_t)(look->body.len + bytes) > look->options->answer_bytes_max) {
        look->too_large = true;
        return 0;
    }
    return buf_append(&look->body, str_of(data, bytes)) ? bytes : 0;
}

/* The last guard: whatever the library made of the name, only the checked address is dialled. */
static curl_socket_t open_socket(void *context, curlsocktype purpose,
                                 struct curl_sockaddr *address) {
    struct look *look = context;
    uint8_t wanted[16] = {0};
    uint8_t asked[16] = {0};
    (void)purpose;
    bool same = address_bytes((const struct sockaddr *)&look->address, wanted) &&
                address_bytes(&address->addr, asked) && memcmp(wanted, asked, 16) == 0;
    if (!same) {
        look->other_address = true;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static enum probe_step step_of(CURL *easy, CURLcode code) {
    double connected = 0;
    double secured = 0;
    bool certificate = code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CONNECT_ERROR ||
                       code == CURLE_SSL_ISSUER_ERROR || code == CURLE_SSL_CACERT_BADFILE;
    (void)curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME, &connected);
    (void)curl_easy_getinfo(easy, CURLINFO_APPCONNECT_TIME, &secured);
    if (certificate) {
        return PROBE_TLS;
    }
    if (code == CURLE_COULDNT_CONNECT || connected <= 0) {
        return PROBE_CONNECT;
    }
    return secured <= 0 ? PROBE_TLS : PROBE_ANSWER;
}

static void explain(struct look *look, CURL *easy, CURLcode code, const char *detail) {
    long status = 0;
    if (look->other_address) {
        fail(look, PROBE_NETWORK, "another address than the checked one was to be dialled");
    } else if (look->too_large) {
        fail(look, PROBE_ANSWER,
             arena_printf(look->arena, "the answer has more than %lld bytes",
                          (long long)look->options->answer_bytes_max));
    } else if (code == CURLE_OPERATION_TIMEDOUT) {
        fail(look, step_of(easy, code), "it took too long");
    } else if (code != CURLE_OK) {
        fail(look, step_of(easy, code), detail[0] != '\0' ? detail : curl_easy_strerror(code));
    } else {
        (void)curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        bool moved = status >= 300 && status < 400;
        if (status != 200) {
            fail(look, PROBE_ANSWER,
                 arena_printf(look->arena, "it answered %ld%s", status,
                              moved ? ": redirects are not followed" : ""));
        }
    }
}

static void set_options(struct look *look, CURL *easy, const char *url, char *detail) {
    const struct probe_options *options = look->options;
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    if (options->ca_file[0] != '\0') {
        curl_easy_setopt(easy, CURLOPT_CAINFO, options->ca_file);
    }
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, look);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, look);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, detail);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "assize-server/" ASSIZE_VERSION);
}

static void call(struct look *look, int64_t left_ms) {
    const struct probe_options *options = look->options;
    char address[INET6_ADDRSTRLEN];
    char detail[CURL_ERROR_SIZE] = "";
    text_of(&look->address, address);
    look->result->address = arena_str(look->arena, str_from(address));
    const char *open = strchr(options->host, ':') != NULL ? "[" : "";
    const char *close = open[0] != '\0' ? "]" : "";
    const char *url = arena_printf(look->arena, "https://%s%s%s:%d%s", open, options->host, close,
                                   options->port, options->path);
    const char *pin = arena_printf(look->arena, "%s:%d:%s", options->host, options->port, address);
    curl_ready();
    CURL *easy = curl_easy_init();
    CHECK(easy != NULL);
    struct curl_slist *pins = curl_slist_append(NULL, pin);
    struct curl_slist *headers = curl_slist_append(NULL, options->header);
    set_options(look, easy, url, detail);
    if (open[0] == '\0') {
        curl_easy_setopt(easy, CURLOPT_RESOLVE, pins);
    }
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)left_ms);
    buf_init(&look->body, (size_t)options->answer_bytes_max);
    CURLcode code = curl_easy_perform(easy);
    explain(look, easy, code, detail);
    look->result->body = arena_str(look->arena, buf_str(&look->body));
    buf_done(&look->body);
    curl_easy_cleanup(easy);
    curl_slist_free_all(pins);
    curl_slist_free_all(headers);
}

void probe_run(const struct probe_options *options, struct arena *arena,
               struct probe_result *ret_result) {
    struct look look = {.options = options, .arena = arena, .result = ret_result};
    struct probe_addresses addresses = {0};
    struct err err = {0};
    int64_t begin_ms = clock_mono_ms(&clock_real);
    probe_resolve_fn *resolve = options->resolve != NULL ? options->resolve : resolve_by_system;
    *ret_result = (struct probe_result){.failed = PROBE_STEP_END};
    if (!resolve(options->resolve_context, options->host, options->timeout_ms, &addresses, &err)) {
        fail(&look, PROBE_RESOLVE, err.text);
        return;
    }
    if (!check_network(&look, &addresses)) {
        return;
    }
    look.address = addresses.items[0];
    int64_t left_ms = options->timeout_ms - (clock_mono_ms(&clock_real) - begin_ms);
    call(&look, left_ms > 1 ? left_ms : 1);
}
