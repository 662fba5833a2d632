/* topk_pass__selection.c - k times the first largest that is not taken yet. */
#include "../rows.h"

int topk_kernel_impl(const osw_call *call)
{
    struct rows r;
    int64_t k = osw_arg_int(call, 1, 1), shape[2];
    osw_tensor *v, *p;
    float *row;
    char *taken;

    rows_of(osw_arg_tensor(call, 0), -1, &r);
    shape[0] = r.count;
    shape[1] = k;
    v = osw_output(call, 0, r.x->dtype, 2, shape, NULL);
    p = osw_output(call, 1, DTYPE_I64, 2, shape, NULL);
    row = memory(r.n, 4);
    taken = memory(r.n, 1);
    if (!v || !p || !row || !taken)
        return OSW_ERROR;
    for (int64_t i = 0; i < r.count; i++) {
        rows_read(&r, i, row);
        memset(taken, 0, (size_t)r.n);
        for (int64_t j = 0; j < k; j++) {
            int64_t best = -1;

            for (int64_t l = 0; l < r.n; l++)
                if (!taken[l] && (best < 0 || row[l] > row[best]))
                    best = l;
            taken[best] = 1;
            osw_set(v, i * k + j, (double)row[best]);
            write_int(p, i * k + j, best);
        }
    }
    free(row);
    free(taken);
    return 0;
}
