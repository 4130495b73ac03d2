/* assize migrate: the database's schema, brought to this program's before its servers start. */
#include "base/limits.h"
#include "main/commands.h"
#include "main/process.h"
#include "main/run_user.h"
#include "main/settings.h"
#include "store/migrate.h"

#include <stdio.h>

#define PATH_BYTES 4096

static int run(const struct command *command, int count, char **args);

const struct command command_migrate = {
    "migrate", "bring the database to this version's schema, which servers also do at their start",
    run};

static bool bring_up(const struct config *config, int *ret_applied, struct err *err) {
    char path[PATH_BYTES];
    struct mydb_target mysql = {0};
    struct run_user user = {0};
    bool is_mysql = false;
    own(db) db = NULL;
    process_path(config, "assize.db", path, sizeof path);
    /* As the server's user, so that a new file is the server's. */
    if (!run_user_choose(config_text(config, "user"), config_text(config, "data"), &user, err) ||
        !run_user_own_folder(&user, config_text(config, "data"), err) ||
        !run_user_become(&user, err) || !settings_mysql(config, &mysql, &is_mysql, err)) {
        return false;
    }
    struct db_options options = {
        .path = path, .mysql = is_mysql ? &mysql : NULL, .clock = &clock_real, .patient = true};
    return db_open(&options, &db, err) && migrate(db, migrations, ret_applied, err);
}

static int run(const struct command *command, int count, char **args) {
    (void)command;
    own(config) config = config_create();
    struct err err = {0};
    int applied = 0;
    config_add(config, "General", settings_common);
    config_add(config, "Database", settings_database);
    switch (
        settings_read(config, "assize migrate [--database ADDRESS] [--data DIR]", count, args)) {
    case SETTINGS_GO: break;
    case SETTINGS_HELP_SHOWN: return EXIT_STATUS_OK;
    case SETTINGS_BAD: return EXIT_STATUS_USAGE;
    }
    settings_apply_log(config, "migrate");
    if (!bring_up(config, &applied, &err)) {
        (void)fprintf(stderr, "assize migrate: %s\n", err.text);
        return err.kind == ERR_INVALID ? EXIT_STATUS_USAGE : EXIT_STATUS_FAILED;
    }
    (void)printf("%d migrations applied; the schema is this version's.\n", applied);
    return EXIT_STATUS_OK;
}
