/* masked_select_pass__prefix_sums.c - places from a prefix sum of the mask. */
#include "../variants.h"

int masked_select_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0), *m = osw_arg_tensor(call, 1);
    int64_t n = osw_numel(x), *place = memory(n + 1, 8);
    osw_tensor *out;

    place[0] = 0;
    for (int64_t i = 0; i < n; i++)
        place[i + 1] = place[i] + (osw_get_int(m, i) != 0);
    out = osw_output(call, 0, x->dtype, 1, &place[n], NULL);
    for (int64_t i = n - 1; out && i >= 0; i--)
        if (place[i + 1] > place[i])
            memcpy(osw_at(out, place[i]), osw_at(x, osw_offset(x, i)),
                   x->dtype.bits / 8);
    free(place);
    return out ? 0 : OSW_ERROR;
}
