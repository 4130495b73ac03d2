#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

/* Every limit on what comes from outside. Names end in their unit; the most general word comes
 * first. */

#define KIB 1024
#define MIB (1024 * KIB)

/* Ids are below 2^53, so that JavaScript reads them exactly. */
#define ID_MAX ((INT64_C(1) << 53) - 1)

/* HTTP */
#define HTTP_BODY_BYTES_DEFAULT (64 * KIB)
#define HTTP_HEADER_BYTES_MAX (16 * KIB)
#define HTTP_HEADERS_MAX 100
#define HTTP_URL_BYTES_MAX (4 * KIB)
#define HTTP_CONNECTIONS_MAX 4096
#define REQUEST_ARENA_BYTES_MAX (64 * MIB)

/* Submissions */
#define SOURCE_BYTES_MAX (128 * KIB)
#define SOURCE_FILES_MAX 100
/* A source whose every byte is a 6-byte JSON escape. */
#define SUBMISSION_BODY_BYTES_MAX (1 * MIB)
#define IDEMPOTENCY_KEY_BYTES_MAX 128
#define LIST_LIMIT_DEFAULT 50
#define LIST_LIMIT_MAX 200
#define SUBMISSION_WAITERS_MAX 2000 /* SSE streams at once */

/* Accounts */
#define USERNAME_BYTES_MAX 64
#define PASSWORD_BYTES_MIN 8
#define PASSWORD_BYTES_MAX 256
#define DISPLAY_NAME_BYTES_MAX 128
#define JWT_BYTES_MAX 1024

/* JSON and YAML from outside */
#define JSON_DEPTH_MAX 32
#define JSON_NODES_MAX 200000
#define YAML_DEPTH_MAX 32
#define YAML_NODES_MAX 20000
#define YAML_BYTES_MAX (1 * MIB)

/* Problem packages */
#define PACKAGE_BYTES_MAX (256 * MIB) /* the zip as uploaded */
#define PACKAGE_UNPACKED_BYTES_MAX (1024LL * MIB)
#define PACKAGE_ENTRIES_MAX 20000
#define PACKAGE_RATIO_MAX 200 /* unpacked : packed, beyond the first MiB */
#define PACKAGE_PATH_BYTES_MAX 512
#define PACKAGE_DEPTH_MAX 16
#define PACKAGE_FILE_BYTES_MAX (256 * MIB)
#define STATEMENT_BYTES_MAX (8 * MIB)
#define MANIFEST_CASES_MAX 10000
#define MANIFEST_GROUPS_MAX 1000
#define MANIFEST_FILES_MAX 1000
#define MANIFEST_BYTES_MAX (8 * MIB)

/* Judging */
#define TIME_LIMIT_MS_MIN 10
#define TIME_LIMIT_MS_MAX 600000
#define MEMORY_LIMIT_KIB_MIN (4 * KIB)
#define MEMORY_LIMIT_KIB_MAX (16 * KIB * KIB)
#define OUTPUT_LIMIT_KIB_MAX (256 * KIB)
#define VALIDATION_PASSES_MAX 100        /* of one case of a multi-pass problem */
#define COMPILE_LOG_BYTES_MAX (16 * KIB) /* kept of a compiler's messages */
#define CASE_MESSAGE_BYTES_MAX 1024
#define RESULT_BYTES_MAX (4 * MIB) /* a node's result as sent */
#define LANGUAGES_MAX 64
#define LANGUAGE_ID_BYTES_MAX 32

/* SQL judging */
#define SQL_STATEMENTS_MAX 20000 /* of one text */
#define SQL_STUDENT_STATEMENTS_MAX 100
#define SQL_SCRIPT_BYTES_MAX (16 * MIB) /* schema, data and checks of a problem, each */
#define SQL_TABLES_MAX 200              /* results of one run */
#define SQL_COLUMNS_MAX 1000
#define SQL_ROWS_MAX 100000
#define SQL_ROWS_DEFAULT 10000
#define SQL_RESULT_BYTES_MAX (64 * MIB)
#define SQL_RESULT_BYTES_DEFAULT (4 * MIB)

/* Nodes */
#define NODE_NAME_BYTES_MAX 64
#define HOST_SLOTS_MAX 4096 /* of a machine that several nodes share */
#define NODE_SLOTS_MAX 64
#define CLAIM_JOBS_MAX 64
#define CLAIM_WAIT_MS_MAX 25000
#define RENEW_JOBS_MAX 64
#define ARTIFACT_BYTES_MAX (256 * MIB)

/* Hints between servers */
#define WAKE_BODY_BYTES_MAX (64 * KIB)
#define WAKE_QUEUED_MAX 4096 /* waiting to be sent; beyond it they are lost */
#define WAKE_QUEUED_BYTES_MAX (8 * MIB)

/* Configuration */
#define CONFIG_BYTES_MAX (256 * KIB)
#define CONFIG_KEYS_MAX 512

#endif
