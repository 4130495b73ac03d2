/* The network: each call of the machine API becomes a message that may be lost, late, doubled or
 * overtaken, is handed to the app as server/routes_machine*.c hand it, and is answered likewise. */
#include "base/check.h"
#include "wire/judgement_json.h"
#include "world.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALL_MS 10000
#define ARENA_BYTES_MAX ((size_t)64 * MIB)

enum call_kind {
    CALL_JOIN,
    CALL_SESSION,
    CALL_HEARTBEAT,
    CALL_CLAIM,
    CALL_RENEW,
    CALL_PROGRESS,
    CALL_RESULT,
    CALL_FAILURE,
    CALL_RELEASE,
    CALL_ARTIFACT,
};
static const char *const call_names[] = {"join",     "session", "heartbeat", "claim",   "renew",
                                         "progress", "result",  "failure",   "release", "artifact"};

union answer {
    struct machine_join_answer join;
    struct machine_session_answer session;
    struct machine_heartbeat_answer heartbeat;
    struct machine_claim_answer claim;
    struct machine_renew_answer renew;
    struct machine_result_answer result;
    struct machine_failure_answer failure;
    struct machine_release_answer release;
    struct str artifact;
};

/* Shared by the caller and each copy of the message on its way; the last one frees it. */
struct call {
    struct world *world;
    struct sim_node *node;
    /* Of whoever asked: a late copy arrives when `node` may already be another twin. */
    struct node_id asker;
    char asker_name[sizeof((struct sim_node *)NULL)->name];
    enum call_kind kind;
    struct arena *arena;
    int holders;
    char credential[CREDENTIAL_BYTES];
    union {
        struct machine_join join;
        struct machine_session session;
        struct machine_heartbeat heartbeat;
        struct machine_claim claim;
        struct machine_renew renew;
        struct machine_progress progress;
        struct machine_result result;
        struct machine_failure failure;
        struct machine_release release;
        struct machine_artifact artifact;
    } in;
    bool abandoned; /* the caller has hung up */
    bool answered;
    bool ok;
    struct err err;
    union answer out;
};

/* One copy of a call inside a server. */
struct visit {
    struct call *call;
    struct app *app;
    struct actor actor;
    bool done;
    bool ok;
    struct err err;
    union answer out;
};

static void let_go(struct call *call) {
    if (--call->holders == 0) {
        arena_free(call->arena);
        free(call);
    }
}

/* ---- inside the server ---- */

static void visit_done(struct write_item *item) {
    struct visit *visit = item->context;
    visit->done = true;
    visit->ok = item->ok;
    visit->err = item->err;
    fiber_wake(visit);
}

static void await(struct visit *visit) {
    while (!visit->done) {
        (void)fiber_wait(visit, -1);
    }
}

#define ITEM(visit)                                                                                \
    { .done = visit_done, .context = (visit) }

static struct lease_ref lease_of(const struct machine_lease *lease) {
    return (struct lease_ref){.job = lease->job, .epoch = lease->epoch, .token = lease->token};
}

static struct lease_ref *leases_of(struct arena *arena, const struct machine_lease *from,
                                   int count) {
    struct lease_ref *leases = arena_array(arena, (size_t)count + 1, sizeof leases[0]);
    for (int i = 0; i < count; i++) {
        leases[i] = lease_of(&from[i]);
    }
    return leases;
}

static void visit_join(struct visit *visit) {
    const struct machine_join *in = &visit->call->in.join;
    struct join_request request = {.item = ITEM(visit),
                                   .join_code = in->join_code,
                                   .protocol_version = in->protocol,
                                   .name = in->name,
                                   .version = in->version};
    dispatch_join(visit->app, &request);
    await(visit);
    visit->out.join = (struct machine_join_answer){
        .node = request.node,
        .credential = arena_str(visit->call->arena, str_from(request.credential)),
        .protocol = 1}; /* as a server of the version before: nodes test themselves */
}

static void visit_session(struct visit *visit) {
    const struct machine_session *in = &visit->call->in.session;
    const struct app_settings *settings = app_settings_of(visit->app);
    struct node_language *languages =
        arena_array(visit->call->arena, (size_t)in->language_count + 1, sizeof languages[0]);
    for (int i = 0; i < in->language_count; i++) {
        languages[i] = (struct node_language){in->languages[i].id, in->languages[i].version};
    }
    struct session_request request = {.item = ITEM(visit),
                                      .actor = visit->actor,
                                      .version = in->version,
                                      .slots = in->slots,
                                      .languages = languages,
                                      .language_count = in->language_count,
                                      .self_test_passed = in->self_test_passed,
                                      .self_test_detail = in->self_test_detail,
                                      .config_digest = STR("aa")};
    dispatch_session(visit->app, &request);
    await(visit);
    visit->out.session = (struct machine_session_answer){
        .session_epoch = request.session_epoch,
        .lease_ms = settings->lease_ms,
        .renew_ms = settings->renew_ms,
        .heartbeat_ms = settings->heartbeat_ms,
        .protocol = 1}; /* as a server of the version before: nodes test themselves */
}

static void visit_heartbeat(struct visit *visit) {
    const struct machine_heartbeat *in = &visit->call->in.heartbeat;
    struct heartbeat_request request = {.item = ITEM(visit),
                                        .actor = visit->actor,
                                        .session_epoch = in->session_epoch,
                                        .busy_slots = in->busy_slots,
                                        .load_permille = 1000};
    dispatch_heartbeat(visit->app, &request);
    await(visit);
    visit->out.heartbeat =
        (struct machine_heartbeat_answer){.session_epoch = in->session_epoch,
                                          .config = (enum machine_config)request.config,
                                          .slots = request.slots};
}

static struct machine_job job_of(const struct claimed_job *from, struct arena *arena) {
    struct machine_job job = {.subject = MACHINE_ALGO,
                              .submission = from->submission,
                              .generation = from->generation,
                              .pool = arena_str(arena, from->pool),
                              .runtime_spec = arena_str(arena, from->runtime_spec),
                              .lease = {from->lease.job, from->lease.epoch, from->lease.token},
                              .lease_remaining_ms = from->lease_remaining_ms,
                              .language = from->language,
                              .source_bytes = from->source_bytes,
                              .time_limit_ms = from->time_limit_ms,
                              .memory_limit_kib = from->memory_limit_kib,
                              .output_limit_kib = from->output_limit_kib,
                              .job_total_ms = from->job_total_ms,
                              .trace_id = from->trace_id};
    CHECK(digest_parse(str_from(from->manifest_id), &job.manifest));
    CHECK(digest_parse(str_from(from->source_digest), &job.source));
    return job;
}

static void visit_claim(struct visit *visit) {
    const struct machine_claim *in = &visit->call->in.claim;
    struct arena *arena = visit->call->arena;
    struct claim_request request = {.item = ITEM(visit),
                                    .actor = visit->actor,
                                    .session_epoch = in->session_epoch,
                                    .claim_id = in->claim_id,
                                    .free_slots = in->free_slots,
                                    .wait_ms = in->wait_ms,
                                    .arena = arena};
    dispatch_claim(visit->app, &request);
    /* The server notices a client that has hung up, sooner or later. */
    while (!visit->done && !fiber_wait(visit, 2000)) {
        if (visit->call->abandoned && !visit->done) {
            dispatch_claim_cancel(visit->app, &request);
            await(visit);
        }
    }
    await(visit);
    struct machine_claim_answer *out = &visit->out.claim;
    out->job_count = visit->ok ? request.job_count : 0;
    out->jobs = arena_array(arena, (size_t)out->job_count + 1, sizeof out->jobs[0]);
    for (int i = 0; i < out->job_count; i++) {
        out->jobs[i] = job_of(&request.jobs[i], arena);
    }
}

static void visit_renew(struct visit *visit) {
    const struct machine_renew *in = &visit->call->in.renew;
    struct arena *arena = visit->call->arena;
    int count = in->lease_count;
    struct renew_request request = {
        .item = ITEM(visit),
        .actor = visit->actor,
        .session_epoch = in->session_epoch,
        .items = arena_array(arena, (size_t)count + 1, sizeof request.items[0]),
        .count = count};
    for (int i = 0; i < count; i++) {
        request.items[i].lease = lease_of(&in->leases[i]);
    }
    dispatch_renew(visit->app, &request);
    await(visit);
    struct machine_renew_answer *out = &visit->out.renew;
    out->lease_count = count;
    out->leases = arena_array(arena, (size_t)count + 1, sizeof out->leases[0]);
    for (int i = 0; i < count; i++) {
        out->leases[i] =
            (struct machine_renewed){.job = in->leases[i].job,
                                     .answer = (enum machine_renewal)request.items[i].answer,
                                     .lease_remaining_ms = request.items[i].remaining_ms};
    }
}

static void visit_progress(struct visit *visit) {
    const struct machine_progress *in = &visit->call->in.progress;
    struct progress_item *items =
        arena_array(visit->call->arena, (size_t)in->item_count + 1, sizeof items[0]);
    for (int i = 0; i < in->item_count; i++) {
        items[i] = (struct progress_item){.lease = lease_of(&in->items[i].lease),
                                          .sequence = in->items[i].sequence,
                                          .stage = in->items[i].stage,
                                          .case_index = in->items[i].case_index,
                                          .cases_total = in->items[i].cases_total};
    }
    visit->ok = dispatch_progress(visit->app, &visit->actor, in->session_epoch, items,
                                  in->item_count, &visit->err);
}

static void visit_result(struct visit *visit) {
    const struct machine_result *in = &visit->call->in.result;
    struct judgement judgement = {0};
    if (!judgement_decode(in->text, visit->call->arena, &judgement, &visit->err)) {
        return;
    }
    struct settle_request request = {.item = ITEM(visit),
                                     .actor = visit->actor,
                                     .session_epoch = in->session_epoch,
                                     .lease = lease_of(&in->lease),
                                     .result = in->text,
                                     .judgement = &judgement};
    memcpy(request.digest, in->digest.bytes, sizeof request.digest);
    dispatch_settle(visit->app, &request);
    await(visit);
    visit->out.result.already = request.already;
}

static void visit_failure(struct visit *visit) {
    const struct machine_failure *in = &visit->call->in.failure;
    struct failure_request request = {.item = ITEM(visit),
                                      .actor = visit->actor,
                                      .session_epoch = in->session_epoch,
                                      .lease = lease_of(&in->lease),
                                      .fault = in->fault,
                                      .code = in->code,
                                      .detail = in->detail};
    dispatch_failure(visit->app, &request);
    await(visit);
    visit->out.failure.failed = request.failed;
}

static void visit_release(struct visit *visit) {
    const struct machine_release *in = &visit->call->in.release;
    struct release_request request = {
        .item = ITEM(visit),
        .actor = visit->actor,
        .session_epoch = in->session_epoch,
        .leases = leases_of(visit->call->arena, in->leases, in->lease_count),
        .count = in->lease_count};
    dispatch_release(visit->app, &request);
    await(visit);
    visit->out.release.released = request.released;
}

static void visit_artifact(struct visit *visit) {
    const struct machine_artifact *in = &visit->call->in.artifact;
    struct artifact_request request = {
        .actor = visit->actor, .session_epoch = in->session_epoch, .lease = lease_of(&in->lease)};
    own_fd fd = -1;
    int64_t bytes = 0;
    memcpy(request.sha256, in->digest.bytes, sizeof request.sha256);
    visit->ok = dispatch_artifact_open(visit->app, &request, &fd, &bytes, &visit->err);
    if (visit->ok) {
        char *text = arena_alloc(visit->call->arena, (size_t)bytes + 1);
        CHECK(read(fd, text, (size_t)bytes) == bytes);
        visit->out.artifact = str_of(text, (size_t)bytes);
    }
}

typedef void visit_fn(struct visit *visit);
static visit_fn *const visits[] = {visit_join,    visit_session,  visit_heartbeat, visit_claim,
                                   visit_renew,   visit_progress, visit_result,    visit_failure,
                                   visit_release, visit_artifact};

static void do_visit(struct visit *visit) {
    struct call *call = visit->call;
    if (call->kind != CALL_JOIN && !dispatch_authenticate(visit->app, str_from(call->credential),
                                                          &visit->actor, &visit->err)) {
        return;
    }
    visits[call->kind](visit);
}

/* ---- what a node was told, and what is so ---- */

/* What was known when the message reached the server: later changes may or may not count. */
struct arrival {
    bool session_is_over;
    bool settled_so; /* the job, by this lease, with these bytes */
};

static int64_t session_of(const struct call *call) {
    switch (call->kind) {
    case CALL_HEARTBEAT: return call->in.heartbeat.session_epoch;
    case CALL_CLAIM: return call->in.claim.session_epoch;
    case CALL_RENEW: return call->in.renew.session_epoch;
    case CALL_PROGRESS: return call->in.progress.session_epoch;
    case CALL_RESULT: return call->in.result.session_epoch;
    case CALL_FAILURE: return call->in.failure.session_epoch;
    case CALL_RELEASE: return call->in.release.session_epoch;
    case CALL_ARTIFACT: return call->in.artifact.session_epoch;
    case CALL_JOIN:
    case CALL_SESSION: break;
    }
    return 0;
}

static bool is_settled_so(const struct world *world, const struct machine_result *in) {
    const struct shadow_job *job = shadow_find(&world->shadow, in->lease.job);
    return job != NULL && job->job.state == JOB_COMPLETED &&
           job->job.lease_token == in->lease.token && job->job.lease_epoch == in->lease.epoch &&
           memcmp(job->job.digest, in->digest.bytes, sizeof job->job.digest) == 0;
}

static struct arrival note_arrival(const struct call *call) {
    const struct node *node = shadow_node(&call->world->shadow, call->asker);
    int64_t session = session_of(call);
    return (struct arrival){
        .session_is_over = session != 0 && node != NULL && session < node->session_epoch,
        .settled_so = call->kind == CALL_RESULT && is_settled_so(call->world, &call->in.result)};
}

static void check_promise(const struct call *call, const struct visit *visit,
                          const struct arrival *arrival) {
    struct world *world = call->world;
    bool empty = call->kind == CALL_CLAIM && visit->out.claim.job_count == 0; /* it hung up */
    if (visit->ok && arrival->session_is_over && !empty) {
        world_fail(world, "(S2) %s was served in session %lld, which was over", call->asker_name,
                   (long long)session_of(call));
    }
    if (call->kind != CALL_RESULT) {
        return;
    }
    long long job = (long long)call->in.result.lease.job.value;
    if (visit->ok && !is_settled_so(world, &call->in.result)) {
        world_fail(world, "(S9) %s was told that job %lld is settled by its result, and it is not",
                   call->asker_name, job);
    }
    const struct node *node = shadow_node(&world->shadow, call->asker);
    bool is_over = node == NULL || node->session_epoch > session_of(call);
    if (!visit->ok && visit->err.kind == ERR_CONFLICT && arrival->settled_so && !is_over) {
        world_fail(world, "(S9) %s was told %s, but job %lld is settled by its result",
                   call->asker_name, visit->err.code, job);
    }
}

/* ---- the way there and back ---- */

void net_delay(struct world *world) {
    fiber_sleep_ms(strikes(world, TROUBLE_LATE, 25) ? roll(world, 3 * world->settings.lease_ms)
                                                    : roll(world, 12));
}

static bool is_cut(const struct call *call) {
    return call->node->cut_until_ms > sched_now_ms();
}

static void answer(struct call *call, const struct visit *visit) {
    if (!call->answered) {
        call->answered = true;
        call->ok = visit->ok;
        call->err = visit->err;
        call->out = visit->out;
        fiber_wake(call);
    }
}

static void answer_unreachable(struct call *call) {
    struct visit visit = {0};
    (void)err_set(&visit.err, ERR_BUSY, "unreachable", "no server answers");
    answer(call, &visit);
}

static void travel(struct call *call) {
    struct world *world = call->world;
    net_delay(world);
    struct server *server = server_any(world);
    if (server == NULL || is_cut(call)) {
        answer_unreachable(call);
        return;
    }
    struct visit visit = {.call = call, .app = server->app};
    struct arrival arrival = note_arrival(call);
    server_enter(server);
    do_visit(&visit);
    if (!server_leave(server)) { /* killed: its connections break, now or when the caller tires */
        if (roll(world, 2) == 0) {
            answer_unreachable(call);
        }
        return;
    }
    check_promise(call, &visit, &arrival);
    trace(world, "%s: %s at server %d: %s", call->asker_name, call_names[call->kind],
          server->number, visit.ok ? "ok" : visit.err.code);
    net_delay(world);
    if (!is_cut(call) && !strikes(world, TROUBLE_LOST, 25)) {
        answer(call, &visit);
    }
}

static void message_main(void *argument) {
    struct call *call = argument;
    travel(call);
    let_go(call);
}

static void send_copy(struct call *call) {
    call->holders++;
    (void)fiber_start(NULL, call_names[call->kind], message_main, call);
}

static struct call *begin(struct link *link, enum call_kind kind) {
    struct call *call = calloc(1, sizeof *call);
    CHECK(call != NULL);
    call->world = link->node->world;
    call->node = link->node;
    call->asker = link->node->id;
    memcpy(call->asker_name, link->node->name, sizeof call->asker_name);
    call->kind = kind;
    call->arena = arena_create(ARENA_BYTES_MAX);
    call->holders = 1;
    memcpy(call->credential, link->node->credential, sizeof call->credential);
    return call;
}

static bool give_up(struct link *link, struct err *err) {
    return link->aborted || link->node->process.dying
               ? err_set(err, ERR_CANCELLED, "aborted", "the call was broken off")
               : err_set(err, ERR_DEADLINE, "timeout", "no answer in time");
}

/* The caller's side. True with the answer in call->out. */
static bool finish(struct link *link, struct call *call, int64_t timeout_ms, struct err *err) {
    struct world *world = call->world;
    if (link->aborted || link->node->process.dying) {
        fiber_yield(); /* whoever tries again at once must not keep the others from ending */
        return give_up(link, err);
    }
    if (!strikes(world, TROUBLE_LOST, 25)) {
        send_copy(call);
    }
    if (strikes(world, TROUBLE_DOUBLED, 20)) {
        send_copy(call);
    }
    int64_t until_ms = sched_now_ms() + timeout_ms;
    link->waits_for = call;
    while (!call->answered && !link->aborted && !link->node->process.dying &&
           sched_now_ms() < until_ms) {
        (void)fiber_wait(call, until_ms - sched_now_ms());
    }
    link->waits_for = NULL;
    if (!call->answered || link->aborted || link->node->process.dying) {
        call->abandoned = true;
        return give_up(link, err);
    }
    if (!call->ok) {
        *err = call->err;
    }
    return call->ok;
}

void net_abort(void *context) {
    struct link *link = context;
    link->aborted = true;
    if (link->waits_for != NULL) {
        fiber_wake(link->waits_for);
    }
}

/* ---- struct machine_api ---- */

static bool api_join(void *context, const struct machine_join *request, struct arena *arena,
                     struct machine_join_answer *ret_answer, struct err *err) {
    struct call *call = begin(context, CALL_JOIN);
    call->in.join = *request;
    call->in.join.join_code = arena_str(call->arena, request->join_code);
    call->in.join.name = arena_str(call->arena, request->name);
    call->in.join.version = arena_str(call->arena, request->version);
    bool ok = finish(context, call, CALL_MS, err);
    if (ok) {
        *ret_answer = call->out.join;
        ret_answer->credential = arena_str(arena, call->out.join.credential);
    }
    let_go(call);
    return ok;
}

static bool api_session(void *context, const struct machine_session *request,
                        struct machine_session_answer *ret_answer, struct err *err) {
    struct call *call = begin(context, CALL_SESSION);
    struct machine_language *languages =
        arena_array(call->arena, (size_t)request->language_count + 1, sizeof languages[0]);
    for (int i = 0; i < request->language_count; i++) {
        languages[i] =
            (struct machine_language){arena_str(call->arena, request->languages[i].id),
                                      arena_str(call->arena, request->languages[i].version)};
    }
    call->in.session = *request;
    call->in.session.languages = languages;
    call->in.session.self_test_detail = arena_str(call->arena, request->self_test_detail);
    bool ok = finish(context, call, CALL_MS, err);
    if (ok) {
        *ret_answer = call->out.session;
    }
    let_go(call);
    return ok;
}

static bool api_heartbeat(void *context, const struct machine_heartbeat *request,
                          struct machine_heartbeat_answer *ret_answer, struct err *err) {
    struct call *call = begin(context, CALL_HEARTBEAT);
    call->in.heartbeat = *request;
    bool ok = finish(context, call, CALL_MS, err);
    if (ok) {
        *ret_answer = call->out.heartbeat;
    }
    let_go(call);
    return ok;
}

static bool api_claim(void *context, const struct machine_claim *request, struct arena *arena,
                      struct machine_claim_answer *ret_answer, struct err *err) {
    struct call *call = begin(context, CALL_CLAIM);
    call->in.claim = *request;
    bool ok = finish(context, call, request->wait_ms + CALL_MS, err);
    if (ok) {
        const struct machine_claim_answer *out = &call->out.claim;
        ret_answer->job_count = out->job_count;
        ret_answer->jobs = arena_array(arena, (size_t)out->job_count + 1, sizeof out->jobs[0]);
        for (int i = 0; i < out->job_count; i++) {
            struct machine_job *job = &ret_answer->jobs[i];
            *job = out->jobs[i];
            job->pool = arena_str(arena, job->pool);
            job->runtime_spec = arena_str(arena, job->runtime_spec);
            job->language = arena_str(arena, job->language);
            job->trace_id = arena_str(arena, job->trace_id);
        }
    }
    let_go(call);
    return ok;
}

static const struct machine_lease *copy_leases(struct call *call, const struct machine_lease *from,
                                               int count) {
    struct machine_lease *leases = arena_array(call->arena, (size_t)count + 1, sizeof leases[0]);
    memcpy(leases, from, (size_t)count * sizeof leases[0]);
    return leases;
}

static bool api_renew(void *context, const struct machine_renew *request, struct arena *arena,
                      struct machine_renew_answer *ret_answer, struct err *err) {
    struct call *call = begin(context, CALL_RENEW);
    call->in.renew = *request;
    call->in.renew.leases = copy_leases(call, request->leases, request->lease_count);
    bool ok = finish(context, call, CALL_MS, err);
    if (ok) {
        int32_t count = call->out.renew.lease_count;
        ret_answer->lease_count = count;
        ret_answer->leases = arena_array(arena, (size_t)count + 1, sizeof ret_answer->leases[0]);
        memcpy(ret_answer->leases, call->out.renew.leases,
               (size_t)count * sizeof ret_answer->leases[0]);
    }
    let_go(call);
    return ok;
}

static bool api_progress(void *context, const struct machine_progress *request, struct err *err) {
    struct call *call = begin(context, CALL_PROGRESS);
    struct machine_progress_item *items =
        arena_array(call->arena, (size_t)request->item_count + 1, sizeof items[0]);
    for (int i = 0; i < request->item_count; i++) {
        items[i] = request->items[i];
        items[i].cases = NULL; /* shown to viewers only */
        items[i].case_count = 0;
    }
    call->in.progress = (struct machine_progress){
        .session_epoch = request->session_epoch, .items = items, .item_count = request->item_count};
    bool ok = finish(context, call, CALL_MS, err);
    let_go(call);
    return ok;
}

static bool api_result(void *context, const struct machine_result *request,
                       struct machine_result_answer *ret_answer, struct err *err) {
    struct call *call = begin(context, CALL_RESULT);
    call->in.result = *request;
    call->in.result.text = arena_str(call->arena, request->text);
    bool ok = finish(context, call, 3 * CALL_MS, err);
    if (ok) {
        *ret_answer = call->out.result;
    }
    let_go(call);
    return ok;
}

static bool api_failure(void *context, const struct machine_failure *request,
                        struct machine_failure_answer *ret_answer, struct err *err) {
    struct call *call = begin(context, CALL_FAILURE);
    call->in.failure = *request;
    call->in.failure.code = arena_str(call->arena, request->code);
    call->in.failure.detail = arena_str(call->arena, request->detail);
    bool ok = finish(context, call, CALL_MS, err);
    if (ok) {
        *ret_answer = call->out.failure;
    }
    let_go(call);
    return ok;
}

static bool api_release(void *context, const struct machine_release *request,
                        struct machine_release_answer *ret_answer, struct err *err) {
    struct call *call = begin(context, CALL_RELEASE);
    call->in.release = *request;
    call->in.release.leases = copy_leases(call, request->leases, request->lease_count);
    call->in.release.reason = arena_str(call->arena, request->reason);
    bool ok = finish(context, call, CALL_MS, err);
    if (ok) {
        *ret_answer = call->out.release;
    }
    let_go(call);
    return ok;
}

static bool api_artifact(void *context, const struct machine_artifact *request, int fd,
                         int64_t *ret_bytes, struct err *err) {
    struct call *call = begin(context, CALL_ARTIFACT);
    call->in.artifact = *request;
    bool ok = finish(context, call, CALL_MS, err);
    if (ok) {
        struct str text = call->out.artifact;
        CHECK(write(fd, text.ptr, text.len) == (ssize_t)text.len);
        *ret_bytes = (int64_t)text.len;
    }
    let_go(call);
    return ok;
}

void net_api(struct sim_node *node, int link, struct machine_api *ret_api) {
    node->links[link] = (struct link){.node = node};
    *ret_api = (struct machine_api){.context = &node->links[link],
                                    .join = api_join,
                                    .session = api_session,
                                    .heartbeat = api_heartbeat,
                                    .claim = api_claim,
                                    .renew = api_renew,
                                    .progress = api_progress,
                                    .result = api_result,
                                    .failure = api_failure,
                                    .release = api_release,
                                    .artifact = api_artifact};
}
