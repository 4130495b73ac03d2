#ifndef BOX_MESSAGE_H
#define BOX_MESSAGE_H

#include "base/packet.h"
#include "box/box.h"

/* What client and assize-box say to each other over one SOCK_SEQPACKET pair. Both are built from
 * one source and started together, so a message is a C structure; the box still believes nothing
 * in it before message_check has looked at every field.
 *
 * Client to box: struct box_request. Descriptors of a START, in this order: the streams of kind
 * BOX_STREAM_FD by rising number, then those of a service, then the files.
 * Box to client: struct box_answer, one for each request by its sequence, and one ANSWER_ENDED for
 * each started run. Descriptors of an ENDED, in this order: the captures of fd 1 and fd 2 that
 * `capture` names, then the outputs whose state is BOX_OUTPUT_FILE. */

#define MESSAGE_MAGIC 0x41424f59u /* changes with every change of this file */
#define MESSAGE_FDS_MAX (3 + BOX_SERVICE_FDS_MAX + BOX_FILES_MAX)
#define MESSAGE_ROOT_BYTES_MAX BOX_ROOT_BYTES_MAX
#define MESSAGE_ARGS_MAX 512
#define MESSAGE_NAMES_MAX (2 * BOX_FILES_MAX)

enum request_kind { REQUEST_SLOT_OPEN = 1, REQUEST_SLOT_CLOSE, REQUEST_START, REQUEST_KILL };

#define SETUP_ROOTS_MAX 64

/* Of all slots of a box together; 0: none. */
struct box_caps {
    int64_t memory_bytes;
    int64_t pids_max;
    int64_t cpu_weight; /* against 100 of a usual neighbour */
};

/* The first message to a box. */
struct box_setup {
    uint32_t magic;
    int32_t slots;
    int32_t launcher_runs;
    uint32_t
        first_id;    /* of two for each slot, in the box's user namespace, which no one else has */
    uint32_t pinned; /* slot i to processor cpus[i] */
    int32_t cpus[BOX_SLOTS_MAX];
    struct box_caps caps;
    uint32_t root_count;
    char roots[SETUP_ROOTS_MAX][MESSAGE_ROOT_BYTES_MAX];
    char cgroup[64];
};

struct message_stream {
    uint32_t kind; /* enum box_stream_kind */
    int32_t pipe;
    int64_t bytes_max;
};

enum message_file_bit { FILE_EXECUTABLE = 1, FILE_WRITABLE = 2, FILE_KEPT = 4, FILE_BITS = 7 };

/* A run as asked for. argv, env and names are lists of base/texts.h; names are those of the files,
 * then those of the outputs. */
struct message_start {
    uint32_t profile; /* enum box_profile */
    uint32_t service;
    struct box_limits limits;
    struct message_stream streams[3];
    int64_t output_file_bytes_max;
    uint32_t argc;
    uint32_t envc;
    uint32_t root_count;
    uint32_t service_fd_count;
    uint32_t file_count;
    uint32_t output_count;
    char argv[BOX_ARGV_BYTES_MAX];
    char env[BOX_ENV_BYTES_MAX];
    char roots[BOX_ROOTS_MAX][MESSAGE_ROOT_BYTES_MAX];
    uint8_t file_bits[BOX_FILES_MAX]; /* enum message_file_bit */
    char names[BOX_NAMES_BYTES_MAX];
};

struct box_request {
    uint32_t magic;
    uint32_t kind; /* enum request_kind */
    uint32_t sequence;
    int32_t slot;
    uint32_t run; /* REQUEST_KILL */
    struct message_start start;
};

enum answer_kind { ANSWER_READY = 1, ANSWER_DONE, ANSWER_ENDED };

/* The codes of errors that cross: an err's code has static storage, so its number crosses. */
enum message_code {
    CODE_NONE,
    CODE_UNAVAILABLE, /* the kernel or the machine lacks something */
    CODE_BAD_RUN,     /* what the spec asks is not allowed */
    CODE_BAD_SLOT,
    CODE_NO_RUN,
    CODE_SLOT_FULL,
    CODE_FAILED, /* a system call failed in the box */
    CODE_BROKEN, /* the box or a slot of it ended or lost its state */
    CODE_COUNT,
};
extern const char *const message_codes[CODE_COUNT];

struct box_answer {
    uint32_t magic;
    uint32_t kind; /* enum answer_kind */
    uint32_t sequence;
    int32_t slot;
    uint32_t run;
    uint32_t error_kind; /* enum err_kind; ERR_NONE: it went well */
    uint32_t error_code; /* enum message_code */
    int32_t os_errno;
    char error_text[256];
    /* ANSWER_ENDED */
    uint32_t capture; /* bit n: the capture of fd n comes along */
    uint32_t output_count;
    struct box_result result; /* its descriptors mean nothing here */
};

bool message_setup_is_right(const struct box_setup *setup);
/* Looks at every field of a request that comes with `fd_count` descriptors. */
checked bool message_check(const struct box_request *request, int slots, size_t fd_count,
                           struct err *err);
void message_error_to(const struct err *err, struct box_answer *ret_answer);

#endif
