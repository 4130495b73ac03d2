#include "app/blob_share.h"

#include "base/check.h"
#include "base/limits.h"
#include "blob/blob_database.h"
#include "blob/blob_folder.h"
#include "blob/blob_s3.h"
#include "store/blob_row_store.h"
#include "store/setting_store.h"

#include <string.h>

#define SETTING STR("blob.store_id")

struct share_write {
    struct write_item item;
    char proposed[BLOB_STORE_ID_CHARS + 1];
    char known[BLOB_STORE_ID_CHARS + 1]; /* out: what the database says */
    bool has_files;                      /* out: it knows of some */
};

/* The id in the database, which is the proposed one when there was none: of two first servers with
 * two stores one wins. */
static bool share_run(struct app *app, struct db *db, struct write_item **items, int count,
                      struct err *err) {
    (void)app;
    CHECK(count == 1);
    struct share_write *share = (struct share_write *)items[0];
    own(arena) arena = arena_create((size_t)16 * KIB);
    struct str known = str_from(share->proposed);
    bool found = false;
    int64_t now_ms = 0;
    if (!db_now(db, &now_ms, err) || !setting_store_get(db, SETTING, arena, &found, &known, err) ||
        (!found && !setting_store_put(db, SETTING, known, now_ms, err)) ||
        !blob_row_store_any(db, &share->has_files, err) ||
        !str_to_c(known, share->known, sizeof(share->known), err)) {
        return false;
    }
    items[0]->ok = true;
    return true;
}

static const struct write_kind share_kind = {
    .name = "blob_share.note", .batch_max = 1, .run = share_run};

static bool note(struct app *app, struct share_write *share, struct err *err) {
    share->item.kind = &share_kind;
    return app_write_wait(app, &share->item, err) || err_wrap(err, "compare the file store");
}

static bool note_random(struct app *app, struct share_write *share, struct err *err) {
    uint8_t bytes[BLOB_STORE_ID_CHARS / 2];
    random_fill(app->random, bytes, sizeof bytes);
    hex_encode(bytes, sizeof bytes, share->proposed);
    return note(app, share, err);
}

static bool open_folder(struct app *app, const char *path, struct err *err) {
    struct share_write share = {0};
    const struct blob_folder_options folder = {
        .path = path, .random = app->random, .clock = app->clock};
    if (!blob_folder_open(&folder, &app->blobs, err)) {
        return false;
    }
    memcpy(share.proposed, blob_store_id(app->blobs), sizeof share.proposed);
    if (!note(app, &share, err)) {
        return false;
    }
    if (!str_eq_c(str_from(share.known), blob_store_id(app->blobs))) {
        return err_set(err, ERR_CONFLICT, "other_blob_folder",
                       "the files of this database are in another folder (its store.id is %s): "
                       "start with that folder, or mount it where every server sees it",
                       share.known);
    }
    return true;
}

static bool note_any(void *context, const struct blob_visit *blob) {
    (void)blob;
    *(bool *)context = true;
    return false;
}

static bool open_database(struct app *app, const char *spool_folder, struct err *err) {
    struct share_write share = {0};
    bool any = false;
    if (!note_random(app, &share, err)) {
        return false;
    }
    const struct blob_database_options options = {.readers = app->readers,
                                                  .writers = app->blob_writers,
                                                  .spool_folder = spool_folder,
                                                  .id = share.known};
    if (!blob_database_open(&options, &app->blobs, err) ||
        !blob_each(app->blobs, note_any, &any, err)) {
        return false;
    }
    if (share.has_files && !any) {
        return err_set(err, ERR_CONFLICT, "other_blob_store",
                       "the files of this database are not in it but in the folder or S3 store "
                       "that it was started with before: set blobs.kind to that");
    }
    return true;
}

static bool open_s3(struct app *app, const struct app_options *options, struct err *err) {
    struct share_write share = {0};
    if (!note_random(app, &share, err)) {
        return false;
    }
    const struct blob_s3_options s3 = {.s3 = *options->blob_s3,
                                       .spool_folder = options->spool_folder,
                                       .id = share.known,
                                       .may_make = !share.has_files};
    return blob_s3_open(&s3, &app->blobs, err);
}

bool blob_share_open(struct app *app, const struct app_options *options, struct err *err) {
    if (options->blob_folder != NULL) {
        return open_folder(app, options->blob_folder, err);
    }
    if (options->blob_database) {
        return open_database(app, options->spool_folder, err);
    }
    return options->blob_s3 == NULL || open_s3(app, options, err);
}
