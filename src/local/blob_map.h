#ifndef LOCAL_BLOB_MAP_H
#define LOCAL_BLOB_MAP_H

#include "base/own.h"
#include "domain/manifest.h"

/* The files of one package by their digest, in one anonymous file: nothing is left behind. May be
 * read by several threads once everything is in. */

struct blob_map;

checked bool blob_map_create(struct blob_map **ret_map, struct err *err);
void blob_map_free(struct blob_map *map); /* accepts NULL */
OWN_DEFINE(blob_map, blob_map_free)

/* As package_put_fn, with the map as its context: the same content is kept once. */
checked bool blob_map_put(void *map, int fd, struct blob_ref *ret_blob, struct err *err);
/* As judge_open_blob_fn. ERR_SYSTEM with FAULT_PROBLEM when there is no such file. */
checked bool blob_map_open(void *map, const struct blob_ref *blob, int *ret_fd, struct err *err);

#endif
