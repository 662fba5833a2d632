/* tests/fuzz/fuzz_gen_lines.c - any bytes as what a generator said
 *
 * What is accepted must read back as itself, or say why it is no case.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ops/cases/gen_lines.h"
#include "ops/notation/notation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct osw_op op = {.name = "f.default", .folder = "f"};
    struct osw_error err = OSW_ERROR_INIT;
    osw_arena_t *arena = osw_arena_create();
    struct osw_gen_cases cases = {0, NULL};
    struct osw_gen_list list;

    if (!arena)
        abort();
    osw_gen_list_begin(&list, arena);
    if (osw_gen_list_finish(&list,
                            osw_gen_lines_parse(&op, (const char *)data, size,
                                                &list.sink, &err),
                            &cases, &err) < 0 &&
        err.status == OSW_OK)
        abort();
    for (size_t i = 0; i < cases.n; i++) {
        const struct osw_gen_case *c = &cases.at[i];
        struct osw_case again;

        if (!c->text || !c->fill ||
            osw_notation_parse_case(arena, c->text, strlen(c->text), &again,
                                    NULL) < 0)
            abort();
    }
    osw_arena_destroy(arena);
    return 0;
}
