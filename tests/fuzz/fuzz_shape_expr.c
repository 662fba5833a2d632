/* tests/fuzz/fuzz_shape_expr.c - any bytes as an output's shape and dtype */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ops/inputs/shape_expr.h"
#include "ops/notation/notation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char schema_text[] =
    "f(Tensor x, Tensor? w, Tensor[] xs, int n, int[] dims, bool keep, "
    "ScalarType? dtype=None) -> Tensor";
static const char case_text[] =
    "((T([4, 8], f16), None, [T([2], f32)], 7, [-1, 0], True), {})";

/* The first line is the shape, the rest the dtype. */
static void check(char *text, const struct osw_shape_env *env)
{
    char *line = strchr(text, '\n');
    struct osw_output_spec spec = {text, line ? line + 1 : "f32"};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_output_shape out = {.ndim = -1};
    struct osw_text python = OSW_TEXT_INIT;
    int rc;

    if (line)
        *line = '\0';
    rc = osw_output_spec_eval(&spec, env, &out, &err);
    if ((rc < 0) != (err.status == OSW_BAD_INPUT) || (rc < 0) != (out.ndim < 0))
        abort();
    for (int32_t d = 0; d < out.ndim; d++)
        if (out.shape[d] < 0)
            abort();
    /* What has a value is well formed. */
    if (rc == 0 && (osw_shape_expr_check(spec.shape, env->schema, NULL) < 0 ||
                    osw_dtype_expr_check(spec.dtype, env->schema, NULL) < 0))
        abort();
    osw_shape_expr_python(spec.shape, env->schema, &python);
    osw_dtype_expr_python(spec.dtype, env->schema, &python);
    osw_text_free(&python);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    osw_arena_t *arena = osw_arena_create();
    char *text = malloc(size + 1);
    struct osw_schema schema;
    struct osw_bound_arg *args;
    struct osw_case parsed;
    size_t n;

    if (!arena || !text ||
        osw_schema_parse(arena, schema_text, strlen(schema_text), &schema,
                         NULL) < 0 ||
        osw_notation_parse_case(arena, case_text, strlen(case_text), &parsed,
                                NULL) < 0 ||
        osw_bind(arena, &schema, &parsed, &args, &n, NULL) < 0)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    check(text, &(struct osw_shape_env){&schema, args});
    free(text);
    osw_arena_destroy(arena);
    return 0;
}
