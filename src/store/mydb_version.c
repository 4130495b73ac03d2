#include "store/mydb_version.h"

#include <stdint.h>
#include <string.h>

#define REPLICATION_PREFIX "5.5.5-" /* MariaDB says so for old clients */
#define PART_MAX 9999

struct version {
    int64_t parts[3];
};

static const struct version maria_min = {{10, 6, 0}};
static const struct version mysql_min = {{8, 0, 19}};

static struct version read_version(struct str text) {
    struct version version = {{0}};
    size_t at = 0;
    for (int part = 0; part < 3; part++) {
        while (at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9') {
            if (version.parts[part] <= PART_MAX) {
                version.parts[part] = 10 * version.parts[part] + (text.ptr[at] - '0');
            }
            at++;
        }
        if (at >= text.len || text.ptr[at] != '.') {
            break;
        }
        at++;
    }
    return version;
}

static bool is_before(const struct version *a, const struct version *b) {
    for (int part = 0; part < 3; part++) {
        if (a->parts[part] != b->parts[part]) {
            return a->parts[part] < b->parts[part];
        }
    }
    return false;
}

static bool names(struct str text, const char *word) {
    return text.len > 0 && memmem(text.ptr, text.len, word, strlen(word)) != NULL;
}

bool mydb_version_check(struct str text, struct err *err) {
    bool maria = names(text, "MariaDB");
    if (names(text, "TiDB") || names(text, "Vitess") || names(text, "OceanBase")) {
        return true;
    }
    struct str number = str_starts(text, STR(REPLICATION_PREFIX))
                            ? str_sub(text, strlen(REPLICATION_PREFIX), text.len)
                            : text;
    struct version version = read_version(number);
    if (!is_before(&version, maria ? &maria_min : &mysql_min)) {
        return true;
    }
    return err_set(err, ERR_INVALID, "database_refused",
                   "the database is %s " STR_FMT ": %s or later is needed (or %s)",
                   maria ? "MariaDB" : "MySQL", STR_ARG(str_sub(number, 0, 40)),
                   maria ? "MariaDB 10.6" : "MySQL 8.0.19",
                   maria ? "MySQL 8.0.19" : "MariaDB 10.6");
}
