/* Plays histories by their seeds; see --help. */
#include "base/check.h"
#include "base/file.h"
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHRINK_ACTS_MAX 64

static const char help[] =
    "usage: sim [--from SEED] [--seeds COUNT] [--acts N] [--without TROUBLE]... [--trace]\n"
    "           [--twice] [--languages FOLDER]\n"
    "\n"
    "Plays COUNT histories (default 1), from SEED (default 1) on, and stops at the first that is\n"
    "wrong, with a shorter command that replays it.\n"
    "  --acts N    only the first N acts of the fates and the administrator\n"
    "  --without   leaves a kind of trouble out: lost late doubled cut database slow server node\n"
    "              pause clock judge takeover admin\n"
    "  --trace     prints what happens\n"
    "  --twice     plays each history twice, which must be equal\n";

struct options {
    struct world_options world;
    int64_t from;
    int64_t seeds;
    bool twice;
    const char *languages;
};

struct stage {
    char folder[64];
    struct db *db;
    struct language_set *languages;
};

static int64_t number_of(const char *text) {
    int64_t value = 0;
    struct err err = {0};
    if (text == NULL || !str_to_i64(str_from(text), 0, INT64_MAX / 2, &value, &err)) {
        (void)fprintf(stderr, "sim: %s is no number\n", text != NULL ? text : "nothing");
        exit(2);
    }
    return value;
}

static void leave_out(struct options *options, const char *name) {
    for (int i = 0; i < TROUBLE_COUNT; i++) {
        if (name != NULL && strcmp(name, trouble_names[i]) == 0) {
            options->world.without[i] = true;
            return;
        }
    }
    (void)fprintf(stderr, "sim: there is no trouble %s\n", name != NULL ? name : "");
    exit(2);
}

static void read_option(struct options *options, const char *name, const char *value, int *used) {
    *used = 2;
    if (strcmp(name, "--from") == 0) {
        options->from = number_of(value);
    } else if (strcmp(name, "--seeds") == 0) {
        options->seeds = number_of(value);
    } else if (strcmp(name, "--acts") == 0) {
        options->world.acts_max = number_of(value);
    } else if (strcmp(name, "--without") == 0) {
        leave_out(options, value);
    } else if (strcmp(name, "--languages") == 0) {
        options->languages = value;
    } else if (strcmp(name, "--trace") == 0) {
        options->world.trace = true;
        *used = 1;
    } else if (strcmp(name, "--twice") == 0) {
        options->twice = true;
        *used = 1;
    } else {
        (void)fputs(help, strcmp(name, "--help") == 0 ? stdout : stderr);
        exit(strcmp(name, "--help") == 0 ? 0 : 2);
    }
}

static void set_stage(const struct options *options, struct stage *stage) {
    struct err err = {0};
    const char *root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    (void)snprintf(stage->folder, sizeof stage->folder, "%s/assize-sim-XXXXXX", root);
    CHECK(mkdtemp(stage->folder) != NULL);
    struct db_options database = {
        .path = ":memory:", .shared_name = "assize-sim", .clock = &clock_real};
    if (!db_open(&database, &stage->db, &err) ||
        !language_set_load(options->languages, &stage->languages, &err)) {
        (void)fprintf(stderr, "sim: %s\n", err.text);
        exit(2);
    }
}

static void clear_stage(struct stage *stage) {
    struct err err = {0};
    db_close(stage->db);
    language_set_free(stage->languages);
    if (!file_remove_tree(stage->folder, &err)) {
        (void)fprintf(stderr, "sim: %s\n", err.text);
    }
}

static bool play(const struct options *options, struct stage *stage, int64_t seed) {
    struct world_options world = options->world;
    world.seed = (uint64_t)seed;
    world.folder = stage->folder;
    world.languages = stage->languages;
    if (!world_play(&world, stage->db)) {
        (void)printf("seed %lld: %s\n", (long long)seed, world_failure());
        return false;
    }
    uint64_t first = sched_fingerprint();
    if (options->twice && (!world_play(&world, stage->db) || sched_fingerprint() != first)) {
        (void)printf("seed %lld: the second time it was another history\n", (long long)seed);
        return false;
    }
    return true;
}

int main(int argc, char **argv) {
    struct options options = {
        .world = {.acts_max = -1}, .from = 1, .seeds = 1, .languages = "languages"};
    struct stage stage = {0};
    for (int i = 1, used = 0; i < argc; i += used) {
        read_option(&options, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &used);
    }
    set_stage(&options, &stage);
    int failed = 0;
    for (int64_t i = 0; i < options.seeds && failed == 0; i++) {
        failed = play(&options, &stage, options.from + i) ? 0 : 1;
    }
    clear_stage(&stage);
    (void)printf("%lld passed, %d failed\n", (long long)(options.seeds - failed), failed);
    return failed;
}
