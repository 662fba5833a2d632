/* tests/fuzz/fuzz_gen_input.c - any bytes as gen_input.json
 *
 * What is accepted must be canonical: every case reads back as itself.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ops/cases/gen_input.h"
#include "ops/cases/gen_json.h"
#include "ops/inputs/fill_text.h"
#include "ops/notation/notation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char schema_text[] =
    "f(Tensor(a!) self, Tensor[] others=[], *, Scalar alpha=1) -> Tensor(a!)";

static void check_case(osw_arena_t *arena, const struct osw_gen_case *c)
{
    const struct osw_fill *fills;
    struct osw_case again;
    const char *text;
    size_t n;

    if (osw_notation_parse_case(arena, c->text, strlen(c->text), &again, NULL) <
            0 ||
        osw_fill_list_parse(arena, c->fill, strlen(c->fill), &fills, &n, NULL) <
            0)
        abort();
    text = osw_gen_case_text(arena, &again);
    if (!text || strcmp(text, c->text) != 0)
        abort();
    text = osw_fill_list_text(arena, fills, n);
    if (!text || strcmp(text, c->fill) != 0)
        abort();
}

/* Memory and time of the fuzzer are bounded, too. */
static int expect_few(void *arg, size_t n, struct osw_error *err)
{
    (void)arg;
    return n <= 100000 ? 0 : osw_fail(err, OSW_BAD_INPUT, "%zu cases", n);
}

static void expand(const char *text, size_t n, const struct osw_schema *schema)
{
    static const struct osw_fill_rule rule = {"others", "index(numel(self)+1)"};
    const struct osw_op op = {
        .name = "f.default",
        .folder = "f",
        .dir = "/nonexistent",
        .schema = schema,
        .fills = &rule,
        .n_fills = 1,
    };
    struct osw_error err = OSW_ERROR_INIT;
    osw_arena_t *arena = osw_arena_create();
    struct osw_gen_cases cases;
    struct osw_gen_list list;

    if (!arena)
        abort();
    osw_gen_list_begin(&list, arena);
    list.sink.expect = expect_few;
    if (osw_gen_list_finish(&list,
                            osw_gen_json_parse(arena, &op, text, n, "fuzz.json",
                                               &list.sink, &err),
                            &cases, &err) == 0)
        for (size_t i = 0; i < cases.n; i++)
            check_case(arena, &cases.at[i]);
    else if (err.status == OSW_OK)
        abort();
    osw_arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_schema schema;

    if (!arena || osw_schema_parse(arena, schema_text, strlen(schema_text),
                                   &schema, NULL) < 0)
        abort();
    expand((const char *)data, size, NULL);
    expand((const char *)data, size, &schema);
    osw_arena_destroy(arena);
    return 0;
}
