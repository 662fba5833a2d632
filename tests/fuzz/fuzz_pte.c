/* tests/fuzz/fuzz_pte.c - any bytes as an ExecuTorch program
 *
 * What is read are names of operators; what is refused says why.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ops/notation/pte.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good)
{
    if (!good)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_ops_yaml found;

    require(arena != NULL);
    if (osw_pte_read(arena, data, size, &found, &err) < 0)
        require(err.status == OSW_BAD_INPUT && err.text[0]);
    else
        for (size_t i = 0; i < found.n; i++)
            require(found.at[i].schema.name && !found.at[i].is_func &&
                    !found.at[i].schema.has_signature);
    osw_arena_destroy(arena);
    return 0;
}
