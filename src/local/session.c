/* Sandbox first, then rights, then everything else. */
#include "local/session.h"

#include "local/cache_place.h"
#include "local/rights.h"
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* One package often brings the same program twice. */
#define COMPILE_CACHE_BYTES_MAX (64LL * MIB)

/* From the folder of the running program. */
static const char *const places[] = {
    "../share/assize/languages", /* installed: bin/ */
    "../../../languages",        /* built: build/src/main/ */
    "../../languages",           "../languages", "languages",
};

static bool is_folder(const char *path) {
    return access(path, R_OK | X_OK) == 0;
}

static bool program_folder(char *ret_path, size_t bytes) {
    char path[PATH_MAX];
    struct str folder = STR("");
    struct str name = STR("");
    struct err ignored = {0};
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
    return length > 0 && (size_t)length < sizeof(path) &&
           str_cut_last(str_of(path, (size_t)length), '/', &folder, &name) &&
           str_to_c(folder, ret_path, bytes, &ignored);
}

bool session_find_languages(const char *given, char *ret_path, size_t path_bytes, struct err *err) {
    char folder[PATH_MAX];
    if (given[0] != '\0') {
        return str_to_c(str_from(given), ret_path, path_bytes, err);
    }
    if (program_folder(folder, sizeof(folder))) {
        for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
            int length = snprintf(ret_path, path_bytes, "%s/%s", folder, places[i]);
            if (length > 0 && (size_t)length < path_bytes && is_folder(ret_path)) {
                return true;
            }
        }
    }
    if (is_folder("languages")) {
        return str_to_c(STR("languages"), ret_path, path_bytes, err);
    }
    return err_set(err, ERR_MISSING, "no_languages",
                   "the folder of the language specs is not found: name it by --languages-dir");
}

static bool open_box(struct session *session, int32_t slots, const char *cache, struct err *err) {
    char cgroup[64];
    (void)snprintf(cgroup, sizeof(cgroup), "assize-run-%ld", (long)getpid());
    const char *roots[] = {cache, NULL};
    const struct box_options options = {
        .cgroup_name = cgroup, .slots = 2 * slots, .allowed_roots = roots};
    if (box_open(&options, &session->box, err)) {
        return true;
    }
    if (geteuid() != 0) {
        (void)err_wrap(err, "the sandbox needs root on this machine, run it by sudo");
    }
    return false;
}

bool session_open(struct session *session, const char *languages, int32_t slots, struct err *err) {
    char path[PATH_MAX];
    char cache[PATH_MAX];
    bool has_cache = cache_place_find(cache, sizeof(cache));
    if (!session_find_languages(languages, path, sizeof(path), err) ||
        !open_box(session, slots, has_cache ? cache : NULL, err) || !rights_drop(err) ||
        !language_set_load(path, &session->languages, err)) {
        return false;
    }
    has_cache = has_cache && cache_place_make(cache);
    const struct judge_sql sql = {.first_slot = slots, .node = "local"};
    const struct judge_options options = {.box = session->box,
                                          .sql = &sql,
                                          .languages = session->languages,
                                          .cache_folder = has_cache ? cache : NULL,
                                          .second_runs_max = JUDGE_SECOND_RUNS_DEFAULT,
                                          .compile_cache_bytes = COMPILE_CACHE_BYTES_MAX};
    session->judge = judge_create(&options);
    return true;
}

void session_done(struct session *session) {
    if (session == NULL) {
        return;
    }
    judge_free(session->judge);
    language_set_free(session->languages);
    box_close(session->box);
    *session = (struct session){.box = NULL};
}
