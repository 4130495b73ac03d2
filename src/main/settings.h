#ifndef MAIN_SETTINGS_H
#define MAIN_SETTINGS_H

#include "app/app.h"
#include "data/config.h"
#include "store/mydb_target.h"

/* Settings of the long-running commands, by title, and how they are read for one command. */

extern const struct config_row settings_common[];   /* log, user, data, languages */
extern const struct config_row settings_server[];   /* listen, web, proxies */
extern const struct config_row settings_database[]; /* SQLite, or which MySQL */
extern const struct config_row settings_blobs[];    /* where files are kept */
extern const struct config_row settings_redis[];    /* hints between servers */
extern const struct config_row settings_dispatch[]; /* leases and their rhythm */
extern const struct config_row settings_node[];
extern const struct config_row settings_up[];

/* The outcome of settings_read. */
enum settings_answer { SETTINGS_GO, SETTINGS_HELP_SHOWN, SETTINGS_BAD };

/* Reads file (--config FILE), environment and flags. Prints help for --help, and what is wrong to
 * standard error. `usage` is the first line of the help. */
enum settings_answer settings_read(struct config *config, const char *usage, int count,
                                   char **args);

/* Sets up logging as the settings say; `role` has static storage. */
void settings_apply_log(const struct config *config, const char *role);
/* False in *ret_is_mysql: SQLite. Reads the password's file: as the user that the process runs as.
 */
checked bool settings_mysql(const struct config *config, struct mydb_target *ret_target,
                            bool *ret_is_mysql, struct err *err);
enum db_claims settings_claims(const struct config *config);
/* False: blobs.kind is another. The texts are the config's. */
bool settings_s3(const struct config *config, struct s3_options *ret_s3);
/* False: no Redis in the settings. The texts are the config's. */
bool settings_redis_link(const struct config *config, struct redis_link_options *ret_link);
void settings_fill_app(const struct config *config, struct app_settings *settings);

#endif
