/* ngather/ngather.h - all ranks' x, one after the other, by NCCL's messages
 *
 * Each file is C for the twin, and included by a .cu of the same name.
 */
#ifndef OSW_TESTS_GANG_NGATHER_H
#define OSW_TESTS_GANG_NGATHER_H

#include <opsweep/nccl.h>

/* What comes from rank r lies at piece (turn + sign * r) modulo the world. */
static inline int ngather(const osw_call *call, int turn, int sign, size_t less)
{
    const osw_tensor *x = osw_arg_tensor(call, 0), *out;
    int world = osw_world(call), rc = 0, end;
    size_t n = (size_t)osw_numel(x);
    int64_t shape = world * osw_numel(x);

    out = osw_output(call, 0, x->dtype, 1, &shape, NULL);
    if (!out || osw_nccl_group_start(call))
        return OSW_ERROR;
    for (int r = 0; r < world && rc == 0; r++) {
        size_t at = (size_t)((turn + sign * r + world) % world) * n;

        rc = osw_nccl_send(call, osw_data(x), n - less, osw_nccl_type(x->dtype),
                           r);
        if (rc == 0)
            rc = osw_nccl_recv(call, (float *)osw_data(out) + at, n - less,
                               osw_nccl_type(x->dtype), r);
    }
    end = osw_nccl_group_end(call);
    return rc ? rc : end;
}

#endif /* OSW_TESTS_GANG_NGATHER_H */
