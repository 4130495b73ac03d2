/* A lease is a promise in the database's time. When that clock jumps, nodes that renew in good time
 * would lose their leases (forwards), or dead ones keep theirs for hours (backwards), so leases and
 * delays are moved by the jump.
 *
 * Seen by one server: database time against its own monotonic clock. Done once among several: the
 * highest time that was ever seen is kept in the database, and whoever has moved the leases brings
 * it up to date in the same transaction. After a start nothing is known of how long we were gone:
 * only a clock that is behind the highest time is proof of a jump.
 *
 * The same time tells of outages: when it has not moved for long, nobody could write, and no node
 * renew (domain/outage.h). */
#include "app/reap_internal.h"
#include "base/log.h"
#include "store/guard_store.h"
#include "store/lease_store.h"
#include "store/place_store.h"

#define JUMP_MS 5000

struct guard {
    struct write_item item;
    struct clock_watch *watch;
    int64_t jump_ms;      /* out: what leases were moved by */
    struct outage outage; /* out: that has just ended; 0: none */
};

static int64_t local_jump(const struct clock_watch *watch, int64_t now_ms, int64_t mono_ms) {
    return watch->db_ms == 0 ? 0 : (now_ms - watch->db_ms) - (mono_ms - watch->mono_ms);
}

/* 0: none, or another server has dealt with it. */
static int64_t jump_of(const struct clock_watch *watch, int64_t now_ms, int64_t mono_ms,
                       int64_t highest_ms) {
    int64_t jump_ms = local_jump(watch, now_ms, mono_ms);
    if (jump_ms > JUMP_MS && now_ms - highest_ms > JUMP_MS) {
        return jump_ms;
    }
    if (highest_ms - now_ms > JUMP_MS) {
        return jump_ms < -JUMP_MS ? jump_ms : now_ms - highest_ms;
    }
    return 0;
}

struct outage_rule clock_guard_rule(const struct app *app) {
    const struct app_settings *s = &app->settings;
    return outage_rule_of(s->lease_ms, s->renew_ms, s->reap_ms);
}

static bool run(struct app *app, struct db *db, struct write_item **items, int count,
                struct err *err) {
    (void)count; /* one: batch_max */
    struct guard *guard = (struct guard *)items[0];
    int64_t now_ms = 0;
    struct guard_row row = {0};
    if (!db_now(db, &now_ms, err) || !guard_store_get(db, &row, err)) {
        return false;
    }
    int64_t mono_ms = clock_mono_ms(app->clock);
    guard->jump_ms = jump_of(guard->watch, now_ms, mono_ms, row.highest_ms);
    if (guard->jump_ms != 0 &&
        (!lease_store_shift(db, guard->jump_ms, err) || !place_shift(db, guard->jump_ms, err))) {
        return false;
    }
    guard->item.ok = true;
    if (guard->jump_ms == 0 && now_ms <= row.highest_ms) {
        return true;
    }
    struct outage_rule rule = clock_guard_rule(app);
    struct outage before = row.outage;
    row.outage = outage_note(&before, &rule, row.highest_ms + guard->jump_ms, now_ms);
    row.highest_ms = now_ms;
    guard->outage = row.outage.until_ms != before.until_ms ? row.outage : (struct outage){0};
    return guard_store_set(db, &row, err);
}

static const struct write_kind guard_kind = {.name = "clock", .batch_max = 1, .run = run};

static bool read_clock(struct app *app, struct clock_watch *ret_watch, struct err *err) {
    own(db_reader) reader = NULL;
    if (!db_pool_take(app->readers, &reader, err) || !db_now(reader->db, &ret_watch->db_ms, err)) {
        return false;
    }
    ret_watch->mono_ms = clock_mono_ms(app->clock);
    return true;
}

bool clock_guard_pass(struct app *app, struct clock_watch *watch, struct err *err) {
    struct guard guard = {.item = {.kind = &guard_kind}, .watch = watch};
    struct clock_watch now = {0};
    if (!app_write_wait(app, &guard.item, err) || !read_clock(app, &now, err)) {
        return false;
    }
    *watch = now;
    if (guard.jump_ms != 0) {
        log_warn("clock.jumped", LOG_I64("jumpMs", guard.jump_ms));
    }
    if (guard.outage.until_ms > 0) {
        log_warn("database.outage",
                 LOG_I64("silentMs", guard.outage.until_ms - guard.outage.from_ms));
    }
    return true;
}
