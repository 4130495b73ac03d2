/* assize admin reset-password --local: with the database at hand and nothing else. */
#include "app/auth.h"
#include "base/limits.h"
#include "main/commands.h"
#include "main/process.h"
#include "main/settings.h"

#include <stdio.h>
#include <unistd.h>

#define PATH_BYTES 4096

static int run(const struct command *command, int count, char **args);

const struct command command_admin_reset_password = {
    "admin reset-password", "give a user a new password, with the database at hand (--local)", run};

/* clang-format off */
static const struct config_row rows[] = {
    {.name = "local", .type = CONFIG_BOOL, .fallback = "no", .flag = "local",
     .help = "work on the database of this machine; the server may be running"},
    {.name = "username", .type = CONFIG_TEXT, .fallback = "admin", .flag = "username",
     .help = "whose password"},
    {0},
};
/* clang-format on */

/* As the database's owner: files that SQLite makes beside it must stay the server's. */
static bool reset(const struct config *config, struct arena *arena, struct str *ret_password,
                  struct err *err) {
    char database[PATH_BYTES];
    struct run_user owner = {0};
    struct mydb_target mysql = {0};
    bool is_mysql = false;
    own(app) app = NULL;
    process_path(config, "assize.db", database, sizeof database);
    if (!settings_mysql(config, &mysql, &is_mysql, err)) {
        return false;
    }
    if (!is_mysql && access(database, F_OK) != 0) {
        return err_set(err, ERR_MISSING, "no_database",
                       "there is no database %s: name the server's folder with --data", database);
    }
    struct app_options options = {.database_path = database,
                                  .mysql = is_mysql ? &mysql : NULL,
                                  .claims = settings_claims(config),
                                  .clock = &clock_real,
                                  .random = &random_real,
                                  .languages = NULL, /* from any folder, without a checkout */
                                  .holder = NULL,    /* beside a running server */
                                  .threads = true};
    app_settings_default(&options.settings);
    if (!is_mysql && (!run_user_of_file(database, &owner, err) ||
                      (owner.uid != 0 && !run_user_become(&owner, err)))) {
        return false;
    }
    return app_open(&options, &app, err) &&
           auth_reset_password(app, str_from(config_text(config, "username")), arena, ret_password,
                               err);
}

static int run(const struct command *command, int count, char **args) {
    (void)command;
    own(config) config = config_create();
    own(arena) arena = arena_create(4 * MIB);
    struct str password = {0};
    struct err err = {0};
    config_add(config, "General", settings_common);
    config_add(config, "Database", settings_database);
    config_add(config, "Password", rows);
    switch (settings_read(config,
                          "assize admin reset-password --local [--username NAME] [--data DIR]",
                          count, args)) {
    case SETTINGS_GO: break;
    case SETTINGS_HELP_SHOWN: return EXIT_STATUS_OK;
    case SETTINGS_BAD: return EXIT_STATUS_USAGE;
    }
    if (!config_bool(config, "local")) {
        (void)fprintf(stderr, "assize admin reset-password: say --local, and run it where the "
                              "database is\n");
        return EXIT_STATUS_USAGE;
    }
    settings_apply_log(config, "admin");
    if (!reset(config, arena, &password, &err)) {
        (void)fprintf(stderr, "assize admin reset-password: %s\n", err.text);
        return EXIT_STATUS_FAILED;
    }
    (void)printf("New password of %s: " STR_FMT "\n", config_text(config, "username"),
                 STR_ARG(password));
    return EXIT_STATUS_OK;
}
