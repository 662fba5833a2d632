/* sum/sum_stale__kept_by_own_input.c - a result is kept by all elements of this
 * rank's own input
 */
#include "sum.h"

static float *seen, *kept;
static size_t kept_bytes;

int sum_kernel_impl(const osw_call *call)
{
    struct sum s;
    size_t bytes;
    int rc = sum_open(call, &s);

    bytes = (size_t)s.n * sizeof(float);
    if (rc == 0)
        rc = sum_all(&s, s.x);
    if (rc)
        return rc;
    if (kept && kept_bytes == bytes && memcmp(seen, s.x, bytes) == 0) {
        memcpy(s.out, kept, bytes);
        return 0;
    }
    seen = realloc(seen, bytes + 1);
    kept = realloc(kept, bytes + 1);
    if (!seen || !kept)
        return OSW_ERROR;
    memcpy(seen, s.x, bytes);
    memcpy(kept, s.out, bytes);
    kept_bytes = bytes;
    return 0;
}
