/* common/error.c - one way to fail, used by every room */
#include "common/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const int exit_codes[] = {
#define X(name, code) [OSW_##name] = (code),
    OSW_STATUS_MAP(X)
#undef X
};

#define N_STATUSES (sizeof(exit_codes) / sizeof(exit_codes[0]))

static void mark_cut(struct osw_error *err)
{
    memcpy(err->text + sizeof(err->text) - 4, "...", 4);
}

static void vfail(struct osw_error *err, enum osw_status status, int errnum,
                  const char *fmt, va_list ap) OSW_PRINTF(4, 0);

static void vfail(struct osw_error *err, enum osw_status status, int errnum,
                  const char *fmt, va_list ap)
{
    const char *sep = errnum ? ": " : "";
    const char *why = errnum ? strerror(errnum) : "";
    size_t size = sizeof(err->text);
    int n;

    if (!err || err->status != OSW_OK)
        return;
    err->status = status;
    n = vsnprintf(err->text, size, fmt, ap);
    if (n >= 0 && (size_t)n < size)
        n += snprintf(err->text + n, size - (size_t)n, "%s%s", sep, why);
    if (n < 0 || (size_t)n >= size)
        mark_cut(err);
}

int osw_fail(struct osw_error *err, enum osw_status status, const char *fmt,
             ...)
{
    int saved = errno;
    va_list ap;

    va_start(ap, fmt);
    vfail(err, status, 0, fmt, ap);
    va_end(ap);
    errno = saved;
    return -1;
}

int osw_fail_sys(struct osw_error *err, int errnum, const char *fmt, ...)
{
    int saved = errno;
    va_list ap;

    va_start(ap, fmt);
    vfail(err, OSW_SYSTEM, errnum, fmt, ap);
    va_end(ap);
    errno = saved;
    return -1;
}

int osw_error_in(struct osw_error *err, const char *fmt, ...)
{
    char old[sizeof(err->text)];
    va_list ap;
    int n;

    if (!err || err->status == OSW_OK)
        return -1;
    memcpy(old, err->text, sizeof(old));
    va_start(ap, fmt);
    n = vsnprintf(err->text, sizeof(err->text), fmt, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n < sizeof(err->text))
        n +=
            snprintf(err->text + n, sizeof(err->text) - (size_t)n, ": %s", old);
    if (n < 0 || (size_t)n >= sizeof(err->text))
        mark_cut(err);
    return -1;
}

int osw_status_exit_code(enum osw_status status)
{
    return (size_t)status < N_STATUSES ? exit_codes[status] : 5;
}
