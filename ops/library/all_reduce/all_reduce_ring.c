/* ops/library/all_reduce/all_reduce_ring.c - each rank combines a piece, passed
 * on around a ring; then the pieces go around
 *
 * A rank sends 2 (world - 1) / world of its elements: the least that is
 * possible.  Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for
 * clusters of workstations", JPDC 69 (2009).
 */
#include "../shared/collective.h"

/* Piece `give` of the output to the next rank, piece `take` of the one before
 * into `room`.
 */
static int all_reduce_pass(const osw_call *call, const osw_tensor *out,
                           int give, int take, void *room)
{
    int rank = osw_rank(call), world = osw_world(call);
    struct osw_piece a = osw_piece_of(osw_numel(out), world, give);
    struct osw_piece b = osw_piece_of(osw_numel(out), world, take);
    size_t bytes = osw_elem_bytes(out);

    return osw_sendrecv(call, (rank + 1) % world, osw_elem_at(out, a.from),
                        (size_t)a.n * bytes, (rank + world - 1) % world,
                        room ? room : osw_elem_at(out, b.from),
                        (size_t)b.n * bytes);
}

int all_reduce_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_collective_input(call);
    osw_combine *combine = x ? osw_combine_of(call, 1, x->dtype) : NULL;
    int rank = osw_rank(call), world = osw_world(call), rc = 0;
    osw_tensor *out;
    int64_t n;
    void *room;

    if (!combine)
        return OSW_UNSUPPORTED;
    n = osw_numel(x);
    out = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    room = osw_workspace(call, (size_t)(n / world + 1) * osw_elem_bytes(x));
    if (!out || !room)
        return OSW_ERROR;
    memcpy(osw_data(out), osw_data(x), (size_t)n * osw_elem_bytes(x));
    for (int step = 0; step < world - 1 && rc == 0; step++) {
        struct osw_piece p = osw_piece_of(n, world, rank - step - 1);

        rc = all_reduce_pass(call, out, rank - step, rank - step - 1, room);
        if (rc == 0)
            combine(x->dtype, osw_elem_at(out, p.from), room, p.n);
    }
    for (int step = 0; step < world - 1 && rc == 0; step++)
        rc = all_reduce_pass(call, out, rank - step + 1, rank - step, NULL);
    return rc;
}
