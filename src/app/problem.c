/* Problems as people see them. */
#include "app/problem_internal.h"

#include "base/limits.h"
#include "domain/username.h"
#include "store/hold_store.h"
#include <assert.h>

#define SEARCH_BYTES_MAX 256

void problem_summary_from_row(const struct problem_row *row, enum verdict best, struct arena *arena,
                              struct problem_summary *ret_summary) {
    struct problem_summary summary = {
        .id = row->id,
        .code = row->code,
        .time_limit_ms = row->time_limit_ms,
        .memory_limit_kib = row->memory_limit_kib,
        .my_best = best,
    };
    summary.title_count = titles_read(row->titles, arena, &summary.titles);
    *ret_summary = summary;
}

static bool check_filter(const struct actor *actor, const struct problem_filter *filter,
                         struct err *err) {
    if (!actor_need_user(actor, err)) {
        return false;
    }
    if (filter->limit < 1 || filter->limit > LIST_LIMIT_MAX) {
        return err_set(err, ERR_INVALID, "bad_parameter", "`limit` must be 1 to %d",
                       LIST_LIMIT_MAX);
    }
    struct str search = filter->search;
    if (search.len > SEARCH_BYTES_MAX || str_has_nul(search) || !str_is_utf8(search)) {
        return err_set(err, ERR_INVALID, "bad_parameter",
                       "`search` must be UTF-8 text of at most %d bytes", SEARCH_BYTES_MAX);
    }
    return true;
}

/* The first words of the search; more of them would not make a better one. `folded` must live as
 * long as the query. */
static void split_words(struct str folded, struct problem_query *query) {
    struct str word;
    while (query->word_count < PROBLEM_QUERY_WORDS_MAX && str_next_word(&folded, &word)) {
        query->words[query->word_count++] = word;
    }
}

bool problem_list(struct app *app, const struct actor *actor, const struct problem_filter *filter,
                  struct arena *arena, struct problem_page *ret_page, struct err *err) {
    own(db_reader) reader = NULL;
    own_buf folded = {0};
    struct problem_listed *rows = NULL;
    int count = 0;
    int limit = filter->limit;
    if (!check_filter(actor, filter, err) || !db_pool_take(app->readers, &reader, err)) {
        return false;
    }
    buf_init(&folded, SEARCH_BYTES_MAX);
    text_fold(filter->search, &folded);
    /* One more than asked for tells whether there is a next page. */
    struct problem_query query = {
        .user = actor->user, .after = {filter->cursor}, .limit = limit + 1};
    split_words(buf_str(&folded), &query);
    if (!problem_store_list(reader->db, &query, arena, &rows, &count, err)) {
        return false;
    }
    struct problem_page page = {.count = count > limit ? limit : count};
    page.items = arena_array(arena, (size_t)page.count, sizeof(*page.items));
    for (int i = 0; i < page.count; i++) {
        problem_summary_from_row(&rows[i].row, rows[i].best, arena, &page.items[i]);
    }
    page.next = count > limit ? rows[limit - 1].row.id.value : 0;
    *ret_page = page;
    return true;
}

static bool read_statements(struct db *db, struct problem_id id, struct arena *arena,
                            struct problem_view *view, struct err *err) {
    struct statement_row *rows = NULL;
    int count = 0;
    if (!problem_part_store_statements(db, id, arena, &rows, &count, err)) {
        return false;
    }
    view->statements = arena_array(arena, (size_t)count, sizeof(*view->statements));
    view->statement_count = count;
    for (int i = 0; i < count; i++) {
        view->statements[i] = (struct problem_statement){.language = rows[i].language,
                                                         .format = rows[i].format,
                                                         .text = rows[i].body,
                                                         .file = rows[i].file_name};
    }
    return true;
}

static bool read_samples(struct db *db, struct problem_id id, struct arena *arena,
                         struct problem_view *view, struct err *err) {
    struct sample_row *rows = NULL;
    int count = 0;
    if (!problem_part_store_samples(db, id, arena, &rows, &count, err)) {
        return false;
    }
    view->samples = arena_array(arena, (size_t)count, sizeof(*view->samples));
    view->sample_count = count;
    for (int i = 0; i < count; i++) {
        view->samples[i] = (struct problem_sample){
            .name = rows[i].name, .input = rows[i].input, .answer = rows[i].answer};
    }
    return true;
}

/* Of the version that is judged now: an older one's jobs are let go. */
static bool read_hold(struct db *db, const struct actor *actor, const struct digest *manifest,
                      struct arena *arena, struct problem_view *view, struct err *err) {
    struct manifest_hold hold = {0};
    bool found = false;
    if (!manifest_hold_get(db, manifest->bytes, arena, &hold, &found, err)) {
        return false;
    }
    if (found && hold.state != MANIFEST_RELEASING) {
        bool mends = actor->role >= ROLE_ADMIN;
        view->held_ms = hold.at_ms;
        view->held_code = mends ? hold.code : (struct str){0};
        view->held_detail = mends ? hold.detail : (struct str){0};
    }
    return true;
}

/* All of one moment: an import may replace the parts meanwhile. */
static bool read_problem(struct db *db, const struct actor *actor, struct problem_id id,
                         struct arena *arena, struct problem_view *view, struct err *err) {
    struct problem_row row;
    enum verdict best = VERDICT_NONE;
    if (!db_begin(db, err) || !problem_store_find(db, id, arena, &row, err) ||
        !problem_store_best(db, actor->user, id, &best, err) ||
        !read_statements(db, id, arena, view, err) || !read_samples(db, id, arena, view, err) ||
        !read_hold(db, actor, &row.manifest, arena, view, err)) {
        return false;
    }
    problem_summary_from_row(&row, best, arena, &view->summary);
    view->output_limit_kib = row.output_limit_kib;
    view->code_limit_kib = row.code_limit_kib;
    view->cases_total = row.cases_total;
    digest_hex(&row.manifest, view->manifest_id);
    view->languages = row.languages;
    view->created_ms = row.created_ms;
    return true;
}

bool problem_get(struct app *app, const struct actor *actor, struct problem_id id,
                 struct arena *arena, struct problem_view *ret_problem, struct err *err) {
    own(db_reader) reader = NULL;
    struct problem_view view = {0};
    if (!actor_need_user(actor, err) || !db_pool_take(app->readers, &reader, err)) {
        return false;
    }
    bool found = read_problem(reader->db, actor, id, arena, &view, err);
    db_rollback(reader->db);
    if (found) {
        *ret_problem = view;
    }
    return found;
}

bool problem_file_open(struct app *app, const struct actor *actor, struct problem_id id,
                       struct str name, int *ret_fd, struct err *err) {
    own(db_reader) reader = NULL;
    struct blob_ref blob;
    struct digest digest;
    if (!actor_need_user(actor, err) || !db_pool_take(app->readers, &reader, err) ||
        !problem_part_store_file(reader->db, id, name, &blob, err)) {
        return false;
    }
    static_assert(sizeof(digest.bytes) == sizeof(blob.sha256), "both are a SHA-256");
    for (size_t i = 0; i < sizeof(digest.bytes); i++) {
        digest.bytes[i] = blob.sha256[i];
    }
    if (!blob_open(app->blobs, &digest, ret_fd, NULL, err)) {
        err->kind = ERR_SYSTEM; /* the problem names it: that it is not there is our fault */
        return err_wrap(err, "a file of problem %lld", (long long)id.value);
    }
    return true;
}
