/* A chain of zeroed chunks. A chunk is calloc'ed, so what the arena hands out needs no clearing;
 * big requests get a chunk of their own behind the current one, so its rest is not wasted. */
#include "base/arena.h"

#include "base/check.h"
#include "base/ck.h"
#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES_FIRST ((size_t)4096)
#define CHUNK_BYTES_MAX ((size_t)256 * 1024)

struct chunk {
    struct chunk *next;
    size_t used;
    size_t bytes;
    alignas(max_align_t) unsigned char data[];
};

struct arena {
    struct chunk *current; /* the head of the chain, the one that small requests come from */
    size_t used;
    size_t bytes_max;
    size_t chunk_bytes_next;
};

struct arena *arena_create(size_t bytes_max) {
    CHECK(bytes_max > 0);
    struct arena *arena = calloc(1, sizeof(*arena));
    CHECK(arena != NULL);
    arena->bytes_max = bytes_max;
    arena->chunk_bytes_next = CHUNK_BYTES_FIRST;
    return arena;
}

void arena_free(struct arena *arena) {
    if (arena == NULL) {
        return;
    }
    struct chunk *chunk = arena->current;
    while (chunk != NULL) {
        struct chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    free(arena);
}

static struct chunk *chunk_create(size_t bytes) {
    struct chunk *chunk = calloc(1, sizeof(*chunk) + bytes);
    CHECK(chunk != NULL);
    chunk->bytes = bytes;
    return chunk;
}

/* A chunk that has room for `bytes`; small requests share one, big ones get their own. */
static struct chunk *chunk_with_room(struct arena *arena, size_t bytes) {
    struct chunk *current = arena->current;
    if (current != NULL && current->bytes - current->used >= bytes) {
        return current;
    }
    if (current != NULL && bytes >= arena->chunk_bytes_next / 2) {
        struct chunk *own_chunk = chunk_create(bytes);
        own_chunk->next = current->next;
        current->next = own_chunk;
        return own_chunk;
    }
    size_t chunk_bytes = arena->chunk_bytes_next > bytes ? arena->chunk_bytes_next : bytes;
    struct chunk *fresh = chunk_create(chunk_bytes);
    fresh->next = current;
    arena->current = fresh;
    if (arena->chunk_bytes_next < CHUNK_BYTES_MAX) {
        arena->chunk_bytes_next *= 2;
    }
    return fresh;
}

void *arena_alloc(struct arena *arena, size_t bytes) {
    size_t align = alignof(max_align_t);
    size_t rounded = 0;
    CHECK(ck_add(bytes, align - 1, &rounded));
    rounded -= rounded % align;
    if (rounded == 0) {
        rounded = align; /* never NULL, and never the same place twice */
    }
    CHECK(rounded <= arena->bytes_max - arena->used);
    struct chunk *chunk = chunk_with_room(arena, rounded);
    void *place = chunk->data + chunk->used;
    chunk->used += rounded;
    arena->used += rounded;
    return place;
}

void *arena_array(struct arena *arena, size_t count, size_t item_bytes) {
    size_t bytes = 0;
    CHECK(ck_mul(count, item_bytes, &bytes));
    return arena_alloc(arena, bytes);
}

struct str arena_str(struct arena *arena, struct str text) {
    size_t bytes = 0;
    CHECK(ck_add(text.len, (size_t)1, &bytes));
    char *copy = arena_alloc(arena, bytes);
    if (text.len > 0) {
        memcpy(copy, text.ptr, text.len);
    }
    return str_of(copy, text.len);
}

const char *arena_cstr(struct arena *arena, struct str text) {
    CHECK(!str_has_nul(text));
    return arena_str(arena, text).ptr;
}

const char *arena_printf(struct arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    CHECK(length >= 0);
    size_t bytes = (size_t)length + 1;
    char *text = arena_alloc(arena, bytes);
    vsnprintf(text, bytes, format, again);
    va_end(again);
    return text;
}

size_t arena_used(const struct arena *arena) {
    return arena->used;
}
