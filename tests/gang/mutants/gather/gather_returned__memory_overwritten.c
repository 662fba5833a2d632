/* gather/gather_returned__memory_overwritten.c - op code writes over the
 * communicator's memory */
#include "gather.h"

/* The segment is the only shared file of its size: it is found in the list of
 * what is mapped.
 */
#include <stdio.h>

static void overwrite(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long from, to;
    char line[512];

    while (maps && fgets(line, sizeof(line), maps))
        if (strstr(line, "opsweep-gang") &&
            sscanf(line, "%lx-%lx", &from, &to) == 2)
            memset((void *)from, 0xA5, to - from);
    if (maps)
        fclose(maps);
}

int gather_kernel_impl(const osw_call *call)
{
    struct gather g;

    if (gather_open(call, &g))
        return OSW_ERROR;
    if (g.rank == 1)
        overwrite();
    return osw_barrier(call);
}
