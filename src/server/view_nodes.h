#ifndef SERVER_VIEW_NODES_H
#define SERVER_VIEW_NODES_H

#include "app/host_group.h"
#include "app/judger_check.h"
#include "app/pool.h"
#include "data/json_write.h"

/* JSON of what stands around nodes: checks, pools, host groups. */
void view_check(struct jw *json, const struct node_check *check);
void view_pool(struct jw *json, const struct pool_view *pool);
void view_pool_warning(struct jw *json, const struct pool_warning *warning);
void view_host_group(struct jw *json, const struct host_group_row *group);

#endif
