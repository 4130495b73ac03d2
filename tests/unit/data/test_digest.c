#include "data/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *hex_of(struct digest digest) {
    static char text[DIGEST_HEX_BYTES];
    digest_hex(&digest, text);
    return text;
}

static void digests_are_those_of_the_standard(void **state) {
    (void)state;
    /* FIPS 180-4 examples */
    assert_string_equal(hex_of(digest_of(STR(""))),
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_string_equal(hex_of(digest_of(STR("abc"))),
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(
        hex_of(digest_of(STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))),
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void pieces_give_the_digest_of_the_whole(void **state) {
    (void)state;
    char content[1000];
    for (size_t i = 0; i < sizeof(content); i++) {
        content[i] = (char)(i * 13);
    }
    struct str whole = str_of(content, sizeof(content));
    struct digest expected = digest_of(whole);

    for (size_t step = 1; step <= sizeof(content); step += 111) {
        struct digest_stream stream;
        digest_begin(&stream);
        for (size_t at = 0; at < whole.len; at += step) {
            digest_add(&stream, str_sub(whole, at, step));
        }
        digest_add(&stream, STR(""));
        struct digest digest = digest_end(&stream);
        assert_true(digest_equal(&digest, &expected));
    }
}

static void a_files_digest_leaves_its_offset_alone(void **state) {
    (void)state;
    struct err err = {0};
    static char content[200000];
    size_t bytes = sizeof(content);
    content[7] = 'x';
    own_fd fd = -1;
    assert_true(file_memory("x", str_of(content, bytes), true, &fd, &err));
    assert_int_equal(lseek(fd, 5, SEEK_SET), 5);
    struct digest digest = {0};
    int64_t seen = 0;

    assert_true(digest_of_fd(fd, 200000, &digest, &seen, &err));

    struct digest expected = digest_of(str_of(content, bytes));
    assert_true(digest_equal(&digest, &expected));
    assert_int_equal(seen, 200000);
    assert_int_equal(lseek(fd, 0, SEEK_CUR), 5);
}

static void a_file_over_the_maximum_is_refused(void **state) {
    (void)state;
    struct err err = {0};
    own_fd fd = -1;
    assert_true(file_memory("x", STR("123456"), true, &fd, &err));
    struct digest digest = {{7}};
    int64_t seen = -1;

    assert_false(digest_of_fd(fd, 5, &digest, &seen, &err));

    assert_int_equal(err.kind, ERR_TOO_LARGE);
    assert_int_equal(digest.bytes[0], 7);
    assert_false(digest_of_fd(-1, 5, &digest, &seen, &err));
    assert_int_equal(err.kind, ERR_SYSTEM);
}

static void hex_reads_back(void **state) {
    (void)state;
    struct digest digest = digest_of(STR("abc"));
    struct digest back = {0};

    assert_true(digest_parse(str_from(hex_of(digest)), &back));

    assert_true(digest_equal(&digest, &back));
    back.bytes[31] ^= 1;
    assert_false(digest_equal(&digest, &back));
    assert_false(digest_parse(STR("ba7816bf"), &back));
    assert_true(bytes_equal("ab", "ac", 1));
    assert_false(bytes_equal("ab", "ac", 2));
}

static void codes_are_those_of_rfc_4231(void **state) {
    (void)state;
    char key[131];
    memset(key, 0x0b, 20);
    assert_string_equal(hex_of(hmac_sha256(str_of(key, 20), STR("Hi There"))),
                        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    assert_string_equal(hex_of(hmac_sha256(STR("Jefe"), STR("what do ya want for nothing?"))),
                        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, sizeof(key)); /* a key longer than a block is hashed first */
    assert_string_equal(
        hex_of(hmac_sha256(str_of(key, 131),
                           STR("Test Using Larger Than Block-Size Key - Hash Key First"))),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void base64url_goes_both_ways(void **state) {
    (void)state;
    static const struct {
        struct str bytes;
        const char *text;
    } cases[] = {
        {{"", 0}, ""},
        {{"f", 1}, "Zg"},
        {{"fo", 2}, "Zm8"},
        {{"foo", 3}, "Zm9v"},
        {{"foobar", 6}, "Zm9vYmFy"},
        {{"\0\0", 2}, "AAA"},
        {{"\xfb\xff\xfe", 3}, "-__-"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        own_buf text;
        buf_init(&text, 100);
        own_buf back;
        buf_init(&back, 100);

        assert_true(base64url_encode(cases[i].bytes, &text));
        assert_string_equal(buf_c(&text), cases[i].text);
        assert_true(base64url_decode(buf_str(&text), &back));
        assert_true(str_eq(buf_str(&back), cases[i].bytes));
    }
}

static void only_one_text_stands_for_each_bytes(void **state) {
    (void)state;
    static const char *const bad[] = {
        "Zg==",   "Zh" /* stray bits */,
        "Zm9",    "Z",
        "Zm9v\n", " Zm9v",
        "Zm+v",   "Zm/v",
        "Zm9vY",  "\xc3\xa4",
        "Zm9v.",
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        own_buf back;
        buf_init(&back, 100);
        assert_true(buf_append_c(&back, "kept"));

        assert_false(base64url_decode(str_from(bad[i]), &back));

        assert_true(str_eq(buf_str(&back), STR("kept")));
    }
}

static void every_byte_that_is_no_symbol_is_refused(void **state) {
    (void)state;
    for (int c = 0; c < 256; c++) {
        own_buf bytes;
        buf_init(&bytes, 100);
        own_buf again;
        buf_init(&again, 100);
        char text[4] = {'Z', 'm', (char)c, 'v'};

        if (base64url_decode(str_of(text, sizeof(text)), &bytes)) {
            assert_true(base64url_encode(buf_str(&bytes), &again));
            assert_true(str_eq(buf_str(&again), str_of(text, sizeof(text))));
        }
    }
}

static void a_full_buffer_is_reported(void **state) {
    (void)state;
    own_buf small;
    buf_init(&small, 4);

    assert_true(base64url_encode(STR("foo"), &small));
    assert_false(base64url_encode(STR("f"), &small));
    assert_true(str_eq(buf_str(&small), STR("Zm9v")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_are_those_of_the_standard),
        cmocka_unit_test(pieces_give_the_digest_of_the_whole),
        cmocka_unit_test(a_files_digest_leaves_its_offset_alone),
        cmocka_unit_test(a_file_over_the_maximum_is_refused),
        cmocka_unit_test(hex_reads_back),
        cmocka_unit_test(codes_are_those_of_rfc_4231),
        cmocka_unit_test(base64url_goes_both_ways),
        cmocka_unit_test(only_one_text_stands_for_each_bytes),
        cmocka_unit_test(every_byte_that_is_no_symbol_is_refused),
        cmocka_unit_test(a_full_buffer_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
