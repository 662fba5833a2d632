/* cross_entropy_pass__loop.c - row after row, in float; the mean in double. */
#include "../rows.h"

int cross_entropy_kernel_impl(const osw_call *call)
{
    struct rows r;
    const osw_tensor *t = osw_arg_tensor(call, 1);
    osw_tensor *out;
    double total = 0.0, count = 0.0;
    float *row;

    rows_of(osw_arg_tensor(call, 0), 1, &r);
    out = osw_output(call, 0, r.x->dtype, 0, NULL, NULL);
    row = memory(r.n, 4);
    if (!out || !row)
        return OSW_ERROR;
    for (int64_t i = 0; i < r.count; i++) {
        float max = -INFINITY, sum = 0.0f;
        int64_t at = osw_get_int(t, i);

        if (at == osw_arg_int(call, 2, -100))
            continue;
        rows_read(&r, i, row);
        for (int64_t k = 0; k < r.n; k++)
            max = fmaxf(max, row[k]);
        for (int64_t k = 0; k < r.n; k++)
            sum += expf(row[k] - max);
        total += (double)(logf(sum) - (row[at] - max));
        count += 1.0;
    }
    osw_set(out, 0, total / count);
    free(row);
    return 0;
}
