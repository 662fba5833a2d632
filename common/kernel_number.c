/* common/kernel_number.c - a number in a file of the kernel's */
#include "common/kernel_number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
