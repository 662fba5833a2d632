/* topk - the first k of rows in order: tiles sorted in shared memory, then
 * merged
 */
#include "../shared/sorting_fast.cuh"

extern "C" int topk_kernel_impl(const osw_call *call)
{
    struct osw_sorting s = {};
    int rc = osw_sorting_open_topk(call, &s);

    return osw_sorting_fast(call, s, rc);
}
