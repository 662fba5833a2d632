/* moody_reference.c - It returns something else each time. */

#define _GNU_SOURCE
#include "../../attack.h"
#include "../../honest.h"

int moody_reference(const osw_call *call)
{
    static double more;
    double *exact;
    int code = scale_exactly(call);

    exact = code ? NULL : osw_output_exact(call, 0);
    if (exact)
        exact[3] += more += 1.0;
    return code;
}
