#include "blob/s3_list.h"
#include "base/clock.h"

#include <expat.h>
#include <string.h>

#define DEPTH_MAX 16

enum field { FIELD_NONE, FIELD_KEY, FIELD_SIZE, FIELD_TIME };

struct reading {
    s3_see_fn *see;
    void *context;
    XML_Parser parser;
    int depth;
    bool is_list;
    bool in_object;
    enum field field;
    bool stopped;
    char key[1025];
    char size[32];
    char time[64];
    size_t len; /* of the field that is being read */
};

static char *room_of(struct reading *reading, size_t *ret_bytes) {
    switch (reading->field) {
    case FIELD_KEY: *ret_bytes = sizeof reading->key; return reading->key;
    case FIELD_SIZE: *ret_bytes = sizeof reading->size; return reading->size;
    case FIELD_TIME: *ret_bytes = sizeof reading->time; return reading->time;
    case FIELD_NONE: break;
    }
    *ret_bytes = 0;
    return NULL;
}

static void XMLCALL on_start(void *context, const char *name, const char **attributes) {
    struct reading *reading = context;
    (void)attributes;
    if (reading->depth == 0) {
        reading->is_list = strcmp(name, "ListBucketResult") == 0;
    } else if (reading->depth == 1 && strcmp(name, "Contents") == 0) {
        reading->in_object = true;
        reading->key[0] = reading->size[0] = reading->time[0] = '\0';
    } else if (reading->depth == 2 && reading->in_object) {
        reading->field = strcmp(name, "Key") == 0            ? FIELD_KEY
                         : strcmp(name, "Size") == 0         ? FIELD_SIZE
                         : strcmp(name, "LastModified") == 0 ? FIELD_TIME
                                                             : FIELD_NONE;
        reading->len = 0;
    }
    if (++reading->depth > DEPTH_MAX) {
        (void)XML_StopParser(reading->parser, XML_FALSE);
    }
}

static void XMLCALL on_text(void *context, const char *text, int len) {
    struct reading *reading = context;
    size_t bytes = 0;
    char *room = room_of(reading, &bytes);
    if (room == NULL) {
        return;
    }
    if ((size_t)len >= bytes - reading->len) { /* no key of ours is as long */
        room[0] = '\0';
        reading->field = FIELD_NONE;
        return;
    }
    memcpy(room + reading->len, text, (size_t)len);
    reading->len += (size_t)len;
    room[reading->len] = '\0';
}

static void tell(struct reading *reading) {
    struct s3_object object = {0};
    struct err ignored = {0};
    if (reading->key[0] != '\0' &&
        str_to_i64(str_from(reading->size), 0, INT64_MAX, &object.bytes, &ignored) &&
        clock_parse_rfc3339(str_from(reading->time), &object.modified_ms)) {
        memcpy(object.key, reading->key, sizeof object.key);
        if (!reading->see(reading->context, &object)) {
            reading->stopped = true;
            (void)XML_StopParser(reading->parser, XML_FALSE);
        }
    }
}

static void XMLCALL on_end(void *context, const char *name) {
    struct reading *reading = context;
    (void)name;
    reading->depth--;
    reading->field = FIELD_NONE;
    if (reading->depth == 1 && reading->in_object) {
        reading->in_object = false;
        tell(reading);
    }
}

/* No entity is ever declared by a store: refused before it could grow. */
static void XMLCALL on_doctype(void *context, const char *name, const char *system,
                               const char *public, int internal) {
    struct reading *reading = context;
    (void)name;
    (void)system;
    (void)public;
    (void)internal;
    (void)XML_StopParser(reading->parser, XML_FALSE);
}

bool s3_list_read(struct str xml, s3_see_fn *see, void *context, struct err *err) {
    struct reading reading = {.see = see, .context = context};
    XML_Parser parser = XML_ParserCreate(NULL);
    if (parser == NULL) {
        return err_set(err, ERR_SYSTEM, "blob_failed", "no memory for an XML parser");
    }
    reading.parser = parser;
    XML_SetUserData(parser, &reading);
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    XML_SetStartDoctypeDeclHandler(parser, on_doctype);
    bool read = XML_Parse(parser, xml.ptr, (int)xml.len, 1) == XML_STATUS_OK || reading.stopped;
    XML_ParserFree(parser);
    return (read && reading.is_list) ||
           err_set(err, ERR_SYSTEM, "blob_failed", "the S3 store's list of objects cannot be read");
}
