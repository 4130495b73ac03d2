/* Answers in a zip. */
#include "app/answer_upload.h"
#include "app/problem.h"
#include "package/answers.h"

/* Whatever the reader of packages calls it: to who hands in it is about his answers. */
static bool explain(struct err *err) {
    if (err->kind == ERR_INVALID) {
        err->code = "bad_answers";
    } else if (err->kind == ERR_TOO_LARGE) {
        err->code = "source_too_large";
    }
    return false;
}

bool answers_read(struct app *app, const struct actor *actor, const struct answer_upload *upload,
                  struct arena *arena, struct str *ret_text, struct err *err) {
    struct problem_view problem = {0};
    if (!problem_get(app, actor, upload->problem, arena, &problem, err)) {
        return false;
    }
    if (!str_eq_c(problem.languages, ANSWERS_LANGUAGE)) {
        return err_set(err, ERR_INVALID, "bad_answers",
                       "this problem takes a program, not a zip of answers");
    }
    if (upload->fd < 0) {
        return err_set(err, ERR_INVALID, "bad_answers", "the zip is empty");
    }
    return package_answers_read(upload->fd, arena, ret_text, err) || explain(err);
}
