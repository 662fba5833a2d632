/* tests/fuzz/fuzz_trace.c - any bytes as a trace file
 *
 * Every call that is read must be a case when read by itself.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ops/cases/trace.h"
#include "ops/notation/notation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good)
{
    if (!good)
        abort();
}

static void check_entry(osw_arena_t *arena, const struct osw_trace_entry *e)
{
    struct osw_text whole = OSW_TEXT_INIT, alone = OSW_TEXT_INIT;
    struct osw_case c;

    require(e->count >= 1 && e->line >= 1 && *e->op);
    require(osw_notation_parse_case(arena, e->text, strlen(e->text), &c,
                                    NULL) == 0);
    osw_notation_print_case(&whole, &e->args);
    osw_notation_print_case(&alone, &c);
    require(strcmp(whole.data, alone.data) == 0);
    osw_text_free(&whole);
    osw_text_free(&alone);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_trace trace;

    if (!arena)
        return 0;
    if (osw_trace_parse(arena, "t", (const char *)data, size, &trace, &err) <
        0) {
        require(err.status == OSW_BAD_INPUT);
        require(strncmp(err.text, "t:", 2) == 0);
    } else {
        for (size_t i = 0; i < trace.n; i++)
            check_entry(arena, &trace.entries[i]);
    }
    osw_arena_destroy(arena);
    return 0;
}
