#include "app/claim_desk_internal.h"
#include "app/news_internal.h"
#include "app/runners_internal.h"
#include "base/check.h"
#include "store/queue_store.h"

#include <stdlib.h>

struct queue_news {
    int64_t queue;
    int64_t count;
};

struct news {
    struct queue_news *queues;
    int queue_count;
    int queue_room;
    int64_t *submissions;
    int submission_count;
    int submission_room;
    bool slot_freed;
    struct queue_id room; /* 0: none */
};

void news_reset(struct app *app) {
    struct news *news = runner_news(app);
    news->queue_count = 0;
    news->submission_count = 0;
    news->slot_freed = false;
    news->room.value = 0;
}

static void *grow(void *rows, int count, int *room, size_t bytes) {
    if (count < *room) {
        return rows;
    }
    *room = *room == 0 ? 16 : 2 * *room;
    void *grown = realloc(rows, (size_t)*room * bytes);
    CHECK(grown != NULL);
    return grown;
}

void news_ready(struct app *app, struct queue_id queue) {
    struct news *news = runner_news(app);
    for (int i = 0; i < news->queue_count; i++) {
        if (news->queues[i].queue == queue.value) {
            news->queues[i].count++;
            return;
        }
    }
    news->queues = grow(news->queues, news->queue_count, &news->queue_room, sizeof news->queues[0]);
    news->queues[news->queue_count++] = (struct queue_news){.queue = queue.value, .count = 1};
}

void news_slot(struct app *app) {
    runner_news(app)->slot_freed = true;
}

void news_room(struct app *app, struct queue_id queue) {
    runner_news(app)->room = queue;
}

void news_submission(struct app *app, struct submission_id submission) {
    struct news *news = runner_news(app);
    news->submissions = grow(news->submissions, news->submission_count, &news->submission_room,
                             sizeof news->submissions[0]);
    news->submissions[news->submission_count++] = submission.value;
}

void news_tell(struct app *app, struct write_item **items, int count) {
    (void)items;
    (void)count;
    struct news *news = runner_news(app);
    for (int i = 0; i < news->queue_count; i++) {
        wake_tell(app->wake, WAKE_QUEUE, news->queues[i].queue, news->queues[i].count);
    }
    if (news->slot_freed) {
        claims_look_all(app); /* claims at other servers: by their probe */
    }
    if (news->room.value != 0) {
        wake_tell(app->wake, WAKE_ROOM, news->room.value, 1);
    }
    for (int i = 0; i < news->submission_count; i++) {
        wake_tell(app->wake, WAKE_SUBMISSION, news->submissions[i], 1);
    }
    news_reset(app);
}

struct news *news_create(void) {
    struct news *news = calloc(1, sizeof *news);
    CHECK(news != NULL);
    return news;
}

void news_free(struct news *news) {
    if (news != NULL) {
        free(news->queues);
        free(news->submissions);
        free(news);
    }
}
