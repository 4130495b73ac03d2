#include "app/maintainer_internal.h"
#include "app/parts_internal.h"
#include "base/check.h"
#include "store/retention_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LEASE_MS 180000

struct maintainer_name {
    char text[64];
};

struct str maintainer_text(const struct app *app) {
    return str_from(app->maintainer->text);
}

bool maintainer_take(struct app *app, struct db *db, struct str what, bool *ret_held,
                     struct err *err) {
    int64_t now_ms = 0;
    if (!db_now(db, &now_ms, err)) {
        return false;
    }
    struct maintainer maintainer = {.name = what,
                                    .owner = str_from(app->maintainer->text),
                                    .now_ms = now_ms,
                                    .lease_ms = LEASE_MS};
    return maintenance_lease_take(db, &maintainer, ret_held, err);
}

bool maintainer_part_open(struct app *app, struct err *err) {
    (void)err;
    app->maintainer = calloc(1, sizeof *app->maintainer);
    CHECK(app->maintainer != NULL);
    (void)snprintf(app->maintainer->text, sizeof app->maintainer->text, "%016llx %d",
                   (unsigned long long)random_u64(app->random), (int)getpid());
    return true;
}

void maintainer_part_close(struct app *app) {
    free(app->maintainer);
}
