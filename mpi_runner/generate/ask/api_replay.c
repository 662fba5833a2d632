/* mpi_runner/generate/ask/api_replay.c - the answers of an earlier run again */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "mpi_runner/generate/ask/api.h"
#include "mpi_runner/generate/ask/extract.h"

struct state {
    const struct osw_api_config *config;
    struct osw_api_request waiting[OSW_API_MAX_BUSY];
    size_t n;
};

static void *replay_open(const struct osw_api_config *config,
                         struct osw_error *err)
{
    struct state *s = calloc(1, sizeof(*s));

    if (!s) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for requests");
        return NULL;
    }
    s->config = config;
    return s;
}

static void replay_submit(void *state, const struct osw_api_request *request)
{
    struct state *s = state;

    s->waiting[s->n++] = *request;
}

/* All of a file [n], which is the caller's to free; NULL: it cannot be read. */
static char *read_file(const char *root, const struct osw_api_request *r,
                       const char *name, size_t most, size_t *n)
{
    char path[2 * OSW_API_MAX_PATH], *bytes = malloc(most + 1);
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s/%s", root, r->folder, name);
    f = bytes ? fopen(path, "re") : NULL;
    if (!f) {
        free(bytes);
        return NULL;
    }
    *n = fread(bytes, 1, most + 1, f);
    fclose(f);
    if (*n > most) {
        free(bytes);
        return NULL;
    }
    bytes[*n] = '\0';
    return bytes;
}

static bool same_file(const struct state *s, const struct osw_api_request *r,
                      const char *name)
{
    size_t n = 0, m = 0;
    char *a = read_file(s->config->run, r, name, OSW_API_MAX_PROMPT, &n);
    char *b = read_file(s->config->replay, r, name, OSW_API_MAX_PROMPT, &m);
    bool same = a && b && n == m && memcmp(a, b, n) == 0;

    free(a);
    free(b);
    return same;
}

/* What the answer was said to be. */
static enum osw_outcome recorded(const struct state *s,
                                 const struct osw_api_request *r,
                                 struct osw_api_reply *out)
{
    size_t n = 0;
    char *text = read_file(s->config->replay, r, "answer.json", 64 * 1024, &n);
    struct osw_error err = OSW_ERROR_INIT;
    osw_json_t *root =
        text ? osw_json_parse(text, n, "answer.json", &err) : NULL;
    const char *outcome = "failed", *stop = "", *model = "", *why = "";
    enum osw_outcome found;

    if (osw_json_str(osw_json_get(root, "outcome"), &outcome, &err) < 0 ||
        osw_json_str(osw_json_get(root, "stop"), &stop, &err) < 0 ||
        osw_json_str(osw_json_get(root, "why"), &why, &err) < 0 ||
        osw_json_str(osw_json_get(root, "model"), &model, &err) < 0)
        outcome = "failed";
    snprintf(out->stop, sizeof(out->stop), "%s", stop);
    snprintf(out->model, sizeof(out->model), "%s", model);
    snprintf(out->why, sizeof(out->why), "%s", why);
    if (!root)
        snprintf(out->why, sizeof(out->why),
                 "the run that is replayed has no such attempt");
    found = osw_outcome_find(outcome);
    osw_json_free(root);
    free(text);
    return found < OSW_N_OUTCOMES ? found : OSW_OUTCOME_FAILED;
}

static void answer(const struct state *s, const struct osw_api_request *r,
                   struct osw_api_reply *out)
{
    struct osw_error err = OSW_ERROR_INIT;
    size_t n = 0;
    char *bytes;

    *out = (struct osw_api_reply){.op = r->op, .number = r->number, .tries = 1};
    out->outcome = recorded(s, r, out);
    out->same_prompt = same_file(s, r, "prompt.txt");
    if (out->outcome != OSW_OUTCOME_ANSWERED)
        return;
    bytes = read_file(s->config->replay, r, "answer.txt",
                      OSW_EXTRACT_MAX_ANSWER, &n);
    if (!bytes || osw_api_keep_answer(s->config, r, bytes, n, &err) < 0) {
        out->outcome = OSW_OUTCOME_FAILED;
        snprintf(out->why, sizeof(out->why),
                 "its answer cannot be read or kept");
    }
    free(bytes);
}

static bool replay_poll(void *state, int fd, int wait_ms,
                        struct osw_api_reply *reply)
{
    struct state *s = state;
    struct pollfd p = {.fd = fd, .events = POLLIN};

    if (s->n == 0) {
        poll(&p, 1, wait_ms);
        return false;
    }
    answer(s, &s->waiting[0], reply);
    memmove(s->waiting, s->waiting + 1, --s->n * sizeof(s->waiting[0]));
    return true;
}

const struct osw_api osw_api_replay = {
    .name = "replay",
    .needs = "replay",
    .open = replay_open,
    .submit = replay_submit,
    .poll = replay_poll,
    .close = free,
};
