/* Asking for rejudgings and looking at them. */
#include "app/rejudge.h"
#include "app/actor_now_internal.h"
#include "app/app_internal.h"
#include "app/backlog_internal.h"
#include "app/rejudge_step_internal.h"
#include "app/runners_internal.h"
#include "base/check.h"
#include "base/limits.h"
#include "store/audit_store.h"

#define ARENA_BYTES_MAX (1 * MIB)

static bool no_rejudging(struct rejudging_id id, struct err *err) {
    return err_set(err, ERR_MISSING, "no_rejudging", "there is no rejudging %lld",
                   (long long)id.value);
}

struct asked {
    const char *action;
    struct rejudging_id id;
    const struct actor *actor;
    struct str detail;
    int64_t now_ms;
};

static bool audit(struct app *app, struct db *db, const struct asked *asked, struct err *err) {
    struct audit_row row = {
        .id = runner_take_id(app, ID_AUDIT),
        .at_ms = asked->now_ms,
        .actor = asked->actor,
        .action = asked->action,
        .object_kind = "rejudging",
        .object_id = asked->id.value,
        .detail = asked->detail,
    };
    return audit_store_add(db, &row, err);
}

/* ---- creating ---- */

struct creation {
    struct write_item item;
    const struct actor *actor;
    const struct rejudging_create_request *request;
    struct rejudging_id id; /* out */
};

static bool run_create(struct app *app, struct db *db, struct write_item **items, int count,
                       struct err *err) {
    CHECK(count == 1);
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct creation *creation = (struct creation *)items[0];
    const struct rejudging_create_request *request = creation->request;
    struct rejudging_row row = {
        .id = {runner_take_id(app, ID_REJUDGING)},
        .state = REJUDGING_CREATING,
        .options = request->options,
        .reason = request->reason,
        .actor = creation->actor->user,
        .selection = *request->selection,
    };
    creation->id = row.id;
    if (!actor_need_role_now(db, creation->actor, ROLE_ADMIN, err) ||
        !db_now(db, &row.created_ms, err) || !selection_newest(db, &row.until, err)) {
        return false;
    }
    struct asked asked = {.action = "rejudging.create",
                          .id = row.id,
                          .actor = creation->actor,
                          .detail = request->reason,
                          .now_ms = row.created_ms};
    creation->item.ok = true;
    return rejudging_insert(db, &row, arena, err) && audit(app, db, &asked, err);
}

/* The id was ours alone. */
static bool read_back_create(struct app *app, struct db *db, struct write_item *item,
                             struct err *err) {
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct rejudging_row row = {0};
    bool found = false;
    (void)app;
    return rejudging_find(db, ((struct creation *)item)->id, arena, &row, &found, err) && found;
}

static const struct write_kind create_kind = {
    .name = "rejudging.create", .batch_max = 1, .run = run_create, .read_back = read_back_create};

static bool check_request(const struct rejudging_create_request *request, struct err *err) {
    if (request->reason.len > JOB_REASON_BYTES_MAX || !str_is_utf8(request->reason)) {
        return err_set(err, ERR_INVALID, "bad_field", "field `reason` has at most %d bytes of text",
                       JOB_REASON_BYTES_MAX);
    }
    if (request->selection->held) {
        return err_set(err, ERR_INVALID, "bad_field",
                       "what is held is not rejudged: release or supersede it");
    }
    return true;
}

static bool create(struct app *app, const struct actor *actor,
                   const struct rejudging_create_request *request, struct rejudging_id *ret_id,
                   struct err *err) {
    struct creation creation = {.item = {.kind = &create_kind}, .actor = actor, .request = request};
    if (!app_write_wait(app, &creation.item, err)) {
        return false;
    }
    *ret_id = creation.id;
    return true;
}

bool rejudging_create(struct app *app, const struct actor *actor,
                      const struct rejudging_create_request *request, struct rejudging_id *ret_id,
                      struct err *err) {
    return actor_need_role(actor, ROLE_ADMIN, err) && check_request(request, err) &&
           backlog_admit_bulk(app, err) && create(app, actor, request, ret_id, err);
}

static bool check_one(struct app *app, struct submission_id id, struct err *err) {
    own(db_reader) reader = NULL;
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct job_row row = {0};
    bool found = false;
    if (!db_pool_take(app->readers, &reader, err) ||
        !selection_one(reader->db, id, arena, &row, &found, err)) {
        return false;
    }
    if (!found || row.deleted) {
        return err_set(err, ERR_MISSING, "no_submission", "there is no submission %lld",
                       (long long)id.value);
    }
    return !job_is_open(&row.job) ||
           err_set(err, ERR_CONFLICT, "submission_being_judged", "submission %lld is being judged",
                   (long long)id.value);
}

bool submission_rejudge(struct app *app, const struct actor *actor, struct submission_id id,
                        struct str reason, struct rejudging_id *ret_id, struct err *err) {
    struct selection selection = {.ids = &id.value, .id_count = 1};
    struct rejudging_create_request request = {
        .selection = &selection, .reason = reason, .options = REJUDGING_AUTO_APPLY};
    return actor_need_role(actor, ROLE_ADMIN, err) && check_request(&request, err) &&
           check_one(app, id, err) && create(app, actor, &request, ret_id, err);
}

/* ---- changing ---- */

struct change {
    struct write_item item;
    const struct actor *actor;
    struct rejudging_id id;
    enum rejudging_event event;
};

static const char *action_of(enum rejudging_event event) {
    switch (event) {
    case REJUDGING_APPLY: return "rejudging.apply";
    case REJUDGING_UNDO: return "rejudging.undo";
    case REJUDGING_CANCEL: return "rejudging.cancel";
    case REJUDGING_CREATED:
    case REJUDGING_JUDGED:
    case REJUDGING_DONE:
    case REJUDGING_EVENT_COUNT: break;
    }
    CHECK(false);
    return NULL;
}

static bool run_change(struct app *app, struct db *db, struct write_item **items, int count,
                       struct err *err) {
    CHECK(count == 1);
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct change *change = (struct change *)items[0];
    struct rejudging_row row = {0};
    struct asked asked = {
        .action = action_of(change->event), .id = change->id, .actor = change->actor};
    bool found = false;
    if (!actor_need_role_now(db, change->actor, ROLE_ADMIN, err) ||
        !db_lock(db, LOCK_REJUDGING, LOCK_EXCLUSIVE, change->id.value, err) ||
        !rejudging_find(db, change->id, arena, &row, &found, err) ||
        !db_now(db, &asked.now_ms, err)) {
        return false;
    }
    if (!found) {
        return no_rejudging(change->id, err);
    }
    if (!rejudging_apply_event(&row.state, change->event, err)) {
        return false;
    }
    row.cursor = 0;
    change->item.ok = true;
    return rejudging_update(db, &row, err) && audit(app, db, &asked, err);
}

static const struct write_kind change_kind = {
    .name = "rejudging.change", .batch_max = 1, .run = run_change};

bool rejudging_change(struct app *app, const struct actor *actor, struct rejudging_id id,
                      enum rejudging_event event, struct err *err) {
    struct change change = {
        .item = {.kind = &change_kind}, .actor = actor, .id = id, .event = event};
    CHECK(event == REJUDGING_APPLY || event == REJUDGING_UNDO || event == REJUDGING_CANCEL);
    return actor_need_role(actor, ROLE_ADMIN, err) && app_write_wait(app, &change.item, err);
}

/* ---- looking ---- */

static bool fill(struct db *db, const struct rejudging_row *row, struct rejudging_view *view,
                 struct err *err) {
    *view = (struct rejudging_view){.row = *row};
    if (!rejudging_count(db, row->id, &view->counts, err)) {
        return false;
    }
    for (int state = ITEM_JUDGING; state < ITEM_STATE_COUNT; state++) {
        view->items += view->counts.by_state[state];
    }
    return true;
}

bool rejudging_get(struct app *app, const struct actor *actor, struct rejudging_id id,
                   struct arena *arena, struct rejudging_view *ret_view, struct err *err) {
    own(db_reader) reader = NULL;
    struct rejudging_row row = {0};
    bool found = false;
    if (!actor_need_role(actor, ROLE_ADMIN, err) || !db_pool_take(app->readers, &reader, err) ||
        !db_begin(reader->db, err) || !rejudging_find(reader->db, id, arena, &row, &found, err)) {
        return false;
    }
    return found ? fill(reader->db, &row, ret_view, err) : no_rejudging(id, err);
}

static int clamp(int limit) {
    return limit > 0 && limit < LIST_LIMIT_MAX ? limit : LIST_LIMIT_MAX;
}

bool rejudging_list(struct app *app, const struct actor *actor, struct arena *arena,
                    struct rejudging_page *page, struct err *err) {
    int most = clamp(page->limit);
    own(db_reader) reader = NULL;
    struct rejudging_rows rows = {.rows = arena_array(arena, (size_t)most + 1, sizeof rows.rows[0]),
                                  .max = most + 1};
    if (!actor_need_role(actor, ROLE_ADMIN, err) || !db_pool_take(app->readers, &reader, err) ||
        !db_begin(reader->db, err) ||
        !rejudging_list_rows(reader->db, page->cursor, arena, &rows, err)) {
        return false;
    }
    bool more = rows.count > most;
    page->count = more ? most : rows.count;
    page->next = more ? rows.rows[most - 1].id.value : 0;
    page->items = arena_array(arena, (size_t)most + 1, sizeof page->items[0]);
    for (int i = 0; i < page->count; i++) {
        if (!fill(reader->db, &rows.rows[i], &page->items[i], err)) {
            return false;
        }
    }
    return true;
}

bool rejudging_items(struct app *app, const struct actor *actor, const struct item_query *query,
                     struct arena *arena, struct item_list_page *ret_page, struct err *err) {
    int most = clamp(query->limit);
    struct item_query wider = *query;
    struct rejudging_row row = {0};
    own(db_reader) reader = NULL;
    bool found = false;
    wider.limit = most + 1;
    ret_page->items = arena_array(arena, (size_t)most + 1, sizeof ret_page->items[0]);
    if (!actor_need_role(actor, ROLE_ADMIN, err) || !db_pool_take(app->readers, &reader, err) ||
        !db_begin(reader->db, err) ||
        !rejudging_find(reader->db, query->rejudging, arena, &row, &found, err)) {
        return false;
    }
    if (!found) {
        return no_rejudging(query->rejudging, err);
    }
    if (!item_list(reader->db, &wider, arena, ret_page->items, &ret_page->count, err)) {
        return false;
    }
    bool more = ret_page->count > most;
    ret_page->count = more ? most : ret_page->count;
    ret_page->next = more ? ret_page->items[most - 1].item.submission.value : 0;
    return true;
}
