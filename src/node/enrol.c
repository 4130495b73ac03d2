/* From a join code to a credential. The file is written before the credential is used, so that a
 * node killed between the two calls comes back as itself. A code that was traded is remembered by
 * its digest beside the credential: a node may keep its first code in its settings for ever, and a
 * new one there replaces the credential. */
#include "base/file.h"
#include "base/log.h"
#include "node/node.h"

static bool load_credential(const char *file, struct arena *arena, struct str *ret_credential,
                            struct err *err) {
    own_buf stored;
    buf_init(&stored, MACHINE_CREDENTIAL_BYTES_MAX);
    if (!file_load(file, MACHINE_CREDENTIAL_BYTES_MAX, &stored, err)) {
        return false;
    }
    *ret_credential = arena_str(arena, str_trim(buf_str(&stored)));
    return true;
}

static bool is_traded(const char *mark_file, struct str mark) {
    own_buf stored;
    struct err ignored = {0};
    buf_init(&stored, 2 * DIGEST_HEX_BYTES);
    return file_load(mark_file, 2 * DIGEST_HEX_BYTES, &stored, &ignored) &&
           str_eq(str_trim(buf_str(&stored)), mark);
}

static bool trade(const struct enrol_options *options, struct arena *arena,
                  struct str *ret_credential, struct err *err) {
    const struct machine_api *api = options->api;
    struct machine_join request = {.join_code = str_from(options->join_code),
                                   .protocol = MACHINE_PROTOCOL,
                                   .name = str_from(options->name),
                                   .version = str_from(ASSIZE_VERSION)};
    struct machine_join_answer answer = {0};
    bool joined = api->join(api->context, &request, arena, &answer, err);
    while (!joined && err->code != NULL && str_eq_c(STR("protocol_unsupported"), err->code) &&
           request.protocol > MACHINE_PROTOCOL_MIN) { /* a server of the version before */
        request.protocol--;
        *err = (struct err){0};
        joined = api->join(api->context, &request, arena, &answer, err);
    }
    if (!joined || !file_save_atomic(options->file, answer.credential, 0600, err)) {
        return err_wrap(err, "join the server");
    }
    *ret_credential = answer.credential;
    return true;
}

bool node_enrol(const struct enrol_options *options, struct arena *arena,
                struct str *ret_credential, struct err *err) {
    const char *mark_file = arena_printf(arena, "%s.joined", options->file);
    struct digest digest = digest_of(str_from(options->join_code));
    char mark[DIGEST_HEX_BYTES];
    struct err ignored = {0};
    bool has_code = options->join_code[0] != '\0';
    bool has_credential = load_credential(options->file, arena, ret_credential, err);
    digest_hex(&digest, mark);
    if (!has_credential && err->kind != ERR_MISSING) {
        return err_wrap(err, "the node's credential");
    }
    if (has_credential && (!has_code || is_traded(mark_file, str_from(mark)))) {
        return true;
    }
    if (!has_code) {
        return err_set(err, ERR_MISSING, "not_joined",
                       "this node has no credential in %s: register it on the server and start it "
                       "once with --join-code CODE",
                       options->file);
    }
    *err = (struct err){0};
    bool traded = trade(options, arena, ret_credential, err);
    if (!traded && !(has_credential && err->kind == ERR_UNAUTHENTICATED)) {
        return false;
    }
    if (!traded) { /* the code of an earlier start, used up or too old */
        log_warn("join.refused", LOG_ERR(err));
    }
    (void)!file_save_atomic(mark_file, str_from(mark), 0600, &ignored); /* only saves a call */
    return true;
}
