#ifndef APP_BLOB_SHARE_H
#define APP_BLOB_SHARE_H

#include "app/app_internal.h"

/* A database and a file store belong together. The first server writes the store's id into the
 * database; one that is started with another folder would miss files while judging, so it is
 * refused. ERR_CONFLICT "other_blob_folder". */
checked bool blob_share_check(struct app *app, struct err *err);

#endif
