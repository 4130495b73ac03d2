#include "app/judgement_text.h"
#include "app/progress_share_internal.h"
#include "base/limits.h"
#include "data/json.h"
#include "data/json_write.h"

#define READ_ARENA_BYTES_MAX ((size_t)4 * MIB)

struct shared {
    struct progress_item item;
    struct submission_id submission;
};

static void write_shared(struct jw *json, const struct progress_item *item,
                         struct submission_id submission) {
    jw_object_begin(json);
    jw_put_i64(json, "job", item->lease.job.value);
    jw_put_i64(json, "epoch", item->lease.epoch);
    jw_put_i64(json, "token", (int64_t)item->lease.token);
    jw_put_i64(json, "submission", submission.value);
    jw_put_i64(json, "sequence", item->sequence);
    jw_put_i64(json, "stage", item->stage);
    jw_put_i64(json, "case", item->case_index);
    jw_put_i64(json, "total", item->cases_total);
    jw_key(json, "cases");
    judgement_write_cases(json, item->finished, item->finished_count);
    jw_object_end(json);
}

static void tell_viewers(struct app *app, struct submission_id submission) {
    const struct wake_message changed = {
        .topic = WAKE_SUBMISSION, .id = submission.value, .count = 1};
    wake_tell_here(app->wake, &changed);
}

bool progress_share_text(const struct progress_item *item, struct submission_id submission,
                         struct buf *out, struct err *err) {
    struct jw json;
    jw_init(&json, out);
    write_shared(&json, item, submission);
    return jw_finish(&json, "progress", err);
}

void progress_share(struct app *app, const struct progress_item *item,
                    struct submission_id submission) {
    own_buf body = {0};
    struct err ignored = {0}; /* too long to be carried: others see the next report, or the end */
    buf_init(&body, WAKE_BODY_BYTES_MAX);
    tell_viewers(app, submission);
    if (progress_share_text(item, submission, &body, &ignored)) {
        const struct wake_message report = {.topic = WAKE_PROGRESS,
                                            .id = item->lease.job.value,
                                            .count = 1,
                                            .body = buf_str(&body)};
        wake_tell_others(app->wake, &report);
    }
}

static bool read_numbers(const struct json *object, struct shared *ret, struct err *err) {
    int64_t stage = 0;
    int64_t case_index = 0;
    int64_t total = 0;
    int64_t token = 0;
    struct progress_item *item = &ret->item;
    if (!jr_i64(object, "job", 1, ID_MAX, &item->lease.job.value, err) ||
        !jr_i64(object, "epoch", 1, ID_MAX, &item->lease.epoch, err) ||
        !jr_i64(object, "token", INT64_MIN, INT64_MAX, &token, err) ||
        !jr_i64(object, "submission", 1, ID_MAX, &ret->submission.value, err) ||
        !jr_i64(object, "sequence", 0, INT64_MAX, &item->sequence, err) ||
        !jr_i64(object, "stage", 0, JUDGE_STAGE_JUDGING, &stage, err) ||
        !jr_i64(object, "case", -1, MANIFEST_CASES_MAX - 1, &case_index, err) ||
        !jr_i64(object, "total", 0, MANIFEST_CASES_MAX, &total, err)) {
        return false;
    }
    item->lease.token = (uint64_t)token;
    item->stage = (enum judge_stage)stage;
    item->case_index = (int32_t)case_index;
    item->cases_total = (int32_t)total;
    return true;
}

static bool read_shared(struct str text, struct arena *arena, struct shared *ret, struct err *err) {
    own(json) object = NULL;
    const struct json *cases = NULL;
    struct case_result *finished = NULL;
    int32_t count = 0;
    if (!jr_parse(text, &object, err) || !read_numbers(object, ret, err) ||
        !jr_array(object, "cases", MANIFEST_CASES_MAX, &cases, err) ||
        !judgement_read_cases(cases, arena, &finished, &count, err)) {
        return false;
    }
    ret->item.finished = finished;
    ret->item.finished_count = count;
    return true;
}

/* Nothing durable hangs on it, and the lease was checked by the server that heard the node: what
 * cannot be read is dropped. */
static void on_progress(void *context, const struct wake_message *message) {
    struct app *app = context;
    own(arena) arena = arena_create(READ_ARENA_BYTES_MAX);
    struct shared shared = {0};
    struct err ignored = {0};
    if (read_shared(message->body, arena, &shared, &ignored) &&
        progress_take(app, &shared.item, shared.submission)) {
        tell_viewers(app, shared.submission);
    }
}

bool progress_share_adopt(struct app *app, struct str text) {
    own(arena) arena = arena_create(READ_ARENA_BYTES_MAX);
    struct shared shared = {0};
    struct err ignored = {0};
    return read_shared(text, arena, &shared, &ignored) &&
           progress_adopt(app, &shared.item, shared.submission);
}

void progress_share_listen(struct app *app) {
    wake_listen(app->wake, WAKE_PROGRESS, on_progress, app);
}
