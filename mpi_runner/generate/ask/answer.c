/* mpi_runner/generate/ask/answer.c - the body of an endpoint's response,
 * decoded as it comes */
#include "mpi_runner/generate/ask/answer.h"

#include <stdio.h>
#include <string.h>

#include "common/json.h"
#include "mpi_runner/generate/ask/extract.h"

void osw_answer_begin(struct osw_answer *a, enum osw_answer_style style)
{
    *a = (struct osw_answer){.style = style};
}

void osw_answer_free(struct osw_answer *a)
{
    osw_text_free(&a->text);
    osw_text_free(&a->line);
    osw_text_free(&a->data);
}

/* --- JSON, where anything may be missing or of another kind --- */

static const char *string_of(const osw_json_t *v)
{
    const char *s = "";

    if (osw_json_kind(v) == OSW_JSON_STR)
        (void)!osw_json_str(v, &s, NULL);
    return s;
}

static void take_word(const osw_json_t *v, char out[OSW_ANSWER_MAX_WORD])
{
    const char *s = string_of(v);

    if (*s)
        snprintf(out, OSW_ANSWER_MAX_WORD, "%s", s);
}

static void take_count(const osw_json_t *v, uint64_t *out)
{
    if (osw_json_kind(v) == OSW_JSON_INT)
        (void)!osw_json_u64(v, out, NULL);
}

static void add_text(struct osw_answer *a, const osw_json_t *v)
{
    const char *s = string_of(v);

    if (a->text.used + strlen(s) > OSW_EXTRACT_MAX_ANSWER)
        a->too_large = true;
    else
        osw_text_add(&a->text, s);
}

/* {"error": {"type": ..., "code": ..., "message": ...}}, of both styles. */
static void take_error(struct osw_answer *a, const osw_json_t *root)
{
    const osw_json_t *e = osw_json_get(root, "error");

    if (osw_json_kind(e) != OSW_JSON_OBJECT)
        return;
    snprintf(a->error_type, sizeof(a->error_type), "error");
    take_word(osw_json_get(e, "type"), a->error_type);
    take_word(osw_json_get(e, "code"), a->error_type);
    take_word(osw_json_get(e, "message"), a->error);
}

/* --- Anthropic --- */

static void take_anthropic_usage(struct osw_answer *a, const osw_json_t *u)
{
    take_count(osw_json_get(u, "input_tokens"), &a->used.in);
    take_count(osw_json_get(u, "output_tokens"), &a->used.out);
    take_count(osw_json_get(u, "cache_read_input_tokens"), &a->used.cache_read);
    take_count(osw_json_get(u, "cache_creation_input_tokens"),
               &a->used.cache_write);
}

/* A whole message, or the beginning of one. */
static void take_message(struct osw_answer *a, const osw_json_t *m)
{
    const osw_json_t *content = osw_json_get(m, "content");

    take_word(osw_json_get(m, "model"), a->model);
    take_word(osw_json_get(m, "stop_reason"), a->stop);
    take_anthropic_usage(a, osw_json_get(m, "usage"));
    for (size_t i = 0; i < osw_json_size(content); i++) {
        const osw_json_t *block = osw_json_at(content, i);

        if (strcmp(string_of(osw_json_get(block, "type")), "text") == 0)
            add_text(a, osw_json_get(block, "text"));
    }
}

static void take_anthropic(struct osw_answer *a, const osw_json_t *root)
{
    const char *type = string_of(osw_json_get(root, "type"));
    const osw_json_t *delta = osw_json_get(root, "delta");
    const osw_json_t *block = osw_json_get(root, "content_block");

    if (strcmp(type, "message") == 0) { /* not streamed */
        take_message(a, root);
        a->done = true;
    } else if (strcmp(type, "message_start") == 0) {
        take_message(a, osw_json_get(root, "message"));
    } else if (strcmp(type, "content_block_start") == 0) {
        if (strcmp(string_of(osw_json_get(block, "type")), "text") == 0)
            add_text(a, osw_json_get(block, "text"));
    } else if (strcmp(type, "content_block_delta") == 0) {
        if (strcmp(string_of(osw_json_get(delta, "type")), "text_delta") == 0)
            add_text(a, osw_json_get(delta, "text"));
    } else if (strcmp(type, "message_delta") == 0) {
        take_word(osw_json_get(delta, "stop_reason"), a->stop);
        take_anthropic_usage(a, osw_json_get(root, "usage"));
    } else if (strcmp(type, "message_stop") == 0) {
        a->done = true;
    }
}

/* --- OpenAI --- */

static void take_openai(struct osw_answer *a, const osw_json_t *root)
{
    const osw_json_t *choice = osw_json_at(osw_json_get(root, "choices"), 0);
    const osw_json_t *usage = osw_json_get(root, "usage");
    const osw_json_t *message = osw_json_get(choice, "message");
    const osw_json_t *delta = osw_json_get(choice, "delta");
    uint64_t all = 0, cached = 0;

    take_word(osw_json_get(root, "model"), a->model);
    take_word(osw_json_get(choice, "finish_reason"), a->stop);
    add_text(a, osw_json_get(message ? message : delta, "content"));
    if (message)
        a->done = true; /* not streamed */
    if (osw_json_kind(usage) != OSW_JSON_OBJECT)
        return;
    take_count(osw_json_get(usage, "prompt_tokens"), &all);
    take_count(osw_json_get(usage, "completion_tokens"), &a->used.out);
    take_count(osw_json_get(osw_json_get(usage, "prompt_tokens_details"),
                            "cached_tokens"),
               &cached);
    a->used.cache_read = cached < all ? cached : all;
    a->used.in = all - a->used.cache_read;
}

/* --- events --- */

static void (*const take[])(struct osw_answer *, const osw_json_t *) = {
    [OSW_ANSWER_ANTHROPIC] = take_anthropic,
    [OSW_ANSWER_OPENAI] = take_openai,
};

static void take_json(struct osw_answer *a, const struct osw_text *json)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_json_t *root = json->failed
                           ? NULL
                           : osw_json_parse(json->data ? json->data : "",
                                            json->used, "the response", &err);

    if (!root || osw_json_kind(root) != OSW_JSON_OBJECT) {
        a->bad = true;
    } else {
        take_error(a, root);
        take[a->style](a, root);
    }
    osw_json_free(root);
}

static void end_event(struct osw_answer *a)
{
    if (a->data.used > 0 && !a->done) {
        if (strcmp(a->data.data, "[DONE]") == 0)
            a->done = true;
        else
            take_json(a, &a->data);
    }
    osw_text_reset(&a->data);
}

static void end_line(struct osw_answer *a)
{
    static const char field[] = "data:";
    const char *line = a->line.used ? a->line.data : "";
    size_t n = a->line.used;

    if (n > 0 && line[n - 1] == '\r')
        n--;
    if (n == 0) {
        end_event(a);
    } else if (n >= sizeof(field) - 1 &&
               memcmp(line, field, sizeof(field) - 1) == 0) {
        size_t skip = sizeof(field) - 1;

        skip += skip < n && line[skip] == ' ';
        if (a->data.used > 0)
            osw_text_add(&a->data, "\n");
        osw_text_add_n(&a->data, line + skip, n - skip);
    }
    osw_text_reset(&a->line);
}

static void feed_events(struct osw_answer *a, const char *bytes, size_t n)
{
    while (n > 0 && !a->bad && !a->too_large) {
        const char *end = memchr(bytes, '\n', n);
        size_t used = end ? (size_t)(end - bytes) : n;

        osw_text_add_n(&a->line, bytes, used);
        if (a->line.used + a->data.used > OSW_ANSWER_MAX_EVENT ||
            a->line.failed)
            a->bad = true;
        if (end && !a->bad)
            end_line(a);
        bytes += used + (end ? 1 : 0);
        n -= used + (end ? 1 : 0);
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool osw_answer_feed(struct osw_answer *a, const char *bytes, size_t n)
{
    a->n_bytes += n;
    if (a->n_bytes > OSW_ANSWER_MAX_BYTES)
        a->too_large = true;
    if (a->form == OSW_ANSWER_UNKNOWN) {
        while (n > 0 && is_blank(*bytes)) {
            bytes++;
            n--;
        }
        if (n > 0)
            a->form =
                strchr("{[<", *bytes) ? OSW_ANSWER_JSON : OSW_ANSWER_EVENTS;
    }
    if (a->form == OSW_ANSWER_EVENTS) {
        feed_events(a, bytes, n);
    } else if (a->form == OSW_ANSWER_JSON) {
        osw_text_add_n(&a->data, bytes, n);
        if (a->data.used > 2 * OSW_EXTRACT_MAX_ANSWER || a->data.failed)
            a->too_large = true;
    }
    return !a->bad && !a->too_large;
}

/* Why a model stopped, where that is no plain end. */
static const struct {
    const char *stop;
    enum osw_outcome outcome;
} stops[] = {
    {"max_tokens", OSW_OUTCOME_TRUNCATED},
    {"length", OSW_OUTCOME_TRUNCATED},
    {"model_context_window_exceeded", OSW_OUTCOME_TRUNCATED},
    {"refusal", OSW_OUTCOME_REFUSED},
    {"content_filter", OSW_OUTCOME_REFUSED},
};

enum osw_outcome osw_answer_end(struct osw_answer *a, const char **why)
{
    *why = "";
    if (a->form == OSW_ANSWER_JSON && !a->too_large)
        take_json(a, &a->data);
    if (a->too_large)
        return OSW_OUTCOME_TOO_LARGE;
    if (*a->error_type)
        *why = *a->error ? a->error : a->error_type;
    else if (a->bad || a->text.failed)
        *why =
            "the response is neither a stream of events nor JSON of this API";
    else if (!a->done)
        *why = "the response was cut off before its end";
    if (**why)
        return OSW_OUTCOME_FAILED;
    for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++)
        if (strcmp(a->stop, stops[i].stop) == 0)
            return stops[i].outcome;
    return OSW_OUTCOME_ANSWERED;
}
