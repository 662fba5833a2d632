/* ngather/ngather_reference.c - copies */
#include <string.h>

#include <opsweep/collective.h>

int ngather_reference(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0), *out;
    size_t n = (size_t)osw_numel(x);
    int64_t shape = osw_world(call) * osw_numel(x);

    out = osw_output(call, 0, x->dtype, 1, &shape, NULL);
    if (!out)
        return OSW_ERROR;
    for (int rank = 0; rank < osw_world(call); rank++)
        memcpy((float *)osw_data(out) + (size_t)rank * n,
               osw_data(osw_peer_tensor(call, rank, 0)), n * sizeof(float));
    return 0;
}
