#ifndef DOMAIN_BASE_URL_H
#define DOMAIN_BASE_URL_H

#include "base/err.h"
#include "base/str.h"

/* Where a node's health address is: "https://judge-3.example.org:8443". Nothing else may stand in
 * it: no user, path, query or fragment. */

#define BASE_URL_BYTES_MAX 512
#define BASE_URL_PORT_DEFAULT 443

struct base_url {
    struct str host; /* a name, or an address; of "[::1]" without the brackets */
    int port;
};

/* Texts are borrowed of `text`. ERR_INVALID "bad_field". */
checked bool base_url_parse(struct str text, struct base_url *ret_url, struct err *err);

#endif
