#ifndef LOCAL_SESSION_H
#define LOCAL_SESSION_H

#include "judge/judge.h"

/* What judging on this machine needs: the sandbox, the languages, the judge. */
struct session {
    struct box *box;
    struct language_set *languages;
    struct judge *judge;
};

/* Starts assize-box with the rights this process has, then gives them up: from here on nothing that
 * reads a package or a source is root.
 *
 * `languages`: folder of the language specs; "" is the one that belongs to this program.
 * Errors: ERR_SYSTEM "box_unavailable" saying what to do. */
checked bool session_open(struct session *session, const char *languages, int32_t slots,
                          struct err *err);
void session_done(struct session *session); /* accepts NULL and a zeroed one */
#define own_session __attribute__((cleanup(session_done))) struct session

/* Where the language specs are: "" means beside the installed program, in its source tree, or
 * ./languages. ERR_MISSING "no_languages". */
checked bool session_find_languages(const char *given, char *ret_path, size_t path_bytes,
                                    struct err *err);

#endif
