/* assize node */
#include "base/file.h"
#include "base/limits.h"
#include "main/commands.h"
#include "main/node_caps.h"
#include "main/process.h"
#include "main/settings.h"
#include "net/http.h"

#include <stdio.h>
#include <sys/utsname.h>

#define PATH_BYTES 4096

static int run(const struct command *command, int count, char **args);

const struct command command_node = {"node", "judges jobs of one pool for a server", run};

struct node_names {
    struct judge_caps caps;
    char name[128];
    char workspace[PATH_BYTES];
    char credential[PATH_BYTES];
    char
        languages[PINNED_BYTES]; /* pinned: the hello programs are read after the rights are gone */
};

/* What is not set follows from the pool. */
static void derive(const struct config *config, struct node_names *names) {
    const char *pool = config_text(config, "judge.pool");
    struct utsname host;
    char folder[256];
    (void)uname(&host);
    (void)snprintf(names->name, sizeof names->name, "%s-%s", host.nodename, pool);
    if (config_is_set(config, "judge.name")) {
        (void)snprintf(names->name, sizeof names->name, "%s", config_text(config, "judge.name"));
    }
    (void)snprintf(folder, sizeof folder, "node-%s", pool);
    process_path(config, folder, names->workspace, sizeof names->workspace);
    if (config_is_set(config, "judge.workspace")) {
        (void)snprintf(names->workspace, sizeof names->workspace, "%s",
                       config_text(config, "judge.workspace"));
    }
    (void)snprintf(names->credential, sizeof names->credential, "%.4000s/credential",
                   names->workspace);
    if (config_is_set(config, "judge.credential_file")) {
        (void)snprintf(names->credential, sizeof names->credential, "%s",
                       config_text(config, "judge.credential_file"));
    }
}

static bool start(const struct config *config, struct node_names *names, struct run_user *user,
                  struct language_set **languages, struct err *err) {
    if (config_text(config, "judge.pool")[0] == '\0') {
        return err_set(err, ERR_INVALID, "no_pool",
                       "say which pool the node serves: --pool cpp, or JUDGE_POOL");
    }
    return node_caps_read(config, &names->caps, err) &&
           run_user_choose(config_text(config, "user"), names->workspace, user, err) &&
           language_set_load(names->languages, languages, err) &&
           run_user_own_folder(user, names->workspace, err);
}

#define PEM_BYTES_MAX ((size_t)64 * KIB)

static bool load_pem(const struct config *config, const char *name, struct buf *out,
                     struct err *err) {
    const char *file = config_text(config, name);
    buf_init(out, PEM_BYTES_MAX);
    if (file[0] == '\0') {
        return err_set(err, ERR_INVALID, "no_certificate",
                       "a health address needs --health-certificate and --health-key");
    }
    return file_load(file, PEM_BYTES_MAX, out, err);
}

struct health_files {
    struct buf certificate;
    struct buf key;
};

/* Before the rights go: a key is usually root's, and the port may be a low one. */
static bool prepare_health(const struct config *config, struct health_files *files, int *ret_fd,
                           struct err *err) {
    const char *address = config_text(config, "judge.health_listen");
    int port = 0;
    return address[0] == '\0' ||
           (load_pem(config, "judge.health_certificate", &files->certificate, err) &&
            load_pem(config, "judge.health_key", &files->key, err) &&
            http_listen(address, ret_fd, &port, err));
}

static int run(const struct command *command, int count, char **args) {
    (void)command;
    own(config) config = config_create();
    config_add(config, "General", settings_common);
    config_add(config, "Node", settings_node);
    switch (settings_read(config, "assize node --pool POOL --server URL [--join-code CODE] [...]",
                          count, args)) {
    case SETTINGS_GO: break;
    case SETTINGS_HELP_SHOWN: return EXIT_STATUS_OK;
    case SETTINGS_BAD: return EXIT_STATUS_USAGE;
    }
    struct err err = {0};
    struct run_user user = {0};
    struct node_names names = {0};
    own(language_set) languages = NULL;
    pin_folder(config_text(config, "languages"), names.languages);
    derive(config, &names);
    struct health_files health = {0};
    int health_fd = -1;
    if (!start(config, &names, &user, &languages, &err) ||
        !prepare_health(config, &health, &health_fd, &err)) {
        (void)fprintf(stderr, "assize node: %s\n", err.text);
        return err.kind == ERR_INVALID ? EXIT_STATUS_USAGE : EXIT_STATUS_FAILED;
    }
    struct node_process process = {.config = config,
                                   .user = &user,
                                   .languages = languages,
                                   .name = names.name,
                                   .pool = config_text(config, "judge.pool"),
                                   .not_ours_fd = -1,
                                   .health_fd = health_fd,
                                   .health_certificate = buf_c(&health.certificate),
                                   .health_key = buf_c(&health.key),
                                   .slots = process_slots(config_i64(config, "judge.slots")),
                                   .server_url = config_text(config, "judge.control_url"),
                                   .ca_file = config_text(config, "judge.ca_file"),
                                   .workspace = names.workspace,
                                   .credential_file = names.credential,
                                   .join_code = config_text(config, "judge.join_code"),
                                   .join_code_file = "",
                                   .cache_bytes = config_i64(config, "judge.cache"),
                                   .drain_ms = config_i64(config, "judge.drain"),
                                   .second_runs = (int32_t)config_i64(config, "judge.second_runs"),
                                   .compile_cache_bytes = config_i64(config, "judge.compile_cache"),
                                   .caps = names.caps,
                                   .warm = config_bool(config, "judge.warm")};
    int status = node_process_run(&process);
    buf_done(&health.certificate);
    buf_done(&health.key);
    return status;
}
