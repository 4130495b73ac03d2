/* Generators, the model solution and validators of a package. */
#include "local/problem_data.h"

#include "base/check.h"
#include "base/file.h"
#include "judge/tool.h"
#include "local/sources.h"
#include <string.h>
#include <unistd.h>

#define TOOL_MS 60000
#define DATA_BYTES_MAX ((int64_t)64 * MIB)
#define FAULTS_MAX 1000
#define WORDS_BYTES_MAX 400
#define ICPC_VALID 42

struct making {
    struct session *session;
    struct loaded *loaded;
    struct manifest_program model; /* language empty: not looked for yet */
};

static struct judge_tool_request ask(const struct making *making,
                                     const struct manifest_program *program, struct str args,
                                     int input_fd) {
    return (struct judge_tool_request){.slot = 0,
                                       .manifest = &making->loaded->problem.manifest,
                                       .program = program,
                                       .args = args,
                                       .input_fd = input_fd,
                                       .time_ms = TOOL_MS,
                                       .output_bytes = DATA_BYTES_MAX,
                                       .open_blob = blob_map_open,
                                       .context = making->loaded->blobs};
}

static bool refuse(struct err *err, struct str name, const char *who, const char *why) {
    return err_set(err, ERR_INVALID, "bad_package", STR_FMT ": the %s %s", STR_ARG(name), who, why);
}

/* A program of the package that cannot be used is the package's mistake. Its log calls every tool a
 * checker. */
static bool refuse_program(struct err *err, struct str name, const char *who) {
    static const struct str checker = STR("the checker ");
    const struct err inner = *err;
    struct str why = str_from(inner.text);
    why = str_starts(why, checker) ? str_sub(why, checker.len, SIZE_MAX) : why;
    return err_set(err, ERR_INVALID, "bad_package", STR_FMT ": the %s " STR_FMT, STR_ARG(name), who,
                   STR_ARG(why));
}

/* What the program printed becomes a file of the problem. */
static bool keep(struct making *making, struct str name, int fd, struct blob_ref *ret_blob,
                 struct err *err) {
    own_fd empty = -1;
    if (fd < 0) {
        if (!file_memory("empty", STR(""), false, &empty, err)) {
            return false;
        }
        fd = empty;
    }
    return blob_map_put(making->loaded->blobs, fd, ret_blob, err) ||
           err_wrap(err, STR_FMT, STR_ARG(name));
}

static bool run_tool(struct making *making, const struct judge_tool_request *request,
                     struct str name, const char *who, struct judge_tool_result *result,
                     struct err *err) {
    own(arena) arena = arena_create(16 * MIB);
    if (!judge_run_tool(making->session->judge, request, arena, result, err)) {
        return err->fault == FAULT_PROBLEM ? refuse_program(err, name, who)
                                           : err_wrap(err, STR_FMT ": %s", STR_ARG(name), who);
    }
    return (result->ended && result->exit_code == 0) || refuse(err, name, who, result->why);
}

static bool make_input(struct making *making, const struct package_recipe *recipe,
                       struct manifest_case *row, struct err *err) {
    own_tool_result result = {.output_fd = -1, .errors_fd = -1};
    own_fd input = -1;
    if (recipe->input.bytes >= 0 &&
        !blob_map_open(making->loaded->blobs, &recipe->input, &input, err)) {
        return false;
    }
    const struct judge_tool_request request = ask(making, recipe->generator, recipe->args, input);
    if (!run_tool(making, &request, row->name, "generator", &result, err)) {
        return false;
    }
    if (row->input.bytes < 0 && !keep(making, row->name, result.output_fd, &row->input, err)) {
        return false;
    }
    return !recipe->answer_from_errors ||
           keep(making, row->name, result.errors_fd, &row->answer, err);
}

/* The model solution as a program of the problem. */
static bool find_model(struct making *making, struct err *err) {
    struct loaded *loaded = making->loaded;
    int32_t index = loaded->problem.model;
    struct sources sources = {.count = 0};
    const struct language *language = NULL;
    if (making->model.language.len > 0) {
        return true;
    }
    if (index < 0) {
        return err_set(err, ERR_INVALID, "bad_package",
                       "answers are missing, and no main solution makes them");
    }
    const struct package_submission *model = &loaded->problem.submissions[index];
    if (!sources_bundled(loaded->tree, model, loaded->arena, &sources, err) ||
        !sources_language(making->session->languages, &loaded->problem.manifest, &sources,
                          model->language, &language, err)) {
        return false;
    }
    struct manifest_file *files = arena_array(loaded->arena, sources.count, sizeof(files[0]));
    for (size_t i = 0; i < sources.count; i++) {
        own_fd fd = -1;
        files[i].name = sources.items[i].name;
        if (!file_memory("source", sources.items[i].text, false, &fd, err) ||
            !blob_map_put(loaded->blobs, fd, &files[i].blob, err)) {
            return false;
        }
    }
    making->model = (struct manifest_program){.language = str_from(language->id),
                                              .adapter = ADAPTER_TESTLIB,
                                              .entry = files[0].name,
                                              .files = files,
                                              .file_count = (int32_t)sources.count};
    return true;
}

static bool make_answer(struct making *making, struct manifest_case *row, struct err *err) {
    own_tool_result result = {.output_fd = -1, .errors_fd = -1};
    own_fd input = -1;
    if (!find_model(making, err) ||
        !blob_map_open(making->loaded->blobs, &row->input, &input, err)) {
        return false;
    }
    const struct judge_tool_request request = ask(making, &making->model, STR(""), input);
    return run_tool(making, &request, row->name, "main solution", &result, err) &&
           keep(making, row->name, result.output_fd, &row->answer, err);
}

bool problem_data_make(struct session *session, struct loaded *loaded, struct err *err) {
    struct package_problem *problem = &loaded->problem;
    struct making making = {.session = session, .loaded = loaded};
    struct manifest_case *cases = (struct manifest_case *)(uintptr_t)problem->manifest.cases;
    for (int32_t i = 0; i < problem->recipe_count; i++) {
        const struct package_recipe *recipe = &problem->recipes[i];
        struct manifest_case *row = &cases[recipe->case_index];
        if (recipe->generator != NULL && !make_input(&making, recipe, row, err)) {
            return false;
        }
        if (recipe->answer && row->answer.bytes < 0 && !make_answer(&making, row, err)) {
            return false;
        }
    }
    problem->recipe_count = 0;
    return true;
}

/* ---- validators ---- */

struct validating {
    struct making making;
    struct problem_data_fault *faults;
    int32_t count;
};

static void add_fault(struct validating *self, struct str name,
                      const struct manifest_program *validator, struct str message) {
    struct arena *arena = self->making.loaded->arena;
    if (self->count < FAULTS_MAX) {
        self->faults[self->count++] = (struct problem_data_fault){
            .name = name,
            .validator = validator->entry.len > 0 ? validator->entry : STR("validator"),
            .message = arena_str(arena, message)};
    }
}

/* The first line that it wrote, on standard error or else on standard output. */
static struct str words_of(const struct judge_tool_result *result, char text[WORDS_BYTES_MAX]) {
    const int fds[] = {result->errors_fd, result->output_fd};
    struct str line = STR("");
    for (size_t i = 0; i < 2 && line.len == 0; i++) {
        ssize_t got = fds[i] < 0 ? 0 : pread(fds[i], text, WORDS_BYTES_MAX, 0);
        struct str all = str_trim(str_of(text, got > 0 ? (size_t)got : 0));
        (void)str_next_line(&all, &line);
    }
    return str_is_utf8(line) ? line : STR("");
}

static bool validate_one(struct validating *self, const struct manifest_program *validator,
                         const struct manifest_case *row, bool *ret_broken, struct err *err) {
    own_tool_result result = {.output_fd = -1, .errors_fd = -1};
    own_fd input = -1;
    own(arena) arena = arena_create(16 * MIB);
    char text[WORDS_BYTES_MAX];
    if (row->input.bytes < 0) {
        return true;
    }
    if (!blob_map_open(self->making.loaded->blobs, &row->input, &input, err)) {
        return false;
    }
    struct judge_tool_request request = ask(&self->making, validator, validator->args, input);
    request.time_ms = self->making.loaded->problem.manifest.limits.validation_time_ms;
    if (!judge_run_tool(self->making.session->judge, &request, arena, &result, err)) {
        if (err->fault != FAULT_PROBLEM) {
            return false;
        }
        add_fault(self, row->name, validator, str_from(err->text));
        *err = (struct err){.kind = ERR_NONE};
        *ret_broken = true; /* it does not compile: once is enough */
        return true;
    }
    int valid = validator->adapter == ADAPTER_ICPC ? ICPC_VALID : 0;
    if (!result.ended || result.exit_code != valid) {
        struct str words = words_of(&result, text);
        add_fault(self, row->name, validator, words.len > 0 ? words : str_from(result.why));
    }
    return true;
}

bool problem_data_validate(struct session *session, struct loaded *loaded,
                           struct problem_data_fault **ret_faults, int32_t *ret_count,
                           struct err *err) {
    const struct package_problem *problem = &loaded->problem;
    struct validating self = {.making = {.session = session, .loaded = loaded}};
    self.faults = arena_array(loaded->arena, FAULTS_MAX, sizeof(self.faults[0]));
    for (int32_t v = 0; v < problem->validator_count; v++) {
        bool broken = false;
        for (int32_t i = 0; i < problem->manifest.case_count && !broken; i++) {
            if (!validate_one(&self, &problem->validators[v], &problem->manifest.cases[i], &broken,
                              err)) {
                return false;
            }
        }
    }
    *ret_faults = self.faults;
    *ret_count = self.count;
    return true;
}
