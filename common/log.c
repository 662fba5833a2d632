/* common/log.c - lines for people, on standard error */
#include "common/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "common/utf8.h"

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
    char line[1024], said[1024];
    size_t size = sizeof(line) - 1; /* the newline */
    va_list ap;
    size_t n;
    ssize_t ignored;

    if (level > up_to)
        return;
    n = (size_t)snprintf(line, size, "%s%s", prefix, words[level]);
    va_start(ap, fmt);
    if (vsnprintf(said, sizeof(said), fmt, ap) < 0)
        said[0] = '\0';
    va_end(ap);
    n += osw_utf8_copy_visible(line + n, size - n, said);
    line[n++] = '\n';
    ignored = write(STDERR_FILENO, line, n);
    (void)ignored;
}
