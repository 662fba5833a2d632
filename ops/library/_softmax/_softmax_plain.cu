/* _softmax - each row: its largest, then the sum of exp(x - max), then the
 * quotients
 */
#include "../shared/softmax_plain.cuh"

extern "C" int _softmax_kernel_impl(const osw_call *call)
{
    struct osw_softmax s = {};
    int rc = osw_softmax_open(call, &s);

    return rc ? rc
              : osw_plain_float_rows<osw_softmax_formula<0>>(call, &s.x, &s.y,
                                                             &s.out);
}
