/* tsum/tsum_value__result_kept_while_timed.c - skips work in later timed calls
 */
#include "tsum.h"

int tsum_kernel_impl(const osw_call *call)
{
    return tsum_run(call, true);
}
