/* sort - rows in order, digit by digit */
#include "../shared/sorting_radix.h"

int sort_kernel_impl(const osw_call *call)
{
    struct osw_sorting s = {0};
    int rc = osw_sorting_open_sort(call, &s);

    return osw_sorting_by_radix(call, &s, rc);
}
