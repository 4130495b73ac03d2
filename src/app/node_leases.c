#include "app/node_leases_internal.h"
#include "base/limits.h"
#include "store/lease_store.h"
#include "store/node_store.h"

/* Slots can have been lowered since the leases were granted; 64 is the most a node ever had. */
#define LEASES_MAX (2 * NODE_SLOTS_MAX)

bool node_leases_hold(struct db *db, struct node_id node, struct arena *arena,
                      struct node_leases *ret_leases, struct err *err) {
    struct held_nodes nodes = {0};
    struct lease_page page = {.jobs = arena_array(arena, LEASES_MAX, sizeof page.jobs[0]),
                              .max = LEASES_MAX};
    if (!hold_nodes(db, (struct node_list){&node, 1}, LOCK_EXCLUSIVE, arena, &nodes, err)) {
        return false;
    }
    if (nodes.count == 0) {
        return err_set(err, ERR_MISSING, "no_judger", "there is no node %lld",
                       (long long)node.value);
    }
    ret_leases->node = nodes.rows[0];
    return lease_store_of_node(db, node, &page, err) &&
           hold_jobs(db, (struct job_list){page.jobs, page.count}, HOLD_SUBMISSIONS, arena,
                     &ret_leases->jobs, err) &&
           db_now(db, &ret_leases->now_ms, err);
}

bool node_leases_end(struct app *app, struct db *db, struct node_leases *leases, enum lease_end end,
                     struct err *err) {
    struct ending ending = {.end = end, .now_ms = leases->now_ms};
    for (int i = 0; i < leases->jobs.count; i++) {
        struct held_job *held = &leases->jobs.rows[i];
        bool failed = false;
        bool mine =
            held->found && held->has_lease && held->lease.node.value == leases->node.id.value;
        if (mine && !lease_end(app, db, held, &ending, &failed, err)) {
            return false;
        }
    }
    return true;
}
