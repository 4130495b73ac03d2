#ifndef APP_NEWS_INTERNAL_H
#define APP_NEWS_INTERNAL_H

#include "app/app_internal.h"
#include "domain/ids.h"

/* What a batch will have to tell once it is committed: queues that have new ready jobs, submissions
 * that changed. Only the writer's thread touches it. A batch that is rolled back tells nothing. */

void news_reset(struct app *app); /* first thing in write_kind.run */
void news_ready(struct app *app, struct queue_id queue);
/* A slot is free again: nodes of this queue, or of others on the same machine, may wait for it. */
void news_slot(struct app *app);
/* A node of the queue may claim now; one a batch. */
void news_room(struct app *app, struct queue_id queue);
void news_submission(struct app *app, struct submission_id submission);
/* For write_kind.committed. */
void news_tell(struct app *app, struct write_item **items, int count);

struct news *news_create(void);
void news_free(struct news *news); /* accepts NULL */

#endif
