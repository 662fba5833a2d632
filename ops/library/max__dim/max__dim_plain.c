/* ops/library/max__dim/max__dim_plain.c - one slice after the other, compared
 * with the largest so far
 */
#include "../shared/plain.h"
#include "max.h"

/* Slice i of the outer-th part: y [inner] is the largest, at [inner] where it
 * was.  NaN stays.
 */
#define SLICE(d, code, bits, E, get, put, T)                                   \
    static void slice_##d(const struct osw_max *m, int64_t outer, int64_t i,   \
                          int64_t first, int64_t end)                          \
    {                                                                          \
        const E *x = (const E *)osw_slices_at(&m->x, outer, i, 0);             \
        E *y = (E *)osw_at(m->values, outer * m->x.inner);                     \
        int64_t *at = (int64_t *)osw_at(m->places, outer * m->x.inner), j;     \
                                                                               \
        for (j = first; j < end; j++) {                                        \
            E v = x[osw_slices_inner(&m->x, j)];                               \
            T a = (T)get(v), b = (T)get(y[j]);                                 \
            int larger = i == 0 || (!(a <= b) && b == b);                      \
                                                                               \
            y[j] = larger ? v : y[j];                                          \
            at[j] = larger ? i : at[j];                                        \
        }                                                                      \
    }

OSW_PLAIN_16_AND_32(SLICE, float)
OSW_PLAIN_64(SLICE, double)
OSW_PLAIN_INTEGERS(SLICE, int64_t)

typedef void slice_f(const struct osw_max *m, int64_t outer, int64_t i,
                     int64_t first, int64_t end);

#define ROW(d, code, bits, E, get, put, ...) {code, bits, slice_##d},

static slice_f *find_slice(osw_dtype t)
{
    static const struct {
        int code, bits;
        slice_f *slice;
    } slices[] = {OSW_PLAIN_16_AND_32(ROW, ) OSW_PLAIN_64(ROW, )
                      OSW_PLAIN_INTEGERS(ROW, )};

    for (size_t i = 0; i < sizeof(slices) / sizeof(slices[0]); i++)
        if (slices[i].code == t.code && slices[i].bits == t.bits)
            return slices[i].slice;
    return NULL;
}

int max__dim_kernel_impl(const osw_call *call)
{
    struct osw_max m = {0};
    int rc = osw_max_open(call, &m), threads;
    slice_f *slice = rc ? NULL : find_slice(m.values->dtype);
    int64_t parts, cols, k;

    if (!slice)
        return rc ? rc : OSW_UNSUPPORTED;
    threads = osw_plain_threads(call, osw_numel(m.x.tensor));
    cols =
        m.x.n_outer < threads ? (m.x.inner + threads - 1) / threads : m.x.inner;
    parts = cols ? (m.x.inner + cols - 1) / cols : 0;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (k = 0; k < m.x.n_outer * parts; k++) {
        int64_t first = k % parts * cols, end = first + cols, i;

        end = end < m.x.inner ? end : m.x.inner;
        for (i = 0; i < m.x.n; i++)
            slice(&m, k / parts, i, first, end);
    }
    return 0;
}
