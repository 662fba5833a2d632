/* tests/fuzz/fuzz_generated.c - any bytes as what generators said */
#include <stdint.h>
#include <stdlib.h>

#include "mpi_runner/campaign/generated.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct osw_error err = OSW_ERROR_INIT;

    if (osw_generated_decode(data, size, &err) < 0 &&
        err.status != OSW_BAD_INPUT)
        abort();
    osw_generated_forget();
    return 0;
}
