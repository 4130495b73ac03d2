#include "store/mydb_target.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/limits.h"

#include <stdio.h>
#include <string.h>

#define SCHEME "mysql://"
#define PORT_DEFAULT 3306

bool mydb_target_is(struct str address) {
    return str_starts(address, STR(SCHEME));
}

static bool refuse(const char *what, struct err *err) {
    return err_set(err, ERR_INVALID, "bad_database_address",
                   "the database's address %s: write mysql://USER@HOST[:PORT]/DATABASE[?OPTIONS]",
                   what);
}

/* Undoes %xx into a C string. */
static bool take_text(struct str text, char out[MYDB_TEXT_BYTES], const char *what,
                      struct err *err) {
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = (uint8_t)text.ptr[i];
        if (text.ptr[i] == '%') {
            if (!hex_decode(str_sub(text, i + 1, 2), &byte, 1)) {
                return refuse("has a % without two hex digits", err);
            }
            i += 2;
        }
        if (byte < 0x20 || byte == 0x7f || len + 1 >= MYDB_TEXT_BYTES) {
            return err_set(err, ERR_INVALID, "bad_database_address",
                           "the %s in the database's address is too long or no plain text", what);
        }
        out[len++] = (char)byte;
    }
    out[len] = '\0';
    return true;
}

static bool take_port(struct str text, uint16_t *ret_port, struct err *err) {
    int64_t port = 0;
    struct err ignored = {0};
    if (!str_to_i64(text, 1, 65535, &port, &ignored)) {
        return refuse("has a port that is no number from 1 to 65535", err);
    }
    *ret_port = (uint16_t)port;
    return true;
}

/* "[::1]:3306", "db.example:3306", "db.example" */
static bool take_host(struct str place, struct mydb_target *target, struct err *err) {
    struct str host = place;
    struct str port = {0};
    struct str rest = {0};
    if (str_starts(place, STR("["))) {
        if (!str_cut(str_sub(place, 1, place.len), ']', &host, &rest) ||
            (rest.len > 0 && rest.ptr[0] != ':')) {
            return refuse("has a [ without its ]", err);
        }
        port = str_sub(rest, 1, rest.len);
    } else {
        (void)str_cut(place, ':', &host, &port);
    }
    target->port = PORT_DEFAULT;
    if (port.len > 0 && !take_port(port, &target->port, err)) {
        return false;
    }
    return take_text(host, target->host, "host", err);
}

static bool take_tls(struct str value, struct mydb_target *target, struct err *err) {
    static const char *const names[] = {
        [MYDB_TLS_OFF] = "off", [MYDB_TLS_ON] = "on", [MYDB_TLS_VERIFY] = "verify"};
    for (int i = MYDB_TLS_OFF; i <= MYDB_TLS_VERIFY; i++) {
        if (str_eq_c(value, names[i])) {
            target->tls = (enum mydb_tls)i;
            return true;
        }
    }
    return refuse("has a tls that is not off, on or verify", err);
}

static bool take_option(struct str option, struct mydb_target *target, struct err *err) {
    struct str name = {0};
    struct str value = {0};
    (void)str_cut(option, '=', &name, &value);
    if (str_eq_c(name, "tls")) {
        return take_tls(value, target, err);
    }
    const struct {
        const char *name;
        char *out;
    } texts[] = {{"socket", target->socket},
                 {"ca", target->ca_file},
                 {"password_file", target->password_file}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (str_eq_c(name, texts[i].name)) {
            return take_text(value, texts[i].out, texts[i].name, err);
        }
    }
    return err_set(err, ERR_INVALID, "bad_database_address",
                   "the database's address has the option \"" STR_FMT
                   "\": there are socket, tls, ca and password_file",
                   STR_ARG(str_sub(name, 0, 40)));
}

static bool take_options(struct str options, struct mydb_target *target, struct err *err) {
    while (options.len > 0) {
        struct str option = {0};
        (void)str_cut(options, '&', &option, &options);
        if (!take_option(option, target, err)) {
            return false;
        }
    }
    return true;
}

static bool take_user(struct str user, struct mydb_target *target, struct err *err) {
    if (memchr(user.ptr, ':', user.len) != NULL) {
        return err_set(err, ERR_INVALID, "bad_database_address",
                       "the database's address holds a password, which process lists would show: "
                       "put it into a file and say password_file=/path, or set "
                       "ASSIZE_DATABASE_PASSWORD");
    }
    return take_text(user, target->user, "user", err);
}

static bool is_this_machine(const struct mydb_target *target) {
    return target->socket[0] != '\0' || strcmp(target->host, "localhost") == 0 ||
           strcmp(target->host, "127.0.0.1") == 0 || strcmp(target->host, "::1") == 0;
}

bool mydb_target_parse(struct str address, struct mydb_target *ret_target, struct err *err) {
    struct mydb_target target = {0};
    struct str rest = address;
    struct str options = {0};
    struct str place = {0};
    struct str user = {0};
    struct str database = {0};
    if (!mydb_target_is(address)) {
        return refuse("does not begin with " SCHEME, err);
    }
    rest = str_sub(address, strlen(SCHEME), address.len);
    (void)str_cut(rest, '?', &rest, &options);
    if (!str_cut(rest, '/', &place, &database) || database.len == 0) {
        return refuse("names no database", err);
    }
    if (!str_cut_last(place, '@', &user, &place) || user.len == 0) {
        return refuse("names no user", err);
    }
    if (!take_user(user, &target, err) || !take_host(place, &target, err) ||
        !take_text(database, target.database, "database", err)) {
        return false;
    }
    if (!take_options(options, &target, err)) {
        return false;
    }
    if (target.host[0] == '\0' && target.socket[0] == '\0') {
        return refuse("names no host", err);
    }
    if (target.tls == MYDB_TLS_NOT_SAID) {
        target.tls = is_this_machine(&target) ? MYDB_TLS_OFF : MYDB_TLS_VERIFY;
    }
    *ret_target = target;
    return true;
}

static bool take_password(struct str text, struct mydb_target *target) {
    bool fits = text.len < sizeof target->password && !str_has_nul(text);
    if (fits) {
        memcpy(target->password, text.ptr, text.len);
        target->password[text.len] = '\0';
    }
    return fits;
}

bool mydb_target_read_password(struct mydb_target *target, const char *fallback, struct err *err) {
    if (target->password_file[0] == '\0') {
        return fallback == NULL || fallback[0] == '\0' ||
               take_password(str_from(fallback), target) ||
               err_set(err, ERR_INVALID, "bad_password", "the database's password is too long");
    }
    own_buf text = {0};
    buf_init(&text, 4 * KIB);
    if (!file_load(target->password_file, 4 * KIB, &text, err)) {
        err->kind = ERR_INVALID;
        err->code = "bad_password_file";
        return err_wrap(err, "read the database's password");
    }
    struct str rest = buf_str(&text);
    struct str line = {0};
    if (!str_next_line(&rest, &line) || line.len == 0 || !take_password(line, target)) {
        return err_set(err, ERR_INVALID, "bad_password_file", "the first line of %s is no password",
                       target->password_file);
    }
    return true;
}
