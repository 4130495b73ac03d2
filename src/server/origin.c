/* Where a request came from, as far as headers can be believed. */
#include "server/server_internal.h"

bool origin_is_own(struct str origin, struct str fetch_site, struct str host) {
    if (str_eq(fetch_site, STR("cross-site"))) {
        return false;
    }
    if (origin.len == 0) {
        return true; /* not a browser, or a plain navigation, which makes no writes here */
    }
    struct str rest = origin;
    if (str_starts(rest, STR("https://"))) {
        rest = str_sub(rest, 8, rest.len);
    } else if (str_starts(rest, STR("http://"))) {
        rest = str_sub(rest, 7, rest.len);
    } else {
        return false; /* "null" and whatever else */
    }
    return str_eq_nocase(rest, host);
}

bool origin_is_trusted(const char *list, struct str address) {
    struct str rest = str_from(list);
    struct str word = {0};
    while (str_next_word(&rest, &word)) {
        if (str_eq(word, address)) {
            return true;
        }
    }
    return false;
}
