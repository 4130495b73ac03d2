#ifndef PACKAGE_OUTCOME_H
#define PACKAGE_OUTCOME_H

#include "data/json_write.h"
#include "package/package.h"

/* What reading a package gave, as the server, the dry run and `problem check` tell it. */

/* {"format","read":[...],"guessed":[{"text","file","line"}],"dropped","warnings","refused"} */
void package_report_json(struct jw *json, const struct package_report *report);

struct package_outcome {
    struct str name;                       /* in the package; may be empty */
    const struct package_problem *problem; /* NULL: it was refused */
    const struct package_report *report;
    struct str error; /* why it was refused */
};
/* {"name","code","title","manifestId","kinds","timeLimitMs","memoryLimitKb","cases","samples",
 * "statements","submissions","error","report"} */
void package_outcome_json(struct jw *json, const struct package_outcome *outcome);

/* The manifest's id. Errors: it is too large. */
checked bool package_manifest_id(const struct package_problem *problem, char ret_hex[65],
                                 struct err *err);

/* As package_put_fn: only says the digest. */
checked bool package_put_digest(void *context, int fd, struct blob_ref *ret_blob, struct err *err);

#endif
