/* ops/library/all_reduce/all_reduce_doubling.c - recursive doubling: partners
 * at distance 1, 2, 4, ... exchange what they have
 *
 * log2(world) messages of all elements: for few elements.  Ranks beyond the
 * largest power of two hand theirs to a partner, and get the result.
 */
#include "../shared/collective.h"

/* Send all of the output to `to`, receive as much from `from` into `room`. */
static int all_reduce_swap(const osw_call *call, const osw_tensor *out, int to,
                           int from, void *room)
{
    size_t bytes = (size_t)osw_numel(out) * osw_elem_bytes(out);

    return osw_sendrecv(call, to, osw_data(out), to < 0 ? 0 : bytes, from, room,
                        from < 0 ? 0 : bytes);
}

int all_reduce_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_collective_input(call);
    osw_combine *combine = x ? osw_combine_of(call, 1, x->dtype) : NULL;
    int rank = osw_rank(call), world = osw_world(call), power = 1, rc = 0;
    osw_tensor *out;
    size_t bytes;
    int64_t n;
    void *room;

    if (!combine)
        return OSW_UNSUPPORTED;
    n = osw_numel(x);
    bytes = (size_t)n * osw_elem_bytes(x);
    out = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    room = osw_workspace(call, bytes + 1);
    if (!out || !room)
        return OSW_ERROR;
    memcpy(osw_data(out), osw_data(x), bytes);
    while (power * 2 <= world)
        power *= 2;
    if (rank >= power) {
        rc = all_reduce_swap(call, out, rank - power, -1, NULL);
        return rc ? rc
                  : all_reduce_swap(call, out, -1, rank - power, osw_data(out));
    }
    if (rank + power < world) {
        rc = all_reduce_swap(call, out, -1, rank + power, room);
        if (rc == 0)
            combine(x->dtype, osw_data(out), room, n);
    }
    for (int step = 1; step < power && rc == 0; step *= 2) {
        rc = all_reduce_swap(call, out, rank ^ step, rank ^ step, room);
        if (rc == 0)
            combine(x->dtype, osw_data(out), room, n);
    }
    if (rank + power < world && rc == 0)
        rc = all_reduce_swap(call, out, rank + power, -1, NULL);
    return rc;
}
