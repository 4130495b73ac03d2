#include "wake/wake_text.h"
#include "base/err.h"
#include "base/limits.h"

#include <inttypes.h>

void wake_text_write(const char *sender, const struct wake_message *message, struct buf *into) {
    buf_printf(into, "assize1 %s %d %" PRId64 " %" PRId64 "\n", sender, (int)message->topic,
               message->id, message->count);
    buf_append(into, message->body);
}

static bool next_number(struct str *rest, int64_t min, int64_t max, int64_t *ret_value) {
    struct str word = {0};
    struct err ignored = {0};
    return str_next_word(rest, &word) && str_to_i64(word, min, max, ret_value, &ignored);
}

bool wake_text_read(struct str text, const char *self, struct wake_message *ret_message) {
    struct str line = {0};
    struct str body = {0};
    struct str mark = {0};
    struct str sender = {0};
    int64_t topic = 0;
    int64_t id = 0;
    int64_t count = 0;
    if (!str_cut(text, '\n', &line, &body) || !str_next_word(&line, &mark) ||
        !str_eq(mark, STR("assize1")) || !str_next_word(&line, &sender) ||
        sender.len != WAKE_SENDER_CHARS || str_eq_c(sender, self) ||
        !next_number(&line, 1, WAKE_TOPIC_COUNT - 1, &topic) ||
        !next_number(&line, 0, ID_MAX, &id) || !next_number(&line, 1, ID_MAX, &count) ||
        line.len > 0 || body.len > WAKE_BODY_BYTES_MAX) {
        return false;
    }
    *ret_message = (struct wake_message){
        .topic = (enum wake_topic)topic, .id = id, .count = count, .body = body};
    return true;
}
