/* tests/fuzz/fuzz_expr.c - any bytes as an expression, a fill, a list of them
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ops/inputs/expr.h"
#include "ops/inputs/fill_text.h"
#include "ops/notation/notation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char case_text[] =
    "((T([4, 8], f16), [2, 3], 2.5, None, [T([2], c32)]), {'alpha': 7})";

static void check_expr(const char *text, size_t n,
                       const struct osw_expr_env *env)
{
    struct osw_error err = OSW_ERROR_INIT;
    double v = 0;
    int rc = osw_expr_eval(text, n, env, &v, &err);

    if (!isfinite(v) || (rc < 0) != (err.status == OSW_BAD_INPUT))
        abort();
    /* What has a value is well formed. */
    if (rc == 0 && osw_expr_check(text, n, NULL, NULL, NULL) < 0)
        abort();
}

static void check_fills(osw_arena_t *arena, const char *text, size_t n,
                        const struct osw_expr_env *env)
{
    const struct osw_fill *fills, *again;
    const char *printed, *twice;
    struct osw_fill one;
    size_t n_fills;

    (void)!osw_fill_parse(text, n, env->args, env->n_args, &one, NULL);
    if (osw_fill_list_parse(arena, text, n, &fills, &n_fills, NULL) < 0)
        return;
    printed = osw_fill_list_text(arena, fills, n_fills);
    if (!printed || osw_fill_list_parse(arena, printed, strlen(printed), &again,
                                        &n_fills, NULL) < 0)
        abort();
    twice = osw_fill_list_text(arena, again, n_fills);
    if (!twice || strcmp(printed, twice) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_expr_env env = {.n_args = 0};
    struct osw_bound_arg *args;
    struct osw_case parsed;

    if (!arena ||
        osw_notation_parse_case(arena, case_text, strlen(case_text), &parsed,
                                NULL) < 0 ||
        osw_bind(arena, NULL, &parsed, &args, &env.n_args, NULL) < 0)
        abort();
    env.args = args;
    check_expr((const char *)data, size, &env);
    check_fills(arena, (const char *)data, size, &env);
    osw_arena_destroy(arena);
    return 0;
}
