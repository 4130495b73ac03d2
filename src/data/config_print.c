/* How settings are shown: --help, and the listing of what is in force. */
#include "data/config.h"
#include "data/config_internal.h"
#include <string.h>

#define HELP_COLUMN 30

static void append_placeholder(struct buf *out, const struct config_row *row) {
    static const char *const names[] = {
        [CONFIG_TEXT] = "TEXT",         [CONFIG_INT] = "N",     [CONFIG_BOOL] = "",
        [CONFIG_DURATION] = "DURATION", [CONFIG_SIZE] = "SIZE", [CONFIG_ADDRESS] = "HOST:PORT",
    };
    if (row->choices == NULL) {
        buf_append_c(out, names[row->type]);
        return;
    }
    struct str rest = str_from(row->choices);
    struct str choice = STR("");
    const char *between = "";
    while (str_next_word(&rest, &choice)) {
        buf_append_c(out, between);
        buf_append(out, choice);
        between = "|";
    }
}

static void append_flag_help(struct buf *out, const struct config_value *value) {
    const struct config_row *row = value->row;
    size_t start = out->len;
    buf_printf(out, "  --%s%s", row->flag, row->type == CONFIG_BOOL ? "" : " ");
    append_placeholder(out, row);
    size_t used = out->len - start;
    if (used + 1 > HELP_COLUMN) {
        buf_append_char(out, '\n');
        used = 0;
    }
    buf_printf(out, "%*s%s", (int)(HELP_COLUMN - used), "", row->help);
    bool default_says_something = row->fallback != NULL && row->fallback[0] != '\0' &&
                                  (row->type != CONFIG_BOOL || strcmp(row->fallback, "true") == 0);
    if (default_says_something && !row->secret) {
        buf_printf(out, " (default %s)", row->fallback);
    }
    buf_printf(out, " [%s]\n", value->env);
}

void config_help(const struct config *config, struct buf *out) {
    const char *title = NULL;
    for (size_t i = 0; i < config->count; i++) {
        const struct config_value *value = &config->values[i];
        if (value->row->flag == NULL) {
            continue;
        }
        if (title == NULL || strcmp(title, value->title) != 0) {
            buf_printf(out, "%s%s:\n", title == NULL ? "" : "\n", value->title);
            title = value->title;
        }
        append_flag_help(out, value);
    }
}

/* Plain where that reads back as it is, else in quotes. */
static void append_value(struct buf *out, const char *text) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "._-/:@,+[]%";
    if (*text != '\0' && strspn(text, plain) == strlen(text)) {
        buf_append_c(out, text);
        return;
    }
    buf_append_char(out, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            buf_append_char(out, '\\');
        }
        buf_append_char(out, *text);
    }
    buf_append_char(out, '"');
}

/* A source holds a file's name, and that may hold anything but NUL. */
static void append_comment(struct buf *out, const char *text) {
    buf_append_c(out, "  # ");
    for (; *text != '\0'; text++) {
        buf_append_char(out, (unsigned char)*text < 0x20 ? '?' : *text);
    }
    buf_append_char(out, '\n');
}

void config_print(const struct config *config, struct buf *out) {
    for (size_t i = 0; i < config->count; i++) {
        const struct config_value *value = &config->values[i];
        bool masked = value->row->secret && value->text[0] != '\0';
        /* A masked line is a comment: read back, it must not set the secret to stars. */
        buf_printf(out, "%s%s = ", masked ? "# " : "", value->row->name);
        append_value(out, masked ? "********" : value->text);
        append_comment(out, value->source);
    }
}
