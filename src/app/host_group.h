#ifndef APP_HOST_GROUP_H
#define APP_HOST_GROUP_H

#include "app/app.h"
#include "domain/actor.h"
#include "store/host_group_store.h"

/* Nodes that share one physical machine share its slots. Administrators. */

checked bool host_group_list(struct app *app, const struct actor *actor, struct arena *arena,
                             struct host_group_row **ret_groups, int *ret_count, struct err *err);
struct host_group_change {
    struct host_group_id id; /* 0: a new one */
    struct str name;         /* of a new one */
    int32_t slots;
    int64_t revision; /* of one that is there; ERR_STALE "stale_revision" when it is another */
};
/* Fewer slots hold from the next claim on: running jobs finish. Errors: ERR_INVALID "bad_field";
 * ERR_CONFLICT "conflict_host_group_name"; ERR_MISSING "no_host_group". */
checked bool host_group_write(struct app *app, const struct actor *actor,
                              const struct host_group_change *change, struct arena *arena,
                              struct host_group_row *ret_group, struct err *err);

#endif
