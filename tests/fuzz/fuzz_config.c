/* Settings files as data/config.h reads them, and durations, sizes and addresses with them.
 *
 * Holds: a file that is accepted, printed by config_print, is accepted again with the same values;
 * a refusal names file and line; no message shows a secret; what a unit printer writes is read back
 * as the same number. */
#include "base/check.h"
#include "base/limits.h"
#include "data/config.h"
#include "data/units.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static const struct config_row rows[] = {
    {.name = "a.listen", .type = CONFIG_ADDRESS, .fallback = ":80", .help = "address"},
    {.name = "a.count", .type = CONFIG_INT, .fallback = "4", .min = -9, .max = 64, .help = "count"},
    {.name = "a.size", .type = CONFIG_SIZE, .fallback = "64KiB", .help = "size"},
    {.name = "b.wait", .type = CONFIG_DURATION, .fallback = "1m", .help = "time"},
    {.name = "b.text", .type = CONFIG_TEXT, .help = "text"},
    {.name = "b.level", .type = CONFIG_TEXT, .fallback = "x", .choices = "x y z", .help = "one"},
    {.name = "on", .type = CONFIG_BOOL, .fallback = "false", .help = "switch"},
    {0},
};

static struct config *fresh(void) {
    struct config *config = config_create();
    config_add(config, "Fuzz", rows);
    return config;
}

static void check_same(const struct config *a, const struct config *b) {
    for (const struct config_row *row = rows; row->name != NULL; row++) {
        CHECK(strcmp(config_text(a, row->name), config_text(b, row->name)) == 0);
    }
    CHECK(config_i64(a, "a.size") == config_i64(b, "a.size"));
    CHECK(config_i64(a, "b.wait") == config_i64(b, "b.wait"));
    CHECK(config_i64(a, "a.count") >= -9 && config_i64(a, "a.count") <= 64);
    CHECK(config_address(a, "a.listen")->port == config_address(b, "a.listen")->port);
}

static void check_file(struct str text) {
    own(config) config = fresh();
    own(config) again = fresh();
    own_buf printed = {0};
    struct err err = {0};
    buf_init(&printed, 4 * MIB);
    if (!config_read_text(config, "fuzz.conf", text, &err)) {
        CHECK(err.kind == ERR_INVALID || err.kind == ERR_TOO_LARGE);
        CHECK(str_starts(str_from(err.text), STR("fuzz.conf")));
        return;
    }
    config_print(config, &printed);
    CHECK(buf_ok(&printed, "the listing", &err));
    if (printed.len <= CONFIG_BYTES_MAX) {
        CHECK(config_read_text(again, "again", buf_str(&printed), &err));
        check_same(config, again);
    }
}

static void check_units(struct str text) {
    own_buf printed = {0};
    struct err err = {0};
    int64_t value = 0;
    int64_t again = -1;
    struct config_address address = {0};
    buf_init(&printed, 64);
    if (duration_parse(text, &value, &err)) {
        CHECK(value >= 0);
        duration_append(&printed, value);
        CHECK(duration_parse(buf_str(&printed), &again, &err));
        CHECK(again == value);
    }
    buf_clear(&printed);
    if (size_parse(text, &value, &err)) {
        CHECK(value >= 0);
        size_append(&printed, value);
        CHECK(size_parse(buf_str(&printed), &again, &err));
        CHECK(again == value);
    }
    if (address_parse(text, &address, &err)) {
        CHECK(address.port >= 0 && address.port <= 65535);
        CHECK(address.host[0] != '\0');
    }
}

/* The same bytes as a secret: neither a refusal nor the listing may show them. */
static void check_secret(struct str text) {
    static const struct config_row secret_rows[] = {
        {.name = "key", .type = CONFIG_TEXT, .secret = true, .help = "key"}, {0}};
    own(config) config = config_create();
    config_add(config, "Fuzz", secret_rows);
    struct err err = {0};
    own_buf shown = {0};
    buf_init(&shown, 4 * MIB);
    if (config_set(config, "key", text, &err)) {
        config_print(config, &shown);
    }
    /* Short texts may stand in any message by chance. */
    if (text.len > 60 && !str_has_nul(text)) {
        char needle[64];
        CHECK(str_to_c(str_sub(text, 0, 60), needle, sizeof(needle), &err));
        CHECK(strstr(err.text, needle) == NULL);
        CHECK(strstr(buf_c(&shown), needle) == NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct str text = str_of(bytes, count);
    check_file(text);
    check_units(text);
    check_secret(text);
    return 0;
}
