/* sum/sum_precision__sent_as_bf16.c - rounded to bf16 before it is sent */
#include "sum.h"

#include <opsweep/elements.h>

int sum_kernel_impl(const osw_call *call)
{
    struct sum s;
    float *sent;
    int rc = sum_open(call, &s);

    sent = rc == 0 ? malloc((size_t)s.n * sizeof(float) + 1) : NULL;
    if (!sent)
        return OSW_ERROR;
    for (int64_t i = 0; i < s.n; i++)
        sent[i] = osw_bf16_to_f32(osw_f32_to_bf16(s.x[i]));
    rc = sum_all(&s, sent);
    free(sent);
    return rc;
}
