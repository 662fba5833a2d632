/* common/kernel/kernel_file.c - small files of the kernel's */
#include "common/kernel/kernel_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool osw_kernel_file(pid_t pid, const char *name, char *text, size_t size)
{
    char path[64];
    ssize_t n;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

unsigned long long osw_kernel_number(const char *path, const char *word,
                                     unsigned long long otherwise)
{
    unsigned long long n = otherwise;
    size_t size = strlen(word);
    FILE *f = fopen(path, "re");
    char line[128];

    while (f && fgets(line, sizeof(line), f))
        if (strncmp(line, word, size) == 0) {
            n = strtoull(line + size, NULL, 10);
            break;
        }
    if (f)
        fclose(f);
    return n;
}

static int64_t ns_of(clockid_t clock)
{
    struct timespec t = {.tv_sec = 0};

    (void)clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t osw_kernel_start_unix_ns(void)
{
    enum { TICKS_FIELD = 22, AFTER_NAME = 3 };
    int64_t now_ns = ns_of(CLOCK_REALTIME), per_s = sysconf(_SC_CLK_TCK);
    char text[1024], *at;

    (void)osw_kernel_file(getpid(), "stat", text, sizeof(text));
    at = strrchr(text, ')'); /* the name, field 2, may hold anything */
    at = at ? at + 1 : text;
    for (int field = AFTER_NAME; field < TICKS_FIELD && *at; field++)
        at += 1 + strcspn(at + 1, " ");
    if (!*at || per_s <= 0)
        return now_ns;
    return now_ns - ns_of(CLOCK_BOOTTIME) +
           strtoll(at, NULL, 10) * (1000000000 / per_s);
}
