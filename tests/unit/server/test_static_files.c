/* The web pages' files: which variant, how long cached, and nothing outside their folder. */
#include "people.h"

#include <sys/stat.h>

static int set_up(void **state) {
    struct fixture *f = fixture_create();
    (void)snprintf(f->web, sizeof f->web, "%s/web", f->folder);
    put_file(f, "web/index.html", STR("<!doctype html>the page"));
    put_file(f, "web/index.html.gz", STR("gzipped page"));
    put_file(f, "web/assets/app-1a2b.js", STR("plain script"));
    put_file(f, "web/assets/app-1a2b.js.gz", STR("gzipped script"));
    put_file(f, "web/assets/app-1a2b.js.br", STR("brotli script"));
    put_file(f, "web/assize.svg", STR("<svg/>"));
    put_file(f, "web/notes", STR("a file of no known type"));
    put_file(f, "web/.secret.txt", STR("hidden"));
    put_file(f, "web/.git/config.txt", STR("hidden too"));
    put_file(f, "outside.txt", STR("outside"));
    assert_int_equal(symlink("../outside.txt", arena_printf(f->arena, "%s/link.txt", f->web)), 0);
    assert_int_equal(mkdir(arena_printf(f->arena, "%s/folder.html", f->web), 0755), 0);
    fixture_open(f);
    *state = f;
    return 0;
}

static struct reply get_coded(struct fixture *f, const char *path, const char *codings) {
    return fixture_ask(
        f, &(struct ask){.path = path,
                         .headers = arena_printf(f->arena, "Accept-Encoding: %s\r\n", codings)});
}

static void the_best_variant_that_the_client_takes_is_sent(void **state) {
    struct fixture *f = *state;
    static const struct {
        const char *accepts, *body, *coding;
    } rows[] = {
        {"gzip, deflate, br", "brotli script", "br"},
        {"gzip", "gzipped script", "gzip"},
        {"br;q=0, gzip;q=0.5", "gzipped script", "gzip"},
        {"identity", "plain script", NULL},
        {"", "plain script", NULL},
        {"BR", "brotli script", "br"},
        {"brotli", "plain script", NULL},
        {"br; q=0.0", "plain script", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct reply reply = get_coded(f, "/assets/app-1a2b.js", rows[i].accepts);
        expect(reply, 200);
        if (!str_eq_c(reply.body, rows[i].body)) {
            fail_msg("%s: " STR_FMT, rows[i].accepts, STR_ARG(reply.body));
        }
        const char *coding = header_of(f, &reply, "Content-Encoding");
        assert_true(rows[i].coding == NULL ? coding == NULL
                                           : coding != NULL && strcmp(coding, rows[i].coding) == 0);
        assert_string_equal(header_of(f, &reply, "Vary"), "Accept-Encoding");
        assert_string_equal(header_of(f, &reply, "Content-Type"), "text/javascript; charset=utf-8");
    }
}

static void files_with_a_digest_in_their_name_are_cached_for_ever(void **state) {
    struct fixture *f = *state;

    struct reply asset = get(f, NULL, "/assets/app-1a2b.js");
    struct reply page = get(f, NULL, "/");

    assert_non_null(strstr(header_of(f, &asset, "Cache-Control"), "immutable"));
    assert_string_equal(header_of(f, &page, "Cache-Control"), "no-cache");
}

static void a_known_version_is_not_sent_again(void **state) {
    struct fixture *f = *state;
    struct reply first = get(f, NULL, "/assize.svg");
    const char *tag = header_of(f, &first, "ETag");

    struct reply same = fixture_ask(
        f, &(struct ask){.path = "/assize.svg",
                         .headers = arena_printf(f->arena, "If-None-Match: %s\r\n", tag)});
    struct reply other = fixture_ask(
        f, &(struct ask){.path = "/assize.svg", .headers = "If-None-Match: \"other\"\r\n"});
    struct reply list = fixture_ask(
        f, &(struct ask){.path = "/assize.svg",
                         .headers = arena_printf(f->arena, "If-None-Match: \"x\", W/%s\r\n", tag)});

    expect(first, 200);
    expect(same, 304);
    assert_int_equal(same.body.len, 0);
    assert_string_equal(header_of(f, &same, "ETag"), tag);
    expect(other, 200);
    expect(list, 304);
}

static void each_variant_has_a_tag_of_its_own(void **state) {
    struct fixture *f = *state;

    struct reply plain = get_coded(f, "/assets/app-1a2b.js", "identity");
    struct reply coded = get_coded(f, "/assets/app-1a2b.js", "br");

    assert_string_not_equal(header_of(f, &plain, "ETag"), header_of(f, &coded, "ETag"));
}

static void every_page_address_is_the_page(void **state) {
    struct fixture *f = *state;
    static const char *const paths[] = {"/", "/problems/7", "/a/b/c?x=1", "/notes", "/v1.2"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct reply reply = get(f, NULL, paths[i]);
        expect(reply, 200);
        assert_true(str_eq(reply.body, STR("<!doctype html>the page")));
        assert_string_equal(header_of(f, &reply, "Content-Type"), "text/html; charset=utf-8");
    }
}

static void a_page_says_what_it_may_load(void **state) {
    struct fixture *f = *state;

    struct reply reply = get(f, NULL, "/");

    const char *policy = header_of(f, &reply, "Content-Security-Policy");
    assert_non_null(strstr(policy, "default-src 'self'"));
    assert_non_null(strstr(policy, "script-src 'self';"));
    assert_non_null(strstr(policy, "frame-ancestors 'self'"));
    assert_string_equal(header_of(f, &reply, "X-Content-Type-Options"), "nosniff");
}

static void a_missing_file_is_not_answered_with_the_page(void **state) {
    struct fixture *f = *state;
    static const char *const paths[] = {"/assets/gone.js", "/favicon.ico", "/assets/x.css",
                                        "/folder.html"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct reply reply = get(f, NULL, paths[i]);
        expect_error(reply, 404, "not_found");
    }
}

static void nothing_outside_the_folder_is_sent(void **state) {
    struct fixture *f = *state;
    static const char *const paths[] = {"/../outside.txt",
                                        "/%2e%2e/outside.txt",
                                        "/assets/../../outside.txt",
                                        "/assets/%2e%2e%2f%2e%2e%2foutside.txt",
                                        "/link.txt",
                                        "/.secret.txt",
                                        "/.git/config.txt",
                                        "/assets/../.secret.txt",
                                        "//etc/passwd.txt",
                                        "/..%5coutside.txt",

                                        "/assets/.%2e/.%2e/outside.txt"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct reply reply = get(f, NULL, paths[i]);
        if (reply.status == 200) {
            fail_msg("%s was answered with %d: " STR_FMT, paths[i], reply.status,
                     STR_ARG(reply.body));
        }
    }
}

static void head_of_a_file_has_its_length(void **state) {
    struct fixture *f = *state;

    struct reply reply = fixture_ask(f, &(struct ask){.method = "HEAD", .path = "/assize.svg"});

    expect(reply, 200);
    assert_int_equal(reply.body.len, 0);
    assert_string_equal(header_of(f, &reply, "Content-Length"), "6");
}

static void without_built_pages_it_says_how_to_build_them(void **state) {
    struct fixture *f = *state;
    fixture_close(f);
    f->web[0] = '\0';
    fixture_open(f);

    struct reply page = get(f, NULL, "/");
    struct reply file = get(f, NULL, "/assets/app-1a2b.js");

    expect(page, 200);
    assert_non_null(memmem(page.body.ptr, page.body.len, "script/server", 13));
    expect_error(file, 404, "not_found");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_variant_that_the_client_takes_is_sent),
        cmocka_unit_test(files_with_a_digest_in_their_name_are_cached_for_ever),
        cmocka_unit_test(a_known_version_is_not_sent_again),
        cmocka_unit_test(each_variant_has_a_tag_of_its_own),
        cmocka_unit_test(every_page_address_is_the_page),
        cmocka_unit_test(a_page_says_what_it_may_load),
        cmocka_unit_test(a_missing_file_is_not_answered_with_the_page),
        cmocka_unit_test(nothing_outside_the_folder_is_sent),
        cmocka_unit_test(head_of_a_file_has_its_length),
        cmocka_unit_test(without_built_pages_it_says_how_to_build_them),
    };
    return cmocka_run_group_tests(tests, set_up, fixture_teardown); /* one server for all */
}
