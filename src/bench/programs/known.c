/* Uses a known amount of CPU time or memory. The bench puts it into the sandbox and compares what
 * is measured with what was asked for:
 *
 *     known cpu KIND US            CPU time by the own clock of each thread
 *     known work KIND STEPS        a fixed amount of work
 *     known memory KIND BYTES      pages that are written
 *     known spin                   for ever
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PARTS 5 /* of the time: four children or threads, and the first one itself */
#define PAGE_BYTES 4096
#define CHUNK_BYTES (64 * 1024)
#define TABLE_BYTES (16 * 1024 * 1024) /* beyond the caches that a processor has for itself */

static volatile uint64_t sink;

struct kind {
    const char *what;
    const char *name;
    int (*use)(int64_t amount);
};

/* Of this thread. The clock of the process is not used: on some kernels it lags by up to a tick. */
static int64_t used_ns(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint64_t arithmetic(uint64_t value, int64_t steps) {
    for (int64_t i = 0; i < steps; i++) {
        value = value * 6364136223846793005ULL + 1442695040888963407ULL;
    }
    return value;
}

static void burn(int64_t amount_us) {
    uint64_t value = 1;
    while (used_ns() < amount_us * 1000) {
        value = arithmetic(value, 2000);
    }
    sink = value;
}

/* Each step reads where the step before said: a miss of the caches almost every time. */
static uint32_t table[TABLE_BYTES / sizeof(uint32_t)];
#define TABLE_COUNT ((uint32_t)(TABLE_BYTES / sizeof(uint32_t)))

static void fill_table(void) {
    for (uint32_t i = 0; i < TABLE_COUNT; i++) {
        table[i] = (i * 1103515245u + 12345u) % TABLE_COUNT;
    }
}

static uint32_t read_at_random(uint32_t at, int64_t steps) {
    for (int64_t i = 0; i < steps; i++) {
        at = table[(at + (uint32_t)i) % TABLE_COUNT];
    }
    return at;
}

static int cpu_memory(int64_t amount_us) {
    uint32_t at = 1;
    fill_table();
    while (used_ns() < amount_us * 1000) {
        at = read_at_random(at, 2000);
    }
    sink = at;
    return 0;
}

static int cpu_single(int64_t amount_us) {
    burn(amount_us);
    return 0;
}

/* Each child has a part; what it took to make them is in the parent's part. */
static int cpu_children(int64_t amount_us) {
    for (int i = 1; i < PARTS; i++) {
        pid_t child = fork();
        if (child == 0) {
            burn(amount_us / PARTS);
            _exit(0);
        }
        if (child < 0) {
            return 3;
        }
    }
    int status = 0;
    while (wait(&status) > 0) {
        if (status != 0) {
            return 3;
        }
    }
    burn(amount_us / PARTS);
    return 0;
}

static void *burn_part(void *amount_us) {
    burn(*(int64_t *)amount_us / PARTS);
    return NULL;
}

static int cpu_threads(int64_t amount_us) {
    pthread_t threads[PARTS - 1];
    for (int i = 0; i < PARTS - 1; i++) {
        if (pthread_create(&threads[i], NULL, burn_part, &amount_us) != 0) {
            return 3;
        }
    }
    for (int i = 0; i < PARTS - 1; i++) {
        pthread_join(threads[i], NULL);
    }
    burn(amount_us / PARTS);
    return 0;
}

static int work_arithmetic(int64_t steps) {
    sink = arithmetic(1, steps);
    return 0;
}

static int work_memory(int64_t steps) {
    fill_table();
    sink = read_at_random(1, steps);
    return 0;
}

static void touch(volatile char *memory, int64_t bytes) {
    for (int64_t at = 0; at < bytes; at += PAGE_BYTES) {
        memory[at] = 1;
    }
}

static int memory_heap(int64_t bytes) {
    char *memory = malloc((size_t)bytes);
    if (memory == NULL) {
        return 3;
    }
    touch(memory, bytes);
    return 0;
}

static int memory_mmap(int64_t bytes) {
    char *memory =
        mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return 3;
    }
    touch(memory, bytes);
    return 0;
}

/* One frame a chunk, so that the stack grows as a recursion makes it grow. */
__attribute__((noinline)) static int memory_stack(int64_t bytes) {
    volatile char frame[CHUNK_BYTES];
    touch(frame, CHUNK_BYTES);
    int answer = bytes > CHUNK_BYTES ? memory_stack(bytes - CHUNK_BYTES) : 0;
    return answer + (frame[0] - 1); /* used behind the call: no tail call */
}

/* Half in the parent, half in a child, at the same time. */
static int memory_child(int64_t bytes) {
    int status = memory_mmap(bytes / 2);
    pid_t child = fork();
    if (child == 0) {
        _exit(memory_mmap(bytes / 2));
    }
    int child_status = 0;
    return child < 0 || wait(&child_status) != child || child_status != 0 ? 3 : status;
}

static int memory_tmpfs(int64_t bytes) {
    static char chunk[CHUNK_BYTES];
    int file = open("/w/known", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    for (int64_t done = 0; done < bytes; done += CHUNK_BYTES) {
        if (write(file, chunk, sizeof(chunk)) != (ssize_t)sizeof(chunk)) {
            return 3;
        }
    }
    return 0;
}

static const struct kind kinds[] = {
    {"cpu", "single", cpu_single},           {"cpu", "children", cpu_children},
    {"cpu", "threads", cpu_threads},         {"cpu", "memory", cpu_memory},
    {"work", "arithmetic", work_arithmetic}, {"work", "memory", work_memory},
    {"memory", "heap", memory_heap},         {"memory", "mmap", memory_mmap},
    {"memory", "stack", memory_stack},       {"memory", "child", memory_child},
    {"memory", "tmpfs", memory_tmpfs},
};

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "spin") == 0) {
        for (;;) {
            sink = arithmetic(sink, 1000000);
        }
    }
    for (size_t i = 0; argc == 4 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(kinds[i].what, argv[1]) == 0 && strcmp(kinds[i].name, argv[2]) == 0) {
            return kinds[i].use(strtoll(argv[3], NULL, 10));
        }
    }
    return 2;
}
