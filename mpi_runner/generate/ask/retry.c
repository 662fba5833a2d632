/* mpi_runner/generate/ask/retry.c - what follows a response of an endpoint */
#include "mpi_runner/generate/ask/retry.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_MS = 500, LONGEST_MS = 8000, MAX_AFTER_MS = 600000 };

/* Errors that waiting does not cure. */
static const char *const about_money[] = {
    "insufficient_quota", "enforced_spend_limit_reached",
    "credit_balance_exhausted", "billing_error", "billing_hard_limit_reached"};

static bool is_about_money(const char *type)
{
    for (size_t i = 0; i < sizeof(about_money) / sizeof(about_money[0]); i++)
        if (strcmp(type, about_money[i]) == 0)
            return true;
    return false;
}

/* Seconds, as a number; a date or anything else is as no header. */
static int64_t read_after(const char *text)
{
    char *end;
    double s = text ? strtod(text, &end) : -1;

    if (!text || end == text || (*end != '\0' && *end != ' ') ||
        !(s >= 0 && s < 1e12))
        return -1;
    return (int64_t)(s * 1000);
}

static bool is_passing(long status)
{
    return status == 0 || status == 408 || status == 409 || status == 429 ||
           status >= 500;
}

struct osw_retry osw_retry_decide(long status, const char *error_type,
                                  const char *retry_after, uint32_t n_tries)
{
    struct osw_retry r = {.what = OSW_RETRY_TAKE};
    int64_t after = read_after(retry_after);

    if (status >= 200 && status < 300)
        return r;
    r.what = OSW_RETRY_FATAL;
    if (is_about_money(error_type))
        return r;
    if (!is_passing(status)) {
        /* This prompt may be what the endpoint dislikes. */
        if (status == 400 || status == 413 || status == 422)
            r.what = OSW_RETRY_TAKE;
        return r;
    }
    if (n_tries >= OSW_RETRY_MAX_TRIES) {
        r.what = status == 0 ? OSW_RETRY_FATAL : OSW_RETRY_TAKE;
        return r;
    }
    if (after > MAX_AFTER_MS)
        return r; /* a person may go on with --resume */
    r.what = OSW_RETRY_AGAIN;
    r.pause = status == 429 || status == 529;
    r.delay_ms = FIRST_MS;
    for (uint32_t i = 1; i < n_tries && r.delay_ms < LONGEST_MS; i++)
        r.delay_ms *= 2;
    if (after >= 0)
        r.delay_ms = after;
    return r;
}

const char *osw_retry_check_url(const char *url, bool *local)
{
    static const char *const here[] = {"127.0.0.1", "localhost", "[::1]"};
    static const char https[] = "https://", http[] = "http://";
    bool secure = strncmp(url, https, sizeof(https) - 1) == 0;
    const char *host = url + (secure ? sizeof(https) : sizeof(http)) - 1;
    size_t n;

    *local = false;
    if (!secure && strncmp(url, http, sizeof(http) - 1) != 0)
        return "expected https://HOST or http://127.0.0.1";
    n = *host == '[' ? strcspn(host, "]/?#") + 1 : strcspn(host, ":/?#");
    if (strcspn(host, "@\\ \t\r\n") != strlen(host) || strchr(host, '?') ||
        strchr(host, '#'))
        return "expected no user name, blank, '?' or '#' in it";
    if (n == 0)
        return "it names no host";
    for (size_t i = 0; i < sizeof(here) / sizeof(here[0]); i++)
        if (strlen(here[i]) == n && strncmp(host, here[i], n) == 0)
            *local = true;
    return secure || *local
               ? NULL
               : "http:// is for this machine alone: expected https://";
}
