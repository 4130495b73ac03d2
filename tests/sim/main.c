/* Plays histories by their seeds; see --help. */
#include "base/check.h"
#include "base/file.h"
#include "world.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define HISTORY_S 30 /* more means that something goes round in circles */
#define ACTS_MAX 64
#define LONG_FACTOR 20

static const char help[] =
    "usage: sim [--from SEED] [--seeds COUNT] [--acts N] [--without TROUBLE]... [--trace]\n"
    "           [--twice] [--languages FOLDER]\n"
    "\n"
    "Plays COUNT histories (default 1), from SEED (default 1) on, and stops at the first that is\n"
    "wrong. Then troubles are left out as long as it stays wrong, and the command is printed\n"
    "that replays what is left.\n"
    "  --acts N    only the first N acts of the fates and the administrator\n"
    "  --without   leaves a kind of trouble out: lost late doubled cut outage database slow "
    "server\n"
    "              node pause clock judge takeover jobs rejudge keep admin\n"
    "  --trace     prints what happens\n"
    "  --twice     plays each history twice, which must be equal\n"
    "  ASSIZE_LONG=1 plays twenty times as many\n"
    "  --no-shrink does not look for a shorter history\n";

struct options {
    struct world_options world;
    int64_t from;
    int64_t seeds;
    bool twice;
    bool no_shrink;
    const char *languages;
    char folder[64];
};

/* What a child tells while it plays. */
struct report {
    int64_t seed;
    int64_t played;
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
    } else if (strcmp(name, "--no-shrink") == 0) {
        options->no_shrink = true;
        *used = 1;
    } else {
        (void)fputs(help, strcmp(name, "--help") == 0 ? stdout : stderr);
        exit(strcmp(name, "--help") == 0 ? 0 : 2);
    }
}

/* ---- one child ---- */

static bool play(const struct options *options, struct world_options *world, struct db *db,
                 int64_t seed) {
    world->seed = (uint64_t)seed;
    if (!world_play(world, db)) {
        (void)printf("seed %lld: %s\n", (long long)seed, world_failure());
        return false;
    }
    uint64_t first = sched_fingerprint();
    if (options->twice && (!world_play(world, db) || sched_fingerprint() != first)) {
        (void)printf("seed %lld: the second time it was another history\n", (long long)seed);
        return false;
    }
    return true;
}

static int play_all(const struct options *options, struct report *report) {
    struct err err = {0};
    own(db) db = NULL;
    own(language_set) languages = NULL;
    struct world_options world = options->world;
    struct db_options database = {
        .path = ":memory:", .shared_name = "assize-sim", .clock = &clock_real};
    if (!db_open(&database, &db, &err) ||
        !language_set_load(options->languages, &languages, &err)) {
        (void)fprintf(stderr, "sim: %s\n", err.text);
        return 2;
    }
    world.folder = options->folder;
    world.languages = languages;
    for (int64_t i = 0; i < options->seeds; i++) {
        report->seed = options->from + i;
        (void)alarm(HISTORY_S);
        if (!play(options, &world, db, report->seed)) {
            return 1;
        }
        report->played++;
    }
    return 0;
}

/* A broken CHECK ends the process that plays, so it is a child. 0: all is well. */
static int play_in_child(const struct options *options, struct report *report, bool quiet) {
    (void)fflush(stdout);
    *report = (struct report){0};
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* whoever stops the parent wants an end */
        if (quiet) {
            int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
            CHECK(dup2(null, STDOUT_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0);
        }
        int result = play_all(options, report);
        (void)fflush(stdout);
        _exit(result);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status) && !quiet) {
        (void)printf("seed %lld: ended by signal %d%s\n", (long long)report->seed, WTERMSIG(status),
                     WTERMSIG(status) == SIGALRM ? ": it goes round" : "");
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* ---- a shorter history ---- */

static bool still_fails(const struct options *options, struct report *report) {
    return play_in_child(options, report, true) == 1;
}

static void shrink(struct options *options, struct report *report) {
    for (int i = 0; i < TROUBLE_COUNT; i++) {
        bool *without = &options->world.without[i];
        bool was = *without;
        *without = true;
        if (!was && !still_fails(options, report)) {
            *without = false;
        }
    }
    int64_t acts_max = options->world.acts_max;
    for (int64_t acts = 0; acts < (acts_max < 0 ? ACTS_MAX : acts_max); acts = 2 * acts + 1) {
        options->world.acts_max = acts;
        if (still_fails(options, report)) {
            return;
        }
    }
    options->world.acts_max = acts_max;
}

static void print_command(const struct options *options) {
    (void)printf("replay: build/tests/sim/sim --from %lld", (long long)options->from);
    if (options->world.acts_max >= 0) {
        (void)printf(" --acts %lld", (long long)options->world.acts_max);
    }
    for (int i = 0; i < TROUBLE_COUNT; i++) {
        if (options->world.without[i]) {
            (void)printf(" --without %s", trouble_names[i]);
        }
    }
    (void)printf(" --trace\n");
}

int main(int argc, char **argv) {
    struct options options = {
        .world = {.acts_max = -1}, .from = 1, .seeds = 1, .languages = "languages"};
    for (int i = 1, used = 0; i < argc; i += used) {
        read_option(&options, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &used);
    }
    const char *long_form = getenv("ASSIZE_LONG");
    if (long_form != NULL && strcmp(long_form, "1") == 0 && options.seeds > 1) {
        options.from *= LONG_FACTOR; /* the runs that share the seeds stay apart */
        options.seeds *= LONG_FACTOR;
    }
    struct report *report =
        mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const char *root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    (void)snprintf(options.folder, sizeof options.folder, "%s/assize-sim-XXXXXX", root);
    CHECK(report != MAP_FAILED && mkdtemp(options.folder) != NULL);
    int failed = play_in_child(&options, report, false);
    int64_t played = report->played;
    if (failed == 1) {
        options.from = report->seed;
        options.seeds = 1;
        if (!options.world.trace && !options.twice && !options.no_shrink) {
            shrink(&options, report);
            (void)play_in_child(&options, report, false); /* what is left, in its own words */
        }
        print_command(&options);
    }
    struct err err = {0};
    if (!file_remove_tree(options.folder, &err)) {
        (void)fprintf(stderr, "sim: %s\n", err.text);
    }
    (void)printf("%lld passed, %d failed\n", (long long)played, failed != 0);
    return failed;
}
