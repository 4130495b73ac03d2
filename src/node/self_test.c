/* What this machine can judge, proved before the server hears of it: each language of the pool
 * compiles and runs its hello program in the box. The config digest changes with anything that
 * could change a verdict. */
#include "base/log.h"
#include "node/check.h"
#include "node/node_internal.h"

#define DETAIL_BYTES_MAX 4096

struct proof {
    struct self_test *test;
    struct buf detail;
    struct digest_stream config;
    const struct language_set *languages;
};

static void note(struct proof *proof, const struct language *language, const char *text) {
    (void)buf_printf(&proof->detail, "%s%s: %s", proof->detail.len > 0 ? "; " : "", language->id,
                     text);
}

/* Another self-test is another proof. */
static void add_program(struct proof *proof, const struct language *language) {
    own_buf source = {0};
    buf_init(&source, SOURCE_BYTES_MAX);
    if (check_source(proof->languages, language, &source)) {
        digest_add_field(&proof->config, buf_str(&source));
    }
}

static void take_proved(struct proof *proof, const struct language *language, struct str version) {
    struct self_test *test = proof->test;
    test->languages[test->language_count++] = (struct machine_language){
        str_from(language->id), str_utf8_prefix(version, MACHINE_LANGUAGE_VERSION_BYTES_MAX)};
    digest_add(&proof->config, str_from(language->id));
    digest_add(&proof->config, str_of(language->digest, sizeof language->digest));
    digest_add(&proof->config, version);
    add_program(proof, language);
    note(proof, language, "ok");
}

/* A language that is not installed is no failure; one that is installed and does not work is. */
static bool prove(const struct node_options *options, const struct language *language,
                  struct arena *arena, struct proof *proof, struct err *err) {
    struct str version = {0};
    struct err why = {0};
    if (judge_prove_language(options->judge, 0, language, arena, &version, &why)) {
        take_proved(proof, language, version);
        return true;
    }
    if (why.kind == ERR_MISSING) {
        log_info("language.missing", LOG_STR("language", language->id),
                 LOG_STR("install", language->package_hint));
        note(proof, language, "not installed");
        return true;
    }
    if (why.kind == ERR_CANCELLED) {
        *err = why;
        return false;
    }
    log_error("language.broken", LOG_STR("language", language->id), LOG_ERR(&why));
    note(proof, language, why.text);
    proof->test->passed = false;
    return true;
}

bool self_test_run(const struct node_options *options, struct arena *arena,
                   struct self_test *ret_test, struct err *err) {
    struct proof proof = {.test = ret_test, .languages = options->languages};
    size_t count = language_count(options->languages);
    *ret_test = (struct self_test){
        .languages = arena_array(arena, count + 1, sizeof *ret_test->languages), .passed = true};
    buf_init(&proof.detail, DETAIL_BYTES_MAX);
    digest_begin(&proof.config);
    if (options->limits != NULL && options->limits[0] != '\0') { /* others are another proof */
        digest_add_field(&proof.config, str_from(options->limits));
    }
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        const struct language *language = language_at(options->languages, i);
        if (str_eq_c(str_from(language->pool), options->pool)) {
            ok = prove(options, language, arena, &proof, err);
        }
    }
    ret_test->detail = arena_str(arena, buf_str(&proof.detail));
    ret_test->config = digest_end(&proof.config);
    buf_done(&proof.detail);
    if (ok && ret_test->language_count == 0) {
        return err_set(err, ERR_SYSTEM, "no_language",
                       "no language of the pool %s works on this machine (" STR_FMT ")",
                       options->pool, STR_ARG(str_utf8_prefix(ret_test->detail, 120)));
    }
    return ok;
}
