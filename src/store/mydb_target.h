#ifndef STORE_MYDB_TARGET_H
#define STORE_MYDB_TARGET_H

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"

#include <stdint.h>

/* Where a MySQL or MariaDB database is, from one address:
 *
 *     mysql://USER@HOST[:PORT]/DATABASE[?OPTION=VALUE[&...]]
 *
 *     socket=/path          instead of host and port
 *     tls=off|on|verify     on encrypts; verify (the default unless host is this machine) also
 *                           checks the certificate and the host's name
 *     ca=/path              certificate authorities instead of the system's
 *     password_file=/path   its first line is the password
 *
 * Names may be percent-encoded. A password in the address is refused: addresses are seen in process
 * lists and logs. */

enum mydb_tls { MYDB_TLS_NOT_SAID, MYDB_TLS_OFF, MYDB_TLS_ON, MYDB_TLS_VERIFY };

#define MYDB_TEXT_BYTES 256

struct mydb_target {
    char host[MYDB_TEXT_BYTES];
    char user[MYDB_TEXT_BYTES];
    char database[MYDB_TEXT_BYTES];
    char socket[MYDB_TEXT_BYTES]; /* empty: host and port */
    char ca_file[MYDB_TEXT_BYTES];
    char password_file[MYDB_TEXT_BYTES];
    char password[MYDB_TEXT_BYTES]; /* never printed */
    uint16_t port;
    enum mydb_tls tls;
};

/* Does the text say MySQL at all, rather than a file? */
bool mydb_target_is(struct str address);
/* Errors: ERR_INVALID "bad_database_address" that says which part. Reads no file. */
checked bool mydb_target_parse(struct str address, struct mydb_target *ret_target, struct err *err);
/* The password: the file's first line, else `fallback` (of the environment; NULL: none).
 * Errors: ERR_INVALID "bad_password_file" with its path. */
checked bool mydb_target_read_password(struct mydb_target *target, const char *fallback,
                                       struct err *err);

#endif
