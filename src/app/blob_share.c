#include "app/blob_share.h"

#include "base/check.h"
#include "base/limits.h"
#include "store/setting_store.h"

#define SETTING STR("blob.store_id")

struct share_write {
    struct write_item item;
    char known[BLOB_STORE_ID_CHARS + 1]; /* out: what the database says */
};

/* The id in the database, which is this store's when there was none: of two first servers with two
 * folders one wins. */
static bool share_run(struct app *app, struct db *db, struct write_item **items, int count,
                      struct err *err) {
    CHECK(count == 1);
    struct share_write *share = (struct share_write *)items[0];
    own(arena) arena = arena_create((size_t)16 * KIB);
    struct str known = str_from(blob_store_id(app->blobs));
    bool found = false;
    int64_t now_ms = 0;
    if (!db_now(db, &now_ms, err) || !setting_store_get(db, SETTING, arena, &found, &known, err) ||
        (!found && !setting_store_put(db, SETTING, known, now_ms, err)) ||
        !str_to_c(known, share->known, sizeof(share->known), err)) {
        return false;
    }
    items[0]->ok = true;
    return true;
}

static const struct write_kind share_kind = {
    .name = "blob_share.note", .batch_max = 1, .run = share_run};

bool blob_share_check(struct app *app, struct err *err) {
    struct share_write share = {.item.kind = &share_kind};
    if (app->blobs == NULL) {
        return true;
    }
    if (!app_write_wait(app, &share.item, err)) {
        return err_wrap(err, "compare the file store");
    }
    if (!str_eq_c(str_from(share.known), blob_store_id(app->blobs))) {
        return err_set(err, ERR_CONFLICT, "other_blob_folder",
                       "the files of this database are in another folder (its store.id is %s): "
                       "start with that folder, or mount it where every server sees it",
                       share.known);
    }
    return true;
}
