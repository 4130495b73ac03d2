#include "app/claim_desk_internal.h"
#include "app/parts_internal.h"
#include "base/check.h"
#include "base/thread.h"
#include "store/queue_store.h"

#include <stdlib.h>

#define WAKE_SLOTS 64 /* queues that share one are only woken more often */

struct claim_desk {
    struct mutex mutex; /* also of `cancelled` and `parked` in every request */
    struct claim_request *head;
    struct claim_request *tail;
    struct {
        uint64_t wakes;
        uint64_t looks;
    } told[WAKE_SLOTS]; /* by queue: how often */
    bool closed;
};

typedef bool match_fn(const struct claim_request *request, int64_t value);

/* Takes matching requests out, in their order, at most `max`. */
static struct claim_request *take_matching(struct claim_desk *desk, match_fn *matches,
                                           int64_t value, int64_t max) {
    struct claim_request *taken = NULL;
    struct claim_request **taken_end = &taken;
    struct claim_request **link = &desk->head;
    desk->tail = NULL;
    while (*link != NULL) {
        struct claim_request *request = *link;
        if (max > 0 && matches(request, value)) {
            max--;
            *link = request->parked_next;
            request->parked_next = NULL;
            request->parked = false;
            *taken_end = request;
            taken_end = &request->parked_next;
        } else {
            desk->tail = request;
            link = &request->parked_next;
        }
    }
    return taken;
}

static bool is_able(const struct claim_request *request, int64_t queue) {
    return request->queue.value == queue && !request->unable;
}

static bool is_unable(const struct claim_request *request, int64_t queue) {
    return request->queue.value == queue && request->unable;
}

static bool is_over(const struct claim_request *request, int64_t mono_ms) {
    return request->deadline_mono_ms <= mono_ms;
}

static bool is_any(const struct claim_request *request, int64_t value) {
    (void)request;
    (void)value;
    return true;
}

static void answer_empty(struct claim_request *request) {
    request->item.ok = true;
    request->job_count = 0;
    request->item.done(&request->item);
}

static bool answer_all(struct claim_request *requests) {
    bool some = requests != NULL;
    while (requests != NULL) {
        struct claim_request *request = requests;
        requests = request->parked_next;
        request->parked_next = NULL;
        answer_empty(request);
    }
    return some;
}

static size_t slot_of(struct queue_id queue) {
    return (size_t)queue.value % WAKE_SLOTS;
}

void claims_note_wakes(struct app *app, struct claim_request *request) {
    mutex_lock(&app->claims->mutex);
    request->wakes_seen = app->claims->told[slot_of(request->queue)].wakes;
    request->looks_seen = app->claims->told[slot_of(request->queue)].looks;
    mutex_unlock(&app->claims->mutex);
}

/* Something became ready after the claim had looked and before it is here: it looks again. */
static bool was_woken(struct claim_desk *desk, const struct claim_request *request) {
    size_t slot = slot_of(request->queue);
    return request->unable ? desk->told[slot].looks != request->looks_seen
                           : desk->told[slot].wakes != request->wakes_seen;
}

void claims_park(struct app *app, struct claim_request *request) {
    struct claim_desk *desk = app->claims;
    mutex_lock(&desk->mutex);
    bool again = !desk->closed && !request->cancelled && was_woken(desk, request);
    bool keep = !desk->closed && !request->cancelled && !again;
    if (keep) {
        request->parked = true;
        request->parked_next = NULL;
        if (desk->tail == NULL) {
            desk->head = request;
        } else {
            desk->tail->parked_next = request;
        }
        desk->tail = request;
    }
    mutex_unlock(&desk->mutex);
    if (again) {
        app_write(app, &request->item);
    } else if (!keep) {
        answer_empty(request);
    }
}

static void try_again(struct app *app, struct claim_request *woken) {
    while (woken != NULL) {
        struct claim_request *request = woken;
        woken = request->parked_next;
        request->parked_next = NULL;
        app_write(app, &request->item);
    }
}

void claims_wake(struct app *app, struct queue_id queue, int64_t count) {
    mutex_lock(&app->claims->mutex);
    app->claims->told[slot_of(queue)].wakes++;
    struct claim_request *woken = take_matching(app->claims, is_able, queue.value, count);
    mutex_unlock(&app->claims->mutex);
    try_again(app, woken);
}

void claims_look(struct app *app, struct queue_id queue) {
    mutex_lock(&app->claims->mutex);
    app->claims->told[slot_of(queue)].looks++;
    struct claim_request *woken = take_matching(app->claims, is_unable, queue.value, INT64_MAX);
    mutex_unlock(&app->claims->mutex);
    try_again(app, woken);
}

static bool is_unable_at_all(const struct claim_request *request, int64_t value) {
    (void)value;
    return request->unable;
}

/* Also for claims on their way to the desk: they look once more. */
void claims_look_all(struct app *app) {
    mutex_lock(&app->claims->mutex);
    for (size_t i = 0; i < WAKE_SLOTS; i++) {
        app->claims->told[i].looks++;
    }
    struct claim_request *woken = take_matching(app->claims, is_unable_at_all, 0, INT64_MAX);
    mutex_unlock(&app->claims->mutex);
    try_again(app, woken);
}

bool claims_step(struct app *app) {
    mutex_lock(&app->claims->mutex);
    struct claim_request *over =
        take_matching(app->claims, is_over, clock_mono_ms(app->clock), INT64_MAX);
    mutex_unlock(&app->claims->mutex);
    return answer_all(over);
}

static int add_queue(struct queue_id *queues, int count, struct queue_id queue) {
    for (int i = 0; i < count; i++) {
        if (queues[i].value == queue.value) {
            return count;
        }
    }
    if (count < QUEUES_MAX) {
        queues[count++] = queue;
    }
    return count;
}

int claims_waiting(struct app *app, struct queue_id *ret_queues) {
    int count = 0;
    mutex_lock(&app->claims->mutex);
    for (const struct claim_request *r = app->claims->head; r != NULL; r = r->parked_next) {
        count = add_queue(ret_queues, count, r->queue);
    }
    mutex_unlock(&app->claims->mutex);
    return count;
}

bool claims_is_cancelled(struct app *app, const struct claim_request *request) {
    mutex_lock(&app->claims->mutex);
    bool cancelled = request->cancelled;
    mutex_unlock(&app->claims->mutex);
    return cancelled;
}

static bool is_this(const struct claim_request *request, int64_t value) {
    return (int64_t)(intptr_t)request == value;
}

void dispatch_claim_cancel(struct app *app, struct claim_request *request) {
    mutex_lock(&app->claims->mutex);
    request->cancelled = true;
    struct claim_request *taken =
        request->parked ? take_matching(app->claims, is_this, (int64_t)(intptr_t)request, 1) : NULL;
    mutex_unlock(&app->claims->mutex);
    (void)answer_all(taken);
}

static void on_wake(void *context, const struct wake_message *message) {
    claims_wake(context, (struct queue_id){message->id}, message->count);
}

static void on_room(void *context, const struct wake_message *message) {
    claims_look(context, (struct queue_id){message->id});
}

bool claims_part_open(struct app *app, struct err *err) {
    (void)err;
    app->claims = calloc(1, sizeof *app->claims);
    CHECK(app->claims != NULL);
    mutex_init(&app->claims->mutex);
    wake_listen(app->wake, WAKE_QUEUE, on_wake, app);
    wake_listen(app->wake, WAKE_ROOM, on_room, app);
    return true;
}

void claims_part_stop(struct app *app) {
    if (app->claims == NULL) {
        return;
    }
    mutex_lock(&app->claims->mutex);
    app->claims->closed = true;
    struct claim_request *all = take_matching(app->claims, is_any, 0, INT64_MAX);
    mutex_unlock(&app->claims->mutex);
    (void)answer_all(all);
}

void claims_part_close(struct app *app) {
    if (app->claims == NULL) {
        return;
    }
    CHECK(app->claims->head == NULL);
    mutex_done(&app->claims->mutex);
    free(app->claims);
}
