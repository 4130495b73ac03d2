#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/own.h"
#include "base/str.h"
#include <stddef.h>

/* One arena per request, per job, per command. Its memory is zeroed, never NULL, and freed at once.
 * The maximum is a backstop: edges bound every input, so passing it is a bug and aborts, as does
 * the machine being out of memory. Never store an arena pointer in something that outlives the
 * arena. */

struct arena;

struct arena *arena_create(size_t bytes_max);
void arena_free(struct arena *arena); /* accepts NULL */
OWN_DEFINE(arena, arena_free)

/* Zeroed memory, aligned for any type. */
void *arena_alloc(struct arena *arena, size_t bytes);
/* Zeroed room for `count` items of `item_bytes`; the product is checked. */
void *arena_array(struct arena *arena, size_t count, size_t item_bytes);
#define arena_new(arena, type) ((type *)arena_alloc((arena), sizeof(type)))

/* A copy that is followed by a NUL, so .ptr is also a C string when the text has no NUL inside. */
struct str arena_str(struct arena *arena, struct str text);
const char *arena_cstr(struct arena *arena, struct str text); /* CHECKs that no NUL is inside */
const char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

size_t arena_used(const struct arena *arena);

#endif
