/* ops/library/cumsum/cumsum_plain.cu - each row: the sum so far, floats in
 * double; a block has as many elements at a time as threads
 */
#include "../shared/plain_rows.cuh"
#include "cumsum.h"

struct formula {
    template <class Team, class E>
    static __device__ void row(const osw_plain_row &x, const osw_plain_row &,
                               const osw_plain_row &y, int64_t n)
    {
        typedef typename osw_plain_math<E>::type A;
        typedef std::conditional_t<std::is_same<A, int64_t>::value, uint64_t,
                                   double>
            S;
        S before = 0, total;

        for (int64_t first = 0; first < n; first += Team::lanes()) {
            int64_t i = first + Team::lane();
            S sum = i < n ? (S)osw_plain_get<E>(x, i) : (S)0;

            sum = Team::scan(sum, &total);
            if (i < n)
                osw_plain_put<E>(y, i, (A)(before + sum));
            before += total;
        }
    }
};

/* e: an element of both tensors */
template <class E>
static int run(const osw_call *call, const struct osw_cumsum *c, E e)
{
    return osw_plain_rows<formula>(call, &c->x, &c->x, &c->out, e);
}

extern "C" int cumsum_kernel_impl(const osw_call *call)
{
    struct osw_cumsum c = {};
    int rc = osw_cumsum_open(call, &c);
    osw_dtype t;

    if (rc)
        return rc;
    t = c.out.tensor->dtype;
    if (osw_rule_same(c.x.tensor->dtype, t))
        return c.is_float ? osw_plain_by_float(
                                t, [&](auto e) { return run(call, &c, e); })
                          : run(call, &c, int64_t());
    if (!c.is_float)
        return run(call, &c, osw_plain_mixed<int64_t>());
    return t.bits == 64 ? run(call, &c, osw_plain_mixed<double>())
                        : run(call, &c, osw_plain_mixed<float>());
}
