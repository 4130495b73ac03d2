#include "app/news_internal.h"
#include "app/runners_internal.h"
#include "base/check.h"

#include <stdlib.h>

static bool open_more(struct app *app, const struct db_options *options,
                      struct writer_runner *runners, int *count, struct err *err) {
    app->more = calloc(RUNNERS_MORE, sizeof app->more[0]);
    CHECK(app->more != NULL);
    for (int i = 0; i < RUNNERS_MORE; i++) {
        struct runner *runner = &app->more[i];
        if (!db_open(options, &runner->db, err)) {
            return false;
        }
        runner->news = news_create();
        runners[(*count)++] = (struct writer_runner){.db = runner->db};
    }
    return true;
}

bool runners_open(struct app *app, const struct db_options *options, struct err *err) {
    struct writer_runner runners[1 + RUNNERS_MORE] = {{.db = app->db}};
    int count = 1;
    app->news = news_create();
    if (app->threads && options->mysql != NULL && !open_more(app, options, runners, &count, err)) {
        return false;
    }
    app->ids = id_blocks_create(count);
    app->writer = writer_create(&(struct writer_options){.app = app,
                                                         .ids = app->ids,
                                                         .runners = runners,
                                                         .runner_count = count,
                                                         .clock = app->clock});
    if (app->threads) {
        writer_start(app->writer);
    }
    return true;
}

void runners_stop(struct app *app) {
    if (app->writer == NULL) {
        return;
    }
    writer_close(app->writer);
    writer_finish(app->writer);
    id_blocks_return(app->ids, app->db);
}

void runners_free(struct app *app) {
    writer_free(app->writer);
    news_free(app->news);
    id_blocks_free(app->ids);
    for (int i = 0; app->more != NULL && i < RUNNERS_MORE; i++) {
        db_close(app->more[i].db);
        news_free(app->more[i].news);
    }
    free(app->more);
}

/* NULL: the first one, or nobody. */
static struct runner *here(struct app *app) {
    int runner = app->more != NULL ? writer_runner_here(app->writer) : 0;
    return runner > 0 ? &app->more[runner - 1] : NULL;
}

int64_t runner_take_id(struct app *app, enum id_sequence sequence) {
    return id_take(app->ids, sequence);
}

struct news *runner_news(struct app *app) {
    struct runner *runner = here(app);
    return runner != NULL ? runner->news : app->news;
}

struct db *runner_db(struct app *app) {
    struct runner *runner = here(app);
    return runner != NULL ? runner->db : app->db;
}
