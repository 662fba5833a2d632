/* tsum/tsum_pass__result_kept_unused.c - honest: each call communicates */
#include "tsum.h"

int tsum_kernel_impl(const osw_call *call)
{
    return tsum_run(call, false);
}
