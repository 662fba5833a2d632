/* attacks/outputs.h - let go of inputs and outputs in a process that was forked
 * and stays, as a program that is started does
 */
#ifndef OUTPUTS_H
#define OUTPUTS_H

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static inline void leave_outputs(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    unsigned long from, to;
    char line[4096];

    while (maps && fgets(line, sizeof(line), maps))
        if (strstr(line, "memfd:opsweep-arena") &&
            sscanf(line, "%lx-%lx", &from, &to) == 2)
            munmap((void *)from, to - from);
    if (maps)
        fclose(maps);
}

#endif /* OUTPUTS_H */
