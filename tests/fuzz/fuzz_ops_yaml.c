/* tests/fuzz/fuzz_ops_yaml.c - any bytes as an ExecuTorch file of operators
 *
 * What is read is whole, what is refused names a line; the `.out` schemas that
 * are read have a functional form, and that form has them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ops/notation/ops_yaml.h"
#include "ops/notation/schema_out.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good)
{
    if (!good)
        abort();
}

static void check(osw_arena_t *arena, const struct osw_yaml_op *op)
{
    struct osw_error err = OSW_ERROR_INIT;
    uint32_t n = osw_schema_n_outs(&op->schema);
    struct osw_schema functional, back;

    require(op->line > 0 && op->schema.name);
    require(op->schema.has_signature == op->is_func);
    for (size_t i = 0; i < op->n_kernels; i++)
        require(op->kernels[i] && *op->kernels[i]);
    require((osw_schema_functional(arena, &op->schema, &functional, &err) ==
             0) == (n > 0));
    if (n == 0)
        return;
    require(functional.n_args + n == op->schema.n_args);
    if (osw_schema_out(arena, &functional, &back, &err) == 0)
        require(osw_schema_n_outs(&back) == n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_ops_yaml y;

    require(arena != NULL);
    if (osw_ops_yaml_read(arena, (const char *)data, size, &y, &err) < 0)
        require(err.status == OSW_BAD_INPUT &&
                strncmp(err.text, "line ", 5) == 0);
    else
        for (size_t i = 0; i < y.n; i++)
            check(arena, &y.at[i]);
    osw_arena_destroy(arena);
    return 0;
}
