/* ops/library/all_reduce/all_reduce_plain.c - all elements go to all ranks */
#include "../shared/collective.h"

int all_reduce_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_collective_input(call);
    osw_combine *combine = x ? osw_combine_of(call, 1, x->dtype) : NULL;
    int rank = osw_rank(call), world = osw_world(call), rc = 0;
    osw_tensor *out;
    size_t bytes;
    void *room;

    if (!combine)
        return OSW_UNSUPPORTED;
    bytes = (size_t)osw_numel(x) * osw_elem_bytes(x);
    out = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    room = osw_workspace(call, bytes + 1);
    if (!out || !room)
        return OSW_ERROR;
    memcpy(osw_data(out), osw_data(x), bytes);
    for (int step = 1; step < world && rc == 0; step++) {
        rc = osw_sendrecv(call, (rank + step) % world, osw_data(x), bytes,
                          (rank + world - step) % world, room, bytes);
        if (rc == 0)
            combine(x->dtype, osw_data(out), room, osw_numel(x));
    }
    return rc;
}
