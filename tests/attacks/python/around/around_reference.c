/* around_reference.c - It writes far around its output. */

#define _GNU_SOURCE
#include "../../attack.h"
#include "../../honest.h"

int around_reference(const osw_call *call)
{
    int code = scale_exactly(call);
    double *exact = code ? NULL : osw_output_exact(call, 0);

    if (exact)
        memset(exact - 64, 1, 65536);
    return code;
}
