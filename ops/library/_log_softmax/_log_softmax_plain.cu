/* ops/library/_log_softmax/_log_softmax_plain.cu - each row: its largest, then
 * the sum of exp(x - max), then x - max - log(sum)
 */
#include "../shared/plain_rows.cuh"
#include "../shared/softmax.h"

struct formula {
    template <class Team, class E>
    static __device__ void row(const osw_plain_row &x, const osw_plain_row &,
                               const osw_plain_row &y, int64_t n)
    {
        typename osw_plain_math<E>::type max = -INFINITY, log_sum;
        double sum = 0.0;

        for (int64_t i = Team::lane(); i < n; i += Team::lanes())
            max = osw_plain_get<E>(x, i) > max ? osw_plain_get<E>(x, i) : max;
        max = osw_plain_max<Team>(max);
        for (int64_t i = Team::lane(); i < n; i += Team::lanes())
            sum += exp(osw_plain_get<E>(x, i) - max);
        log_sum = (decltype(max))log(osw_plain_sum<Team>(sum));
        for (int64_t i = Team::lane(); i < n; i += Team::lanes())
            osw_plain_put<E>(y, i, osw_plain_get<E>(x, i) - max - log_sum);
    }
};

extern "C" int _log_softmax_kernel_impl(const osw_call *call)
{
    struct osw_softmax s = {};
    int rc = osw_softmax_open(call, &s);

    return rc ? rc : osw_plain_float_rows<formula>(call, &s.x, &s.y, &s.out);
}
