/* Names of accounts. Ranges of code points, not a library's tables: what is allowed must not change
 * with an upgrade, since names are stored. */
#include "domain/username.h"

#include "base/limits.h"

/* Decodes the well formed sequence that `text` begins with; *ret_len is its length. */
static uint32_t decode(struct str text, size_t *ret_len) {
    static const uint8_t first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    size_t len = str_utf8_len(text);
    *ret_len = len;
    if (len == 0) {
        return 0;
    }
    uint32_t point = (uint8_t)text.ptr[0] & first_bits[len];
    for (size_t i = 1; i < len; i++) {
        point = point << 6 | ((uint8_t)text.ptr[i] & 0x3f);
    }
    return point;
}

static void encode(uint32_t point, struct buf *into) {
    if (point < 0x80) {
        buf_append_char(into, (char)point);
    } else if (point < 0x800) {
        buf_append_char(into, (char)(0xc0 | point >> 6));
        buf_append_char(into, (char)(0x80 | (point & 0x3f)));
    } else if (point < 0x10000) {
        buf_append_char(into, (char)(0xe0 | point >> 12));
        buf_append_char(into, (char)(0x80 | (point >> 6 & 0x3f)));
        buf_append_char(into, (char)(0x80 | (point & 0x3f)));
    } else {
        buf_append_char(into, (char)(0xf0 | point >> 18));
        buf_append_char(into, (char)(0x80 | (point >> 12 & 0x3f)));
        buf_append_char(into, (char)(0x80 | (point >> 6 & 0x3f)));
        buf_append_char(into, (char)(0x80 | (point & 0x3f)));
    }
}

struct range {
    uint32_t first, last;
};

/* What is no letter or digit, or cannot be seen, or looks like nothing. */
static const struct range refused[] =
    {
        {0x0000, 0x002c},    {0x002f, 0x002f},
        {0x003a, 0x0040},    {0x005b, 0x005e},
        {0x0060, 0x0060},    {0x007b, 0x00a9},
        {0x00ab, 0x00b4},    {0x00b6, 0x00b9},
        {0x00bb, 0x00bf},    {0x00d7, 0x00d7},
        {0x00f7, 0x00f7},    {0x0300, 0x036f}, /* combining */
        {0x034f, 0x034f},    {0x061c, 0x061c},
        {0x115f, 0x1160},    {0x1680, 0x1680},
        {0x17b4, 0x17b5},    {0x180b, 0x180f},
        {0x1ab0, 0x1aff},    {0x1dc0, 0x1dff},
        {0x2000, 0x2bff}, /* spaces, punctuation, arrows, signs */
        {0x2e00, 0x2fff},    {0x3000, 0x3004},
        {0x3008, 0x3020},    {0x302a, 0x3030},
        {0x3164, 0x3164},    {0xd800, 0xf8ff}, /* surrogates, private use */
        {0xfe00, 0xfe6f},    {0xfeff, 0xff0f},
        {0xff1a, 0xff20},    {0xff3b, 0xff40},
        {0xff5b, 0xff65},    {0xffa0, 0xffa0},
        {0xffe0, 0xffff},    {0x1d000, 0x1f9ff}, /* music, emoji */
        {0xe0000, 0x10ffff},
};

static bool is_refused(uint32_t point) {
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        if (point >= refused[i].first && point <= refused[i].last) {
            return true;
        }
    }
    return false;
}

static bool refuse(struct err *err, const char *why) {
    return err_set(err, ERR_INVALID, "bad_field", "field `username` %s", why);
}

bool username_check(struct str username, struct err *err) {
    if (username.len == 0) {
        return refuse(err, "must not be empty");
    }
    if (username.len > USERNAME_BYTES_MAX) {
        return err_set(err, ERR_INVALID, "bad_field", "field `username` is longer than %d bytes",
                       USERNAME_BYTES_MAX);
    }
    if (username.ptr[0] == '.' || username.ptr[0] == '-' || username.ptr[0] == '_') {
        return refuse(err, "must begin with a letter or a digit");
    }
    for (size_t at = 0; at < username.len;) {
        size_t len = 0;
        uint32_t point = decode(str_sub(username, at, 4), &len);
        if (len == 0) {
            return refuse(err, "is not UTF-8");
        }
        if (is_refused(point)) {
            return refuse(err, "may have letters, digits, '.', '_' and '-' only");
        }
        at += len;
    }
    return true;
}

/* Capital letters whose small ones stand at a fixed distance. */
static const struct shift {
    uint32_t first, last, by;
} shifts[] = {
    {'A', 'Z', 32},       {0x00c0, 0x00d6, 32}, {0x00d8, 0x00de, 32}, {0x0391, 0x03a1, 32},
    {0x03a3, 0x03ab, 32}, {0x0388, 0x038a, 37}, {0x0410, 0x042f, 32}, {0x0400, 0x040f, 80},
    {0x0531, 0x0556, 48}, {0xff21, 0xff3a, 32},
};

/* Blocks where capital and small letters alternate. `even`: capitals are even. */
static const struct pairs {
    uint32_t first, last;
    bool even;
} alternating[] = {
    {0x0100, 0x0137, true},  {0x0139, 0x0148, false}, {0x014a, 0x0177, true},
    {0x0179, 0x017e, false}, {0x01cd, 0x01dc, false}, {0x01de, 0x01ef, true},
    {0x01f8, 0x021f, true},  {0x0222, 0x0233, true},  {0x0460, 0x0481, true},
    {0x048a, 0x04bf, true},  {0x04d0, 0x052f, true},  {0x1e00, 0x1e95, true},
    {0x1ea0, 0x1eff, true},
};

static uint32_t small(uint32_t point) {
    for (size_t i = 0; i < sizeof(shifts) / sizeof(shifts[0]); i++) {
        if (point >= shifts[i].first && point <= shifts[i].last) {
            return point + shifts[i].by;
        }
    }
    for (size_t i = 0; i < sizeof(alternating) / sizeof(alternating[0]); i++) {
        const struct pairs *block = &alternating[i];
        if (point >= block->first && point <= block->last) {
            return point + ((point % 2 == 0) == block->even ? 1 : 0);
        }
    }
    return point == 0x03c2 ? 0x03c3 : point; /* the Greek final sigma */
}

void text_fold(struct str text, struct buf *into) {
    for (size_t at = 0; at < text.len;) {
        size_t len = 0;
        uint32_t point = decode(str_sub(text, at, 4), &len);
        if (len == 0) {
            buf_append_char(into, text.ptr[at]);
            at++;
            continue;
        }
        encode(small(point), into);
        at += len;
    }
}
