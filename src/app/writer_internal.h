#ifndef APP_WRITER_INTERNAL_H
#define APP_WRITER_INTERNAL_H

#include "app/writer.h"
#include "base/clock.h"
#include "store/id_block.h"

/* The batcher as an object: writer_start gives it a thread a runner, or somebody steps it. */

#define WRITER_ITEMS_MAX 8192
#define WRITER_KINDS_MAX 64

#define WRITER_RUNNERS_MAX 4

/* What one thread needs; its own alone from now on. */
struct writer_runner {
    struct db *db;
};

struct writer_options {
    struct app *app;                     /* handed to the kinds; the writer never looks inside */
    struct id_blocks *ids;               /* borrowed; filled before each batch */
    const struct writer_runner *runners; /* copied; who steps a writer is the first */
    int runner_count;
    const struct clock *clock;
};

struct writer *writer_create(const struct writer_options *options);
void writer_free(struct writer *writer); /* CHECKs that nothing is queued; accepts NULL */
OWN_DEFINE(writer, writer_free)

void writer_start(struct writer *writer);
/* Refuses new items from now on. */
void writer_close(struct writer *writer);
/* Runs what is queued and ends the thread, if there is one. After writer_close. */
void writer_finish(struct writer *writer);

/* Runs one batch; false when nothing was queued. Only without a thread. */
bool writer_step(struct writer *writer);
void writer_queue(struct writer *writer, struct write_item *item);
/* Queues, and waits or steps until it is done. */
checked bool writer_wait(struct writer *writer, struct write_item *item, struct err *err);
/* True in a thread of the writer, where waiting for it would never end. */
bool writer_is_here(const struct writer *writer);
/* Which runner's thread this is; 0, too, when it is none of them. */
int writer_runner_here(const struct writer *writer);

#endif
