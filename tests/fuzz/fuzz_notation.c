/* tests/fuzz/fuzz_notation.c - any bytes as case notation
 *
 * What parses must print to a text that parses to the same print, must bind,
 * and must hold tensors whose sizes fit.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ops/inputs/bind.h"
#include "ops/notation/notation.h"
#include "ops/notation/tensor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good)
{
    if (!good)
        abort();
}

static void check_value(osw_arena_t *arena, const char *text, size_t n)
{
    struct osw_text once = OSW_TEXT_INIT, twice = OSW_TEXT_INIT;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_value v;

    if (osw_notation_parse_value(arena, text, n, &v, &err) < 0) {
        require(err.status == OSW_BAD_INPUT);
        require(strncmp(err.text, "column ", 7) == 0);
        return;
    }
    osw_notation_print_value(&once, &v);
    if (once.used <= OSW_NOTATION_MAX_BYTES) {
        require(osw_notation_parse_value(arena, once.data, once.used, &v,
                                         &err) == 0);
        osw_notation_print_value(&twice, &v);
        require(strcmp(once.data, twice.data) == 0);
    }
    osw_text_free(&once);
    osw_text_free(&twice);
}

static void check_tensors(osw_arena_t *arena, const struct osw_case *c)
{
    struct osw_bound_tensor *tensors;
    struct osw_bound_arg *args;
    size_t n_args, n;

    require(osw_bind(arena, NULL, c, &args, &n_args, NULL) == 0);
    require(n_args == (size_t)c->args.n + c->kwargs.n);
    require(osw_bind_tensors(arena, args, n_args, &tensors, &n, NULL) == 0);
    for (size_t i = 0; i < n; i++) {
        const struct osw_tensor_desc *t = tensors[i].desc;

        require(osw_tensor_bytes(t) >= 0);
        require(osw_tensor_numel(t->ndim, t->shape) >= 0);
        if (!t->strided)
            require(osw_tensor_is_contiguous(t->ndim, t->shape, t->strides));
    }
}

static void check_case(osw_arena_t *arena, const char *text, size_t n)
{
    struct osw_text once = OSW_TEXT_INIT, twice = OSW_TEXT_INIT;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_case c;

    if (osw_notation_parse_case(arena, text, n, &c, &err) < 0) {
        require(err.status == OSW_BAD_INPUT);
        return;
    }
    check_tensors(arena, &c);
    osw_notation_print_case(&once, &c);
    if (once.used <= OSW_NOTATION_MAX_BYTES) {
        require(osw_notation_parse_case(arena, once.data, once.used, &c,
                                        &err) == 0);
        osw_notation_print_case(&twice, &c);
        require(strcmp(once.data, twice.data) == 0);
    }
    osw_text_free(&once);
    osw_text_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    osw_arena_t *arena = osw_arena_create();

    if (!arena)
        return 0;
    check_value(arena, (const char *)data, size);
    check_case(arena, (const char *)data, size);
    osw_arena_destroy(arena);
    return 0;
}
