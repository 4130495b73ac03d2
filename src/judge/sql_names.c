/* Names, and removing by them. */
#include "judge/sql_names.h"
#include "base/log.h"
#include "data/digest.h"

#include <stdio.h>
#include <string.h>

#define LEFTOVERS_MAX 10000
#define STATEMENT_BYTES 400

static void node_prefix(const char *node, char ret_prefix[16]) {
    char hex[DIGEST_HEX_BYTES];
    struct digest digest = digest_of(str_from(node));
    digest_hex(&digest, hex);
    (void)snprintf(ret_prefix, 16, "az_%.8s_", hex);
}

/* 36 digits keep the longest name within 32 characters. */
static const char *base36(int64_t value, char text[16]) {
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    int at = 15;
    uint64_t rest = (uint64_t)value;
    text[at] = '\0';
    do {
        text[--at] = digits[rest % 36];
        rest /= 36;
    } while (rest > 0);
    return text + at;
}

void sql_names_make(const char *node, int64_t job, int64_t epoch, struct sql_names *ret_names) {
    char prefix[16];
    char first[16];
    char second[16];
    node_prefix(node, prefix);
    (void)snprintf(ret_names->schema, sizeof ret_names->schema, "%s%s_%s", prefix,
                   base36(job, first), base36(epoch, second));
    (void)snprintf(ret_names->author, sizeof ret_names->author, "%.36sa", ret_names->schema);
    (void)snprintf(ret_names->student, sizeof ret_names->student, "%.36ss", ret_names->schema);
}

/* A name that the server gave, put into a statement: ours have these characters only. */
static bool is_ours(const char *name) {
    return name[0] != '\0' && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

static bool remove_each(struct sql_link *admin, const char *question, const char *format,
                        struct err *err) {
    for (int i = 0; i < LEFTOVERS_MAX; i++) {
        char name[256];
        char statement[STATEMENT_BYTES];
        if (!sql_link_ask(admin, question, name, err)) {
            return false;
        }
        if (!is_ours(name)) {
            return true;
        }
        /* The format is one of the two below. */
        (void)snprintf(statement, sizeof statement, "%s%s%s", format, name,
                       strncmp(format, "DROP USER", 9) == 0 ? "'@'%'" : "`");
        if (!sql_link_do(admin, statement, err)) {
            return false;
        }
        log_debug("sql.leftover_removed", LOG_STR("name", name));
    }
    return true;
}

bool sql_names_clean(struct sql_link *admin, const char *node, struct err *err) {
    char prefix[16];
    char question[STATEMENT_BYTES];
    node_prefix(node, prefix);
    (void)snprintf(question, sizeof question,
                   "SELECT schema_name FROM information_schema.schemata WHERE "
                   "LEFT(schema_name, %zu) = '%s' LIMIT 1",
                   strlen(prefix), prefix);
    if (!remove_each(admin, question, "DROP DATABASE IF EXISTS `", err)) {
        return false;
    }
    (void)snprintf(
        question, sizeof question,
        "SELECT user FROM mysql.user WHERE host = '%%' AND LEFT(user, %zu) = '%s' LIMIT 1",
        strlen(prefix), prefix);
    return remove_each(admin, question, "DROP USER IF EXISTS '", err);
}
