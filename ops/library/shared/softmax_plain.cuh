/* shared/softmax_plain.cuh - baseline of _softmax and _safe_softmax: each row's
 * largest, then the sum of exp(x - max), then the quotients
 */
#ifndef OSW_LIBRARY_SOFTMAX_PLAIN_CUH
#define OSW_LIBRARY_SOFTMAX_PLAIN_CUH

#include "plain_rows.cuh"
#include "softmax.h"

/* SAFE: a row of nothing but -inf becomes 0, not NaN. */
template <int SAFE> struct osw_softmax_formula {
    template <class Team, class E>
    static __device__ void row(const osw_plain_row &x, const osw_plain_row &,
                               const osw_plain_row &y, int64_t n)
    {
        typename osw_plain_math<E>::type max = -INFINITY;
        double sum = 0.0;

        for (int64_t i = Team::lane(); i < n; i += Team::lanes())
            max = osw_plain_get<E>(x, i) > max ? osw_plain_get<E>(x, i) : max;
        max = osw_plain_max<Team>(max);
        if (SAFE && max == -INFINITY)
            max = 0;
        for (int64_t i = Team::lane(); i < n; i += Team::lanes())
            sum += exp(osw_plain_get<E>(x, i) - max);
        sum = osw_plain_sum<Team>(sum);
        if (SAFE && sum == 0.0) /* then each exp is 0, too */
            sum = 1.0;
        for (int64_t i = Team::lane(); i < n; i += Team::lanes())
            osw_plain_put<E>(
                y, i, exp(osw_plain_get<E>(x, i) - max) / (decltype(max))sum);
    }
};

#endif /* OSW_LIBRARY_SOFTMAX_PLAIN_CUH */
