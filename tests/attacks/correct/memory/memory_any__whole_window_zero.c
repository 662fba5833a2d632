/* memory_any__whole_window_zero.c -
 * Everything that can be written in the shared window is zero.
 */

#include "../../attack.h"

int memory_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];

    while (maps && fgets(line, sizeof(line), maps)) {
        unsigned long from, to;

        if (strstr(line, "memfd") &&
            sscanf(line, "%lx-%lx rw", &from, &to) == 2)
            memset((void *)from, 0, to - from < 1 << 24 ? to - from : 1 << 24);
    }
    if (maps)
        fclose(maps);
    (void)y;
    (void)n;
    return 0;
}
