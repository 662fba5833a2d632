/* common/log.c - lines for people, on standard error */
#include "common/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static enum osw_log_level up_to = OSW_LOG_INFO;
static char prefix[80] = "opsweep: ";

void osw_log_set(enum osw_log_level level, const char *who)
{
    up_to = level;
    snprintf(prefix, sizeof(prefix), "opsweep: %.63s%s", who ? who : "",
             who ? ": " : "");
}

void osw_log(enum osw_log_level level, const char *fmt, ...)
{
    static const char *const words[] = {"", "warning: ", "", "debug: "};
    char line[1024];
    size_t size = sizeof(line) - 1; /* the newline */
    va_list ap;
    int head, n;
    ssize_t ignored;

    if (level > up_to)
        return;
    head = snprintf(line, size, "%s%s", prefix, words[level]);
    va_start(ap, fmt);
    n = vsnprintf(line + head, size - (size_t)head, fmt, ap);
    va_end(ap);
    n = n < 0 ? head : head + n;
    if ((size_t)n >= size)
        n = (int)size - 1;
    line[n++] = '\n';
    ignored = write(STDERR_FILENO, line, (size_t)n);
    (void)ignored;
}
