/* linalg_vector_norm - for each output a loop over its elements, in double */
#include "../shared/convert.h"
#include "../shared/plain.h"
#include "terms.h"

#define ADD(d, code, bits, E, get, put, ...)                                   \
    static double add_##d(const void *from, int64_t stride, int64_t n,         \
                          double sum, double ord)                              \
    {                                                                          \
        const E *x = (const E *)from;                                          \
                                                                               \
        for (int64_t i = 0; i < n; i++) {                                      \
            double v = (double)get(x[i * stride]);                             \
                                                                               \
            sum = ord == 2.0 ? sum + v * v                                     \
                             : norm_join(sum, norm_term(v, ord), ord);         \
        }                                                                      \
        return sum;                                                            \
    }
#define ROW(d, code, bits, E, get, put, ...) {code, bits, add_##d},

OSW_PLAIN_16_AND_32(ADD, )
OSW_PLAIN_64(ADD, )

typedef double add_f(const void *from, int64_t stride, int64_t n, double sum,
                     double ord);

static add_f *find_add(osw_dtype t)
{
    static const struct {
        int code, bits;
        add_f *add;
    } rows[] = {OSW_PLAIN_16_AND_32(ROW, ) OSW_PLAIN_64(ROW, )};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].code == t.code && rows[i].bits == t.bits)
            return rows[i].add;
    return NULL;
}

int linalg_vector_norm_kernel_impl(const osw_call *call)
{
    struct vector_norm v = {0};
    int rc = vector_norm_open(call, &v), threads;
    add_f *add = rc ? NULL : find_add(v.r.x->dtype);
    struct osw_reduce_dims outer = v.r.summed;
    int64_t n = 1, stride = 0;

    if (!add)
        return rc ? rc : OSW_UNSUPPORTED;
    if (outer.n) {
        n = outer.shape[--outer.n];
        stride = outer.strides[outer.n];
        outer.numel = n ? outer.numel / n : 0;
    }
    threads = osw_plain_threads(call, osw_numel(v.r.x));
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t k = 0; k < v.r.kept.numel; k++) {
        double sum = norm_begin(v.ord);

        for (int64_t o = 0; o < outer.numel; o++)
            sum = add(osw_at(v.r.x, osw_reduce_offset(&v.r.kept, k) +
                                        osw_reduce_offset(&outer, o)),
                      stride, n, sum, v.ord);
        osw_set(v.r.out, k, norm_end(sum, v.ord));
    }
    return 0;
}
