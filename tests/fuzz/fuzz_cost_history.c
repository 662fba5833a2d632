/* tests/fuzz/fuzz_cost_history.c - any bytes as what ops took */
#include <stdint.h>
#include <stdlib.h>

#include "mpi_runner/campaign/cost_history.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_cost_history_t *pace = osw_cost_history_create("cpu correct");
    const struct osw_cost_history_op *op;

    if (!pace)
        abort();
    if (osw_cost_history_parse(pace, (const char *)data, size, &err) < 0 &&
        err.status == OSW_OK)
        abort();
    op = osw_cost_history_op(pace, "aten.mm.default");
    if (!op || !(op->factor >= 0))
        abort();
    osw_cost_history_destroy(pace);
    return 0;
}
