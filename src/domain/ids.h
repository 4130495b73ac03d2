#ifndef DOMAIN_IDS_H
#define DOMAIN_IDS_H

#include <stdint.h>

/* Ids are one-field structs, so that swapping two of them does not compile. Values are 1..2^53-1
 * from application blocks (id_block); 0 is "none". */
struct user_id {
    int64_t value;
};
struct user_session_id {
    int64_t value;
};
struct problem_id {
    int64_t value;
};
struct submission_id {
    int64_t value;
};
struct job_id {
    int64_t value;
};
struct node_id {
    int64_t value;
};
struct host_group_id {
    int64_t value;
};
struct queue_id {
    int64_t value;
};
struct rejudging_id {
    int64_t value;
};

#endif
