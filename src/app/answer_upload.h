#ifndef APP_ANSWER_UPLOAD_H
#define APP_ANSWER_UPLOAD_H

#include "app/app.h"
#include "domain/actor.h"

/* The language of submissions that are answers. */
#define ANSWERS_LANGUAGE "text"
#define ANSWERS_ZIP_BYTES_MAX MIB

/* A zip of answer files, handed in to a problem that takes answers alone, as the text that a
 * submission of it is (package/answers.h). Borrows `fd`, a plain file; -1 is an empty one. The text
 * lives in `arena`, which takes every file of it before the sum is known: 16 MiB are enough.
 *
 * Errors: ERR_MISSING "no_problem"; ERR_INVALID "bad_answers" for a problem that takes programs,
 * and with name and reason for a zip that cannot be taken; ERR_TOO_LARGE "source_too_large". */
struct answer_upload {
    struct problem_id problem;
    int fd;
};
checked bool answers_read(struct app *app, const struct actor *actor,
                          const struct answer_upload *upload, struct arena *arena,
                          struct str *ret_text, struct err *err);

#endif
