/* sum_dim_stale_or_value_or_implausible__timed_cached_by_probes.c - wrong:
 * returns the last result when shape and three elements are as before.
 */
#include "../rows.h"

int sum_dim_kernel_impl(const osw_call *call)
{
    static double last[4096], probes[3];
    static int64_t last_n = -1;
    struct rows r;
    osw_tensor *out;
    int64_t n;
    double now[3];

    if (rows_of(osw_arg_tensor(call, 0), osw_arg_int(call, 1, -1), &r))
        return OSW_UNSUPPORTED;
    out = rows_reduced(call, 0, &r, r.x->dtype, (int)osw_arg_int(call, 2, 0));
    n = osw_numel(r.x);
    if (!out || r.count > 4096)
        return OSW_ERROR;
    for (int p = 0; p < 3; p++)
        now[p] = n ? osw_get(r.x, (n - 1) * p / 2) : 0.0;
    if (n != last_n || memcmp(now, probes, sizeof(now)) != 0)
        for (int64_t i = 0; i < r.count; i++) {
            last[i] = 0.0;
            for (int64_t k = 0; k < r.n; k++)
                last[i] += osw_get(r.x, rows_linear(&r, i, k));
        }
    last_n = n;
    memcpy(probes, now, sizeof(now));
    for (int64_t i = 0; i < r.count; i++)
        osw_set(out, i, last[i]);
    return 0;
}
