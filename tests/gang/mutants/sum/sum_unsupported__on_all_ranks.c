/* sum/sum_unsupported__on_all_ranks.c - honest: no rank takes the case */
#include "sum.h"

int sum_kernel_impl(const osw_call *call)
{
    struct sum s;
    int rc = sum_open(call, &s);

    return rc ? rc : OSW_UNSUPPORTED;
}
