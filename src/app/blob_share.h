#ifndef APP_BLOB_SHARE_H
#define APP_BLOB_SHARE_H

#include "app/app_internal.h"

/* Opens the file store that the options name, none when they name none. A database and its file
 * store belong together: the first server writes the store's id into the database; one that is
 * started with another store would miss files while judging, so it is refused. ERR_CONFLICT
 * "other_blob_folder", "other_blob_store". */
checked bool blob_share_open(struct app *app, const struct app_options *options, struct err *err);

#endif
