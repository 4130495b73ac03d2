#include "store/stats_store.h"

#include <string.h>

bool stats_store_verdicts(struct db *db, int64_t ret_counts[VERDICT_COUNT], struct err *err) {
    own(db_stmt) stmt = NULL;
    memset(ret_counts, 0, VERDICT_COUNT * sizeof ret_counts[0]);
    if (!db_prepare(db, "SELECT verdict, count(*) FROM submission GROUP BY verdict", &stmt, err)) {
        return false;
    }
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        int64_t verdict = db_i64(stmt, 0);
        if (verdict >= 0 && verdict < VERDICT_COUNT) {
            ret_counts[verdict] = db_i64(stmt, 1);
        }
    }
    return step == DB_DONE;
}
