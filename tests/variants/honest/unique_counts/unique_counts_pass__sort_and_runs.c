/* unique_counts_pass__sort_and_runs.c - sorts, then counts runs. */
#include "../variants.h"

static int order(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

int unique_counts_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t n = osw_numel(x), *v = read_ints(x), distinct = 0, run = 0;
    osw_tensor *values, *counts;

    qsort(v, (size_t)n, 8, order);
    for (int64_t i = 0; i < n; i++)
        distinct += i == 0 || v[i] != v[i - 1];
    values = osw_output(call, 0, x->dtype, 1, &distinct, NULL);
    counts = osw_output(call, 1, DTYPE_I64, 1, &distinct, NULL);
    if (!values || !counts)
        return OSW_ERROR;
    for (int64_t i = 0, at = 0; i < n; i++) {
        run++;
        if (i + 1 < n && v[i + 1] == v[i])
            continue;
        write_int(values, at, v[i]);
        write_int(counts, at++, run);
        run = 0;
    }
    free(v);
    return 0;
}
