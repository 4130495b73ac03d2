/* The settings themselves: the table, checking a text by its row's type, and the getters. Where
 * texts come from is in config_read.c, how they are shown in config_print.c. */
#include "data/config.h"

#include "base/check.h"
#include "data/config_internal.h"
#include "data/units.h"
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONFIG_ARENA_BYTES ((size_t)4 * MIB)
#define PORT_MAX 65535

static void drop_text(struct config_value *value) {
    if (value->text != NULL) {
        sodium_memzero(value->text, strlen(value->text));
        free(value->text);
        value->text = NULL;
    }
}

struct config *config_create(void) {
    struct config *config = calloc(1, sizeof(*config));
    CHECK(config != NULL);
    config->arena = arena_create(CONFIG_ARENA_BYTES);
    config->values = calloc(CONFIG_KEYS_MAX, sizeof(*config->values));
    CHECK(config->values != NULL);
    return config;
}

void config_free(struct config *config) {
    if (config == NULL) {
        return;
    }
    for (size_t i = 0; i < config->count; i++) {
        drop_text(&config->values[i]);
    }
    free(config->values);
    arena_free(config->arena);
    free(config);
}

/* "server.listen" becomes ASSIZE_SERVER_LISTEN. */
static const char *env_name(struct arena *arena, const char *name) {
    const size_t prefix = strlen("ASSIZE_");
    struct str made = arena_str(arena, str_from(arena_printf(arena, "ASSIZE_%s", name)));
    char *text = arena_alloc(arena, made.len + 1);
    for (size_t i = 0; i < made.len; i++) {
        char c = made.ptr[i];
        bool lower = i >= prefix && c >= 'a' && c <= 'z';
        c = c == '.' || c == '-' ? '_' : c;
        text[i] = lower ? (char)(c - 'a' + 'A') : c;
    }
    return text;
}

static void check_row(const struct config *config, const struct config_row *row) {
    CHECK(config->count < CONFIG_KEYS_MAX);
    CHECK(config_find(config, str_from(row->name)) == NULL);
    CHECK(row->help != NULL);
    CHECK(row->fallback != NULL || row->type == CONFIG_TEXT);
    CHECK(row->choices == NULL || row->type == CONFIG_TEXT);
    CHECK(!row->secret || row->type == CONFIG_TEXT);
    for (size_t i = 0; i < config->count && row->flag != NULL; i++) {
        const char *other = config->values[i].row->flag;
        CHECK(other == NULL || strcmp(other, row->flag) != 0);
    }
}

void config_add(struct config *config, const char *title, const struct config_row rows[]) {
    for (const struct config_row *row = rows; row->name != NULL; row++) {
        check_row(config, row);
        struct config_value *value = &config->values[config->count++];
        *value = (struct config_value){
            .row = row, .title = title, .env = env_name(config->arena, row->name)};
        struct err err = {0};
        bool default_fits = config_store(config, value, CONFIG_RANK_DEFAULT, "default",
                                         str_from(row->fallback), &err);
        CHECK(default_fits);
    }
}

struct config_value *config_find(const struct config *config, struct str name) {
    for (size_t i = 0; i < config->count; i++) {
        if (str_eq_c(name, config->values[i].row->name)) {
            return &config->values[i];
        }
    }
    return NULL;
}

static bool parse_bool(struct str text, int64_t *ret_value, struct err *err) {
    static const struct {
        const char *text;
        int64_t value;
    } spellings[] = {{"true", 1}, {"false", 0}, {"yes", 1}, {"no", 0},
                     {"on", 1},   {"off", 0},   {"1", 1},   {"0", 0}};
    for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
        if (str_eq_nocase(text, str_from(spellings[i].text))) {
            *ret_value = spellings[i].value;
            return true;
        }
    }
    struct str shown = str_utf8_prefix(text, 40);
    return err_set(err, ERR_INVALID, "bad_config", "\"" STR_FMT "\" is not true or false",
                   STR_ARG(shown));
}

/* One line, so that every value can be printed and read back. */
static bool check_text(const struct config_row *row, struct str text, struct err *err) {
    if (!str_is_utf8(text)) {
        return err_set(err, ERR_INVALID, "bad_config", "the value is not UTF-8");
    }
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f) {
            return err_set(err, ERR_INVALID, "bad_config",
                           "the value must be one line without control characters");
        }
    }
    if (row->choices == NULL) {
        return true;
    }
    struct str rest = str_from(row->choices);
    struct str choice = STR("");
    while (str_next_word(&rest, &choice)) {
        if (str_eq(choice, text)) {
            return true;
        }
    }
    struct str shown = str_utf8_prefix(text, 40);
    return err_set(err, ERR_INVALID, "bad_config", "\"" STR_FMT "\" is none of: %s", STR_ARG(shown),
                   row->choices);
}

static int64_t row_max(const struct config_row *row) {
    return row->min == 0 && row->max == 0 ? INT64_MAX : row->max;
}

static bool check_range(const struct config_row *row, int64_t number, struct err *err) {
    if (number >= row->min && number <= row_max(row)) {
        return true;
    }
    own_buf range;
    buf_init(&range, 128);
    void (*append)(struct buf *, int64_t) =
        row->type == CONFIG_DURATION ? duration_append : size_append;
    append(&range, row->min);
    buf_append_c(&range, " to ");
    append(&range, row_max(row));
    return err_set(err, ERR_INVALID, "bad_config", "the value must be from %s", buf_c(&range));
}

static bool check_host(struct str host, bool bracketed) {
    for (size_t i = 0; i < host.len; i++) {
        char c = host.ptr[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool sign = c == '.' || (bracketed ? c == ':' || c == '%' : c == '-' || c == '_');
        if (!plain && !sign) {
            return false;
        }
    }
    return true;
}

bool address_parse(struct str text, struct config_address *ret_address, struct err *err) {
    struct str host = STR("");
    struct str port = STR("");
    bool has_port = str_cut_last(text, ':', &host, &port);
    bool bracketed = str_starts(host, STR("[")) && str_ends(host, STR("]"));
    if (bracketed) {
        host = str_sub(host, 1, host.len - 2);
    }
    struct config_address address = {0};
    int64_t number = 0;
    struct err ignored = {0};
    bool fine = has_port && str_to_i64(port, 0, PORT_MAX, &number, &ignored) &&
                check_host(host, bracketed) && (!bracketed || host.len > 0) &&
                str_to_c(host.len == 0 ? STR("0.0.0.0") : host, address.host, sizeof(address.host),
                         &ignored);
    if (!fine) {
        struct str shown = str_utf8_prefix(text, 60);
        return err_set(err, ERR_INVALID, "bad_address",
                       "\"" STR_FMT "\" is not an address such as 127.0.0.1:8080, [::1]:8080 or "
                       ":8080",
                       STR_ARG(shown));
    }
    address.port = (int)number;
    *ret_address = address;
    return true;
}

/* Reads `text` as the row's type says into *parsed's number and address. */
static bool parse_value(const struct config_row *row, struct str text, struct config_value *parsed,
                        struct err *err) {
    switch (row->type) {
    case CONFIG_TEXT: return check_text(row, text, err);
    case CONFIG_INT: return str_to_i64(text, row->min, row_max(row), &parsed->number, err);
    case CONFIG_BOOL: return parse_bool(text, &parsed->number, err);
    case CONFIG_ADDRESS: return address_parse(text, &parsed->address, err);
    case CONFIG_DURATION:
        return duration_parse(text, &parsed->number, err) && check_range(row, parsed->number, err);
    case CONFIG_SIZE:
        return size_parse(text, &parsed->number, err) && check_range(row, parsed->number, err);
    }
    CHECK(false);
}

bool config_store(struct config *config, struct config_value *value, enum config_rank rank,
                  const char *source, struct str text, struct err *err) {
    struct config_value parsed = *value;
    if (!parse_value(value->row, text, &parsed, err)) {
        char why[sizeof(err->text)];
        snprintf(why, sizeof(why), "%s", err->text);
        return err_set(err, ERR_INVALID, "bad_config", "%s: %s: %s", source, value->row->name, why);
    }
    if (rank < value->rank) {
        return true; /* checked all the same: a mistake in the file shows before the flag goes */
    }
    parsed.rank = rank;
    parsed.source = arena_cstr(config->arena, str_from(source));
    parsed.text = calloc(1, text.len + 1);
    CHECK(parsed.text != NULL);
    if (text.len > 0) {
        memcpy(parsed.text, text.ptr, text.len);
    }
    drop_text(value); /* only now: `text` may be the old value itself */
    *value = parsed;
    return true;
}

static const struct config_value *value_of(const struct config *config, const char *name) {
    const struct config_value *value = config_find(config, str_from(name));
    CHECK(value != NULL);
    return value;
}

const char *config_text(const struct config *config, const char *name) {
    return value_of(config, name)->text;
}

int64_t config_i64(const struct config *config, const char *name) {
    const struct config_value *value = value_of(config, name);
    CHECK(value->row->type == CONFIG_INT || value->row->type == CONFIG_DURATION ||
          value->row->type == CONFIG_SIZE);
    return value->number;
}

bool config_bool(const struct config *config, const char *name) {
    const struct config_value *value = value_of(config, name);
    CHECK(value->row->type == CONFIG_BOOL);
    return value->number != 0;
}

const struct config_address *config_address(const struct config *config, const char *name) {
    const struct config_value *value = value_of(config, name);
    CHECK(value->row->type == CONFIG_ADDRESS);
    return &value->address;
}

bool config_is_set(const struct config *config, const char *name) {
    return value_of(config, name)->rank != CONFIG_RANK_DEFAULT;
}

const char *config_source(const struct config *config, const char *name) {
    return value_of(config, name)->source;
}
