/* The contract of file stores, kept by an S3-compatible server: a real one of npm's (s3rver), which
 * checks signatures, brought by `script/bootstrap --test`. */
#include "blob/blob_s3.h"
#include "blob_promises.h"
#include "blob_races.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define ID "0123456789abcdef0123456789abcdef"
#define OTHER_ID "fedcba9876543210fedcba9876543210"
#define BUCKET "judge"

static struct {
    pid_t pid;
    int port;
    char endpoint[64];
    const char *folder;
} server;

static int free_port(void) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    struct sockaddr *plain = (struct sockaddr *)(void *)&address;
    int bound = bind(fd, plain, size);
    int named = getsockname(fd, plain, &size);
    close(fd);
    return bound == 0 && named == 0 ? ntohs(address.sin_port) : -1;
}

static bool accepts(void) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)server.port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    bool connected = connect(fd, (struct sockaddr *)(void *)&address, sizeof address) == 0;
    close(fd);
    return connected;
}

static const char *program(void) {
    static char path[4096];
    const char *root = getenv("ASSIZE_SOURCE_ROOT");
    (void)snprintf(path, sizeof path, "%s/.tools/s3/server.mjs", root != NULL ? root : ".");
    return path;
}

static const char *node_program(void) {
    static char path[4096];
    const char *root = getenv("ASSIZE_SOURCE_ROOT");
    (void)snprintf(path, sizeof path, "%s/.tools/bin/node", root != NULL ? root : ".");
    const char *const places[] = {path, "/usr/local/bin/node", "/usr/bin/node"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (access(places[i], X_OK) == 0) {
            return places[i];
        }
    }
    return NULL;
}

static void start_server(void) {
    pid_t parent = getpid();
    server.pid = fork();
    if (server.pid == 0) {
        char port[16];
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(null, 1);
        dup2(null, 2);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)snprintf(port, sizeof port, "%d", server.port);
        const char *arguments[] = {node_program(), program(), server.folder, port, BUCKET, NULL};
        char *plain[16] = {0}; /* execve does not write into them */
        memcpy(plain, arguments, sizeof arguments);
        if (getppid() == parent) {
            (void)execve(plain[0], plain, environ);
        }
        _exit(127);
    }
    for (int i = 0; i < 3000 && !accepts(); i++) { /* thirty seconds */
        clock_sleep_ms(&clock_real, 10);
    }
    assert_true(accepts());
}

static void stop_server(void) {
    if (server.pid > 0) {
        kill(server.pid, SIGKILL);
        waitpid(server.pid, NULL, 0);
        server.pid = 0;
    }
}

/* One server for all tests, a prefix for each. */
static void set_up(struct contract *c) {
    static int tests;
    char *prefix = arena_array(c->arena, 32, 1);
    (void)snprintf(prefix, 32, "assize/%d/", tests++);
    c->below = prefix;
}

static void tear_down(struct contract *c) {
    (void)c;
}

static void make_server(void) {
    static char folder[] = "/tmp/test-s3-XXXXXX";
    assert_non_null(mkdtemp(folder));
    server.folder = folder;
    server.port = free_port();
    (void)snprintf(server.endpoint, sizeof server.endpoint, "http://127.0.0.1:%d", server.port);
    start_server();
}

static int start_group(void **state) {
    (void)state;
    make_server();
    return 0;
}

static int stop_group(void **state) {
    struct err err = {0};
    (void)state;
    stop_server();
    return file_remove_tree(server.folder, &err) ? 0 : -1;
}

static struct blob_s3_options options_of(struct contract *c) {
    return (struct blob_s3_options){.s3 = {.endpoint = server.endpoint,
                                           .bucket = BUCKET,
                                           .prefix = c->below,
                                           .region = "us-east-1",
                                           .access_key = "S3RVER",
                                           .secret_key = "S3RVER",
                                           .ca_file = "",
                                           .clock = &clock_real},
                                    .spool_folder = arena_printf(c->arena, "%s/spool", c->folder),
                                    .id = ID,
                                    .may_make = true};
}

static struct blob_store *open_s3(struct contract *c) {
    struct blob_s3_options options = options_of(c);
    struct blob_store *store = NULL;
    struct err err = {0};
    if (!blob_s3_open(&options, &store, &err)) {
        fail_msg("%s", err.text);
    }
    return store;
}

static const char *object_path(struct contract *c, const struct digest *digest, const char *mark) {
    char hex[DIGEST_HEX_BYTES];
    digest_hex(digest, hex);
    return arena_printf(c->arena, "%s/" BUCKET "/%s%.2s/%s%s._S3rver_object", server.folder,
                        (const char *)c->below, hex, hex + 2, mark);
}

static void damage(struct contract *c, const struct digest *digest) {
    own_fd fd = open(object_path(c, digest, ""), O_WRONLY | O_TRUNC | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "hell", 4), 4);
}

static void age(struct contract *c, const struct digest *digest, int64_t stored_ms) {
    struct timespec times[2] = {{.tv_sec = stored_ms / 1000}, {.tv_sec = stored_ms / 1000}};
    const char *object = object_path(c, digest, "");
    const char *kept = object_path(c, digest, ".kept");
    (void)utimensat(AT_FDCWD, kept, times, 0);
    (void)utimensat(AT_FDCWD, object, times, 0);
}

static void outage(struct contract *c, bool away) {
    (void)c;
    if (away) {
        stop_server();
    } else {
        start_server();
    }
}

const struct contract_kind contract_kind_under_test = {.set_up = set_up,
                                                       .tear_down = tear_down,
                                                       .open = open_s3,
                                                       .damage = damage,
                                                       .age = age,
                                                       .outage = outage};

/* ---- what only this kind has ---- */

static void refuses(struct contract *c, const struct blob_s3_options *options, const char *code) {
    struct blob_store *store = NULL;
    struct err err = {0};
    (void)c;
    if (blob_s3_open(options, &store, &err)) {
        fail_msg("not refused: %s", code);
    }
    assert_string_equal(err.code, code);
    assert_null(strstr(err.text, "not the key"));
}

static void a_wrong_key_bucket_or_database_is_refused_in_words(void **state) {
    struct contract *c = *state;
    struct blob_s3_options options = options_of(c);
    options.s3.secret_key = "not the key";
    refuses(c, &options, "blob_refused");
    options = options_of(c);
    options.s3.bucket = "no-such-bucket";
    refuses(c, &options, "blob_refused");
    options = options_of(c);
    options.id = OTHER_ID;
    refuses(c, &options, "other_blob_store");
    options = options_of(c);
    options.s3.prefix = "empty/";
    options.may_make = false;
    refuses(c, &options, "other_blob_store");
    options = options_of(c);
    options.s3.prefix = "no-slash";
    refuses(c, &options, "bad_s3_setting");
    options = options_of(c);
    options.s3.endpoint = "s3.example.org";
    refuses(c, &options, "bad_url");
}

static void databases_share_a_bucket_by_prefixes(void **state) {
    struct contract *c = *state;
    struct blob_s3_options options = options_of(c);
    own(blob_store) other = NULL;
    struct err err = {0};
    options.s3.prefix = "";
    options.id = OTHER_ID;
    (void)contract_put(c->one, STR("hello"));

    assert_true(blob_s3_open(&options, &other, &err));

    assert_int_equal(contract_each(other).count, 0); /* the first one's keys are no blobs here */
    assert_false(contract_is_stored(other, STR("hello")));
}

int main(void) {
    if (node_program() == NULL || access(program(), R_OK) != 0) {
        printf("skipped: there is no S3 server: script/bootstrap --test brings it\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_wrong_key_bucket_or_database_is_refused_in_words,
                                        contract_set_up, contract_tear_down),
        cmocka_unit_test_setup_teardown(databases_share_a_bucket_by_prefixes, contract_set_up,
                                        contract_tear_down),
        BLOB_PROMISES,
        BLOB_RACES,
    };
    return cmocka_run_group_tests(tests, start_group, stop_group);
}
