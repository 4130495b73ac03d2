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
