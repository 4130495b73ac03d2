#ifndef DATA_CONFIG_INTERNAL_H
#define DATA_CONFIG_INTERNAL_H

#include "base/arena.h"
#include "base/limits.h"
#include "data/config.h"

/* Weakest first. */
enum config_rank { CONFIG_RANK_DEFAULT, CONFIG_RANK_FILE, CONFIG_RANK_ENV, CONFIG_RANK_FLAG };

struct config_value {
    const struct config_row *row;
    const char *title;
    const char *env; /* ASSIZE_..., made from the name */
    enum config_rank rank;
    const char *source; /* as config_source */
    int text_of_read;   /* the last config_read_text that named it: twice in one file is refused */
    char *text;         /* owned; wiped before it is freed */
    int64_t number;     /* of INT, BOOL, DURATION, SIZE */
    struct config_address address;
};

struct config {
    struct arena *arena; /* names and sources; no values */
    struct config_value *values;
    size_t count;
    int texts_read;
};

/* The value called `name`, or NULL. */
struct config_value *config_find(const struct config *config, struct str name);
/* Checks `text` by the row's type and keeps it unless a stronger place has spoken. Never shows the
 * text of a secret. */
checked bool config_store(struct config *config, struct config_value *value, enum config_rank rank,
                          const char *source, struct str text, struct err *err);

#endif
