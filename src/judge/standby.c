/* One compiler that waits. The keeper makes it and gives up one that is too old or has ended; a
 * slot that compiles takes it, and with it the right to use its box slot, until it says NONE again.
 */
#include "judge/standby.h"

#include "base/check.h"
#include "base/file.h"
#include "base/log.h"
#include "judge/compile_spec.h"
#include "judge/prepare.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define START_MS_MAX 30000
#define START_CPU_MS_MAX 10000
#define LIFE_MS_MAX (15LL * 60 * 1000)
#define SEND_S_MAX 5 /* the sources of one submission fit into the socket's buffer */
#define REQUEST_BYTES_MAX ((size_t)8 * MIB)
#define READY_BYTES_MAX 32

/* ---- messages ---- */

static bool broken(struct err *err, const char *what) {
    return err_set(err, ERR_SYSTEM, "standby_failed", "the waiting compiler %s", what);
}

/* "ready N\n", at the work's pace of asking whether it is still wanted. */
static bool wait_ready(struct work *work, int link, int64_t *ret_cpu_us, struct err *err) {
    char line[READY_BYTES_MAX];
    size_t length = 0;
    int64_t until_ms = clock_mono_ms(&clock_real) + START_MS_MAX;
    while (length == 0 || line[length - 1] != '\n') {
        struct pollfd wait = {.fd = link, .events = POLLIN};
        int ready = poll(&wait, 1, JUDGE_WAIT_MS);
        if (!work_report(work, err)) {
            return false;
        }
        if (ready > 0) {
            ssize_t got = read(link, line + length, sizeof line - length);
            length += got > 0 ? (size_t)got : 0;
            if (got <= 0 || length == sizeof line) {
                return broken(err, "ended, or wrote what it should not");
            }
        } else if (clock_mono_ms(&clock_real) > until_ms) {
            return broken(err, "takes too long to start");
        }
    }
    struct str number = str_of(line, length - 1);
    return (str_starts(number, STR("ready ")) &&
            str_to_i64(str_sub(number, strlen("ready "), SIZE_MAX), 0, INT64_C(1) << 40, ret_cpu_us,
                       err)) ||
           broken(err, "does not say that it is ready");
}

static bool add_source(const struct compile_job *job, struct str name, struct buf *request,
                       struct err *err) {
    own_buf content = {0};
    buf_init(&content, REQUEST_BYTES_MAX);
    for (size_t i = 0; i < job->files->count; i++) {
        const struct box_file *file = &job->files->files[i];
        if (str_eq_c(name, file->name)) {
            if (lseek(file->fd, 0, SEEK_SET) != 0 ||
                !file_read_all(file->fd, REQUEST_BYTES_MAX, &content, err)) {
                return broken(err, "cannot have a source");
            }
            (void)buf_printf(request, "%zu " STR_FMT "\n", content.len, STR_ARG(name));
            return buf_append(request, buf_str(&content)) || broken(err, "cannot have so much");
        }
    }
    return broken(err, "cannot have a source that is not there");
}

/* The entry file is one of the sources. */
static bool write_request(const struct compile_job *job, struct command_words sources,
                          struct buf *request, struct err *err) {
    (void)buf_printf(request, "%zu\n", sources.count);
    if (!add_source(job, job->entry, request, err)) {
        return false;
    }
    for (size_t i = 0; i < sources.count; i++) {
        struct str name = str_from(sources.words[i]);
        if (!str_eq(name, job->entry) && !add_source(job, name, request, err)) {
            return false;
        }
    }
    return true;
}

/* Without SIGPIPE, and never for longer than SEND_S_MAX at a time. */
static bool send_all(int link, struct str bytes, struct err *err) {
    while (bytes.len > 0) {
        ssize_t sent = send(link, bytes.ptr, bytes.len, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return broken(err, "does not read");
        }
        bytes = str_sub(bytes, (size_t)sent, SIZE_MAX);
    }
    return true;
}

/* ---- its life, for whoever owns it ---- */

/* Closing the slot ends what is in it. One that does not close will not open again. */
static void end(struct judge *judge, int slot, int *link) {
    struct err ignored = {0};
    fd_cleanup(link);
    *link = -1;
    if (!box_slot_close(judge->box, slot, &ignored)) {
        log_debug("slot.not_closed", LOG_STR("error", ignored.text));
    }
}

/* The limits that a submission usually has: only such are compiled here. */
static struct compile_job usual_job(const struct language *language, const struct fileset *none) {
    struct manifest usual;
    manifest_defaults(&usual);
    return (struct compile_job){.language = language,
                                .files = none,
                                .time_ms = usual.limits.compile_time_ms,
                                .memory_kib = usual.limits.compile_memory_kib};
}

static bool start_run(struct work *work, const struct language *language, int link,
                      uint32_t *ret_run, struct err *err) {
    const struct fileset none = {.count = 0};
    const struct compile_job job = usual_job(language, &none);
    const struct command_fill fill = {.prepared =
                                          prepare_place(work->judge, language, work->arena)};
    struct box_stream both = {.kind = BOX_STREAM_FD, .fd = link};
    const char *const *argv = NULL;
    struct box_run_spec spec;
    if (!command_build(&language->standby, &fill, work->arena, &argv, err)) {
        return false;
    }
    compile_fill_spec(work, &job, argv, &spec);
    spec.service = true;
    spec.streams[0] = spec.streams[1] = both;
    spec.limits.cpu_ms += START_CPU_MS_MAX;
    spec.limits.wall_ms += START_MS_MAX + LIFE_MS_MAX;
    return box_start(work->judge->box, work->slot, &spec, ret_run, err);
}

static bool start(struct work *work, struct standby *made, struct err *err) {
    const struct timeval most = {.tv_sec = SEND_S_MAX};
    int pair[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return err_system(err, "standby_failed", "make a pair of sockets");
    }
    own_fd theirs = pair[1];
    made->link = pair[0];
    (void)setsockopt(made->link, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
    bool good = start_run(work, made->language, theirs, &made->run, err);
    fd_cleanup(&theirs); /* else its end would not be heard */
    theirs = -1;
    return good && wait_ready(work, made->link, &made->start_cpu_us, err);
}

/* Starting takes processor time like any run, so it keeps away from one that is measured alone. */
static bool make(struct work *work, const struct language *language, struct err *err) {
    struct judge *judge = work->judge;
    struct standby made = {.language = language, .slot = work->slot, .link = -1};
    if (!quiet_enter(work, err)) {
        return false;
    }
    bool opened = box_slot_open(judge->box, work->slot, err);
    bool good = opened && start(work, &made, err);
    quiet_leave(work);
    if (!good) {
        if (opened) {
            end(judge, made.slot, &made.link);
        }
        return work_node_fault(err);
    }
    mutex_lock(&judge->mutex);
    made.state = STANDBY_READY;
    made.since_ms = clock_mono_ms(&clock_real);
    made.taken = judge->standby.taken;
    judge->standby = made;
    mutex_unlock(&judge->mutex);
    return true;
}

/* ---- the keeper ---- */

/* Under the mutex: a compiler that waits must be running. */
static bool is_running(const struct judge *judge, struct err *err) {
    own_box_result result;
    box_result_init(&result);
    if (box_wait(judge->box, judge->standby.slot, 0, &result, err)) {
        return broken(err, "ended though nobody had asked for anything");
    }
    return err->kind == ERR_DEADLINE;
}

/* Gives up one that is not to be used any more: whichever waits when `always`, else one that is old
 * or has ended. *ret_free: there is none now. Errors: it had ended. */
static bool give_up(struct judge *judge, bool always, bool *ret_free, struct err *err) {
    mutex_lock(&judge->mutex);
    struct standby *standby = &judge->standby;
    bool waits = standby->state == STANDBY_READY;
    bool good = !waits || always || is_running(judge, err);
    bool old = clock_mono_ms(&clock_real) - standby->since_ms > LIFE_MS_MAX;
    if (waits && (always || old || !good)) {
        end(judge, standby->slot, &standby->link);
        standby->state = STANDBY_NONE;
    }
    *ret_free = standby->state == STANDBY_NONE;
    mutex_unlock(&judge->mutex);
    return good;
}

static void wait_for_change(struct judge *judge) {
    mutex_lock(&judge->mutex);
    if (judge->standby.state != STANDBY_NONE) {
        (void)cond_wait_ms(&judge->changed, &judge->mutex, JUDGE_WAIT_MS);
    }
    mutex_unlock(&judge->mutex);
}

static bool prepare(struct work *work, const struct language *language, struct err *err) {
    int no_link = -1;
    if (!box_slot_open(work->judge->box, work->slot, err)) {
        return work_node_fault(err);
    }
    bool good = prepare_language(work, language, true, err);
    end(work->judge, work->slot, &no_link);
    return good;
}

bool standby_keep(struct work *work, const struct language *language, struct err *err) {
    struct judge *judge = work->judge;
    struct err ignored = {0};
    bool none = true;
    bool good = prepare(work, language, err);
    while (good && work_report(work, err)) {
        good = give_up(judge, false, &none, err) && (!none || make(work, language, err));
        wait_for_change(judge);
    }
    do { /* a slot may have it, for the length of one compile step */
        wait_for_change(judge);
        (void)!give_up(judge, true, &none, &ignored);
    } while (!none);
    return false;
}

/* ---- the slot that compiles ---- */

static bool claim(struct judge *judge, const struct compile_job *job, struct standby *ret_taken) {
    const struct compile_job usual = usual_job(job->language, job->files);
    mutex_lock(&judge->mutex);
    bool fits = judge->standby.state == STANDBY_READY && judge->standby.language == job->language &&
                usual.time_ms == job->time_ms && usual.memory_kib == job->memory_kib;
    if (fits) {
        judge->standby.state = STANDBY_BUSY;
        *ret_taken = judge->standby;
    }
    mutex_unlock(&judge->mutex);
    return fits;
}

static void give_back(struct judge *judge, struct standby *taken, bool done) {
    end(judge, taken->slot, &taken->link);
    mutex_lock(&judge->mutex);
    judge->standby.link = -1;
    judge->standby.state = STANDBY_NONE;
    judge->standby.taken += done ? 1 : 0;
    cond_broadcast(&judge->changed);
    mutex_unlock(&judge->mutex);
}

/* Waits for its end, no longer than a compile step may take. */
static bool await(struct work *work, const struct standby *taken, int64_t wall_ms,
                  struct box_result *ret_box, struct err *err) {
    int64_t until_ms = clock_mono_ms(&clock_real) + wall_ms;
    while (!box_wait(work->judge->box, taken->slot, JUDGE_WAIT_MS, ret_box, err)) {
        if (err->kind != ERR_DEADLINE || clock_mono_ms(&clock_real) > until_ms) {
            return broken(err, "takes too long");
        }
        if (!work_report(work, err)) {
            return false;
        }
    }
    return ret_box->end == BOX_END_EXIT || broken(err, "was ended");
}

static bool ask(struct work *work, const struct compile_job *job, struct command_words sources,
                const struct standby *taken, struct box_result *ret_box, struct err *err) {
    own_buf request = {0};
    int64_t from_ns = clock_real_mono_ns();
    buf_init(&request, REQUEST_BYTES_MAX);
    if (!write_request(job, sources, &request, err) ||
        !send_all(taken->link, buf_str(&request), err) ||
        !await(work, taken, compile_limits(work, job).wall_ms, ret_box, err)) {
        return false;
    }
    /* The start was nobody's waiting time. */
    ret_box->wall_us = (clock_real_mono_ns() - from_ns) / 1000;
    ret_box->cpu_user_us -= taken->start_cpu_us;
    ret_box->cpu_user_us = ret_box->cpu_user_us < 0 ? 0 : ret_box->cpu_user_us;
    return true;
}

bool standby_compile(struct work *work, const struct compile_job *job, struct command_words sources,
                     struct box_result *ret_box, bool *ret_done, struct err *err) {
    struct standby taken;
    struct err why = {0};
    *ret_done = false;
    if (sources.count == 0 || !claim(work->judge, job, &taken)) {
        return true;
    }
    if (!quiet_enter(work, err)) {
        give_back(work->judge, &taken, false);
        return false;
    }
    *ret_done = ask(work, job, sources, &taken, ret_box, &why);
    quiet_leave(work);
    give_back(work->judge, &taken, *ret_done);
    if (*ret_done) {
        return true;
    }
    box_result_done(ret_box);
    box_result_init(ret_box);
    if (why.kind == ERR_CANCELLED) {
        *err = why;
        return false;
    }
    log_debug("compiler.not_taken", LOG_STR("error", why.text));
    return true;
}
