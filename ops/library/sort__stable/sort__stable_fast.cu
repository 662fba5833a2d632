/* sort.stable - rows in order, equal elements in theirs: tiles sorted in
 * shared memory, then merged
 */
#include "../shared/sorting_fast.cuh"

extern "C" int sort__stable_kernel_impl(const osw_call *call)
{
    struct osw_sorting s = {};
    int rc = osw_sorting_open_stable(call, &s);

    return osw_sorting_fast(call, s, rc);
}
