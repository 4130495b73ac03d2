/* Which databases are too old. */
#include "store/mydb_version.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void what_is_too_old_is_refused_in_words(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *words; /* NULL: fine */
    } rows[] = {
        {"8.0.19", NULL},
        {"8.0.36-0ubuntu0.22.04.1", NULL},
        {"8.4.0", NULL},
        {"9.1.0-log", NULL},
        {"8.0.18", "MySQL 8.0.18: MySQL 8.0.19 or later"},
        {"8.0.2-dmr", "MySQL 8.0.2-dmr"},
        {"5.7.44-log", "MySQL 5.7.44-log"},
        {"10.6.0-MariaDB", NULL},
        {"5.5.5-10.6.18-MariaDB-ubu2004", NULL},
        {"5.5.5-10.11.6-MariaDB-0+deb12u1", NULL},
        {"11.4.2-MariaDB", NULL},
        {"5.5.5-10.5.23-MariaDB", "MariaDB 10.5.23-MariaDB: MariaDB 10.6 or later"},
        {"5.5.5-10.3.39-MariaDB-log", "MariaDB 10.3.39"},
        {"5.5.68-MariaDB", "MariaDB 5.5.68"},
        {"8.0.11-TiDB-v8.5.1", NULL}, /* says nothing of MySQL's */
        {"8.0.18-Vitess", NULL},
        {"", "MySQL 8.0.19 or later"},
        {"garbage", "garbage"},
        {"99999999999999999999999", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err = {0};
        bool fine = mydb_version_check(str_from(rows[i].text), &err);

        if (fine != (rows[i].words == NULL) || (!fine && strstr(err.text, rows[i].words) == NULL)) {
            fail_msg("%s: %s", rows[i].text, fine ? "taken" : err.text);
        }
        assert_true(fine || (err.kind == ERR_INVALID && strcmp(err.code, "database_refused") == 0));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_too_old_is_refused_in_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
