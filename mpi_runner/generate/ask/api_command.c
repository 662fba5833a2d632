/* mpi_runner/generate/ask/api_command.c - a program is the model: the prompt is
 * its standard input, the answer its standard output */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/text.h"
#include "mpi_runner/generate/ask/api.h"
#include "mpi_runner/generate/ask/extract.h"
#include "ops/build/tool.h"

enum { WAIT_MS = 5, MAX_ERRORS = 4096 };

struct running {
    bool busy;
    struct osw_api_request request;
    struct osw_tool tool;
    struct osw_tool_process process;
    const char *argv[2];
    char input[OSW_API_MAX_PATH], errors[OSW_API_MAX_PATH];
    struct osw_text answer;
    bool too_large;
    int64_t start_ns;
    struct osw_error err; /* why it could not be started */
};

struct state {
    const struct osw_api_config *config;
    struct running running[OSW_API_MAX_BUSY];
};

static void *command_open(const struct osw_api_config *config,
                          struct osw_error *err)
{
    struct state *s = calloc(1, sizeof(*s));

    if (!s)
        osw_fail(err, OSW_NO_MEMORY, "no memory for requests");
    else
        s->config = config;
    return s;
}

static void take(void *arg, const char *bytes, size_t n)
{
    struct running *r = arg;

    if (r->answer.used + n > OSW_EXTRACT_MAX_ANSWER)
        r->too_large = true;
    else
        osw_text_add_n(&r->answer, bytes, n);
}

/* What a program may want to know beside the prompt. */
static void set_variables(const struct osw_api_request *request)
{
    char number[16], op[OSW_API_MAX_PATH];

    snprintf(number, sizeof(number), "%u", request->number);
    snprintf(op, sizeof(op), "%.*s", (int)strcspn(request->folder, "/"),
             request->folder);
    setenv("OPSWEEP_ATTEMPT", number, 1);
    setenv("OPSWEEP_OP", op, 1);
}

static void command_submit(void *state, const struct osw_api_request *request)
{
    struct state *s = state;
    struct running *r = s->running;

    while (r->busy)
        r++; /* the asker never has more under way than there is room for */
    *r = (struct running){.busy = true,
                          .request = *request,
                          .argv = {s->config->command},
                          .start_ns = osw_clock_ns(),
                          .process = {.fd = -1, .pid = -1}};
    osw_api_path(s->config, request, "prompt.txt", r->input);
    osw_api_path(s->config, request, "command.log", r->errors);
    r->tool =
        (struct osw_tool){.argv = r->argv,
                          .split = true,
                          .input = r->input,
                          .errors = r->errors,
                          .deadline_ns = (int64_t)(s->config->timeout_s * 1e9),
                          .sink = take,
                          .sink_arg = r};
    set_variables(request);
    if (osw_tool_start(&r->tool, &r->process, &r->err) < 0)
        r->process.pid = -1;
}

/* The last line of what the program said of errors. */
static void last_words(const char *path, char *out, size_t size)
{
    char text[MAX_ERRORS + 1], *line;
    FILE *f = fopen(path, "re");
    size_t n;

    *out = '\0';
    if (!f)
        return;
    if (fseek(f, -MAX_ERRORS, SEEK_END) < 0)
        rewind(f);
    n = fread(text, 1, MAX_ERRORS, f);
    fclose(f);
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
        n--;
    text[n] = '\0';
    line = strrchr(text, '\n');
    snprintf(out, size, "%.120s", line ? line + 1 : text);
}

static void conclude(const struct state *s, const struct running *r,
                     const struct osw_tool_end *end, struct osw_api_reply *out)
{
    struct osw_error err = r->err;
    char said[128];

    out->outcome = OSW_OUTCOME_FAILED;
    last_words(r->errors, said, sizeof(said));
    out->fatal = r->process.pid < 0;
    if (out->fatal)
        snprintf(out->why, sizeof(out->why), "%.200s", err.text);
    else if (r->too_large)
        out->outcome = OSW_OUTCOME_TOO_LARGE;
    else if (end->late)
        snprintf(out->why, sizeof(out->why), "no answer within %g s",
                 s->config->timeout_s);
    else if (end->signal || end->exit_code != 0)
        snprintf(out->why, sizeof(out->why), "the command ended with %s %d%s%s",
                 end->signal ? "signal" : "exit code",
                 end->signal ? end->signal : end->exit_code, *said ? ": " : "",
                 said);
    else if (r->answer.failed ||
             osw_api_keep_answer(s->config, &r->request,
                                 r->answer.used ? r->answer.data : "",
                                 r->answer.used, &err) < 0)
        snprintf(out->why, sizeof(out->why), "%.200s",
                 r->answer.failed ? "no memory for the answer" : err.text);
    else
        out->outcome = OSW_OUTCOME_ANSWERED;
}

static bool look(const struct state *s, struct running *r,
                 struct osw_api_reply *out)
{
    struct osw_tool_end end = {.exit_code = -1};
    struct osw_error err = OSW_ERROR_INIT;

    if (r->process.pid >= 0 && r->too_large)
        r->process.deadline.until_ns = 0; /* ends it at the next look */
    if (r->process.pid >= 0 && osw_tool_poll(&r->process, &end, &err) == 0)
        return false;
    *out =
        (struct osw_api_reply){.op = r->request.op,
                               .number = r->request.number,
                               .tries = 1,
                               .ms = (osw_clock_ns() - r->start_ns) / 1000000};
    conclude(s, r, &end, out);
    osw_text_free(&r->answer);
    r->busy = false;
    return true;
}

static bool command_poll(void *state, int fd, int wait_ms,
                         struct osw_api_reply *reply)
{
    struct state *s = state;
    struct pollfd p[OSW_API_MAX_BUSY + 1] = {{.fd = fd, .events = POLLIN}};
    nfds_t n = 1;
    bool ending = false; /* a program that closed its output is waited for */

    for (int i = 0; i < OSW_API_MAX_BUSY; i++) {
        struct running *r = &s->running[i];

        if (!r->busy)
            continue;
        if (look(s, r, reply))
            return true;
        if (r->process.fd >= 0)
            p[n++] = (struct pollfd){.fd = r->process.fd, .events = POLLIN};
        else
            ending = true;
    }
    poll(p, n, ending ? WAIT_MS : wait_ms);
    return false;
}

static void command_close(void *state)
{
    struct state *s = state;

    for (int i = 0; s && i < OSW_API_MAX_BUSY; i++) {
        struct running *r = &s->running[i];
        struct osw_api_reply unused;

        if (r->busy && r->process.pid >= 0) {
            r->process.deadline.until_ns = 0;
            (void)look(s, r, &unused);
        }
        osw_text_free(&r->answer);
    }
    free(s);
}

const struct osw_api osw_api_command = {
    .name = "command",
    .needs = "model-command",
    .open = command_open,
    .submit = command_submit,
    .poll = command_poll,
    .close = command_close,
};
