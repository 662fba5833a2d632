/* common/kernel/kernel_file.c - small files of the kernel's */
#include "common/kernel/kernel_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
