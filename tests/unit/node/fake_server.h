#ifndef TESTS_FAKE_SERVER_H
#define TESTS_FAKE_SERVER_H

/* A server that is a table of functions, for the threads of a node: it hands out what the test
 * wants and remembers what it was told. */
#include "../judge/fake_box.h"
#include "base/log.h"
#include "base/thread.h"
#include "domain/manifest.h"
#include "node/node_internal.h"
#include "wire/judgement_json.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define FAKE_CALLS_MAX 256

struct fake_blob {
    struct digest digest;
    struct str text;
};

struct fake_failure_row {
    enum fault fault;
    char code[64];
};

struct fake_server {
    struct mutex lock;
    /* what it is to answer */
    struct machine_job jobs[4];
    int job_count;
    int given;        /* jobs handed out */
    bool give_all;    /* at the first claim, whatever was asked for */
    int stop_fd;      /* not 0: the first claim is granted, and then the node told to stop by it */
    int deny_claims;  /* that many are lost on the way back, after the job was taken */
    int deny_results; /* that many results are lost */
    int deny_artifacts;
    int deny_sessions;
    struct err denial; /* how */
    struct err
        refusal; /* of results, failures, renewals and heartbeats for ever; kind NONE: none */
    enum machine_renewal renewal;
    int32_t slots;
    int endless; /* box waits of the next job, so that it runs on */
    /* what it was told */
    uint64_t claim_ids[FAKE_CALLS_MAX];
    int32_t claim_slots[FAKE_CALLS_MAX];
    int claims;
    char results[8][4096];
    struct digest result_digests[8];
    int result_calls;
    struct fake_failure_row failures[8];
    int failure_calls;
    int releases;
    int released_leases;
    int renewals;
    int heartbeats;
    int32_t busy_slots; /* of the last heartbeat */
    int reports;
    int64_t last_sequence;
    int reported_cases;
    int sessions;
    int64_t check;      /* asked for by the next session or heartbeat; 0: none */
    int32_t old_server; /* not 0: it speaks only that protocol */
    int check_results;
    bool check_passed;
    char check_message[256];
    int check_programs;
    int outs;
    char out_reason[256];
    struct machine_session session;
    /* blobs: manifest, source, inputs */
    struct fake_blob blobs[8];
    int blob_count;
    atomic_bool aborted[4];
};

static struct fake_server server;

/* With the lock held. */
static inline bool fake_refuses(struct err *err) {
    if (server.refusal.kind != ERR_NONE) {
        *err = server.refusal;
        return true;
    }
    return false;
}

static inline bool fake_session(void *context, const struct machine_session *request,
                                struct machine_session_answer *ret_answer, struct err *err) {
    (void)context;
    mutex_lock(&server.lock);
    server.sessions++;
    server.session = *request;
    bool ok = server.deny_sessions-- <= 0;
    int64_t check = server.check;
    int32_t protocol = server.old_server != 0 ? server.old_server : MACHINE_PROTOCOL;
    mutex_unlock(&server.lock);
    if (request->protocol > protocol) {
        return err_set(err, ERR_CONFLICT, "protocol_unsupported", "too new");
    }
    *ret_answer = (struct machine_session_answer){.session_epoch = 5,
                                                  .lease_ms = 60000,
                                                  .renew_ms = 60,
                                                  .heartbeat_ms = 60,
                                                  .protocol = protocol,
                                                  .check = check};
    *err = ok ? *err : server.denial;
    return ok;
}

static inline bool fake_heartbeat(void *context, const struct machine_heartbeat *request,
                                  struct machine_heartbeat_answer *ret_answer, struct err *err) {
    (void)context;
    mutex_lock(&server.lock);
    server.heartbeats++;
    server.busy_slots = request->busy_slots;
    bool ok = !fake_refuses(err);
    *ret_answer = (struct machine_heartbeat_answer){.session_epoch = 5,
                                                    .config = MACHINE_ENABLED,
                                                    .slots = server.slots,
                                                    .check = server.check};
    mutex_unlock(&server.lock);
    return ok;
}

/* A claim that was denied has still taken its job: the same id gets it again. */
static inline bool fake_claim_lost(const struct machine_claim *request, struct err *err) {
    server.claim_ids[server.claims++] = request->claim_id;
    assert_int_equal(write(server.stop_fd, "x", 1), 1);
    server.stop_fd = 0;
    while (!atomic_load(&server.aborted[0])) {
        clock_sleep_ms(&clock_real, 1);
    }
    return err_set(err, ERR_CANCELLED, "aborted", "broken off");
}

static inline bool fake_claim(void *context, const struct machine_claim *request,
                              struct arena *arena, struct machine_claim_answer *ret_answer,
                              struct err *err) {
    (void)context;
    if (server.stop_fd != 0) {
        return fake_claim_lost(request, err);
    }
    mutex_lock(&server.lock);
    int at = server.claims++ % FAKE_CALLS_MAX;
    server.claim_ids[at] = request->claim_id;
    server.claim_slots[at] = request->free_slots;
    bool ok = server.deny_claims-- <= 0 && !fake_refuses(err);
    int want = server.give_all ? server.job_count : request->free_slots;
    int32_t count = 0;
    ret_answer->jobs = arena_array(arena, 4, sizeof *ret_answer->jobs);
    while (ok && server.given < server.job_count && count < want) {
        ret_answer->jobs[count++] = server.jobs[server.given++];
    }
    ret_answer->job_count = count;
    *err = ok || server.refusal.kind != ERR_NONE ? *err : server.denial;
    if (count > 0) {
        fake.deadlines = server.endless;
    }
    mutex_unlock(&server.lock);
    if (ok && count == 0) {
        clock_sleep_ms(&clock_real, 5); /* the long poll */
        if (atomic_load(&server.aborted[0])) {
            return err_set(err, ERR_CANCELLED, "aborted", "the node stops");
        }
    }
    return ok;
}

static inline bool fake_renew(void *context, const struct machine_renew *request,
                              struct arena *arena, struct machine_renew_answer *ret_answer,
                              struct err *err) {
    (void)context;
    mutex_lock(&server.lock);
    server.renewals++;
    bool ok = !fake_refuses(err);
    ret_answer->leases =
        arena_array(arena, (size_t)request->lease_count, sizeof *ret_answer->leases);
    ret_answer->lease_count = server.renewal == MACHINE_CONFLICT ? 0 : request->lease_count;
    for (int32_t i = 0; i < ret_answer->lease_count; i++) {
        ret_answer->leases[i] =
            (struct machine_renewed){request->leases[i].job, server.renewal, 60000};
    }
    mutex_unlock(&server.lock);
    return ok;
}

static inline bool fake_progress(void *context, const struct machine_progress *request,
                                 struct err *err) {
    (void)context;
    mutex_lock(&server.lock);
    server.reports++;
    for (int32_t i = 0; i < request->item_count; i++) {
        server.last_sequence = request->items[i].sequence;
        server.reported_cases += request->items[i].case_count;
    }
    bool ok = !fake_refuses(err);
    mutex_unlock(&server.lock);
    return ok;
}

static inline bool fake_result(void *context, const struct machine_result *request,
                               struct machine_result_answer *ret_answer, struct err *err) {
    (void)context;
    mutex_lock(&server.lock);
    int at = server.result_calls++;
    assert_true(at < 8);
    (void)snprintf(server.results[at], sizeof server.results[at], STR_FMT, STR_ARG(request->text));
    server.result_digests[at] = request->digest;
    bool ok = server.deny_results-- <= 0;
    *err = ok ? *err : server.denial;
    ok = ok && !fake_refuses(err);
    ret_answer->already = at > 0;
    mutex_unlock(&server.lock);
    return ok;
}

static inline bool fake_failure(void *context, const struct machine_failure *request,
                                struct machine_failure_answer *ret_answer, struct err *err) {
    (void)context;
    mutex_lock(&server.lock);
    struct fake_failure_row *row = &server.failures[server.failure_calls++ % 8];
    row->fault = request->fault;
    (void)snprintf(row->code, sizeof row->code, STR_FMT, STR_ARG(request->code));
    ret_answer->failed = false;
    bool ok = !fake_refuses(err);
    mutex_unlock(&server.lock);
    return ok;
}

static inline bool fake_release(void *context, const struct machine_release *request,
                                struct machine_release_answer *ret_answer, struct err *err) {
    (void)context;
    (void)err;
    mutex_lock(&server.lock);
    server.releases++;
    server.released_leases += request->lease_count;
    ret_answer->released = request->lease_count;
    mutex_unlock(&server.lock);
    return true;
}

#endif
