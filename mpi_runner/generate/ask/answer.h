/* mpi_runner/generate/ask/answer.h - the body of an endpoint's response,
 * decoded as it comes
 *
 * Streams of server-sent events as of Anthropic's Messages and OpenAI's Chat
 * Completions, and plain JSON, which errors are and what some servers send in
 * place of a stream.  Bytes are untrusted.  Pure; callable by a fuzzer.
 *
 * Upstream: api_http_curl.c.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_ANSWER_H
#define OSW_MPI_RUNNER_GENERATE_ANSWER_H

#include "common/text.h"
#include "mpi_runner/generate/ask/attempt.h"
#include "mpi_runner/generate/ask/price.h"

enum {
    OSW_ANSWER_MAX_EVENT = 1024 * 1024, /* bytes of an event, or of JSON */
    OSW_ANSWER_MAX_BYTES = 64 * 1024 * 1024,
    OSW_ANSWER_MAX_WORD = 128,
};

enum osw_answer_style { OSW_ANSWER_ANTHROPIC, OSW_ANSWER_OPENAI };

struct osw_answer {
    enum osw_answer_style style;
    struct osw_text text; /* of the answer; thinking is left out */
    struct osw_usage used;
    char stop[OSW_ANSWER_MAX_WORD], model[OSW_ANSWER_MAX_WORD];
    char error_type[OSW_ANSWER_MAX_WORD]; /* "": no error was reported */
    char error[OSW_ANSWER_MAX_WORD];
    bool done;      /* its end was said */
    bool too_large; /* the text is; take no more */
    bool bad;       /* no event stream and no JSON of this style */

    /* Of the decoder. */
    struct osw_text line, data;
    size_t n_bytes;
    enum { OSW_ANSWER_UNKNOWN, OSW_ANSWER_EVENTS, OSW_ANSWER_JSON } form;
};

void osw_answer_begin(struct osw_answer *a, enum osw_answer_style style);
void osw_answer_free(struct osw_answer *a);

/* Take the next bytes.  false: no more are wanted (too large, or bad). */
bool osw_answer_feed(struct osw_answer *a, const char *bytes, size_t n);

/* No more will come.  What it ended as: ANSWERED, TRUNCATED (at max_tokens),
 * REFUSED, TOO_LARGE, or FAILED, and then *why says why.
 */
enum osw_outcome osw_answer_end(struct osw_answer *a, const char **why);

#endif /* OSW_MPI_RUNNER_GENERATE_ANSWER_H */
