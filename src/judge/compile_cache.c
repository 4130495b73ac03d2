/* A table of compiled programs; the one that was not used for the longest time goes first. Two
 * slots that compile the same source at once both do it: that is rare, and waiting would make the
 * quick one depend on the slow one. */
#include "judge/compile_cache.h"
#include "judge/prepare.h"

#include "base/check.h"
#include "base/file.h"
#include "data/digest.h"
#include <stdlib.h>

#define ENTRIES_MAX 256 /* each holds a descriptor or more */
#define ENTRY_ARENA_BYTES_MAX ((size_t)1 * MIB)
#define INPUT_BYTES_MAX                                                                            \
    (256LL * MIB) /* far above what a submission with its includes may have                        \
                   */

struct compile_entry {
    struct arena *arena; /* of its names and its log; NULL: the entry is free */
    struct digest key;
    struct program program;
    struct compile_result result;
    int64_t bytes;
    int64_t used_at; /* grows with each use */
};

struct compile_cache {
    struct mutex mutex; /* guards what follows */
    int64_t bytes_max;
    int64_t bytes;
    int64_t uses;
    struct compile_entry entries[ENTRIES_MAX];
};

static void free_entry(struct compile_cache *cache, struct compile_entry *entry) {
    program_done(&entry->program);
    arena_free(entry->arena);
    cache->bytes -= entry->bytes;
    *entry = (struct compile_entry){.arena = NULL};
}

struct compile_cache *compile_cache_create(int64_t bytes_max) {
    if (bytes_max == 0) {
        return NULL;
    }
    struct compile_cache *cache = calloc(1, sizeof *cache);
    CHECK(cache != NULL);
    cache->bytes_max = bytes_max;
    mutex_init(&cache->mutex);
    return cache;
}

void compile_cache_free(struct compile_cache *cache) {
    if (cache == NULL) {
        return;
    }
    for (size_t i = 0; i < ENTRIES_MAX; i++) {
        free_entry(cache, &cache->entries[i]);
    }
    CHECK(cache->bytes == 0);
    mutex_done(&cache->mutex);
    free(cache);
}

static void add_number(struct digest_stream *stream, int64_t number) {
    digest_add_field(stream, str_of(&number, sizeof number));
}

bool compile_key(const struct compile_job *job, struct str version, struct digest *ret_key,
                 struct err *err) {
    struct digest_stream stream;
    digest_begin(&stream);
    digest_add_field(&stream, STR("submission 1"));
    digest_add_field(&stream, str_from(job->language->id));
    digest_add_field(&stream, str_of(job->language->digest, sizeof job->language->digest));
    digest_add_field(&stream, version);
    digest_add_field(&stream, job->entry);
    add_number(&stream, job->time_ms);
    add_number(&stream, job->memory_kib);
    for (size_t i = 0; i < job->files->count; i++) {
        const struct box_file *file = &job->files->files[i];
        struct digest content = {0};
        int64_t bytes = 0;
        if (!digest_of_fd(file->fd, INPUT_BYTES_MAX, &content, &bytes, err)) {
            return false;
        }
        digest_add_field(&stream, str_from(file->name));
        digest_add_field(&stream, str_of(content.bytes, sizeof content.bytes));
    }
    *ret_key = digest_end(&stream);
    return true;
}

/* ---- the table, under the mutex ---- */

static struct compile_entry *find(struct compile_cache *cache, const struct digest *key) {
    for (size_t i = 0; i < ENTRIES_MAX; i++) {
        struct compile_entry *entry = &cache->entries[i];
        if (entry->arena != NULL && digest_equal(&entry->key, key)) {
            entry->used_at = ++cache->uses;
            return entry;
        }
    }
    return NULL;
}

static struct compile_entry *oldest_of(struct compile_cache *cache) {
    struct compile_entry *oldest = &cache->entries[0];
    for (size_t i = 1; i < ENTRIES_MAX; i++) {
        if (cache->entries[i].used_at < oldest->used_at) {
            oldest = &cache->entries[i];
        }
    }
    return oldest;
}

/* An entry and room for that many bytes. */
static struct compile_entry *make_room(struct compile_cache *cache, int64_t bytes) {
    while (cache->bytes + bytes > cache->bytes_max) {
        struct compile_entry *oldest = NULL;
        for (size_t i = 0; i < ENTRIES_MAX; i++) {
            struct compile_entry *entry = &cache->entries[i];
            if (entry->arena != NULL && (oldest == NULL || entry->used_at < oldest->used_at)) {
                oldest = entry;
            }
        }
        free_entry(cache, oldest);
    }
    struct compile_entry *entry = oldest_of(cache); /* a free one was never used */
    free_entry(cache, entry);
    return entry;
}

/* ---- in and out ---- */

static bool copy_program(const struct program *from, const struct compile_result *result,
                         struct arena *arena, struct program *ret_program,
                         struct compile_result *ret_result, struct err *err) {
    own_program program = {.language = from->language,
                           .entry = arena_cstr(arena, str_from(from->entry))};
    if (!fileset_copy(&program.files, arena, &from->files, err)) {
        return false;
    }
    *ret_result = *result;
    ret_result->log = arena_str(arena, result->log);
    *ret_program = program;
    program.files.count = 0; /* handed on */
    return true;
}

/* ret_result->ok tells whether there was one: only such results are kept. */
static bool look_up(struct compile_cache *cache, const struct digest *key, struct arena *arena,
                    struct program *ret_program, struct compile_result *ret_result,
                    struct err *err) {
    *ret_result = (struct compile_result){.ok = false};
    mutex_lock(&cache->mutex);
    const struct compile_entry *entry = find(cache, key);
    bool good = entry == NULL ||
                copy_program(&entry->program, &entry->result, arena, ret_program, ret_result, err);
    mutex_unlock(&cache->mutex);
    return good;
}

/* Keeps duplicates of the program's files. One that is too large, or for which there are no
 * descriptors, is not kept: that only costs time. */
static void keep(struct compile_cache *cache, const struct digest *key,
                 const struct program *program, const struct compile_result *result) {
    struct compile_entry made = {.key = *key, .arena = arena_create(ENTRY_ARENA_BYTES_MAX)};
    struct err ignored = {0};
    if (!fileset_bytes(&program->files, &made.bytes, &ignored) || made.bytes > cache->bytes_max ||
        !copy_program(program, result, made.arena, &made.program, &made.result, &ignored)) {
        arena_free(made.arena);
        return;
    }
    mutex_lock(&cache->mutex);
    struct compile_entry *entry = find(cache, key);
    if (entry != NULL) { /* another slot was quicker */
        free_entry(cache, entry);
    }
    entry = make_room(cache, made.bytes);
    made.used_at = ++cache->uses;
    cache->bytes += made.bytes;
    *entry = made;
    mutex_unlock(&cache->mutex);
}

static struct str version_of(const struct work *work, const struct language *language) {
    struct judge *judge = work->judge;
    mutex_lock(&judge->mutex);
    const char *version = judge->toolchains[judge_place_of(judge, language)].version;
    struct str copy = arena_str(work->arena, str_from(version));
    mutex_unlock(&judge->mutex);
    return copy;
}

bool compile_cached(struct work *work, const struct compile_job *job, struct arena *arena,
                    struct program *ret_program, struct compile_result *ret_result,
                    struct err *err) {
    struct compile_cache *cache = work->judge->compiled;
    struct digest key = {0};
    if (cache == NULL || job->language->compile.argv == NULL) {
        return compile_program(work, job, arena, ret_program, ret_result, err);
    }
    if (!compile_key(job, version_of(work, job->language), &key, err) ||
        !look_up(cache, &key, arena, ret_program, ret_result, err)) {
        return work_node_fault(err);
    }
    if (ret_result->ok) {
        return prepare_language(work, job->language, false, err);
    }
    if (!compile_program(work, job, arena, ret_program, ret_result, err)) {
        return false;
    }
    if (ret_result->ok) {
        keep(cache, &key, ret_program, ret_result);
    }
    return true;
}
