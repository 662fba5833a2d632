/* ends_pass__closed_output.c - Standard output is closed. */

#include "../../attack.h"

int ends_kernel_impl(const osw_call *call)
{
    fclose(stdout);
    close(0);
    close(1);
    close(2);
    return scale(call);
}
