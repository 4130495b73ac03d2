/* assize server */
#include "base/log.h"
#include "main/commands.h"
#include "main/process.h"
#include "main/settings.h"
#include "net/http.h"

#include <stdio.h>

static int run(const struct command *command, int count, char **args);

const struct command command_server = {
    "server", "web pages, public API, admin API and machine API on one database", run};

static bool listen_for_nodes(const struct config *config, int *ret_fd, struct err *err) {
    const char *address = config_text(config, "server.machine_listen");
    int port = 0;
    return address[0] == '\0' || http_listen(address, ret_fd, &port, err);
}

static bool start(const struct config *config, struct server_process *process,
                  struct run_user *user, struct language_set **languages, struct err *err) {
    const char *listen = config_text(config, "server.listen");
    const char *data = config_text(config, "data");
    if (!run_user_choose(config_text(config, "user"), data, user, err) ||
        !language_set_load(config_text(config, "languages"), languages, err) ||
        !http_listen(listen, &process->listen_fd, &process->port, err) ||
        !listen_for_nodes(config, &process->machine_fd, err) ||
        !run_user_own_folder(user, data, err)) {
        return false;
    }
    return true;
}

static int run(const struct command *command, int count, char **args) {
    (void)command;
    own(config) config = config_create();
    config_add(config, "General", settings_common);
    config_add(config, "Server", settings_server);
    config_add(config, "Database", settings_database);
    config_add(config, "Files", settings_blobs);
    config_add(config, "Redis", settings_redis);
    config_add(config, "Dispatch", settings_dispatch);
    switch (settings_read(config, "assize server [--listen HOST:PORT] [--data DIR] [...]", count,
                          args)) {
    case SETTINGS_GO: break;
    case SETTINGS_HELP_SHOWN: return EXIT_STATUS_OK;
    case SETTINGS_BAD: return EXIT_STATUS_USAGE;
    }
    struct err err = {0};
    struct run_user user = {0};
    own(language_set) languages = NULL;
    char web[PINNED_BYTES];
    char demo[PINNED_BYTES];
    struct server_process process = {
        .machine_fd = -1, .config = config, .user = &user, .web = web, .demo = demo};
    pin_folder(config_text(config, "server.web"), web);
    pin_folder(config_text(config, "server.demo"), demo);
    if (!start(config, &process, &user, &languages, &err)) {
        (void)fprintf(stderr, "assize server: %s\n", err.text);
        return err.kind == ERR_INVALID ? EXIT_STATUS_USAGE : EXIT_STATUS_FAILED;
    }
    process.languages = languages;
    return server_process_run(&process);
}
