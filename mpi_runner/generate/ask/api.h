/* mpi_runner/generate/ask/api.h - ways to ask a model, as a table
 *
 * They run in a process of their own, the asker, which alone has the key.  The
 * prompt of a request is the file prompt.txt of its folder; the answer becomes
 * answer.txt there, and what is known of it answer.json.
 *
 * Upstream: asker.h.  To add one, write one file and one line in api.c.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_API_H
#define OSW_MPI_RUNNER_GENERATE_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "mpi_runner/generate/ask/asked.h"

enum {
    OSW_API_MAX_PATH = 2048,
    OSW_API_MAX_PROMPT = 1024 * 1024,
    OSW_API_MAX_BUSY = 64, /* requests under way */
};

/* Texts are borrowed for the life of the asker; NULL: not given. */
struct osw_api_config {
    const char *url, *model, *key_env, *command, *replay;
    uint64_t max_tokens;
    double timeout_s; /* of one request */
    const char *run;  /* folder of the run */
};

struct osw_api_request {
    uint32_t op, number;           /* index of the op, attempt */
    char folder[OSW_API_MAX_PATH]; /* of the attempt, in that of the run */
};

struct osw_api_reply {
    uint32_t op, number;
    enum osw_outcome outcome; /* ANSWERED, or what the request ended as */
    struct osw_usage used;
    int64_t ms;
    uint32_t tries;
    bool same_prompt;
    bool unpaid; /* it is certain that nothing was made for it */
    bool fatal;  /* the next request would fail alike: ask no more */
    char stop[OSW_ASKED_MAX_WORDS], model[OSW_ASKED_MAX_WORDS];
    char why[OSW_ASKED_MAX_WORDS];
};

struct osw_api {
    const char *name;
    const char *needs;   /* option without which it cannot be used, or NULL */
    const char *url;     /* where it asks, by default; NULL: no --url */
    const char *key_env; /* variable that has the key, by default; or NULL */
    /* Returns its state, or NULL with err set. */
    void *(*open)(const struct osw_api_config *config, struct osw_error *err);
    /* Begin a request.  What fails is a reply. */
    void (*submit)(void *state, const struct osw_api_request *request);
    /* Go on, and wait at most so long, or until `fd` can be read.  True: *reply
     * is one.
     */
    bool (*poll)(void *state, int fd, int wait_ms, struct osw_api_reply *reply);
    void (*close)(void *state);
};

extern const struct osw_api osw_api_command, osw_api_replay, osw_api_anthropic,
    osw_api_openai;

/* The i-th name, from 0, up to a NULL; the row of a name, or NULL. */
const char *osw_api_name(size_t i);
const struct osw_api *osw_api_find(const char *name);

/* Can it be used so?  0, or -1 with err set (OSW_BAD_INPUT). */
int osw_api_check(const struct osw_api *api,
                  const struct osw_api_config *config,
                  struct osw_error *err) OSW_MUST_CHECK;

/* The variable that has the key: of --key-env, or the API's; NULL: there is
 * none.
 */
const char *osw_api_key_env(const struct osw_api *api,
                            const struct osw_api_config *config);

/* Take the keys of all APIs, and that of --key-env, out of this process, also
 * out of the memory that /proc shows.
 */
void osw_api_forget_keys(const struct osw_api_config *config);

/* For their files: "RUN/FOLDER/FILE". */
void osw_api_path(const struct osw_api_config *config,
                  const struct osw_api_request *request, const char *file,
                  char out[OSW_API_MAX_PATH]);

/* Write and sync an answer.  0, or -1 with err set. */
int osw_api_keep_answer(const struct osw_api_config *config,
                        const struct osw_api_request *request,
                        const char *bytes, size_t n,
                        struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_GENERATE_API_H */
