/* tests/fuzz/fuzz_cost_history.c - any bytes as what ops took */
#include <stdint.h>
#include <stdlib.h>

#include "mpi_runner/campaign/cost_history.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_cost_history_t *history = osw_cost_history_create("cpu correct");
    const struct osw_cost_history_op *op;

    if (!history)
        abort();
    if (osw_cost_history_parse(history, (const char *)data, size, &err) < 0 &&
        err.status == OSW_OK)
        abort();
    op = osw_cost_history_op(history, "aten.mm.default");
    if (!op || !(op->factor >= 0))
        abort();
    osw_cost_history_destroy(history);
    return 0;
}
