/* _safe_softmax - each row: its largest, then the sum of exp(x - max), then the
 * quotients; 0 where the largest is -inf
 */
#include "../shared/plain_rows.cuh"
#include "../shared/softmax.h"

struct formula {
    template <class Team, class E>
    static __device__ void row(const osw_plain_row &x, const osw_plain_row &,
                               const osw_plain_row &y, int64_t n)
    {
        typename osw_plain_math<E>::type max = -INFINITY;
        double sum = 0.0;

        for (int64_t i = Team::lane(); i < n; i += Team::lanes())
            max = osw_plain_get<E>(x, i) > max ? osw_plain_get<E>(x, i) : max;
        max = osw_plain_max<Team>(max);
        if (max == -INFINITY)
            max = 0;
        for (int64_t i = Team::lane(); i < n; i += Team::lanes())
            sum += exp(osw_plain_get<E>(x, i) - max);
        sum = osw_plain_sum<Team>(sum);
        if (sum == 0.0) /* then each exp is 0, too */
            sum = 1.0;
        for (int64_t i = Team::lane(); i < n; i += Team::lanes())
            osw_plain_put<E>(
                y, i, exp(osw_plain_get<E>(x, i) - max) / (decltype(max))sum);
    }
};

extern "C" int _safe_softmax_kernel_impl(const osw_call *call)
{
    struct osw_softmax s = {};
    int rc = osw_softmax_open_safe(call, &s);

    return rc ? rc : osw_plain_float_rows<formula>(call, &s.x, &s.y, &s.out);
}
