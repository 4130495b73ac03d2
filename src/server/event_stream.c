/* The live events of one submission: `state` whenever it changes, `case` once for each finished
 * case in order, `verdict` with the whole submission, then the end.
 *
 * Who runs where: notify (any thread of the app) marks the stream dirty and queues one refresh;
 * refresh (a worker) reads the submission and writes what is new into `pending`; read (an event
 * thread) hands `pending` out. The watch is opened before the first read of the submission, so no
 * change is missed.
 *
 * Invariants: (1) at most one refresh is queued or running; (2) cases go out in order, each once;
 * (3) whoever holds a pointer to the stream holds a reference. */
#include "app/submission.h"
#include "base/check.h"
#include "base/limits.h"
#include "base/thread.h"
#include "server/server_internal.h"
#include "server/view_json.h"
#include "wire/judgement_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PENDING_BYTES_MAX (16 * MIB)
#define VIEW_ARENA_BYTES_MAX (64 * MIB)

struct event_stream {
    struct server *server;
    struct submission_id submission;
    struct actor actor;
    const char *language;
    struct mutex lock;
    int references;
    bool dirty;
    bool queued; /* (1) */
    bool over;   /* nothing follows what is pending */
    bool closed;
    struct buf pending;
    size_t handed_out;
    struct http_job job;
    struct http_stream *http;
    struct submission_watch *watch;
    /* Only the refresh looks at these. */
    int32_t next_case; /* index of the first that was not sent; a lost report leaves a gap */
    char last_state[2048];
};

static void stream_drop(struct event_stream *stream) {
    mutex_lock(&stream->lock);
    int left = --stream->references;
    mutex_unlock(&stream->lock);
    if (left == 0) {
        buf_done(&stream->pending);
        http_stream_release(stream->http);
        mutex_done(&stream->lock);
        free(stream);
    }
}

/* ---- what the client reads ---- */

static int64_t stream_read(void *context, char *out, size_t room) {
    struct event_stream *stream = context;
    mutex_lock(&stream->lock);
    size_t left = stream->pending.len - stream->handed_out;
    size_t count = left < room ? left : room;
    if (count > 0) { /* nothing may have been written yet: then there is no buffer */
        memcpy(out, stream->pending.ptr + stream->handed_out, count);
        stream->handed_out += count;
    }
    if (stream->handed_out == stream->pending.len) {
        buf_clear(&stream->pending);
        stream->handed_out = 0;
    }
    int64_t got = count > 0 ? (int64_t)count : stream->over ? -1 : 0;
    mutex_unlock(&stream->lock);
    return got;
}

static void notify(void *context);

/* A comment, so that a dead client is noticed; and a fresh look, in case a wake-up was lost. */
static int64_t stream_idle(void *context, char *out, size_t room) {
    static const char comment[] = ":\n\n";
    CHECK(room >= sizeof comment - 1);
    memcpy(out, comment, sizeof comment - 1);
    notify(context);
    return sizeof comment - 1;
}

static void stream_closed(void *context) {
    struct event_stream *stream = context;
    mutex_lock(&stream->lock);
    stream->closed = true;
    mutex_unlock(&stream->lock);
    submission_watch_close(stream->watch);
    stream_drop(stream);
}

static const struct http_stream_ops stream_ops = {
    .read = stream_read, .idle = stream_idle, .closed = stream_closed};

/* ---- what is new ---- */

static void append_event(struct event_stream *stream, const char *name, struct str data) {
    mutex_lock(&stream->lock);
    (void)buf_printf(&stream->pending, "event: %s\ndata: ", name);
    (void)buf_append(&stream->pending, data);
    (void)buf_append_c(&stream->pending, "\n\n");
    stream->over |= stream->pending.full; /* a reader that slow has gone */
    mutex_unlock(&stream->lock);
}

static void add_state(struct event_stream *stream, const struct submission_view *view) {
    struct err err = {0};
    own_buf text;
    struct jw json;
    buf_init(&text, sizeof stream->last_state - 1);
    jw_init(&json, &text);
    view_submission_state(&json, view);
    if (!jw_finish(&json, "the state", &err) || str_eq_c(buf_str(&text), stream->last_state)) {
        return;
    }
    (void)snprintf(stream->last_state, sizeof stream->last_state, "%s", buf_c(&text));
    append_event(stream, "state", buf_str(&text));
}

static void add_cases(struct event_stream *stream, const struct judgement *judgement) {
    for (int32_t i = 0; i < judgement->case_count; i++) {
        struct err err = {0};
        if (judgement->cases[i].index < stream->next_case) {
            continue;
        }
        stream->next_case = judgement->cases[i].index + 1;
        own_buf text;
        struct jw json;
        buf_init(&text, 64 * KIB);
        jw_init(&json, &text);
        case_result_write(&json, &judgement->cases[i], CASE_STAFF);
        if (jw_finish(&json, "the case", &err)) {
            append_event(stream, "case", buf_str(&text));
        }
    }
}

static void add_verdict(struct event_stream *stream, const struct submission_view *view) {
    struct err err = {0};
    own_buf text;
    struct jw json;
    buf_init(&text, PENDING_BYTES_MAX);
    jw_init(&json, &text);
    view_submission(&json, view, stream->language);
    if (jw_finish(&json, "the submission", &err)) {
        append_event(stream, "verdict", buf_str(&text));
    }
}

static void end_stream(struct event_stream *stream) {
    mutex_lock(&stream->lock);
    stream->over = true;
    mutex_unlock(&stream->lock);
}

/* A database that does not answer now is asked again at the next notify or idle tick. */
static void refresh_once(struct event_stream *stream) {
    own(arena) arena = arena_create(VIEW_ARENA_BYTES_MAX);
    struct submission_view view = {0};
    struct err err = {0};
    if (!submission_get(stream->server->app, &stream->actor, stream->submission, arena, &view,
                        &err)) {
        if (err.kind == ERR_MISSING) {
            end_stream(stream);
        }
        return;
    }
    if (view.state == SUBMISSION_DONE) {
        if (stream->last_state[0] != '\0') { /* a viewer of the whole way sees its last cases too */
            add_cases(stream, &view.judgement);
        }
        add_verdict(stream, &view);
        end_stream(stream);
        return;
    }
    add_state(stream, &view);
    add_cases(stream, &view.judgement);
}

static void refresh(void *context) {
    struct event_stream *stream = context;
    bool again = true;
    while (again) {
        mutex_lock(&stream->lock);
        stream->dirty = false;
        bool idle = stream->closed || stream->over;
        mutex_unlock(&stream->lock);
        if (!idle) {
            refresh_once(stream);
        }
        mutex_lock(&stream->lock);
        again = stream->dirty && !stream->closed && !stream->over;
        stream->queued = again;
        mutex_unlock(&stream->lock);
    }
    http_stream_wake(stream->http);
    stream_drop(stream);
}

static void notify(void *context) {
    struct event_stream *stream = context;
    mutex_lock(&stream->lock);
    stream->dirty = true;
    bool start = !stream->queued && !stream->closed && !stream->over && stream->http != NULL;
    if (start) {
        stream->queued = true;
        stream->references++;
    }
    mutex_unlock(&stream->lock);
    if (start && !http_defer(stream->server->http, &stream->job)) {
        mutex_lock(&stream->lock);
        stream->queued = false; /* the next idle tick tries again */
        stream->references--;   /* never the last: the caller holds one */
        mutex_unlock(&stream->lock);
    }
}

static struct event_stream *stream_create(struct call *call, int64_t submission) {
    struct event_stream *stream = calloc(1, sizeof *stream);
    CHECK(stream != NULL);
    *stream = (struct event_stream){.server = call->server,
                                    .submission = {submission},
                                    .actor = call->actor,
                                    .language = call_language(call),
                                    .references = 2}; /* this function's and the connection's */
    mutex_init(&stream->lock);
    buf_init(&stream->pending, PENDING_BYTES_MAX);
    stream->job = (struct http_job){.run = refresh, .context = stream};
    return stream;
}

void event_stream_open(struct call *call, int64_t submission) {
    struct err err = {0};
    struct event_stream *stream = stream_create(call, submission);
    if (!submission_watch_open(call->app, stream->submission, notify, stream, &stream->watch,
                               &err)) {
        call_fail(call, &err);
        stream_drop(stream);
        stream_drop(stream);
        return;
    }
    struct http_stream *http = NULL;
    http_add_header(call->http, "Cache-Control", "no-store");
    http_add_header(call->http, "X-Accel-Buffering", "no");
    http_add_header(call->http, "X-Content-Type-Options", "nosniff");
    /* From here on the event thread may read, close and drop its reference at any moment; call is
     * not ours. */
    if (!http_send_stream(call->http, "text/event-stream", &stream_ops, stream, &http, &err)) {
        submission_watch_close(stream->watch);
        call_fail(call, &err);
        stream_drop(stream);
        stream_drop(stream);
        return;
    }
    mutex_lock(&stream->lock);
    stream->http = http;
    mutex_unlock(&stream->lock);
    notify(stream);
    stream_drop(stream);
}
