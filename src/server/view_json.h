#ifndef SERVER_VIEW_JSON_H
#define SERVER_VIEW_JSON_H

#include "app/auth.h"
#include "app/judger.h"
#include "app/problem.h"
#include "app/submission.h"
#include "data/json_write.h"

/* Views of the use cases as the JSON of docs/api/schemas. Each writes one value. */

/* The title in `language` ("zh", "en"), else in English, else the first, else empty. */
struct str view_title(const struct text_by_language *titles, int count, const char *language);

void view_user(struct jw *json, const struct user_view *user);
/* With access token where `with_token`: only the answer to signing in has it. */
void view_session(struct jw *json, const struct session_view *session, bool with_token);
/* The members shared by summary and page, inside an open object. */
void view_problem_members(struct jw *json, const struct problem_summary *problem,
                          const char *language);
void view_problem_summary(struct jw *json, const struct problem_summary *problem,
                          const char *language);
void view_problem(struct jw *json, const struct problem_view *problem, const char *language);
void view_submission_summary(struct jw *json, const struct submission_view *view,
                             const char *language);
/* With compile, cases and source. */
void view_submission(struct jw *json, const struct submission_view *view, const char *language);
/* Data of the event `state`. */
void view_submission_state(struct jw *json, const struct submission_view *view);
void view_judger(struct jw *json, const struct node_view *node);
/* Answers the call: the node, and its join code, shown this once. */
struct call;
void view_registered(struct call *call, const struct node_registered *registered, int status);
void view_import(struct jw *json, const struct problem_import_list *list, const char *language);

#endif
