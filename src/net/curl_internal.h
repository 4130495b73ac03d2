#ifndef NET_CURL_INTERNAL_H
#define NET_CURL_INTERNAL_H

#include <curl/curl.h>

/* Once before anything else of libcurl; http_client.c. */
void curl_ready(void);

#endif
