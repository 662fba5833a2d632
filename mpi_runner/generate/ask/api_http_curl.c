/* mpi_runner/generate/ask/api_http_curl.c - models over HTTP: Anthropic's
 * Messages and OpenAI's Chat Completions, asked by libcurl
 *
 * libcurl is loaded at run time, by the asker alone: no rank and no other
 * command has it in memory.
 */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/json_out.h"
#include "mpi_runner/generate/ask/answer.h"
#include "mpi_runner/generate/ask/api.h"
#include "mpi_runner/generate/ask/retry.h"

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

/* What is used of the library. */
#define CURL_MAP(X)                                                            \
    X(curl_global_init)                                                        \
    X(curl_easy_init)                                                          \
    X(curl_easy_setopt)                                                        \
    X(curl_easy_getinfo)                                                       \
    X(curl_easy_strerror)                                                      \
    X(curl_easy_cleanup)                                                       \
    X(curl_slist_append)                                                       \
    X(curl_slist_free_all)                                                     \
    X(curl_multi_init)                                                         \
    X(curl_multi_add_handle)                                                   \
    X(curl_multi_remove_handle)                                                \
    X(curl_multi_perform)                                                      \
    X(curl_multi_info_read)                                                    \
    X(curl_multi_poll)                                                         \
    X(curl_multi_cleanup)

static struct {
#define X(name) __typeof__(name) *name;
    CURL_MAP(X)
#undef X
} lib;

enum { MAX_HEADER = 128, CONNECT_S = 30, QUIET_S = 180, MIN_SECRET = 8 };

/* How the two APIs differ. */
struct style {
    enum osw_answer_style answer;
    const char *path;       /* after the URL */
    const char *key_header; /* before the key */
    const char *header;     /* one more, or NULL */
    void (*add_options)(struct osw_json_out *o, uint64_t max_tokens);
};

enum phase { FREE, WAITING, SENT };

struct running {
    enum phase phase;
    struct osw_api_request request;
    struct osw_text body;
    struct osw_answer answer;
    char retry_after[MAX_HEADER];
    CURL *easy;
    uint32_t n_tries;
    int64_t start_ns, at_ns; /* of WAITING: not before */
    bool leaks;              /* the prompt has the key in it */
};

struct state {
    const struct osw_api_config *config;
    const struct style *style;
    char *url, *key; /* key "": none */
    bool local;
    struct curl_slist *headers;
    CURLM *multi;
    int64_t pause_ns; /* no request is sent before */
    struct running running[OSW_API_MAX_BUSY];
};

static void add_anthropic(struct osw_json_out *o, uint64_t max_tokens)
{
    osw_json_out_u64(o, "max_tokens", max_tokens);
}

static void add_openai(struct osw_json_out *o, uint64_t max_tokens)
{
    osw_json_out_u64(o, "max_completion_tokens", max_tokens);
    osw_json_out_object(o, "stream_options");
    osw_json_out_bool(o, "include_usage", true);
    osw_json_out_end(o);
}

static const struct style anthropic = {
    OSW_ANSWER_ANTHROPIC, "/v1/messages",
    "x-api-key: ", "anthropic-version: 2023-06-01", add_anthropic};
static const struct style openai = {OSW_ANSWER_OPENAI, "/chat/completions",
                                    "Authorization: Bearer ", NULL, add_openai};

/* --- begin --- */

static int load_library(struct osw_error *err)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    void *handle = NULL;

    for (size_t i = 0; !handle && i < sizeof(names) / sizeof(names[0]); i++)
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return osw_fail(err, OSW_SYSTEM,
                        "libcurl.so.4 cannot be loaded: it is needed to ask an "
                        "endpoint (Debian's libcurl4)");
#define X(name)                                                                \
    *(void **)&lib.name = dlsym(handle, #name);                                \
    if (!lib.name)                                                             \
        return osw_fail(err, OSW_SYSTEM,                                       \
                        "libcurl has no " #name ": expected 7.66 or later");
    CURL_MAP(X)
#undef X
    return lib.curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK
               ? 0
               : osw_fail(err, OSW_SYSTEM, "libcurl cannot begin");
}

static void add_header(struct state *s, const char *a, const char *b)
{
    char *line = NULL;
    struct curl_slist *more;

    if (asprintf(&line, "%s%s", a, b) < 0)
        return;
    more = lib.curl_slist_append(s->headers, line);
    if (more)
        s->headers = more;
    explicit_bzero(line, strlen(line));
    free(line);
}

static void http_close(void *state)
{
    struct state *s = state;

    if (!s)
        return;
    for (int i = 0; i < OSW_API_MAX_BUSY; i++) {
        struct running *r = &s->running[i];

        if (r->easy) {
            lib.curl_multi_remove_handle(s->multi, r->easy);
            lib.curl_easy_cleanup(r->easy);
        }
        osw_text_free(&r->body);
        osw_answer_free(&r->answer);
    }
    if (s->multi)
        lib.curl_multi_cleanup(s->multi);
    if (s->headers)
        lib.curl_slist_free_all(s->headers);
    if (s->key)
        explicit_bzero(s->key, strlen(s->key));
    free(s->key);
    free(s->url);
    free(s);
}

static void *http_open(const struct osw_api *api, const struct style *style,
                       const struct osw_api_config *config,
                       struct osw_error *err)
{
    struct state *s = calloc(1, sizeof(*s));
    const char *url = config->url ? config->url : api->url;
    const char *key = getenv(osw_api_key_env(api, config));
    size_t n = strlen(url);

    if (load_library(err) < 0) {
        free(s);
        return NULL;
    }
    if (!s) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for requests");
        return NULL;
    }
    while (n > 0 && url[n - 1] == '/')
        n--;
    s->config = config;
    s->style = style;
    s->key = strdup(key ? key : "");
    (void)osw_retry_check_url(url, &s->local);
    if (asprintf(&s->url, "%.*s%s", (int)n, url, style->path) < 0)
        s->url = NULL;
    s->multi = lib.curl_multi_init();
    if (!s->key || !s->url || !s->multi) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for requests");
        http_close(s);
        return NULL;
    }
    osw_api_forget_keys(config);
    add_header(s, "Content-Type: application/json", "");
    add_header(s, "Accept: text/event-stream", "");
    if (*s->key)
        add_header(s, style->key_header, s->key);
    if (style->header)
        add_header(s, style->header, "");
    return s;
}

static void *anthropic_open(const struct osw_api_config *config,
                            struct osw_error *err)
{
    return http_open(&osw_api_anthropic, &anthropic, config, err);
}

static void *openai_open(const struct osw_api_config *config,
                         struct osw_error *err)
{
    return http_open(&osw_api_openai, &openai, config, err);
}

/* --- a request --- */

static bool has_key(const struct state *s, const char *text, size_t n)
{
    return strlen(s->key) >= MIN_SECRET &&
           memmem(text, n, s->key, strlen(s->key)) != NULL;
}

/* The key never is in what is kept or shown, whatever an endpoint echoes. */
static void hide_key(const struct state *s, char *text, size_t n)
{
    size_t length = strlen(s->key);
    char *at = text;

    while (length >= MIN_SECRET &&
           (at = memmem(at, n - (size_t)(at - text), s->key, length)))
        memset(at, '*', length);
}

static void make_body(const struct state *s, struct running *r)
{
    char path[OSW_API_MAX_PATH], *prompt = malloc(OSW_API_MAX_PROMPT + 1);
    struct osw_json_out o = osw_json_out(&r->body);
    FILE *f;
    size_t n = 0;

    osw_api_path(s->config, &r->request, "prompt.txt", path);
    f = prompt ? fopen(path, "re") : NULL;
    if (f) {
        n = fread(prompt, 1, OSW_API_MAX_PROMPT, f);
        fclose(f);
    } else {
        r->body.failed = true;
    }
    if (prompt)
        prompt[n] = '\0';
    r->leaks = prompt && has_key(s, prompt, n);
    osw_json_out_object(&o, NULL);
    osw_json_out_str(&o, "model", s->config->model);
    osw_json_out_bool(&o, "stream", true);
    s->style->add_options(&o, s->config->max_tokens);
    osw_json_out_list(&o, "messages");
    osw_json_out_object(&o, NULL);
    osw_json_out_str(&o, "role", "user");
    osw_json_out_str(&o, "content", prompt ? prompt : "");
    osw_json_out_end(&o);
    osw_json_out_end(&o);
    osw_json_out_end(&o);
    free(prompt);
}

static void http_submit(void *state, const struct osw_api_request *request)
{
    struct state *s = state;
    struct running *r = s->running;

    while (r->phase != FREE)
        r++; /* the asker never has more under way than there is room for */
    *r = (struct running){
        .phase = WAITING, .request = *request, .start_ns = osw_clock_ns()};
    make_body(s, r);
}

static size_t on_body(char *bytes, size_t size, size_t n, void *arg)
{
    struct running *r = arg;

    return osw_answer_feed(&r->answer, bytes, size * n) ? size * n : 0;
}

static size_t on_header(char *bytes, size_t size, size_t n, void *arg)
{
    static const char name[] = "retry-after:";
    struct running *r = arg;
    size_t all = size * n, at = sizeof(name) - 1;

    if (all < at || strncasecmp(bytes, name, at) != 0)
        return all;
    while (at < all && bytes[at] == ' ')
        at++;
    snprintf(r->retry_after, sizeof(r->retry_after), "%.*s",
             (int)(all - at < 64 ? all - at : 64), bytes + at);
    r->retry_after[strcspn(r->retry_after, "\r\n")] = '\0';
    return all;
}

/* No redirects: the key would go along. */
static void send_it(struct state *s, struct running *r)
{
    static char unused[] = "";
    CURL *e = r->easy = lib.curl_easy_init();

    osw_answer_free(&r->answer);
    osw_answer_begin(&r->answer, s->style->answer);
    *r->retry_after = '\0';
    r->n_tries++;
    r->phase = SENT;
    if (!e)
        return; /* look() sees that */
#define SET(option, value) lib.curl_easy_setopt(e, option, value)
    SET(CURLOPT_URL, s->url);
#if LIBCURL_VERSION_NUM >= 0x075500
    SET(CURLOPT_PROTOCOLS_STR, s->local ? "http,https" : "https");
#endif
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    if (s->local)
        SET(CURLOPT_NOPROXY, "*");
    SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_HTTPHEADER, s->headers);
    SET(CURLOPT_POST, 1L);
    SET(CURLOPT_POSTFIELDSIZE, (long)r->body.used);
    SET(CURLOPT_POSTFIELDS, r->body.used ? r->body.data : unused);
    SET(CURLOPT_WRITEFUNCTION, on_body);
    SET(CURLOPT_WRITEDATA, r);
    SET(CURLOPT_HEADERFUNCTION, on_header);
    SET(CURLOPT_HEADERDATA, r);
    SET(CURLOPT_PRIVATE, r);
    SET(CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
    SET(CURLOPT_TIMEOUT_MS, (long)(s->config->timeout_s * 1e3));
    SET(CURLOPT_LOW_SPEED_LIMIT, 1L);
    SET(CURLOPT_LOW_SPEED_TIME, (long)QUIET_S);
#undef SET
    lib.curl_multi_add_handle(s->multi, e);
}

/* --- its end --- */

static void reply_words(const struct state *s, struct running *r,
                        struct osw_api_reply *out, const char *why)
{
    snprintf(out->why, sizeof(out->why), "%.200s", why);
    snprintf(out->stop, sizeof(out->stop), "%s", r->answer.stop);
    snprintf(out->model, sizeof(out->model), "%s", r->answer.model);
    hide_key(s, out->why, strlen(out->why));
    hide_key(s, out->stop, strlen(out->stop));
    hide_key(s, out->model, strlen(out->model));
}

static void conclude(const struct state *s, struct running *r, long status,
                     const char *failure, bool fatal, struct osw_api_reply *out)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text *text = &r->answer.text;
    char words[OSW_ASKED_MAX_WORDS];
    const char *why = failure;

    *out =
        (struct osw_api_reply){.op = r->request.op,
                               .number = r->request.number,
                               .outcome = OSW_OUTCOME_FAILED,
                               .tries = r->n_tries,
                               .fatal = fatal,
                               .ms = (osw_clock_ns() - r->start_ns) / 1000000};
    if (!failure && status >= 200 && status < 300) {
        out->outcome = osw_answer_end(&r->answer, &why);
        if (r->answer.done)
            out->used = r->answer.used;
    } else if (!failure) {
        out->unpaid = true;
        (void)osw_answer_end(&r->answer, &why);
        snprintf(words, sizeof(words), "status %ld%s%s", status,
                 *r->answer.error ? ": " : "", r->answer.error);
        why = words;
    }
    if (text->used > 0)
        hide_key(s, text->data, text->used);
    if (out->outcome == OSW_OUTCOME_ANSWERED &&
        osw_api_keep_answer(s->config, &r->request,
                            text->used ? text->data : "", text->used,
                            &err) < 0) {
        out->outcome = OSW_OUTCOME_FAILED;
        why = err.text;
    }
    reply_words(s, r, out, why);
}

static void release(struct state *s, struct running *r, bool keep_body)
{
    if (r->easy) {
        lib.curl_multi_remove_handle(s->multi, r->easy);
        lib.curl_easy_cleanup(r->easy);
    }
    r->easy = NULL;
    if (keep_body)
        return;
    osw_text_free(&r->body);
    osw_answer_free(&r->answer);
    r->phase = FREE;
}

/* Failed before anything could reach the endpoint? */
static bool never_arrived(CURLcode code)
{
    return code == CURLE_COULDNT_CONNECT ||
           code == CURLE_COULDNT_RESOLVE_HOST ||
           code == CURLE_COULDNT_RESOLVE_PROXY ||
           code == CURLE_SSL_CONNECT_ERROR;
}

/* A transfer ended.  true: *reply is what it came to. */
static bool finish(struct state *s, struct running *r, CURLcode code,
                   struct osw_api_reply *reply)
{
    long status = 0;
    struct osw_retry next;
    const char *failure = NULL;
    const char *why;

    lib.curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
    if (code == CURLE_OK && (status < 200 || status >= 300))
        (void)osw_answer_end(&r->answer, &why); /* its error's type */
    next =
        osw_retry_decide(code == CURLE_OK ? status : 0, r->answer.error_type,
                         r->retry_after[0] ? r->retry_after : NULL, r->n_tries);
    if (code != CURLE_OK && !r->answer.too_large && !r->answer.bad) {
        failure = lib.curl_easy_strerror(code);
        if (code == CURLE_PEER_FAILED_VERIFICATION)
            next.what = OSW_RETRY_FATAL;
        else if (!never_arrived(code)) /* it may have been made and paid for */
            next.what = OSW_RETRY_TAKE;
    } else if (code != CURLE_OK) {
        next.what = OSW_RETRY_TAKE; /* we ended it */
        status = 200;
    }
    if (next.what == OSW_RETRY_AGAIN) {
        release(s, r, true);
        r->phase = WAITING;
        r->at_ns = osw_clock_ns() + next.delay_ms * 1000000;
        if (next.pause && s->pause_ns < r->at_ns)
            s->pause_ns = r->at_ns;
        return false;
    }
    conclude(s, r, status, failure, next.what == OSW_RETRY_FATAL, reply);
    release(s, r, false);
    return true;
}

/* Send what is due.  true: *reply is of one that cannot be sent. */
static bool send_due(struct state *s, struct osw_api_reply *reply)
{
    int64_t now_ns = osw_clock_ns();

    for (int i = 0; i < OSW_API_MAX_BUSY; i++) {
        struct running *r = &s->running[i];

        if (r->phase != WAITING || now_ns < r->at_ns || now_ns < s->pause_ns)
            continue;
        if (!r->leaks && !r->body.failed)
            send_it(s, r);
        if (r->easy)
            continue;
        conclude(s, r, 0,
                 r->leaks ? "the prompt has the key in it: not sent"
                          : "no memory for the request",
                 r->leaks, reply);
        release(s, r, false);
        return true;
    }
    return false;
}

static bool http_poll(void *state, int fd, int wait_ms,
                      struct osw_api_reply *reply)
{
    struct state *s = state;
    struct curl_waitfd extra = {.fd = fd, .events = CURL_WAIT_POLLIN};
    CURLMsg *m;
    int n;

    if (send_due(s, reply))
        return true;
    lib.curl_multi_perform(s->multi, &n);
    while ((m = lib.curl_multi_info_read(s->multi, &n))) {
        CURLcode code = m->data.result;
        struct running *r = NULL;
        char *private = NULL;

        if (m->msg != CURLMSG_DONE)
            continue;
        lib.curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &private);
        memcpy(&r, &private, sizeof(r));
        if (finish(s, r, code, reply))
            return true;
    }
    lib.curl_multi_poll(s->multi, &extra, 1, wait_ms, &n);
    return false;
}

const struct osw_api osw_api_anthropic = {
    .name = "anthropic",
    .needs = "model",
    .url = "https://api.anthropic.com",
    .key_env = "ANTHROPIC_API_KEY",
    .open = anthropic_open,
    .submit = http_submit,
    .poll = http_poll,
    .close = http_close,
};

const struct osw_api osw_api_openai = {
    .name = "openai",
    .needs = "model",
    .url = "https://api.openai.com/v1",
    .key_env = "OPENAI_API_KEY",
    .open = openai_open,
    .submit = http_submit,
    .poll = http_poll,
    .close = http_close,
};
