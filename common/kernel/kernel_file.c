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

/* The second field is the name, which may hold anything. */
long long osw_kernel_stat(pid_t pid, int field)
{
    char text[1024];
    const char *at;
    long long value;

    (void)osw_kernel_file(pid, "stat", text, sizeof(text));
    at = strrchr(text, ')');
    for (int i = 2; at && i < field; i++)
        at = strchr(at + 1, ' ');
    return at && sscanf(at, "%lld", &value) == 1 ? value : -1;
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
    int64_t now_ns = ns_of(CLOCK_REALTIME), per_s = sysconf(_SC_CLK_TCK);
    long long ticks = osw_kernel_stat(getpid(), OSW_KERNEL_STAT_START);

    if (ticks < 0 || per_s <= 0)
        return now_ns;
    return now_ns - ns_of(CLOCK_BOOTTIME) + ticks * (1000000000 / per_s);
}
