/* sort - rows in order, by ranks */
#include "../shared/sorting_plain.cuh"

extern "C" int sort_kernel_impl(const osw_call *call)
{
    struct osw_sorting s = {};
    int rc = osw_sorting_open_sort(call, &s);

    return osw_sorting_plain(call, s, rc);
}
