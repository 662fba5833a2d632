/* ops/library/_log_softmax_backward_data/_log_softmax_backward_data_plain.cu -
 * each row: grad - exp(output) * sum of grad
 */
#include "../shared/plain_rows.cuh"
#include "../shared/softmax.h"

struct formula {
    template <class Team, class E>
    static __device__ void row(const osw_plain_row &grad,
                               const osw_plain_row &output,
                               const osw_plain_row &y, int64_t n)
    {
        typedef typename osw_plain_math<E>::type A;
        double sum = 0.0;

        for (int64_t i = Team::lane(); i < n; i += Team::lanes())
            sum += osw_plain_get<E>(grad, i);
        sum = osw_plain_sum<Team>(sum);
        for (int64_t i = Team::lane(); i < n; i += Team::lanes())
            osw_plain_put<E>(y, i,
                             osw_plain_get<E>(grad, i) -
                                 exp(osw_plain_get<E>(output, i)) * (A)sum);
    }
};

extern "C" int _log_softmax_backward_data_kernel_impl(const osw_call *call)
{
    struct osw_softmax s = {};
    int rc = osw_softmax_open_backward(call, &s);

    return rc ? rc : osw_plain_float_rows<formula>(call, &s.x, &s.y, &s.out);
}
