/* tests/fuzz/fuzz_schema.c - any bytes as a schema
 *
 * What parses must print to a text that parses to the same print.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ops/inputs/bind.h"
#include "ops/notation/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good)
{
    if (!good)
        abort();
}

/* Every argument finds itself; no arguments bind, or are missed by name. */
static void check_arguments(osw_arena_t *arena, const struct osw_schema *s)
{
    struct osw_case none = {{.kind = OSW_VALUE_TUPLE},
                            {.kind = OSW_VALUE_DICT}};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_bound_arg *args;
    size_t n;

    for (uint32_t i = 0; i < s->n_args; i++)
        require(osw_schema_arg_index(s, s->args[i].name) == (int)i);
    if (osw_bind(arena, s, &none, &args, &n, &err) < 0) {
        require(err.status == OSW_BAD_INPUT);
        return;
    }
    require(n == s->n_args);
    for (size_t i = 0; i < n; i++)
        require(args[i].value != NULL);
}

static void check(osw_arena_t *arena, const char *text, size_t n)
{
    struct osw_text once = OSW_TEXT_INIT, twice = OSW_TEXT_INIT;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_schema s;

    if (osw_schema_parse(arena, text, n, &s, &err) < 0) {
        require(err.status == OSW_BAD_INPUT);
        require(strncmp(err.text, "column ", 7) == 0);
        return;
    }
    check_arguments(arena, &s);
    osw_schema_print(&once, &s);
    if (once.used <= OSW_SCHEMA_MAX_BYTES) {
        require(osw_schema_parse(arena, once.data, once.used, &s, &err) == 0);
        osw_schema_print(&twice, &s);
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
    check(arena, (const char *)data, size);
    osw_arena_destroy(arena);
    return 0;
}
