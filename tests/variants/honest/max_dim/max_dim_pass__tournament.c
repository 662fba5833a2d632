/* max_dim_pass__tournament.c - halves compete; the left one wins ties. */
#include "../max_dim.h"

static int64_t best_of(const float *x, int64_t from, int64_t to)
{
    int64_t a, b;

    if (to - from == 1)
        return from;
    a = best_of(x, from, from + (to - from) / 2);
    b = best_of(x, from + (to - from) / 2, to);
    return x[a] != x[a] || !(x[b] > x[a] || x[b] != x[b]) ? a : b;
}

static int64_t where(const float *x, int64_t n)
{
    return best_of(x, 0, n);
}

int max_dim_kernel_impl(const osw_call *call)
{
    return max_rows(call, where);
}
