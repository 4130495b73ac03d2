/* The real clocks, the clock that tests move by hand, and one way to print a time. */
#include "base/clock.h"

#include "base/check.h"
#include <errno.h>
#include <stdio.h>
#include <time.h>

static int64_t read_ms(clockid_t id) {
    struct timespec now = {0};
    CHECK(clock_gettime(id, &now) == 0);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t real_utc_ms(void *context) {
    (void)context;
    return read_ms(CLOCK_REALTIME);
}

static int64_t real_mono_ms(void *context) {
    (void)context;
    return read_ms(CLOCK_MONOTONIC);
}

int64_t clock_real_mono_ns(void) {
    struct timespec now = {0};
    CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void real_sleep_ms(void *context, int64_t ms) {
    (void)context;
    if (ms <= 0) {
        return;
    }
    struct timespec left = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
    }
}

const struct clock clock_real = {
    .utc_ms = real_utc_ms, .mono_ms = real_mono_ms, .sleep_ms = real_sleep_ms};

static int64_t manual_utc_ms(void *context) {
    const struct clock_manual *manual = context;
    return manual->utc_now_ms;
}

static int64_t manual_mono_ms(void *context) {
    const struct clock_manual *manual = context;
    return manual->mono_now_ms;
}

static void manual_sleep_ms(void *context, int64_t ms) {
    clock_manual_advance(context, ms > 0 ? ms : 0);
}

void clock_manual_init(struct clock_manual *manual, int64_t utc_ms) {
    *manual = (struct clock_manual){
        .clock = {.context = manual,
                  .utc_ms = manual_utc_ms,
                  .mono_ms = manual_mono_ms,
                  .sleep_ms = manual_sleep_ms},
        .utc_now_ms = utc_ms,
    };
}

void clock_manual_advance(struct clock_manual *manual, int64_t ms) {
    CHECK(ms >= 0);
    manual->utc_now_ms += ms;
    manual->mono_now_ms += ms;
}

/* Days since 1970-01-01 to the proleptic Gregorian calendar. Years begin in March here, so that the
 * leap day is a year's last and month lengths follow one formula. */
static void civil_date(int64_t days, int64_t *ret_year, int64_t *ret_month, int64_t *ret_day) {
    int64_t shifted = days + 719468; /* since 0000-03-01 */
    int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    int64_t day_of_era = shifted - era * 146097;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month_from_march = (5 * day_of_year + 2) / 153;
    *ret_day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    *ret_month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    *ret_year = year_of_era + era * 400 + (*ret_month <= 2 ? 1 : 0);
}

void clock_rfc3339(int64_t utc_ms, char out[CLOCK_RFC3339_BYTES]) {
    /* Years 0 to 9999 are all that the format can say. */
    const int64_t first_ms = INT64_C(-62167219200000);
    const int64_t last_ms = INT64_C(253402300799999);
    utc_ms = utc_ms < first_ms ? first_ms : utc_ms;
    utc_ms = utc_ms > last_ms ? last_ms : utc_ms;
    int64_t days = (utc_ms >= 0 ? utc_ms : utc_ms - 86399999) / 86400000;
    int64_t ms = utc_ms - days * 86400000;
    int64_t year = 0;
    int64_t month = 0;
    int64_t day = 0;
    civil_date(days, &year, &month, &day);
    char text[64];
    snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", (int)year, (int)month,
             (int)day, (int)(ms / 3600000), (int)(ms / 60000 % 60), (int)(ms / 1000 % 60),
             (int)(ms % 1000));
    for (int i = 0; i < CLOCK_RFC3339_BYTES; i++) {
        out[i] = text[i];
    }
}

/* The inverse of civil_date. */
static int64_t days_of(int64_t year, int64_t month, int64_t day) {
    int64_t shifted_year = month <= 2 ? year - 1 : year;
    int64_t era = (shifted_year >= 0 ? shifted_year : shifted_year - 399) / 400;
    int64_t year_of_era = shifted_year - era * 400;
    int64_t month_from_march = month > 2 ? month - 3 : month + 9;
    int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
           719468;
}

/* `at` digits of `text`, -1 unless they are there. */
static int64_t digits_at(struct str text, size_t at, size_t count) {
    int64_t value = 0;
    for (size_t i = at; i < at + count; i++) {
        if (i >= text.len || text.ptr[i] < '0' || text.ptr[i] > '9') {
            return -1;
        }
        value = value * 10 + (text.ptr[i] - '0');
    }
    return value;
}

/* ".042" as 42; -1 when it is no fraction of seconds. */
static int64_t fraction_ms(struct str fraction) {
    if (fraction.len == 0) {
        return 0;
    }
    if (fraction.ptr[0] != '.' || fraction.len < 2 || fraction.len > 10 ||
        digits_at(fraction, 1, fraction.len - 1) < 0) {
        return -1;
    }
    int64_t ms = 0;
    for (size_t i = 1; i <= 3; i++) {
        ms = ms * 10 + (i < fraction.len ? fraction.ptr[i] - '0' : 0);
    }
    return ms;
}

bool clock_parse_rfc3339(struct str text, int64_t *ret_utc_ms) {
    static const char marks[] = "....-..-..T..:..:..";
    if (text.len < sizeof(marks) || text.ptr[text.len - 1] != 'Z') {
        return false;
    }
    for (size_t i = 0; i + 1 < sizeof(marks); i++) {
        if (marks[i] != '.' && text.ptr[i] != marks[i]) {
            return false;
        }
    }
    int64_t year = digits_at(text, 0, 4);
    int64_t month = digits_at(text, 5, 2);
    int64_t day = digits_at(text, 8, 2);
    int64_t hour = digits_at(text, 11, 2);
    int64_t minute = digits_at(text, 14, 2);
    int64_t second = digits_at(text, 17, 2);
    int64_t ms = fraction_ms(str_sub(text, sizeof(marks) - 1, text.len - sizeof(marks)));
    if (year < 0 || month < 1 || month > 12 || day < 1 || hour < 0 || hour > 23 || minute < 0 ||
        minute > 59 || second < 0 || second > 59 || ms < 0) {
        return false;
    }
    int64_t days = days_of(year, month, day);
    int64_t year_back = 0;
    int64_t month_back = 0;
    int64_t day_back = 0;
    civil_date(days, &year_back, &month_back, &day_back);
    if (day_back != day || month_back != month) {
        return false; /* 30 February */
    }
    *ret_utc_ms = ((days * 24 + hour) * 60 + minute) * 60000 + second * 1000 + ms;
    return true;
}
