/* tests/fuzz/fuzz_pace.c - any bytes as what ops took */
#include <stdint.h>
#include <stdlib.h>

#include "mpi_runner/campaign/pace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_pace_t *pace = osw_pace_create("cpu correct");
    const struct osw_pace_op *op;

    if (!pace)
        abort();
    if (osw_pace_parse(pace, (const char *)data, size, &err) < 0 &&
        err.status == OSW_OK)
        abort();
    op = osw_pace_op(pace, "aten.mm.default");
    if (!op || !(op->factor >= 0))
        abort();
    osw_pace_destroy(pace);
    return 0;
}
