/* From a join code to a credential. The file is written before the credential is used, so that a
 * node killed between the two calls comes back as itself. */
#include "base/file.h"
#include "node/node.h"

bool node_enrol(const struct enrol_options *options, struct arena *arena,
                struct str *ret_credential, struct err *err) {
    const struct machine_api *api = options->api;
    const char *file = options->file;
    own_buf stored;
    buf_init(&stored, MACHINE_CREDENTIAL_BYTES_MAX);
    if (file_load(file, MACHINE_CREDENTIAL_BYTES_MAX, &stored, err)) {
        *ret_credential = arena_str(arena, str_trim(buf_str(&stored)));
        return true;
    }
    if (err->kind != ERR_MISSING) {
        return err_wrap(err, "the node's credential");
    }
    if (options->join_code[0] == '\0') {
        return err_set(err, ERR_MISSING, "not_joined",
                       "this node has no credential in %s: register it on the server and start it "
                       "once with --join-code CODE",
                       file);
    }
    struct machine_join request = {.join_code = str_from(options->join_code),
                                   .protocol = MACHINE_PROTOCOL,
                                   .name = str_from(options->name),
                                   .version = str_from(ASSIZE_VERSION)};
    struct machine_join_answer answer = {0};
    if (!api->join(api->context, &request, arena, &answer, err) ||
        !file_save_atomic(file, answer.credential, 0600, err)) {
        return err_wrap(err, "join the server");
    }
    *ret_credential = answer.credential;
    return true;
}
